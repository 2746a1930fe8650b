(import_statement
  (import_clause [
    (identifier) @default
    (namespace_import) @names
    (named_imports (import_specifier) @names)])
  source: (string (string_fragment) @specifier)) @import
(import_statement source: (string (string_fragment) @specifier)) @import

(export_statement
  (export_clause (export_specifier) @names)
  source: (string (string_fragment) @specifier)) @import.export
(export_statement
  (namespace_export) @names
  source: (string (string_fragment) @specifier)) @import.export
(export_statement source: (string (string_fragment) @specifier)) @import.export

(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @names
    (pair_pattern) @names])
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @specifier))) @import.require
  (#eq? @_require "require"))
(call_expression
  function: (identifier) @_require
  arguments: (arguments . (string (string_fragment) @specifier))
  (#eq? @_require "require")) @import.require
(call_expression
  function: (import)
  arguments: (arguments . (string (string_fragment) @specifier))) @import.dynamic
