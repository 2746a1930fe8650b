"""What the names in a file of PHP stand for, and the full names of what it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import FileFacts
    from gitsearch.records import Import

# Kinds of definitions that others name; all sorts of classes share their names.
_DECLARED = dict.fromkeys(("class", "interface", "trait", "enum"), "class")
_DECLARED |= {"function": "function", "constant": "constant"}
# Endings of files that programs load; others are templates and fixtures with code in them.
_LOADED = frozenset(
    {"php", "inc", "phtml", "hh", "module", "install", "theme", "profile", "engine"}
)


class PhpScope(NamedTuple):
    """What the names in a file stand for: its namespaces, what it imports, what it qualifies.

    aliases: the name behind an imported one, in lower case as PHP compares them.
    """

    namespaces: tuple[str, ...]
    aliases: dict[str, str]
    qualified: frozenset[str]


class Declared(NamedTuple):
    """Kinds and full names of what a file declares outside classes, and names of methods.

    own: the last parts of the full names, in lower case.
    """

    names: tuple[tuple[str, str], ...]
    methods: frozenset[str]
    own: frozenset[str]


NOTHING = Declared((), frozenset(), frozenset())


def scope_of(facts: FileFacts) -> PhpScope:
    """The scope that the names in a file stand in."""
    namespaces: list[str] = []
    aliases: dict[str, str] = {}
    qualified: set[str] = set()
    for imported in facts.imports:
        if imported.kind == "namespace":
            namespaces.append(imported.specifier)
        elif imported.kind == "name":
            qualified.add(last_part(imported.specifier))
        elif imported.kind in ("use", "function", "const"):
            aliases.update((alias.lower(), name) for alias, name, _ in clauses(imported))
    return PhpScope(tuple(dict.fromkeys(namespaces)) or ("",), aliases, frozenset(qualified))


def declared_in(path: str, facts: FileFacts, scope: PhpScope) -> Declared:
    """What a file declares."""
    if path.rpartition(".")[2].lower() not in _LOADED:
        return NOTHING
    spaces = scope.namespaces
    found: set[tuple[str, str]] = set()
    methods: set[str] = set()
    for qualified, kind in facts.definitions:
        if kind not in _DECLARED and kind != "method":
            continue
        space, _, last = qualified.replace(".", "\\").rpartition("\\")
        # What stands in a namespace in braces is qualified by it, and a function there goes by
        # the name of method.
        if space != "" and space in spaces:
            found.add((_DECLARED.get(kind, "function"), f"{space}\\{last}"))
        elif kind == "method":
            methods.add(last.lower())
        elif not space:
            found.update((_DECLARED[kind], inside_of(one, last)) for one in spaces)
    own = frozenset(last_part(name) for _, name in found)
    return Declared(tuple(sorted(found)), frozenset(methods), own)


def clauses(imported: Import) -> Iterator[tuple[str, str, str]]:
    """The alias, the full name and the kind of each name that one `use` imports."""
    base = imported.specifier.lstrip("\\")
    last = base.rpartition("\\")[2]
    if not imported.names or imported.names.startswith(f"{imported.specifier} as "):
        yield imported.names.rpartition(" as ")[2] or last, base, imported.kind
        return
    for clause in imported.names.split(","):
        kind, _, rest = clause.strip().partition(" ")
        typed = kind in ("function", "const") and rest != "" and not rest.startswith("as ")
        name, _, alias = (rest if typed else clause.strip()).partition(" as ")
        yield (
            alias or name.rpartition("\\")[2],
            inside_of(base, name.strip()),
            kind if typed else imported.kind,
        )


def full_name(name: str, scope: PhpScope) -> str:
    """The full name that a qualified one stands for in a file."""
    if name.startswith("\\"):
        return name
    first, _, rest = name.partition("\\")
    known = scope.aliases.get(first.lower())
    return inside_of(known, rest) if known else inside_of(scope.namespaces[0], name)


def last_part(name: str) -> str:
    """The last part of a full name, in lower case."""
    return name.rpartition("\\")[2].lower()


def inside_of(namespace: str, name: str) -> str:
    """The full name of something in a namespace."""
    return f"{namespace}\\{name}" if namespace else name
