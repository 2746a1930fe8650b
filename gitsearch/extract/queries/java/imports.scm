(import_declaration
  [(identifier) (scoped_identifier)] @specifier
  (asterisk)? @names) @import

(package_declaration (_) @specifier .) @import.package
