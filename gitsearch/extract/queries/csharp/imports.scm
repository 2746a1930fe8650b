(using_directive
  "global"
  name: (identifier)? @names
  [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @specifier .) @import.global
(using_directive
  "static"
  [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @specifier .) @import.static
(using_directive
  name: (identifier)? @names
  [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @specifier .) @import.using
