(import_header (identifier) @specifier .) @import.import
(import_header (identifier) @specifier (import_alias (type_identifier) @alias)) @import.import
(import_header (identifier) @specifier (wildcard_import) @names) @import.import
(package_header (identifier) @specifier) @import.package
