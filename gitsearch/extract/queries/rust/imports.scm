(use_declaration argument: [
  (identifier) @specifier
  (scoped_identifier) @specifier
  (use_as_clause path: (_) @specifier)
  (use_list (_) @specifier)
  (use_wildcard (_) @specifier "*" @names)]) @import.use
(use_declaration argument: (scoped_use_list
  path: (_) @specifier
  list: (use_list (_) @names))) @import.use

(extern_crate_declaration name: (identifier) @specifier) @import.extern
(mod_item name: (identifier) @specifier !body) @import.mod
