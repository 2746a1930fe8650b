(comment) @comment
(decorator) @attribute
(decorated_definition) @outer

(class_definition
  name: (identifier) @name
  body: (block . (string (string_content) @doc)?) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (block . (string (string_content) @doc)?) @body) @definition.function

(type_alias_statement
  left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

(assignment left: (identifier) @name) @definition.variable
(assignment left: [
  (pattern_list (identifier) @name)
  (tuple_pattern (identifier) @name)]) @definition.variable
(assignment right: (assignment left: (identifier) @name)) @definition.variable

(call function: [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])
(decorator [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])

(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (generic_type (identifier) @reference.type)
  (binary_operator (identifier) @reference.type)
  (subscript value: (identifier) @reference.type)])
(class_definition superclasses: (argument_list [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (subscript value: (identifier) @reference.type)]))
(except_clause [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (tuple (identifier) @reference.type)
  (as_pattern . (identifier) @reference.type)
  (as_pattern . (tuple (identifier) @reference.type))])
(raise_statement . [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)])
