(simple_identifier) @name
(interpolated_identifier) @name
(type_identifier) @name
(type_identifier) @type
(navigation_expression . (_) @owner (navigation_suffix (simple_identifier) @member) .)
(directly_assignable_expression . (_) @owner (navigation_suffix (simple_identifier) @member) .)
(callable_reference (type_identifier) @owner (simple_identifier) @member)
(infix_expression . (_) @owner . (simple_identifier) @member . (_) .)
(call_expression . [
  (simple_identifier) @called
  (navigation_expression (navigation_suffix (simple_identifier) @called) .)])
(infix_expression . (_) . (simple_identifier) @called . (_) .)
(constructor_invocation (user_type (type_identifier) @called .))

(package_header) @skipped
(import_header) @skipped
(class_declaration (type_identifier) @defined)
(object_declaration (type_identifier) @defined)
(companion_object (type_identifier) @defined)
(type_alias . (type_identifier) @defined)
(type_parameter (type_identifier) @defined)
(enum_entry (simple_identifier) @defined)
(function_declaration (simple_identifier) @defined)
(class_body (property_declaration (variable_declaration . (simple_identifier) @defined)))
(source_file (property_declaration (variable_declaration . (simple_identifier) @defined)))
(value_argument . (simple_identifier) @label . "=")
(label) @skipped

(delegation_specifier [
  (user_type (type_identifier) @base .)
  (constructor_invocation (user_type (type_identifier) @base .))])
(annotation [
  (user_type (type_identifier) @decorator)
  (constructor_invocation (user_type (type_identifier) @decorator))])

(lambda_parameters (variable_declaration . (simple_identifier) @bound))
(multi_variable_declaration (variable_declaration . (simple_identifier) @bound))
(catch_block . (simple_identifier) @bound)

(lambda_literal) @inline
(anonymous_function) @inline

(parameter . (simple_identifier) @variable . (_) @typed)
(class_parameter (simple_identifier) @variable . (_) @typed)
(property_declaration (variable_declaration . (simple_identifier) @variable . (_) @typed))
(property_declaration (variable_declaration . (simple_identifier) @variable .) "=" . (_) @value)
(property_declaration (variable_declaration . (simple_identifier) @variable .)
  (getter (function_body "=" . (_) @value)))
(lambda_parameters (variable_declaration . (simple_identifier) @variable . (_) @typed))
(for_statement (variable_declaration . (simple_identifier) @variable) . (_) @element)
(catch_block . (simple_identifier) @variable . (user_type) @typed)
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @giving)
(function_declaration (function_value_parameters) . (function_body "=" . (_) @returned))
(jump_expression "return" . (_) @returned)

(function_declaration receiver: (_) (simple_identifier) @extension)
