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
