((SuffixExpr
  . (BUILTINIDENTIFIER) @_how
  . (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @specifier)))) @import.import
  (#eq? @_how "@import"))
((SuffixExpr
  . (BUILTINIDENTIFIER) @_how
  . (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @specifier)))) @import.include
  (#eq? @_how "@cInclude"))
((SuffixExpr
  . (BUILTINIDENTIFIER) @_how
  . (FnCallArguments (ErrorUnionExpr (SuffixExpr (STRINGLITERALSINGLE) @specifier)))) @import.embed
  (#eq? @_how "@embedFile"))
