(preproc_include path: [(string_literal) (system_lib_string)] @specifier) @import.include
; A name or a call of a macro.
(preproc_include path: [(identifier) (call_expression)] @specifier) @import.dynamic

; In the middle of a list or a type the grammar expects none: tables that are kept in files.
((preproc_call
  directive: (preproc_directive) @_directive
  argument: (preproc_arg) @specifier) @import.include
  (#match? @_directive "^#[ \t]*(include|import)$")
  (#match? @specifier "^[ \t]*[\"<]"))
((ERROR "#include") . (string_literal) @specifier @import.include)
((ERROR "#include") . (concatenated_string . (string_literal) @specifier @import.include))
(concatenated_string (ERROR "#include") . (string_literal) @specifier @import.include)
(ERROR "#include" . (string_literal) @specifier @import.include)
(ERROR "#include" . (concatenated_string . (string_literal) @specifier @import.include))
