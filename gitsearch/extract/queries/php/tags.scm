(comment) @comment
(attribute_list) @attribute

; A namespace in braces holds what is inside; one without is not repeated in every name.
(namespace_definition name: (namespace_name) @name body: (_)) @container

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.enumerator
(function_definition name: (name) @name) @definition.function
((method_declaration name: (name) @name) @definition.method (#not-eq? @name "__construct"))
((method_declaration name: (name) @name) @definition.constructor (#eq? @name "__construct"))
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
; Properties that a constructor declares; a field, because a property in a function is local.
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
((function_call_expression
  function: (name) @_maker
  arguments: (arguments . (argument [
    (string (string_content) @name)
    (encapsed_string (string_content) @name)
  ]))) @definition.constant
  (#eq? @_maker "define"))
(program (expression_statement
  (assignment_expression left: (variable_name (name) @name)) @definition.variable))

(function_call_expression function: [(name) @reference.call (qualified_name (name) @reference.call .)])
(member_call_expression name: (name) @reference.call)
(nullsafe_member_call_expression name: (name) @reference.call)
(scoped_call_expression name: (name) @reference.call)
(scoped_call_expression scope: [(name) @reference.type (qualified_name (name) @reference.type .)])
((object_creation_expression [(name) @reference.type (qualified_name (name) @reference.type .)])
  (#not-match? @reference.type "^(static|self|parent)$"))
(class_constant_access_expression . [(name) @reference.type (qualified_name (name) @reference.type .)])
(scoped_property_access_expression scope: [(name) @reference.type (qualified_name (name) @reference.type .)])
(binary_expression operator: "instanceof" right: [(name) @reference.type (qualified_name (name) @reference.type .)])
((named_type [(name) @reference.type (qualified_name (name) @reference.type .)])
  (#not-match? @reference.type "^(static|self|parent)$"))
(base_clause [(name) @reference.type (qualified_name (name) @reference.type .)])
(class_interface_clause [(name) @reference.type (qualified_name (name) @reference.type .)])
(use_declaration [(name) @reference.type (qualified_name (name) @reference.type .)])
(attribute [(name) @reference.type (qualified_name (name) @reference.type .)])
