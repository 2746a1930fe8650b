(identifier) @name
(member_access_expression expression: _ @owner name: [
  (identifier) @member
  (generic_name . (identifier) @member)])
(conditional_access_expression condition: (_) @owner (member_binding_expression name: [
  (identifier) @member
  (generic_name . (identifier) @member)]))
(qualified_name qualifier: (_) @owner name: [
  (identifier) @member
  (generic_name . (identifier) @member)])
(object_creation_expression type: (_) @owner initializer: (initializer_expression
  (assignment_expression left: (identifier) @member)))
(invocation_expression function: [
  (identifier) @called
  (generic_name . (identifier) @called)
  (member_access_expression name: [(identifier) @called (generic_name . (identifier) @called)])
  (conditional_access_expression (member_binding_expression name: [
    (identifier) @called
    (generic_name . (identifier) @called)]))])
(object_creation_expression type: [
  (identifier) @called
  (generic_name . (identifier) @called)
  (qualified_name name: (identifier) @called)])
(variable_declaration type: (identifier) @called
  (variable_declarator (implicit_object_creation_expression)))

(using_directive) @skipped
(namespace_declaration name: (_) @skipped)
(file_scoped_namespace_declaration name: (_) @skipped)
(class_declaration name: (identifier) @defined)
(record_declaration name: (identifier) @defined)
(struct_declaration name: (identifier) @defined)
(interface_declaration name: (identifier) @defined)
(enum_declaration name: (identifier) @defined)
(delegate_declaration name: (identifier) @defined)
(enum_member_declaration name: (identifier) @defined)
(method_declaration name: (identifier) @defined)
(local_function_statement name: (identifier) @defined)
(constructor_declaration name: (identifier) @defined)
(destructor_declaration name: (identifier) @defined)
(property_declaration name: (identifier) @defined)
(event_declaration name: (identifier) @defined)
(type_parameter name: (identifier) @defined)
(type_parameter_constraints_clause . (identifier) @defined)
(argument name: (identifier) @label)
(tuple_element name: (identifier) @label)
(labeled_statement . (identifier) @label)

(parameter type: (_) @type)
(variable_declaration type: (_) @type)
(property_declaration type: (_) @type)
(event_declaration type: (_) @type)
(indexer_declaration type: (_) @type)
(operator_declaration type: (_) @type)
(local_function_statement type: (_) @type)
(delegate_declaration type: (_) @type)
(foreach_statement type: (_) @type)
(method_declaration returns: (_) @type)
(type_parameter_constraint type: (_) @type)
(type_argument_list) @type
(base_list [
  (identifier) @base
  (qualified_name) @base
  (generic_name . (identifier) @base)
  (primary_constructor_base_type type: (_) @base)])
(attribute name: (_) @decorator)

(implicit_parameter) @bound
(lambda_expression parameters: (identifier) @bound)
(from_clause name: (identifier) @bound)
(let_clause . (identifier) @bound)
(tuple_pattern name: (identifier) @bound)
(parenthesized_variable_designation name: (identifier) @bound)

(lambda_expression) @inline
(anonymous_method_expression) @inline

(parameter type: (_) @typed name: (identifier) @variable)
(parameter_list type: (_) @typed name: (identifier) @variable)
(variable_declaration type: (_) @typed (variable_declarator name: (identifier) @variable))
(variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @variable "=" (_) @value .))
(variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @variable . (_) @value .))
(property_declaration type: (_) @typed name: (identifier) @variable)
(foreach_statement type: (_) @typed left: (identifier) @variable)
(foreach_statement type: (implicit_type) left: (identifier) @variable right: (_) @element)
(declaration_pattern type: (_) @typed name: (identifier) @variable)
(declaration_expression type: (_) @typed name: (identifier) @variable)
(recursive_pattern type: (_) @typed name: (identifier) @variable)
(catch_declaration type: (_) @typed name: (identifier) @variable)
(method_declaration returns: (_) @giving)
(local_function_statement type: (_) @giving)
(property_declaration type: (_) @giving)

(method_declaration
  name: (identifier) @extension
  parameters: (parameter_list . (parameter (modifier) @_this))
  (#eq? @_this "this"))
