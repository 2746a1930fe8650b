"""Kinds of definitions, by what they hold."""

TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "type"})
SPACES = frozenset({"module", "namespace"})
PLACES = TYPES | SPACES
