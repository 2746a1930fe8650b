(header module: (module) @specifier) @import.module
(import module: (module) @specifier names: (import_list (import_name) @names)) @import.import
(import module: (module) @specifier !names) @import.import
