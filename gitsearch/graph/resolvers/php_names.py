"""Name resolution in a PHP file, and the qualified names of its declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import FileFacts
    from gitsearch.records import Import

# Kinds of definitions that other files name; class-like kinds share one namespace of names.
_NAME_KINDS = dict.fromkeys(("class", "interface", "trait", "enum"), "class")
_NAME_KINDS |= {"function": "function", "constant": "constant"}
# Extensions of files that programs load; others are templates and fixtures with code in them.
_LOADED_EXTENSIONS = frozenset(
    {"php", "inc", "phtml", "hh", "module", "install", "theme", "profile", "engine"}
)


class PhpScope(NamedTuple):
    """The namespaces of a file, the aliases that its imports define, and the names it qualifies.

    aliases: the qualified names by alias, which is in lower case as PHP compares them.
    """

    namespaces: tuple[str, ...]
    aliases: dict[str, str]
    qualified: frozenset[str]


class Declarations(NamedTuple):
    """Kinds and qualified names of top-level declarations of a file, and its method names.

    last_parts: the last parts of the qualified names, in lower case.
    """

    names: tuple[tuple[str, str], ...]
    methods: frozenset[str]
    last_parts: frozenset[str]


NO_DECLARATIONS = Declarations((), frozenset(), frozenset())


def scope_of(facts: FileFacts) -> PhpScope:
    """Return the scope in which the names of a file are resolved."""
    namespaces: list[str] = []
    aliases: dict[str, str] = {}
    qualified: set[str] = set()
    for imported in facts.imports:
        if imported.kind == "namespace":
            namespaces.append(imported.specifier)
        elif imported.kind == "name":
            qualified.add(last_part(imported.specifier))
        elif imported.kind in ("use", "function", "const"):
            aliases.update((alias.lower(), name) for alias, name, _ in use_clauses(imported))
    return PhpScope(tuple(dict.fromkeys(namespaces)) or ("",), aliases, frozenset(qualified))


def declarations_in(path: str, facts: FileFacts, scope: PhpScope) -> Declarations:
    """Return the declarations of a file."""
    if path.rpartition(".")[2].lower() not in _LOADED_EXTENSIONS:
        return NO_DECLARATIONS
    namespaces = scope.namespaces
    names: set[tuple[str, str]] = set()
    methods: set[str] = set()
    for qualified, kind in facts.definitions:
        if kind not in _NAME_KINDS and kind != "method":
            continue
        namespace, _, last = qualified.replace(".", "\\").rpartition("\\")
        # Definitions in a namespace with braces are qualified by it, and a function in one has the
        # kind "method".
        if namespace != "" and namespace in namespaces:
            names.add((_NAME_KINDS.get(kind, "function"), f"{namespace}\\{last}"))
        elif kind == "method":
            methods.add(last.lower())
        elif not namespace:
            names.update((_NAME_KINDS[kind], in_namespace(outer, last)) for outer in namespaces)
    last_parts = frozenset(last_part(name) for _, name in names)
    return Declarations(tuple(sorted(names)), frozenset(methods), last_parts)


def use_clauses(imported: Import) -> Iterator[tuple[str, str, str]]:
    """Yield the alias, the qualified name and the kind of each name that one `use` imports."""
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
            in_namespace(base, name.strip()),
            kind if typed else imported.kind,
        )


def qualified_name(name: str, scope: PhpScope) -> str:
    """Return the fully qualified name of a qualified name in a file."""
    if name.startswith("\\"):
        return name
    first, _, rest = name.partition("\\")
    aliased = scope.aliases.get(first.lower())
    return in_namespace(aliased, rest) if aliased else in_namespace(scope.namespaces[0], name)


def last_part(name: str) -> str:
    """Return the last part of a qualified name, in lower case."""
    return name.rpartition("\\")[2].lower()


def in_namespace(namespace: str, name: str) -> str:
    """Return the qualified name of a name in a namespace."""
    return f"{namespace}\\{name}" if namespace else name
