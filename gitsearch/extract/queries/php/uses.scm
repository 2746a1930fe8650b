(name) @name
(variable_name (name) @label)
(member_access_expression object: (_) @owner name: (name) @member)
(nullsafe_member_access_expression object: (_) @owner name: (name) @member)
(member_call_expression object: (_) @owner name: (name) @member)
(nullsafe_member_call_expression object: (_) @owner name: (name) @member)
(scoped_call_expression scope: (_) @owner name: (name) @member)
(class_constant_access_expression . (_) @owner (name) @member .)
(array_creation_expression
  . (array_element_initializer [(variable_name) (name) (class_constant_access_expression)] @owner)
  . (array_element_initializer (string (string_content) @name @member)) .)
(function_call_expression function: [(name) @called (qualified_name (name) @called .)])
(member_call_expression name: (name) @called)
(nullsafe_member_call_expression name: (name) @called)
(scoped_call_expression name: (name) @called)
(object_creation_expression . [(name) @called (qualified_name (name) @called .)])

(namespace_definition) @skipped
(namespace_use_declaration) @skipped
(namespace_name) @skipped
(class_declaration name: (name) @defined)
(interface_declaration name: (name) @defined)
(trait_declaration name: (name) @defined)
(enum_declaration name: (name) @defined)
(enum_case name: (name) @defined)
(function_definition name: (name) @defined)
(method_declaration name: (name) @defined)
(const_element . (name) @defined)
(argument name: (name) @label)

(simple_parameter type: (_) @type)
(variadic_parameter type: (_) @type)
(property_promotion_parameter type: (_) @type)
(property_declaration type: (_) @type)
(method_declaration return_type: (_) @type)
(function_definition return_type: (_) @type)
(base_clause [(name) @base (qualified_name) @base])
(class_interface_clause [(name) @base @promised (qualified_name) @base @promised])
(interface_declaration (base_clause [(name) (qualified_name)] @promised))
(use_declaration [(name) @base (qualified_name) @base])
(method_declaration (static_modifier) @closed)
(method_declaration (visibility_modifier) @closed (#eq? @closed "private"))
(attribute [(name) @decorator (qualified_name) @decorator])

(anonymous_function) @inline
(arrow_function) @inline

(simple_parameter type: (_) @typed name: (variable_name) @variable)
(variadic_parameter type: (_) @typed name: (variable_name) @variable)
(property_promotion_parameter type: (_) @typed name: (variable_name (name) @attribute) @variable)
(property_promotion_parameter name: (variable_name (name) @attribute) @value)
(property_declaration type: (_) @typed (property_element name: (variable_name (name) @variable)))
(property_declaration !type (property_element
  name: (variable_name (name) @variable) default_value: (_) @value))
(assignment_expression
  left: [(variable_name) (member_access_expression) (scoped_property_access_expression)] @variable
  right: (_) @value)
(enum_declaration name: (name) @typed body: (enum_declaration_list (enum_case name: (name) @variable)))
(augmented_assignment_expression
  left: [(variable_name) (member_access_expression) (scoped_property_access_expression)] @variable
  operator: "??="
  right: (_) @value)
(assignment_expression
  left: (subscript_expression .
    [(variable_name) (member_access_expression) (scoped_property_access_expression)] @variable)
  right: (_) @value)
(const_element . (name) @variable . (_) @value)
(foreach_statement . (_) @element . (variable_name) @variable)
(foreach_statement . (_) @element . (pair (variable_name) . (variable_name) @variable))
(catch_clause type: (type_list [(named_type) @typed]) name: (variable_name) @variable)
(method_declaration return_type: (_) @giving)
(function_definition return_type: (_) @giving)
(return_statement (_) @returned)
(yield_expression (_) @returned)
(comment) @documentation
