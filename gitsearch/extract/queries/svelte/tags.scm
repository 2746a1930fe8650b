; A component defines nothing by name; what its scripts define is not looked for.
