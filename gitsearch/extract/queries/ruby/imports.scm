((call
  !receiver
  method: (identifier) @_how
  arguments: (argument_list . (string) @specifier .)) @import.require
  (#eq? @_how "require"))
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
