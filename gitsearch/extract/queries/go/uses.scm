(identifier) @name
(type_identifier) @name
(type_identifier) @type
(selector_expression field: (field_identifier) @name)
(selector_expression operand: (_) @owner field: (field_identifier) @member)
(qualified_type package: (_) @owner name: (type_identifier) @member)
(call_expression function: [
  (identifier) @called
  (selector_expression field: (field_identifier) @called)
  (parenthesized_expression (identifier) @called)
  (type_instantiation_expression (type_identifier) @called)
  (index_expression operand: [
    (identifier) @called
    (selector_expression field: (field_identifier) @called)])])
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @called
  (qualified_type name: (type_identifier) @called)]))
; who gives a generic type or function a type may run the methods of it
(_ type: (generic_type type_arguments: (type_arguments (type_elem [
  (type_identifier) @called
  (qualified_type name: (type_identifier) @called)
  (generic_type type: (type_identifier) @called)
  (pointer_type (type_identifier) @called)]))))
(call_expression type_arguments: (type_arguments (type_elem [
  (type_identifier) @called
  (qualified_type name: (type_identifier) @called)
  (generic_type type: (type_identifier) @called)
  (pointer_type (type_identifier) @called)])))
(composite_literal type: [
  (type_identifier) @called
  (qualified_type name: (type_identifier) @called)
  (generic_type type: (type_identifier) @called)])
((call_expression
  function: (identifier) @_new
  arguments: (argument_list . [
    (type_identifier) @called
    (qualified_type name: (type_identifier) @called)]))
  (#eq? @_new "new"))
(keyed_element . (literal_element (identifier) @label))

(package_clause) @skipped
(import_declaration) @skipped
(function_declaration name: (identifier) @defined)
(type_spec name: (type_identifier) @defined)
(type_alias name: (type_identifier) @defined)
(const_spec name: (identifier) @bound)
(var_spec name: (identifier) @bound)
(type_parameter_declaration name: (identifier) @bound)
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @skipped)))
(labeled_statement label: (_) @label)

(field_declaration !name type: [
  (type_identifier) @base
  (qualified_type) @base
  (generic_type type: (_) @base)
  (pointer_type [
    (type_identifier) @base
    (qualified_type) @base
    (generic_type type: (_) @base)])])
(field_declaration !name type: [
  (type_identifier) @attribute
  (qualified_type name: (_) @attribute)
  (pointer_type (type_identifier) @attribute)
  (pointer_type (qualified_type name: (_) @attribute))] @value)
(interface_type (type_elem . [(type_identifier) @base (qualified_type) @base] .))
(type_spec type: [
  (type_identifier) @base
  (qualified_type) @base
  (generic_type type: (_) @base)])
(type_alias type: [
  (type_identifier) @base
  (qualified_type) @base
  (generic_type type: (_) @base)])

(parameter_declaration name: (identifier) @bound)
(variadic_parameter_declaration name: (identifier) @bound)
(short_var_declaration left: (expression_list (identifier) @bound))
(range_clause left: (expression_list (identifier) @bound))
(type_switch_statement alias: (expression_list (identifier) @bound))
(receive_statement left: (expression_list (identifier) @bound))

(func_literal) @inline

(parameter_declaration name: (identifier) @variable type: (_) @value)
(variadic_parameter_declaration name: (identifier) @variable type: (_) @value)
(field_declaration name: (field_identifier) @variable type: (_) @value)
(type_spec name: (type_identifier) @holder type: [
  (array_type) (channel_type) (map_type) (slice_type)] @value)
(var_spec name: (identifier) @variable type: (_) @value)
(var_spec name: (identifier) @variable value: (expression_list . (_) @value .))
(const_spec name: (identifier) @variable type: (_) @value)
(short_var_declaration
  left: (expression_list (identifier) @variable)
  right: (expression_list . (_) @value .))
(short_var_declaration
  left: (expression_list . (identifier) @variable . (_))
  right: (expression_list . (_) @value . (_)))
(short_var_declaration
  left: (expression_list . (_) . (identifier) @variable)
  right: (expression_list . (_) . (_) @value))
(assignment_statement
  left: (expression_list . [(identifier) (selector_expression)] @variable)
  right: (expression_list . (_) @value))
(assignment_statement left: (expression_list (identifier) @assigned))
(range_clause left: (expression_list (identifier) @variable) right: (_) @element)
(type_switch_statement
  alias: (expression_list (identifier) @variable)
  (type_case type: (_) @value))
(function_declaration result: (_) @returned)
(method_declaration result: (_) @returned)
(method_elem result: (_) @returned)
