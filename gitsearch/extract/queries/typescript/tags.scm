; include: javascript/shared

(function_type) @local
(ambient_declaration) @outer

(function_signature name: (identifier) @name) @definition.prototype
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(type_alias_declaration name: (_) @name) @definition.type

(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module

(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string) (number)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.method
(public_field_definition
  name: [(property_identifier) (private_property_identifier) (string) (number)] @name
) @definition.field
(required_parameter
  (accessibility_modifier)
  pattern: (identifier) @name) @definition.field
(optional_parameter
  (accessibility_modifier)
  pattern: (identifier) @name) @definition.field

(method_signature
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
(abstract_method_signature
  name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
(property_signature
  name: [(property_identifier) (private_property_identifier) (string)] @name
) @definition.property

(enum_body name: (_) @name @definition.enumerator)
(enum_assignment name: (_) @name) @definition.enumerator

(variable_declarator value: [
  (as_expression (object [
    (pair key: [(property_identifier) (string)] @name) @definition.property
    (shorthand_property_identifier) @name @definition.property]))
  (satisfies_expression (object [
    (pair key: [(property_identifier) (string)] @name) @definition.property
    (shorthand_property_identifier) @name @definition.property]))])

(type_identifier) @reference.type
(extends_clause value: [
  (identifier) @reference.type
  (member_expression property: (_) @reference.type)])
