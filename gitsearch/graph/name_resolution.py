"""Which definitions a use of a name may mean: those of its own file, else those it imports from.

In Python how the name is written tells more: a bare name is no member of a class, and a module is
reached through a name that an import binds.
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
    """A definition that carries the name: its file, first line, qualified name and kind."""

    file: int
    line: int
    qualified: str
    kind: str

    @property
    def name(self) -> str:
        """Its own name."""
        return self.qualified.rpartition(".")[2]

    @property
    def outer(self) -> str:
        """The name of what it is a member of, or ""."""
        return self.qualified.rpartition(".")[0].rpartition(".")[2]


class NameResolver:
    """What a name may mean in each file of a graph."""

    def __init__(
        self,
        graph: Graph,
        meanings: Sequence[ResolvedName],
        users: Users,
    ) -> None:
        """`meanings` are all definitions of the name."""
        self._graph = graph
        self._own: dict[int, list[ResolvedName]] = defaultdict(list)
        # By file, what it reaches, each with the numbers of the imports that lead there.
        self._reached: dict[int, dict[ResolvedName, set[int]]] = defaultdict(dict)
        for meaning in meanings:
            self._own[meaning.file].append(meaning)
            names = names_of(meaning.qualified)
            for edge in using_edges(graph, meaning.file, names, users, _offers):
                places = self._reached[edge.source].setdefault(meaning, set())
                places.add(edge.place)

    def of(self, file: int, use: Use) -> list[ResolvedName]:
        """The definitions that a use in a file may mean."""
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
            return [one for one in own if one.outer and one.kind in _NESTED]
        if use.owner is not None:
            return self._owned(file, use.owner, own, reached)
        tops = [one for one in own if not one.outer]
        if tops and use.kind != "import":
            return tops
        around = self._statement(file, use.line) if use.kind == "import" else None
        return [one for one in reached if not one.outer and self._named(file, one, around)]

    def _named(self, file: int, meaning: ResolvedName, among: set[int] | None) -> bool:
        """Whether an import that leads to a definition, one of some, names it."""
        imports = self._graph.row(file).imports
        for place in self._reached[file][meaning]:
            if place >= 0 and (among is None or place in among):
                bound, original = _names(imports[place])
                if _WHOLE in bound or meaning.name in (bound if among is None else original):
                    return True
        return False

    def _statement(self, file: int, line: int) -> set[int]:
        """The imports that start last before the end of a line."""
        imports = self._graph.row(file).imports
        start = max((one.line for one in imports if one.line <= line), default=0)
        return {place for place, one in enumerate(imports) if one.line == start}

    def _owned(
        self,
        file: int,
        owner: str,
        own: Sequence[ResolvedName],
        reached: dict[ResolvedName, set[int]],
    ) -> list[ResolvedName]:
        """What stands behind a dot: a member of what is named before it, or of some module."""
        first, _, rest = owner.partition(".")
        last = rest.rpartition(".")[2] or first
        members = [one for one in (*own, *reached) if one.outer]
        if named := [one for one in members if one.outer == last]:
            return named
        imports = self._graph.row(file).imports
        binding = {i for i, one in enumerate(imports) if first in set().union(*_names(one))}
        tops = [one for one, places in reached.items() if not one.outer and binding & places]
        tops += self._packaged(file, binding)
        if tops:
            called = [one for one in tops if self._module(one.file) == last]
            return list(dict.fromkeys(called or tops))
        if binding and not any(edge.place in binding for edge in self._graph.out_of(file)):
            return []  # a library
        return [one for one in own if one.outer] or members

    def _packaged(self, file: int, binding: set[int]) -> list[ResolvedName]:
        """What the packages offer that `import package.module` binds along with the module."""
        imports = self._graph.row(file).imports
        found = []
        for edge in self._graph.out_of(file):
            if edge.place in binding and not imports[edge.place].names:
                module = self._graph.path(edge.target).rpartition(b".")[0]
                parts = module.removesuffix(b"/__init__").split(b"/")
                above = parts[: len(parts) - imports[edge.place].specifier.count(".")]
                package = self._graph.file(b"/".join([*above, b"__init__.py"]))
                offered = (*self._own.get(package, ()), *self._reached.get(package, ()))
                found += [one for one in offered if not one.outer]
        return found

    def _module(self, file: int) -> str:
        """The last part of the name of a module; a package is called as its folder."""
        path = self._graph.path(file).decode("utf-8", "replace").rpartition(".")[0]
        return path.removesuffix("/__init__").rpartition("/")[2]


def _names(imported: Import) -> tuple[set[str], set[str]]:
    """The names that an import of Python binds, and those that it asks for.

    A plain import binds the first part of a module; its aliases are undone in a use.
    """
    if not imported.names:
        return {imported.specifier.partition(".")[0]}, set()
    pairs = [name.strip().partition(" as ") for name in imported.names.split(",")]
    return {alias or name for name, _, alias in pairs}, {name for name, _, _ in pairs}


def _offers(graph: Graph, file: int, imported: Import) -> bool:
    """Whether others may find in a file what it imports: in Python always."""
    named = imported.kind == "from" and graph.language(file) == _PYTHON
    return named or is_reexport(graph, file, imported)
