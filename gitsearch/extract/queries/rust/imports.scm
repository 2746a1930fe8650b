(use_declaration argument: [
  (identifier) @specifier
  (scoped_identifier) @specifier
  (use_list (_) @specifier)
  (use_wildcard (_) @specifier "*" @names)]) @import.use
(use_declaration argument: (use_as_clause path: (_) @specifier alias: (_) @names)) @import.alias
(use_declaration argument: (scoped_use_list
  path: (_) @specifier
  list: (use_list (_) @names))) @import.use

(extern_crate_declaration name: (identifier) @specifier alias: (identifier)? @names) @import.extern
(mod_item name: (identifier) @specifier !body) @import.mod

; A module with its own path in an attribute, which may stand in `cfg_attr`.
((attribute_item (attribute (identifier) @_path value: (_) @names))
  . [(attribute_item) (line_comment)]?
  . [(attribute_item) (line_comment)]?
  . (mod_item name: (identifier) @specifier !body) @import.mod
  (#eq? @_path "path"))
((attribute_item (attribute arguments: (token_tree
    (identifier) @_path . "=" . (string_literal) @names)))
  . [(attribute_item) (line_comment)]?
  . [(attribute_item) (line_comment)]?
  . (mod_item name: (identifier) @specifier !body) @import.mod
  (#eq? @_path "path"))

; What stands between the two is inside of a module that is written in place.
(mod_item name: (identifier) @specifier body: (_)) @import.enter
(mod_item body: (declaration_list "}" @specifier @import.leave .))

; Files that are taken in as text; what is no name of a file is no specifier.
(macro_invocation macro: (identifier) @_how (token_tree . (string_literal) @specifier . ","? .)
  (#match? @_how "^include(_str|_bytes)?$")) @import.include

; The arguments of a macro are not parsed, but many are items that it repeats under a condition;
; what `quote!` and its like hold is code of somewhere else.
((macro_invocation macro: (_) @_how (token_tree
    "mod" @import.mod . (identifier) @specifier . ";"))
  (#not-match? @_how "quote"))
((token_tree
    "#" . (token_tree . (identifier) @_path . "=" . (string_literal) @names)
    . "mod" @import.mod . (identifier) @specifier . ";")
  (#eq? @_path "path"))
((macro_invocation macro: (_) @_how (token_tree
    "mod" @import.enter . (identifier) @specifier . (token_tree)))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree
    "mod" . (identifier) . (token_tree "}" @specifier @import.leave .)))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree "use" @import.use
    . "::"? @specifier
    . [(identifier) (crate) (self) (super)] @specifier
    . ("::" . [(identifier) (self) (super)] @specifier)*
    . ("::" . [(token_tree) "*"] @names)?
    . ";"))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree "use" @import.alias
    . [(identifier) (crate) (self) (super)] @specifier
    . ("::" . [(identifier) (self) (super)] @specifier)*
    . "as" . (identifier) @names . ";"))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree (token_tree
    "mod" @import.mod . (identifier) @specifier . ";")))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree (token_tree "use" @import.use
    . "::"? @specifier
    . [(identifier) (crate) (self) (super)] @specifier
    . ("::" . [(identifier) (self) (super)] @specifier)*
    . ("::" . [(token_tree) "*"] @names)?
    . ";")))
  (#not-match? @_how "quote"))
((macro_invocation macro: (_) @_how (token_tree (token_tree "use" @import.alias
    . [(identifier) (crate) (self) (super)] @specifier
    . ("::" . [(identifier) (self) (super)] @specifier)*
    . "as" . (identifier) @names . ";")))
  (#not-match? @_how "quote"))

; A macro without arguments may bring modules of files; they belong to where it is called.
(macro_definition name: (identifier) @names (macro_rule right: (token_tree
    "mod" @import.brought . (identifier) @specifier . ";")))
(source_file (expression_statement (macro_invocation
    macro: (identifier) @specifier (token_tree . "(" . ")" .)) @import.call))
(declaration_list (macro_invocation
    macro: (identifier) @specifier (token_tree . "(" . ")" .)) @import.call)

; A path may begin with the name of a crate.
((scoped_identifier path: (identifier) @specifier) @import.path (#match? @specifier "^[a-z]"))
((scoped_type_identifier path: (identifier) @specifier) @import.path
  (#match? @specifier "^[a-z]"))
((token_tree (identifier) @specifier . "::" @import.path) (#match? @specifier "^[a-z]"))
