(comment) @comment

(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @scope field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @scope method: (identifier) @name)) @definition.method

; name = function ... end, with and without `local`, also in a table.
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @scope field: (identifier) @name) .)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function
((field
  name: (string content: (_) @name)
  value: (function_definition body: (_)? @body)) @definition.function
  (#match? @name "^[A-Za-z_][A-Za-z0-9_.-]*$"))

; Values at the top level. What `require` returns is an import.
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list . value: [
    (number) (string) (true) (false) (nil) (table_constructor) (identifier) (unary_expression)
    (binary_expression) (dot_index_expression) (bracket_index_expression) (vararg_expression)
    (parenthesized_expression)
  ]))) @definition.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
((chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list . value: (function_call name: (_) @_call)))) @definition.variable)
  (#not-eq? @_call "require"))
(chunk (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: [
    (number) (string) (true) (false) (nil) (table_constructor) (identifier) (unary_expression)
    (binary_expression) (dot_index_expression) (function_call) (bracket_index_expression)
  ])) @definition.variable)
(chunk (assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @scope field: (identifier) @name))
  (expression_list . value: [
    (number) (string) (true) (false) (nil) (table_constructor) (identifier) (unary_expression)
    (binary_expression) (dot_index_expression) (function_call) (bracket_index_expression)
  ])) @definition.field)

(function_call name: (identifier) @reference.call)
(function_call name: (dot_index_expression field: (identifier) @reference.call))
(function_call name: (method_index_expression method: (identifier) @reference.call))
