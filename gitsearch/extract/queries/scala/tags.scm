[(comment) (block_comment)] @comment
(annotation) @attribute

(class_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(simple_enum_case name: (identifier) @name) @definition.enumerator
(full_enum_case name: (identifier) @name) @definition.enumerator
(object_definition name: (identifier) @name) @definition.module
(package_object name: (identifier) @name) @definition.module
(package_clause name: (package_identifier) @name body: (_)) @container
(type_definition name: (type_identifier) @name) @definition.type
(given_definition name: (identifier) @name) @definition.variable

; Functions: methods in a template, functions anywhere else.
((template_body (function_definition name: (_) @name) @definition.method) (#not-eq? @name "this"))
((template_body (function_definition name: (_) @name) @definition.constructor) (#eq? @name "this"))
(template_body (function_declaration name: (_) @name) @definition.method)
(enum_body (function_definition name: (_) @name) @definition.method)
(with_template_body (function_definition name: (_) @name) @definition.method)
(extension_definition (function_definition name: (_) @name) @definition.function)
(compilation_unit (function_definition name: (_) @name) @definition.function)
(package_clause body: (_ (function_definition name: (_) @name) @definition.function))
(block (function_definition name: (_) @name) @definition.function)
(case_clause (function_definition name: (_) @name) @definition.function)
(ERROR (function_definition name: (_) @name) @definition.function)
(indented_block (function_definition name: (_) @name) @definition.function)

; Values of a template or file; what stands in a block is local.
(template_body (val_definition pattern: [
  (identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)
]) @definition.field)
(template_body (var_definition pattern: [
  (identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)
]) @definition.field)
(template_body (val_declaration name: (identifier) @name) @definition.field)
(template_body (var_declaration name: (identifier) @name) @definition.field)
(compilation_unit (val_definition pattern: [
  (identifier) @name (identifiers (identifier) @name)
]) @definition.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @definition.variable)
(package_clause body: (_ (val_definition pattern: (identifier) @name) @definition.constant))
(class_parameter ["val" "var"] name: (identifier) @name) @definition.field
(class_definition "case" class_parameters: (class_parameters
  (class_parameter . name: (identifier) @name) @definition.field))

(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)
  (generic_function function: (identifier) @reference.call)
  (generic_function function: (field_expression field: (identifier) @reference.call))
])
(infix_expression operator: (identifier) @reference.call)
(field_expression value: (identifier) @capital.type)
(instance_expression [(type_identifier) @reference.type (generic_type . (type_identifier) @reference.type)])
(extends_clause type: [(type_identifier) @reference.type (generic_type . (type_identifier) @reference.type)])
(_ type: (type_identifier) @reference.type)
(_ return_type: (type_identifier) @reference.type)
(type_arguments (type_identifier) @reference.type)
(generic_type . (type_identifier) @reference.type)
(stable_type_identifier (type_identifier) @reference.type)
(function_type (_ (type_identifier) @reference.type))
(function_type (type_identifier) @reference.type)
(tuple_type (type_identifier) @reference.type)
(compound_type (type_identifier) @reference.type)
(infix_type (type_identifier) @reference.type)
(annotation name: (type_identifier) @reference.type)
(context_bound (type_identifier) @reference.type)
(upper_bound (type_identifier) @reference.type)
(case_class_pattern type: (type_identifier) @reference.type)
