; The path of an import is no node: its parts are captured one by one.
(import_declaration
  . (identifier) @specifier ("." (identifier) @specifier)*
  [
    (namespace_wildcard) @names
    (namespace_selectors [
      (identifier) (arrow_renamed_identifier) (as_renamed_identifier) (namespace_wildcard)
    ] @names)
  ]?) @import.import
