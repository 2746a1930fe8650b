; include: c/imports

(import_declaration name: (_) @specifier) @import
(using_declaration (_) @specifier) @import.using
