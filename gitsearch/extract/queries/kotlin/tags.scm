[(line_comment) (multiline_comment)] @comment
(annotation) @attribute

; The grammar has few fields: a name is the only direct child of its type.
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration . "class" (type_identifier) @name (class_body)? @body) @definition.class
(class_declaration . (modifiers) . "class" (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.module
(companion_object (type_identifier) @name (class_body)? @body) @definition.module
(type_alias (type_identifier) @name) @definition.type
(enum_entry (simple_identifier) @name) @definition.enumerator
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property
(secondary_constructor "constructor" @name "{"? @body) @definition.constructor

; Functions; an extension is qualified by the type it extends.
(function_declaration
  receiver: (receiver_type [(user_type) @scope (nullable_type (user_type) @scope)])
  (simple_identifier) @name
  (function_body)? @body) @definition.function
(class_body (function_declaration
  (simple_identifier) @name (function_body)? @body) @definition.method)
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function

; An extension behind an annotation is taken for an expression.
((infix_expression
  (simple_identifier) @_fun
  . (call_expression
    (navigation_expression . (simple_identifier) @scope (navigation_suffix (simple_identifier) @name))
    (call_suffix (annotated_lambda)? @body))) @definition.function
  (#eq? @_fun "fun"))

; Properties of files and classes; what stands in a function body is local.
((source_file (property_declaration
  !receiver
  (binding_pattern_kind "val") (variable_declaration (simple_identifier) @name)) @definition.constant))
((source_file (property_declaration
  !receiver
  (binding_pattern_kind "var") (variable_declaration (simple_identifier) @name)) @definition.variable))
(class_body (property_declaration
  !receiver
  . (binding_pattern_kind) (variable_declaration (simple_identifier) @name)) @definition.property)
((class_body (property_declaration
  !receiver
  . (modifiers) @_modifiers (variable_declaration (simple_identifier) @name)) @definition.property)
  (#not-match? @_modifiers "(^|\\s)const(\\s|$)"))
((class_body (property_declaration
  !receiver
  . (modifiers) @_modifiers (variable_declaration (simple_identifier) @name)) @definition.constant)
  (#match? @_modifiers "(^|\\s)const(\\s|$)"))
(enum_class_body (property_declaration
  !receiver (variable_declaration (simple_identifier) @name)) @definition.property)
(property_declaration
  receiver: (receiver_type [(user_type) @scope (nullable_type (user_type) @scope)])
  (variable_declaration (simple_identifier) @name)) @definition.property
; What an error tore from its class: a visibility is never written before a local variable.
(ERROR (property_declaration
  (modifiers (visibility_modifier))
  !receiver (variable_declaration (simple_identifier) @name)) @definition.property)

(call_expression . (simple_identifier) @reference.call)
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @reference.call) .))
(infix_expression (_) . (simple_identifier) @reference.call . (_))
(callable_reference (simple_identifier) @reference.call)
(user_type (type_identifier) @reference.type)
(navigation_expression . (simple_identifier) @capital.type)
; An object is passed like a value.
(value_argument (simple_identifier) @capital.type)
