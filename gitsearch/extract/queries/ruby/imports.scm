((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . (string) @specifier .)) @import.require
  (#any-of? @_how "require" "require_dependency"))
((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . (string) @specifier .)) @import.require_relative
  (#eq? @_how "require_relative"))
((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . (string) @specifier)) @import.load
  (#any-of? @_how "load" "eval_gemfile" "import"))
((call
  method: (identifier) @_how
  arguments: (argument_list . (simple_symbol) . (string) @specifier)) @import.autoload
  (#eq? @_how "autoload"))
; autoload :Bar, a file that is named after the constant
((call
  method: (identifier) @_how
  arguments: (argument_list . (simple_symbol) @specifier .)) @import.autoload
  (#eq? @_how "autoload"))
; What is required is no constant, or one put together.
((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . [
    (identifier) (call) (binary) (constant) (scope_resolution) (instance_variable)
    (element_reference) (conditional) (parenthesized_statements)] @specifier .)) @import.dynamic
  (#any-of? @_how "require" "require_relative" "require_dependency"))
((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . (call receiver: (constant)) @specifier)) @import.dynamic
  (#eq? @_how "load"))
