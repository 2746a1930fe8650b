[(comment) (multiline_comment)] @comment
(attribute) @attribute

(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(protocol_declaration name: (type_identifier) @name) @definition.interface

; An extension only adds to a type that is defined elsewhere.
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name (type_arguments))) @container
(class_declaration declaration_kind: "extension" name: (user_type) @name) @container

(enum_entry name: (simple_identifier) @name) @definition.enumerator
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro

; Functions; an operator is named by a token.
(class_body (function_declaration name: [(simple_identifier) (custom_operator)] @name) @definition.method)
(function_declaration name: [(simple_identifier) (custom_operator)] @name) @definition.function
(function_declaration name: [
  "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "++" "--"
  "~" "&" "|" "^" "<<" ">>" "!" "..." "..<"
] @name) @definition.function
(protocol_function_declaration name: [
  (simple_identifier) (custom_operator) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/"
] @name) @definition.method
(init_declaration "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method

; Properties; what stands in a function body is local.
(source_file (property_declaration
  (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file (property_declaration
  (value_binding_pattern mutability: "var")
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @definition.variable)
(class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @definition.property)
(enum_class_body (property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_)? @body) @definition.property)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression
  suffix: (navigation_suffix suffix: (simple_identifier) @reference.call)))
(call_expression . (prefix_expression (simple_identifier) @reference.call))
(user_type (type_identifier) @reference.type)
(navigation_expression target: (simple_identifier) @capital.type)
