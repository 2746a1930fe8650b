((function_call
  name: (identifier) @_how
  arguments: (arguments . (string content: (_) @specifier))) @import.require
  (#eq? @_how "require"))
((function_call
  name: (identifier) @_how
  arguments: (arguments . (string content: (_) @specifier))) @import.dofile
  (#any-of? @_how "dofile" "loadfile"))

; Called for us, so that an error is caught.
((function_call
  name: (identifier) @_call
  arguments: (arguments . (identifier) @_how . (string content: (_) @specifier))) @import.require
  (#eq? @_call "pcall") (#eq? @_how "require"))
((function_call
  name: (identifier) @_call
  arguments: (arguments . (identifier) @_how . (string content: (_) @specifier))) @import.dofile
  (#eq? @_call "pcall") (#any-of? @_how "dofile" "loadfile"))

; What is imported is known when it runs.
((function_call
  name: (identifier) @_how
  arguments: (arguments . [
    (identifier) (binary_expression) (function_call) (dot_index_expression)
    (bracket_index_expression) (parenthesized_expression) (vararg_expression)
  ] @specifier)) @import.dynamic
  (#any-of? @_how "require" "dofile" "loadfile"))
