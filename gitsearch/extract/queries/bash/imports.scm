((command
  name: (command_name (word) @_how)
  . argument: (_) @specifier) @import.source
  (#any-of? @_how "source" "." "\\."))
((command
  name: (command_name (word) @_how)
  . argument: (word) @_source
  . argument: (_) @specifier) @import.source
  (#any-of? @_how "builtin" "command") (#any-of? @_source "source" "."))
; Of bats.
((command
  name: (command_name (word) @_how)
  . argument: (_) @specifier) @import.load
  (#any-of? @_how "load" "bats_load_safe"))
((command
  name: (command_name (word) @_how)
  . argument: (_) @specifier) @import.library
  (#eq? @_how "bats_load_library"))
