; include: javascript/bindings

(export_statement "=" @exported . (_) @value)
(import_require_clause (identifier) @exported source: (string (string_fragment) @module))

(type_identifier) @name
(type_identifier) @type
(nested_type_identifier module: (_) @owner name: (type_identifier) @member)
(type_annotation) @type
(abstract_class_declaration name: (_) @defined)
(interface_declaration name: (_) @defined)
(type_alias_declaration name: (_) @defined)
(enum_declaration name: (_) @defined)
(internal_module name: (_) @defined)
(module name: (_) @defined)
(function_signature name: (_) @defined)
(type_parameter name: (_) @defined)

(extends_clause value: [
  (identifier) @base
  (member_expression) @base
  (call_expression) @base])
(implements_clause [
  (type_identifier) @base
  (nested_type_identifier) @base
  (generic_type name: (_) @base)])
(extends_type_clause [
  (type_identifier) @base
  (nested_type_identifier) @base
  (generic_type name: (_) @base)])
(type_alias_declaration value: [
  (type_identifier) @base
  (generic_type name: (_) @base)
  (intersection_type [(type_identifier) @base (generic_type name: (_) @base)])
  (union_type [(type_identifier) @base (generic_type name: (_) @base)])])
(type_alias_declaration name: (_) @mixed value: (type_query (_) @mixing))

(required_parameter pattern: (identifier) @bound)
(optional_parameter pattern: (identifier) @bound)
(required_parameter pattern: [(identifier) (this)] @variable type: (_) @value)
(optional_parameter pattern: (identifier) @variable type: (_) @value)
(required_parameter (accessibility_modifier) pattern: (identifier) @attribute type: (_) @value)
(optional_parameter (accessibility_modifier) pattern: (identifier) @attribute type: (_) @value)
(required_parameter
  pattern: (object_pattern (shorthand_property_identifier_pattern) @variable)
  type: (_) @picked)
(variable_declarator name: (identifier) @variable type: (_) @value)
(public_field_definition name: (property_identifier) @variable type: (_) @value)
(public_field_definition name: (property_identifier) @variable value: (_) @value)
(property_signature name: (property_identifier) @variable type: (_) @value)
(function_declaration return_type: (type_annotation) @returned)
(function_signature return_type: (type_annotation) @returned)
(method_definition return_type: (type_annotation) @returned)
(call_signature return_type: (_) @value) @signature
(method_signature return_type: (type_annotation) @returned)
(abstract_method_signature return_type: (type_annotation) @returned)
(arrow_function return_type: (type_annotation) @returned)
(function_expression return_type: (type_annotation) @returned)
