; include: c/imports

(import_declaration name: (_) @specifier) @import
(import_declaration partition: (_) @specifier) @import.partition
(import_declaration header: (_) @specifier) @import.include
(using_declaration (_) @specifier) @import.using

; What others may import; a module's own sources without `export` need what it exports.
(module_declaration "export" name: (_) @specifier !partition) @import.package
(module_declaration name: (_) @specifier partition: (_) @specifier) @import.package
(module_declaration . "module" name: (_) @specifier !partition) @import
