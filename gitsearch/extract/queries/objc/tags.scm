; Only what is imported is looked for.
(comment) @comment
