(preproc_include path: (_) @specifier) @import.include
