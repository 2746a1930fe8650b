; include: javascript/bindings

(class_heritage [
  (identifier) @base
  (member_expression) @base
  (call_expression) @base])
(formal_parameters [(identifier) @bound (assignment_pattern left: (identifier) @bound)])
(field_definition property: (property_identifier) @variable value: (_) @value)
(jsx_opening_element name: [(identifier) @called (member_expression property: (_) @called)])
(jsx_self_closing_element name: [(identifier) @called (member_expression property: (_) @called)])
(jsx_closing_element name: (identifier) @label)

; Types in comments, which TypeScript does not read.
(comment) @documentation
((comment) @documenting
  . (expression_statement (assignment_expression left: [(identifier) (member_expression)] @variable)))
((comment) @documenting
  . [(lexical_declaration (variable_declarator name: (identifier) @variable))
     (variable_declaration (variable_declarator name: (identifier) @variable))])
((comment) @documenting . (field_definition property: (property_identifier) @variable))
