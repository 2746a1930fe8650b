(comment) @comment

(function_definition name: (word) @name) @definition.function

; Variables; those of functions are taken for local.
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(if_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(elif_clause (variable_assignment name: (variable_name) @name) @definition.variable)
(else_clause (variable_assignment name: (variable_name) @name) @definition.variable)
(case_item (variable_assignment name: (variable_name) @name) @definition.variable)
(list (variable_assignment name: (variable_name) @name) @definition.variable)
(compound_statement (variable_assignment name: (variable_name) @name) @definition.variable)
(declaration_command
  ["export" "declare" "typeset"]
  (variable_assignment name: (variable_name) @name)) @definition.variable
(declaration_command ["declare" "typeset"] (variable_name) @name) @definition.variable
(declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant

; Builtins and the commands that every script calls say nothing about this one.
((command name: (command_name (word) @reference.call))
  (#not-match? @reference.call
    "^(echo|printf|return|exit|cd|set|shift|true|false|test|eval|exec|read|trap|local|break|continue|unset|wait|source|cat|grep|sed|rm|mkdir|command|builtin|pwd|shopt|let|alias|@test|[^A-Za-z_]+)$"))
