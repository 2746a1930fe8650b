; Components; a name in lower case is a tag of HTML.

(jsx_opening_element name: [
  (identifier) @capital.call
  (member_expression property: (_) @capital.call)])
(jsx_self_closing_element name: [
  (identifier) @capital.call
  (member_expression property: (_) @capital.call)])
