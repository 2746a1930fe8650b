; Components; a name in lower case is a tag of HTML.

(jsx_opening_element name: [
  ((identifier) @reference.call (#match? @reference.call "^[A-Z]"))
  (member_expression property: (_) @reference.call)])
(jsx_self_closing_element name: [
  ((identifier) @reference.call (#match? @reference.call "^[A-Z]"))
  (member_expression property: (_) @reference.call)])
