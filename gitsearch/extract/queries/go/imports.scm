(package_clause (package_identifier) @specifier) @import.package

(import_spec
  name: (_)? @names
  path: (_) @specifier) @import

; `//go:embed` stands directly before a variable: only such comments are looked at.
((comment) @specifier @import.embed . (comment)? . (var_declaration)
  (#match? @specifier "^//go:embed "))
(var_declaration (comment) @specifier @import.embed . (comment)? . (var_spec)
  (#match? @specifier "^//go:embed "))
(var_spec_list (comment) @specifier @import.embed . (comment)? . (var_spec)
  (#match? @specifier "^//go:embed "))
