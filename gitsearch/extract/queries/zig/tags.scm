[(line_comment) (doc_comment)] @comment

; Types are constants whose value is a container; a union before an enum, for `union(enum)`.
(Decl (VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ContainerDecl (ContainerDeclType ["struct" "union"]) "{" @body))))) @definition.struct
(Decl (VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ContainerDecl (ContainerDeclType "enum") "{" @body))))) @definition.enum
(Decl (VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ContainerDecl (ContainerDeclType "opaque") "{" @body))))) @definition.type
(Decl (VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . (ErrorSetDecl "{" @body))))) @definition.enum

(ErrorSetDecl field_constant: (IDENTIFIER) @name @definition.enumerator)
(ContainerField field_member: (IDENTIFIER) @name) @definition.field
(ContainerDecl
  (ContainerDeclType "union")
  (ContainerField
    . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name .))) @definition.field)
(ContainerDecl
  (ContainerDeclType "enum")
  (ContainerField
    . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name .))) @definition.enumerator)

; A function that returns a type is a generic type.
((Decl (FnProto function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr (BuildinTypeExpr) @_type .)) .) (Block)? @body) @definition.type
  (#eq? @_type "type"))
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.function

; Other values of files and containers; what @import returns is an import.
((Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name . (_) @_value)) @definition.constant
  (#not-match? @_value "^(@import|@cImport|((packed|extern) )?(struct|enum|union|opaque)\\b|error\\s*\\{[^}]*\\}$)"))
((Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name)) @definition.variable)

(SuffixExpr . variable_type_function: (IDENTIFIER) @reference.call . (FnCallArguments))
(FieldOrFnCall function_call: (IDENTIFIER) @reference.call)
(SuffixExpr . variable_type_function: (IDENTIFIER) @capital.type)
(FieldOrFnCall field_access: (IDENTIFIER) @capital.type)
