(import_declaration
  [(identifier) (scoped_identifier)] @specifier
  (asterisk)? @names) @import

(package_declaration (_) @specifier .) @import.package

; Whole names in the code need no import.
((scoped_type_identifier) @specifier @import.qualified
  (#match? @specifier "^[a-z_]\\w*(\\.[a-z_]\\w*)*\\.[A-Z]\\w*$"))
([
    (marker_annotation name: (scoped_identifier) @specifier)
    (annotation name: (scoped_identifier) @specifier)
  ] @import.qualified
  (#match? @specifier "^[a-z_]\\w*(\\.[a-z_]\\w*)*\\.[A-Z]\\w*$"))
((field_access object: [(field_access) (identifier)] field: (identifier)) @specifier
  @import.qualified
  (#match? @specifier "^[a-z_]\\w*(\\.[a-z_]\\w*)*\\.[A-Z]\\w*$"))
