; use A\B; use A\B as C; each clause of a list is an import of its own. One with another name has
; that name written as `A\B as C`.
(namespace_use_declaration
  (namespace_use_clause !type . [(qualified_name) (name)] @specifier)) @import.use
(namespace_use_declaration
  (namespace_use_clause !type . [(qualified_name) (name)] @specifier alias: (_)) @names) @import.use
; use function A\b; use const A\B; further ones of a list look like those above
(namespace_use_declaration
  (namespace_use_clause type: "function" . [(qualified_name) (name)] @specifier)) @import.function
(namespace_use_declaration
  (namespace_use_clause type: "const" . [(qualified_name) (name)] @specifier)) @import.const
; use A\{B, C as D, function e}; use function A\{b, c};
(namespace_use_declaration
  !type
  (namespace_name) @specifier
  body: (namespace_use_group (namespace_use_clause) @names)) @import.use
(namespace_use_declaration
  type: "function"
  (namespace_name) @specifier
  body: (namespace_use_group (namespace_use_clause) @names)) @import.function
(namespace_use_declaration
  type: "const"
  (namespace_name) @specifier
  body: (namespace_use_group (namespace_use_clause) @names)) @import.const

(require_expression (_) @specifier) @import.require
(require_once_expression (_) @specifier) @import.require
(include_expression (_) @specifier) @import.include
(include_once_expression (_) @specifier) @import.include

; What the names of the file stand in, and names that are qualified where they are used.
(namespace_definition name: (namespace_name) @specifier) @import.namespace
[
  (named_type (qualified_name) @specifier)
  (object_creation_expression (qualified_name) @specifier)
  (base_clause (qualified_name) @specifier)
  (class_interface_clause (qualified_name) @specifier)
  (use_declaration (qualified_name) @specifier)
  (attribute (qualified_name) @specifier)
  (class_constant_access_expression . (qualified_name) @specifier)
  (scoped_call_expression scope: (qualified_name) @specifier)
  (scoped_property_access_expression scope: (qualified_name) @specifier)
  (binary_expression operator: "instanceof" right: (qualified_name) @specifier)
  (function_call_expression function: (qualified_name prefix: (_)) @specifier)
] @import.name
