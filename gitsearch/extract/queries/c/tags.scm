(comment) @comment

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro
; A comment within the line, and around it, makes errors.
(ERROR "#define" . (identifier) @name @definition.macro)

; ---------------------------------------------------------------- functions

(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) @name
    (parenthesized_declarator (identifier) @name)]))
  (pointer_declarator declarator:
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.function

(declaration declarator: [
  (function_declarator declarator: [
    (identifier) @name
    (parenthesized_declarator (identifier) @name)])
  (pointer_declarator declarator: (function_declarator declarator: [
    (identifier) @name
    (parenthesized_declarator (identifier) @name)]))
  (pointer_declarator declarator:
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))
]) @definition.prototype
; A name in parentheses is no macro's. Behind `API void` it looks like a parameter.
(declaration declarator: (function_declarator declarator: (function_declarator
  declarator: (identifier)
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name) .)
))) @definition.prototype
; Macros make errors: `int f(void) ATTRIBUTE;`, `API int (*f)(void) ATTRIBUTE;`.
(ERROR (function_declarator declarator: (identifier) @name) @definition.prototype)
(function_declarator parameters: (parameter_list
  (ERROR)
  . (parameter_declaration type: (type_identifier) @name) @definition.prototype .))

; ---------------------------------------------------------------- types

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum

; A name for a type without one stands for its definition; for one that has a name, it is another.
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum
(type_definition
  type: (_ name: (_) body: (_))
  declarator: [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)] @definition.type)
(type_definition declarator: [
  (type_identifier) @name
  (_ declarator: (parenthesized_declarator (type_identifier) @name))
  (_ declarator: (type_identifier) @name)
  (_ declarator: (_ declarator: (type_identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)])))
]) @definition.type

(enumerator name: (identifier) @name) @definition.enumerator
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (_ declarator: (_ declarator: (field_identifier) @name))
  (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)))
  (_ declarator: (_ declarator:
    (parenthesized_declarator (_ declarator: (field_identifier) @name))))
]) @definition.field

; ---------------------------------------------------------------- variables

(declaration
  type: (_ name: (_) body: (_))
  declarator: [
    (identifier) @name
    (_ declarator: (identifier) @name)
    (_ declarator: (_ declarator: (identifier) @name))] @definition.variable)
(declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (init_declarator declarator: (_ declarator: (identifier) @name))
  (pointer_declarator declarator: (_ declarator: (identifier) @name))
  (array_declarator declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (_ declarator: (_ declarator: (identifier) @name))))
  (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: [
    (identifier) @name
    (_ declarator: (identifier) @name)]))))
  (_ declarator: (_ declarator: (_ declarator:
    (parenthesized_declarator (_ declarator: (identifier) @name)))))
]) @definition.variable

; ---------------------------------------------------------------- uses

(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)])
(type_identifier) @reference.type
; Tables of functions.
(initializer_list (identifier) @reference.name)
(initializer_pair value: (identifier) @reference.name)
