(line_comment) @comment
(block_comment) @comment
(marker_annotation) @attribute
(annotation) @attribute

(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(module_declaration name: (_) @name) @definition.module

(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor
(annotation_type_element_declaration name: (identifier) @name) @definition.method

(field_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.variable
(constant_declaration
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(record_declaration
  parameters: (formal_parameters
    (formal_parameter name: (identifier) @name) @definition.field))
(enum_constant name: (identifier) @name) @definition.enumerator

(method_invocation name: (identifier) @reference.call)
(method_reference (identifier) @reference.call .)
(type_identifier) @reference.type
(marker_annotation name: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
(annotation name: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
; Static members are used through the name of their class.
(method_invocation object: (identifier) @capital.type)
(field_access object: (identifier) @capital.type)
(method_reference . (identifier) @capital.type)
