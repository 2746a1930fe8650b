; include: javascript/shared
; include: javascript/jsx

(field_definition
  property: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)]) @definition.method
(field_definition property: (_) @name) @definition.field

(class_heritage [
  (identifier) @reference.type
  (member_expression property: (_) @reference.type)])
