; The path of an import is no node: its parts are captured one by one. A comma starts another one.
(import_declaration
  ["import" ","] . (identifier) @specifier . ("." . (identifier) @specifier)*
  . ("." . [
    (namespace_wildcard) @names
    (as_renamed_identifier) @names
    (namespace_selectors [
      (identifier) (arrow_renamed_identifier) (as_renamed_identifier) (namespace_wildcard)
    ] @names)
  ])?) @import.import

; Clauses that follow each other nest; the name of one with a body qualifies what stands in it.
(package_clause name: (package_identifier) @specifier !body) @import.package
(package_clause name: (package_identifier) @specifier body: (_)) @import.packaging
