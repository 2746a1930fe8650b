((command
  name: (command_name (word) @_how)
  . argument: (_) @specifier) @import.source
  (#any-of? @_how "source" "."))
