; include: javascript/imports

(import_require_clause source: (string (string_fragment) @specifier)) @import.require
