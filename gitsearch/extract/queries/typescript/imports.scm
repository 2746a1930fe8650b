; include: javascript/imports

(import_require_clause source: (string (string_fragment) @specifier)) @import.require

; An augmentation of a module, or the declaration of one.
(module name: (string (string_fragment) @specifier)) @import.augment
