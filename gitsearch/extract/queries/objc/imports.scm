; include: c/imports

(module_import path: (_) @specifier) @import.module
