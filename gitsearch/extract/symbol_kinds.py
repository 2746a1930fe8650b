"""Groups of the kinds of definitions."""

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "type"})
SPACES = frozenset({"module", "namespace"})
PLACES = TYPES | SPACES

# Kinds that belong to a type or hold a value; others are top-level definitions of a file.
MEMBERS = frozenset(
    {"method", "constructor", "field", "property", "enumerator", "variable", "constant"}
)
