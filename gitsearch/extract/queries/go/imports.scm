(import_spec
  name: (_)? @names
  path: (_) @specifier) @import
