(import_declaration (identifier) @specifier) @import.import
