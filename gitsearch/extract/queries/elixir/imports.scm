((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.alias
  (#eq? @_how "alias"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.import
  (#eq? @_how "import"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.require
  (#eq? @_how "require"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.use
  (#eq? @_how "use"))
; alias A.B, as: C
((call
  target: (identifier) @_how
  (arguments . (alias) @specifier (keywords (pair key: (keyword) @_as) @names))) @import.alias
  (#match? @_how "^(alias|require)$")
  (#match? @_as "^as:"))
; alias __MODULE__.A
((call
  target: (identifier) @_how
  (arguments . (dot left: (identifier) @_own right: (alias)) @specifier)) @import.alias
  (#match? @_how "^(alias|import|require|use)$")
  (#eq? @_own "__MODULE__"))
; alias A.{B, C}
((call
  target: (identifier) @_how
  (arguments . (dot left: [(alias) (identifier)] @specifier right: (tuple (alias) @names)))) @import.alias
  (#match? @_how "^(alias|import|require|use)$"))
; The protocol that is implemented; which type for is a name in the code.
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.impl
  (#eq? @_how "defimpl"))
