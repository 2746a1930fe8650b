; What JavaScript and TypeScript have in common.

(comment) @comment
(decorator) @attribute
(export_statement) @outer

; What functions declare is local; `for (let i ...)` declares for its loop.
(arrow_function) @local
(function_expression) @local
(class_static_block) @local
(for_statement) @local

; ---------------------------------------------------------------- functions and classes

(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(function_expression name: (identifier) @name) @definition.function

(class_declaration name: (_) @name) @definition.class
(class name: (_) @name) @definition.class

(method_definition
  name: [(property_identifier) (private_property_identifier) (string) (number)] @name
) @definition.method

; ---------------------------------------------------------------- variables and what they hold

(lexical_declaration . (variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)]) .) @definition.function
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)]) @definition.function
(variable_declarator
  name: (identifier) @name
  value: (class body: (_) @body)) @definition.class

(lexical_declaration . (variable_declarator name: (identifier) @name) .) @definition.variable
(variable_declaration . (variable_declarator name: (identifier) @name) .) @definition.variable
(variable_declarator name: (identifier) @name) @definition.variable
(variable_declarator name: [
  (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (pair_pattern value: (identifier) @name)
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)])
  (array_pattern (identifier) @name)]) @definition.variable

; ---------------------------------------------------------------- members

(pair
  key: [(property_identifier) (private_property_identifier) (string)] @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)]) @definition.method
(variable_declarator value: (object [
  (pair key: [(property_identifier) (string)] @name) @definition.property
  (shorthand_property_identifier) @name @definition.property]))
(assignment_expression
  left: (member_expression)
  right: (object [
    (pair key: [(property_identifier) (string)] @name) @definition.property
    (shorthand_property_identifier) @name @definition.property]))
(export_statement value: (object
  (pair key: [(property_identifier) (string)] @name) @definition.property))

; Foo.bar = function () {}, exports.bar = ..., Foo.prototype.bar = ...
((expression_statement (assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (property_identifier) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)])) @definition.function
  (#not-eq? @name "exports"))
((expression_statement (assignment_expression
  left: (member_expression
    object: (_) @scope
    property: (property_identifier) @name)
  right: (class body: (_) @body))) @definition.class
  (#not-eq? @name "exports"))
(program (expression_statement (assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier))] @scope
    property: (property_identifier) @name))) @definition.property
  (#not-eq? @name "exports"))
(assignment_expression
  left: (member_expression
    object: (member_expression property: (property_identifier) @_prototype) @scope
    property: (property_identifier) @name)
  (#eq? @_prototype "prototype")) @definition.property

; ---------------------------------------------------------------- uses

(call_expression function: [
  (identifier) @reference.call
  (member_expression property: (_) @reference.call)])
(new_expression constructor: [
  (identifier) @reference.call
  (member_expression property: (_) @reference.call)])
(decorator [
  (identifier) @reference.call
  (member_expression property: (_) @reference.call)])
