((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.alias
  (#eq? @_how "alias"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.import
  (#eq? @_how "import"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.require
  (#eq? @_how "require"))
((call target: (identifier) @_how (arguments . (alias) @specifier)) @import.use
  (#eq? @_how "use"))
; alias A.{B, C}
((call
  target: (identifier) @_how
  (arguments . (dot left: (alias) @specifier right: (tuple (alias) @names)))) @import.alias
  (#match? @_how "^(alias|import|require|use)$"))
