; use A\B; use A\B as C; use function A\b; each clause of a list is an import of its own.
(namespace_use_declaration
  (namespace_use_clause . [(qualified_name) (name)] @specifier)) @import.use
; use A\{B, C as D};
(namespace_use_declaration
  (namespace_name) @specifier
  body: (namespace_use_group (namespace_use_clause) @names)) @import.use
(require_expression (_) @specifier) @import.require
(require_once_expression (_) @specifier) @import.require
(include_expression (_) @specifier) @import.include
(include_once_expression (_) @specifier) @import.include
