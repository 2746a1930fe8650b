((function_call
  name: (identifier) @_how
  arguments: (arguments . (string) @specifier)) @import.require
  (#eq? @_how "require"))
((function_call
  name: (identifier) @_how
  arguments: (arguments . (string) @specifier)) @import.dofile
  (#any-of? @_how "dofile" "loadfile"))
