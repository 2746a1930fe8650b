"""Resolution of names to definitions: those of the same file, else those of imported files.

In Python the syntax of the use is considered too: a bare name is not a member of a class, and a
module is reached through a name that an import binds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.dependents import is_reexport, names_of, using_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.graph.dependents import Users
    from gitsearch.graph.graph import Graph
    from gitsearch.records import Import, Use

_PYTHON = "python"
_WHOLE = "*"
_NESTED = frozenset({"function", "class"})


class ResolvedName(NamedTuple):
    """A definition with the searched name: its file, first line, qualified name and kind."""

    file: int
    line: int
    qualified: str
    kind: str

    @property
    def name(self) -> str:
        """The unqualified name."""
        return self.qualified.rpartition(".")[2]

    @property
    def outer(self) -> str:
        """The name of the enclosing definition, or ""."""
        return self.qualified.rpartition(".")[0].rpartition(".")[2]


class NameResolver:
    """Resolves uses of one name in the files of a graph."""

    def __init__(
        self,
        graph: Graph,
        meanings: Sequence[ResolvedName],
        users: Users,
    ) -> None:
        """`meanings` holds all definitions of the name."""
        self._graph = graph
        self._own: dict[int, list[ResolvedName]] = defaultdict(list)
        # By file, the definitions it can import, each with the numbers of the imports.
        self._reached: dict[int, dict[ResolvedName, set[int]]] = defaultdict(dict)
        for meaning in meanings:
            self._own[meaning.file].append(meaning)
            names = names_of(meaning.qualified)
            for edge in using_edges(graph, meaning.file, names, users, _offers):
                places = self._reached[edge.source].setdefault(meaning, set())
                places.add(edge.place)

    def of(self, file: int, use: Use) -> list[ResolvedName]:
        """Return the definitions that a use in a file may refer to."""
        own = self._own.get(file, [])
        reached = self._reached.get(file, {})
        if self._graph.language(file) == _PYTHON:
            return self._python(file, use, own, reached)
        return own or list(reached)

    def _python(
        self,
        file: int,
        use: Use,
        own: Sequence[ResolvedName],
        reached: dict[ResolvedName, set[int]],
    ) -> list[ResolvedName]:
        if use.local:
            return [meaning for meaning in own if meaning.outer and meaning.kind in _NESTED]
        if use.owner is not None:
            return self._qualified(file, use.owner, own, reached)
        tops = [meaning for meaning in own if not meaning.outer]
        if tops and use.kind != "import":
            return tops
        imports = self._statement(file, use.line) if use.kind == "import" else None
        return [
            meaning
            for meaning in reached
            if not meaning.outer and self._is_imported(file, meaning, imports)
        ]

    def _is_imported(self, file: int, meaning: ResolvedName, among: set[int] | None) -> bool:
        """Return True if an import names a definition; `among`: the numbers of some imports."""
        imports = self._graph.row(file).imports
        for place in self._reached[file][meaning]:
            if place >= 0 and (among is None or place in among):
                bound, original = _names(imports[place])
                if _WHOLE in bound or meaning.name in (bound if among is None else original):
                    return True
        return False

    def _statement(self, file: int, line: int) -> set[int]:
        """Return the numbers of the imports that start last at or before a line."""
        imports = self._graph.row(file).imports
        lines = [imported.line for imported in imports]
        start = max((number for number in lines if number <= line), default=0)
        return {place for place, number in enumerate(lines) if number == start}

    def _qualified(
        self,
        file: int,
        owner: str,
        own: Sequence[ResolvedName],
        reached: dict[ResolvedName, set[int]],
    ) -> list[ResolvedName]:
        """Resolve a name after a dot: a member of the type before the dot, or of a module."""
        first, _, rest = owner.partition(".")
        last = rest.rpartition(".")[2] or first
        members = [meaning for meaning in (*own, *reached) if meaning.outer]
        if of_owner := [meaning for meaning in members if meaning.outer == last]:
            return of_owner
        imports = self._graph.row(file).imports
        binding = {
            place
            for place, imported in enumerate(imports)
            if first in set().union(*_names(imported))
        }
        tops = [
            meaning
            for meaning, places in reached.items()
            if not meaning.outer and binding & places
        ]
        tops += self._of_parent_packages(file, binding)
        if tops:
            of_module = [meaning for meaning in tops if self._module(meaning.file) == last]
            return list(dict.fromkeys(of_module or tops))
        if binding and not any(edge.place in binding for edge in self._graph.out_edges(file)):
            return []  # the import is of an external library
        return [meaning for meaning in own if meaning.outer] or members

    def _of_parent_packages(self, file: int, binding: set[int]) -> list[ResolvedName]:
        """Return the definitions of the packages that `import package.module` also binds."""
        imports = self._graph.row(file).imports
        meanings: list[ResolvedName] = []
        for edge in self._graph.out_edges(file):
            if edge.place in binding and not imports[edge.place].names:
                module = self._graph.path(edge.target).rpartition(b".")[0]
                parts = module.removesuffix(b"/__init__").split(b"/")
                above = parts[: len(parts) - imports[edge.place].specifier.count(".")]
                package = self._graph.file(b"/".join([*above, b"__init__.py"]))
                offered = (*self._own.get(package, ()), *self._reached.get(package, ()))
                meanings += [meaning for meaning in offered if not meaning.outer]
        return meanings

    def _module(self, file: int) -> str:
        """Return the last part of a module's name; that of a package is its folder."""
        path = self._graph.path(file).decode("utf-8", "replace").rpartition(".")[0]
        return path.removesuffix("/__init__").rpartition("/")[2]


def _names(imported: Import) -> tuple[set[str], set[str]]:
    """Return the names that a Python import binds, and those that it imports.

    A plain import binds the first part of the module name; uses have its alias replaced.
    """
    if not imported.names:
        return {imported.specifier.partition(".")[0]}, set()
    pairs = [name.strip().partition(" as ") for name in imported.names.split(",")]
    return {alias or name for name, _, alias in pairs}, {name for name, _, _ in pairs}


def _offers(graph: Graph, file: int, imported: Import) -> bool:
    """Return True if importers of a file can use an import of it: in Python always."""
    named = imported.kind == "from" and graph.language(file) == _PYTHON
    return named or is_reexport(graph, file, imported)
