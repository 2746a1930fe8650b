(comment) @comment

(func_literal) @local

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @scope))
  name: (field_identifier) @name) @definition.method

; `type A struct` alone is one node with its keyword; in a group each line stands for itself.
(type_declaration . (type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) .) @definition.struct
(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_declaration . (type_spec
  name: (type_identifier) @name
  type: (interface_type)) .) @definition.interface
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_declaration . (type_spec name: (type_identifier) @name) .) @definition.type
(type_spec name: (type_identifier) @name) @definition.type
(type_declaration . (type_alias name: (type_identifier) @name) .) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(field_declaration name: (field_identifier) @name) @definition.field
(method_elem name: (field_identifier) @name) @definition.method

; By its field, only the first name of several is found.
(const_declaration . (const_spec (identifier) @name) .) @definition.constant
(const_spec (identifier) @name) @definition.constant
(var_declaration . (var_spec name: (identifier) @name) .) @definition.variable
(var_spec name: (identifier) @name) @definition.variable

(call_expression function: [
  (identifier) @reference.call
  (selector_expression field: (field_identifier) @reference.call)
  (parenthesized_expression (identifier) @reference.call)])
(type_conversion_expression type: (generic_type type: (type_identifier) @reference.call))
(type_identifier) @reference.type
