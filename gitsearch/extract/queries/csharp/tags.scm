(comment) @comment
(attribute_list) @attribute

(lambda_expression) @local
(anonymous_method_expression) @local

(namespace_declaration name: (_) @name) @definition.namespace
; Without braces it is the namespace of the whole file.
(compilation_unit (file_scoped_namespace_declaration name: (_) @name)) @container

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

(method_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration "~" @name name: (identifier) @name) @definition.method
(operator_declaration "operator" @name operator: _ @name) @definition.method
(conversion_operator_declaration "operator" @name type: (_) @name) @definition.method

(property_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(property_declaration name: (identifier) @name value: (_) @body) @definition.property
(indexer_declaration "this" @name accessors: (_)? @body) @definition.property
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(record_declaration
  (parameter_list (parameter name: (identifier) @name) @definition.property))

(field_declaration
  (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(enum_member_declaration name: (identifier) @name) @definition.enumerator

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name . (identifier) @reference.call)
  (member_access_expression name: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)])
  (conditional_access_expression (member_binding_expression name: (identifier) @reference.call))])

(_ type: [
  (identifier) @reference.type
  (qualified_name name: (identifier) @reference.type)
  (nullable_type (identifier) @reference.type)
  (array_type (identifier) @reference.type)])
(_ returns: [
  (identifier) @reference.type
  (qualified_name name: (identifier) @reference.type)
  (nullable_type (identifier) @reference.type)
  (array_type (identifier) @reference.type)])
(generic_name . (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(base_list [
  (identifier) @reference.type
  (qualified_name name: (identifier) @reference.type)])
(attribute name: [
  (identifier) @reference.type
  (qualified_name name: (identifier) @reference.type)])
; Static members and enumerators are used through the name of their type.
(member_access_expression expression: (identifier) @capital.name)
