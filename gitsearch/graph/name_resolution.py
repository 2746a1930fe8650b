"""Resolution of names to definitions: those of the same file, else those of imported files.

A variable that holds what `require` loads counts as an import. In Python the syntax of the use is
considered too: a bare name is not a member of a class, a module is reached through a name that an
import binds, and `self` stands for the enclosing class.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.dependents import is_reexport, names_of, using_edges
from gitsearch.graph.name_users import VARIABLE, imported_names, is_require
from gitsearch.records import SUPER

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_users import NameUsers
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


def needs_imports(language: str, own: Collection[ResolvedName]) -> bool:
    """Return True if imports may say what a use means in a file; `own`: what the file defines."""
    return language == _PYTHON or all(meaning.kind == VARIABLE for meaning in own)


class NameResolver:
    """Resolves uses of one name in the files of a graph."""

    def __init__(self, graph: Graph, meanings: Sequence[ResolvedName], users: NameUsers) -> None:
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
        own, reached = self._own[file], self._reached[file]
        if self._graph.language(file) != _PYTHON:
            return self._own_or_required(file) or list(reached)
        if use.local:
            return [meaning for meaning in own if meaning.outer and meaning.kind in _NESTED]
        if use.kind == "import" and use.owner is not None:
            return []  # a module
        if use.owner is not None:
            return self._members(file, use)
        tops = [meaning for meaning in own if not meaning.outer]
        if tops and use.kind != "import":
            return tops
        line = None
        if use.kind == "import":
            # the imports of a statement have its first line
            lines = (imported.line for imported in self._graph.row(file).imports)
            line = max((number for number in lines if number <= use.line), default=0)
        tops = [meaning for meaning in reached if not meaning.outer]
        return [meaning for meaning in tops if self._is_imported(file, meaning, line)]

    def _own_or_required(self, file: int) -> list[ResolvedName]:
        """Return the definitions of a file; for a variable what `require` loads into it."""
        imports = self._graph.row(file).imports
        meanings: list[ResolvedName] = []
        for own in self._own[file]:
            required = [
                meaning
                for meaning, places in self._reached[file].items()
                if own.kind == VARIABLE
                and any(_requires(imports[place], own) for place in places if place >= 0)
            ]
            meanings += required or [own]
        return list(dict.fromkeys(meanings))

    def _is_imported(self, file: int, meaning: ResolvedName, line: int | None) -> bool:
        imports = self._graph.row(file).imports
        for place in self._reached[file][meaning]:
            if place >= 0 and line in (None, imports[place].line):
                bound, original = _names(imports[place])
                if _WHOLE in bound or meaning.name in (bound if line is None else original):
                    return True
        return False

    def _members(self, file: int, use: Use) -> list[ResolvedName]:
        """Resolve a name after a dot: a member of the type before the dot, or of a module."""
        own, reached, classes = self._own[file], self._reached[file], use.classes
        if use.owner == SUPER:
            enclosing = [one for one in own if one.outer in classes[:1]]
            own = [one for one in own if one not in enclosing]
            reached = {one: places for one, places in reached.items() if one not in enclosing}
            classes = classes[1:]
        for name in classes:
            for some in (own, reached):
                if of_class := [meaning for meaning in some if meaning.outer == name]:
                    return of_class
        first, _, rest = (use.owner or "").partition(".")
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
        if use.classes:
            return members  # of a base that is not written here
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
                offered = (*self._own[package], *self._reached[package])
                meanings += [meaning for meaning in offered if not meaning.outer]
        return meanings

    def _module(self, file: int) -> str:
        """Return the last part of a module's name; that of a package is its folder."""
        path = self._graph.path(file).decode("utf-8", "replace").rpartition(".")[0]
        return path.removesuffix("/__init__").rpartition("/")[2]


def _requires(imported: Import, own: ResolvedName) -> bool:
    """Return True if an import may be what a variable holds."""
    bound = imported.line == own.line or own.name in imported_names(imported.names)
    return bound and is_require(imported)


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
