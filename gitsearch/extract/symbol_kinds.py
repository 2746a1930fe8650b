"""Kinds of definitions, by what they hold."""

TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "type"})
SPACES = frozenset({"module", "namespace"})
PLACES = TYPES | SPACES

# What belongs to a type or holds a value; the others are what a file offers by itself.
MEMBERS = frozenset(
    {"method", "constructor", "field", "property", "enumerator", "variable", "constant"}
)
