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
