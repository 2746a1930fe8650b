(import_statement name: [
  (dotted_name) @specifier
  (aliased_import name: (dotted_name) @specifier)]) @import

(import_from_statement
  module_name: (_) @specifier
  name: (_) @names) @import.from
(import_from_statement
  module_name: (_) @specifier
  (wildcard_import) @names) @import.from

(future_import_statement
  "__future__" @specifier
  name: (_) @names) @import.from

; importlib.import_module("a.b", package) and __import__("a.b"). Where the name is not written
; down, the specifier is the whole list of arguments: in brackets, as no module is called.
((call
  function: [(identifier) @_how (attribute attribute: (identifier) @_how)]
  arguments: (argument_list
    . (string . (string_start) . (string_content) @specifier . (string_end) .)
    . (_)? @names)) @import.dynamic
  (#any-of? @_how "import_module" "__import__"))
((call
  function: [(identifier) @_how (attribute attribute: (identifier) @_how)]
  arguments: (argument_list . [
    (identifier) (attribute) (call) (subscript) (binary_operator) (parenthesized_expression)
    (conditional_expression) (boolean_operator) (concatenated_string) (await) (named_expression)
    (list_splat) (keyword_argument) (string (interpolation))]) @specifier) @import.dynamic
  (#any-of? @_how "import_module" "__import__"))
