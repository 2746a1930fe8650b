(identifier) @name
(type_identifier) @name
(type_identifier) @type
(method_invocation object: (_) @owner name: (identifier) @member)
(method_invocation name: (identifier) @called arguments: (_) @parameters)
(field_access object: (_) @owner field: (identifier) @member)
(method_reference . (_) @owner (identifier) @member .)
(scoped_type_identifier (_) @owner (type_identifier) @member .)
(object_creation_expression type: [
  (type_identifier) @called
  (scoped_type_identifier (type_identifier) @called .)
  (generic_type . (type_identifier) @called)])
(method_reference . (identifier) @called "new" .)
(marker_annotation name: (_) @decorator)
(annotation name: (_) @decorator)
(element_value_pair key: (identifier) @label)

(package_declaration) @skipped
(import_declaration) @skipped
(class_declaration name: (identifier) @defined)
(record_declaration name: (identifier) @defined)
(interface_declaration name: (identifier) @defined)
(annotation_type_declaration name: (identifier) @defined)
(enum_declaration name: (identifier) @defined)
(enum_constant name: (identifier) @defined)
(method_declaration name: (identifier) @defined parameters: (_) @parameters)
(constructor_declaration name: (identifier) @defined)
(compact_constructor_declaration name: (identifier) @defined)
(annotation_type_element_declaration name: (identifier) @defined)
(type_parameter (type_identifier) @defined)
(labeled_statement . (identifier) @label)
(break_statement (identifier) @label)
(continue_statement (identifier) @label)

(superclass [(type_identifier) @base (scoped_type_identifier) @base
  (generic_type . (_) @base)])
(super_interfaces (type_list [(type_identifier) @base (scoped_type_identifier) @base
  (generic_type . (_) @base)]))
(extends_interfaces (type_list [(type_identifier) @base (scoped_type_identifier) @base
  (generic_type . (_) @base)]))

(formal_parameter name: (identifier) @bound)
(spread_parameter (variable_declarator name: (identifier) @bound))
(catch_formal_parameter name: (identifier) @bound)
(inferred_parameters (identifier) @bound)
(lambda_expression parameters: (identifier) @bound)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @bound))
(enhanced_for_statement name: (identifier) @bound)
(instanceof_expression name: (identifier) @bound)
(resource name: (identifier) @bound)

(formal_parameter type: (_) @value name: (identifier) @variable)
(spread_parameter (type_identifier) @value (variable_declarator name: (identifier) @variable))
(catch_formal_parameter (catch_type) @value name: (identifier) @variable)
(local_variable_declaration type: (_) @value
  declarator: (variable_declarator name: (identifier) @variable)
  (#not-eq? @value "var"))
((local_variable_declaration type: (_) @_var
  declarator: (variable_declarator name: (identifier) @variable value: (_) @value))
  (#eq? @_var "var"))
(field_declaration type: (_) @value declarator: (variable_declarator name: (identifier) @variable))
(constant_declaration type: (_) @value
  declarator: (variable_declarator name: (identifier) @variable))
(enhanced_for_statement type: (_) @value name: (identifier) @variable (#not-eq? @value "var"))
((enhanced_for_statement type: (_) @_var name: (identifier) @variable value: (_) @element)
  (#eq? @_var "var"))
(instanceof_expression right: (_) @value name: (identifier) @variable)
(resource type: (_) @value name: (identifier) @variable)
(method_declaration type: (_) @returned)
(annotation_type_element_declaration type: (_) @returned)
