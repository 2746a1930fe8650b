; include: typescript/uses

(jsx_opening_element name: [(identifier) @called (member_expression property: (_) @called)])
(jsx_self_closing_element name: [(identifier) @called (member_expression property: (_) @called)])
(jsx_closing_element name: (identifier) @label)
