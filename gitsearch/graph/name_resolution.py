"""Resolution of names to definitions: those of the same file, else those of imported files.

A variable that holds what `require` loads counts as an import. After a dot the owner decides: a
type or a module that it names, the enclosing class for `self` or `this`. A value of unknown type
may have any member of the name that the file defines or imports. In Python a bare name is not a
member of a class, either.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.dependents import is_reexport, names_of, using_edges
from gitsearch.graph.exports import ECMASCRIPT, bound_by
from gitsearch.graph.name_users import VARIABLE, has_other_owner, imported_names, is_require
from gitsearch.records import SUPER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence, Set

    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_users import NameUsers
    from gitsearch.records import Import, Use

_PYTHON, _GO = "python", "go"
_WHOLE = "*"
_METHOD = "method"
_NESTED = frozenset({"function", "class"})


# Languages in which a method is not called by its name alone.
_EXPLICIT = ECMASCRIPT | {"go", "php", "rust"}

# The last part of a path of Go that is a version of the package, which is called by another part.
_VERSION = re.compile(r"v\d+")


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
    def within(self) -> str:
        """The qualified name of the enclosing definition, or ""."""
        return self.qualified.rpartition(".")[0]

    @property
    def outer(self) -> str:
        """The name of the enclosing definition, or ""."""
        return self.within.rpartition(".")[2]


class Resolution(NamedTuple):
    """The definitions that a use may mean; none if only the name is known.

    is_open: it is a member of a value of unknown type, whose type may be above or below those that
    have the definitions.
    """

    meanings: list[ResolvedName]
    is_open: bool = False


def needs_imports(language: str, own: Collection[ResolvedName], use: Use) -> bool:
    """Return True if imports may say what a use means in a file; `own`: what the file defines."""
    if language == _PYTHON or has_other_owner(use):
        return True
    return all(meaning.kind == VARIABLE for meaning in own)


class NameResolver:
    """Resolves uses of one name in the files of a graph."""

    def __init__(self, graph: Graph, meanings: Sequence[ResolvedName], users: NameUsers) -> None:
        """`meanings` holds all definitions of the name."""
        self._graph = graph
        self._own: dict[int, list[ResolvedName]] = defaultdict(list)
        # By file, the definitions it can import, each with the numbers of the imports.
        self._reached: dict[int, dict[ResolvedName, set[int]]] = defaultdict(dict)
        self._bindings: dict[tuple[int, str], set[int]] = {}
        self._packages: dict[int, dict[int, str]] = {}
        for meaning in meanings:
            self._own[meaning.file].append(meaning)
            names = names_of(meaning.qualified)
            for edge in using_edges(graph, meaning.file, names, users, _offers):
                places = self._reached[edge.source].setdefault(meaning, set())
                places.add(edge.place)

    def of(self, file: int, use: Use) -> Resolution:
        """Return the definitions that a use in a file may refer to."""
        language = self._graph.language(file)
        if language == _PYTHON:
            return self._in_python(file, use)
        if use.kind != "import" and (use.classes or has_other_owner(use)):
            return self._member(file, use, language)
        if imported := self._imported(file, use):
            return Resolution(imported)
        own, reached = self._own_or_required(file), list(self._reached[file])
        is_bare = use.kind == "call" and use.owner is None and language in _EXPLICIT
        functions = _without_methods(own) or _without_methods(reached) if is_bare else []
        # a variable of the name may still hold a method
        return Resolution(functions or own or reached)

    def _imported(self, file: int, use: Use) -> list[ResolvedName]:
        """Return the definitions that an import, or an export from another file, leads to."""
        if use.kind not in ("import", "export"):
            return []
        line = self._statement_line(file, use.line) if use.kind == "import" else use.line
        imports = self._graph.row(file).imports
        places = {place for place, one in enumerate(imports) if one.line == line}
        return [one for one, own in self._reached[file].items() if own & places]

    def _statement_line(self, file: int, line: int) -> int:
        """Return the first line of the statement that imports at a line; its imports have it."""
        lines = (imported.line for imported in self._graph.row(file).imports)
        return max((number for number in lines if number <= line), default=0)

    def _member(self, file: int, use: Use, language: str) -> Resolution:
        """Resolve a name after an owner, in other languages than Python."""
        reached = self._reached[file]
        every = list(dict.fromkeys((*self._own_or_required(file), *reached)))
        if of_type := [one for one in every if one.outer in use.classes]:
            return Resolution(of_type)
        owner = use.owner or ""
        first, *rest = owner.split(".")
        binding = self._binding(file, first)
        if of_module := [
            one for one, places in reached.items() if not (one.outer or rest) and binding & places
        ]:
            return Resolution(of_module)
        inner = rest[-1] if rest and binding else owner
        of_type = [one for one in every if f".{one.qualified}".endswith(f".{inner}.{one.name}")]
        # in Go variables are often called like a type that is not exported
        if of_type and (language != _GO or inner[:1].isupper()):
            return Resolution(of_type)
        is_package = language == _GO and not rest
        if binding and (is_package or not self._leads_to_files(file, binding)):
            return Resolution([])
        members = [one for one in every if one.outer]
        if language in ECMASCRIPT:
            members = every  # an object may hold any function
        elif language != _GO:
            members = members or every
        return Resolution(members, is_open=True)

    def _in_python(self, file: int, use: Use) -> Resolution:
        if use.kind == "import" and use.owner is not None:
            return Resolution([])  # a module
        if use.owner is not None:
            return self._python_member(file, use)
        return Resolution(self._python_name(file, use))

    def _python_name(self, file: int, use: Use) -> list[ResolvedName]:
        own, reached = self._own[file], self._reached[file]
        if use.local:
            return [meaning for meaning in own if meaning.outer and meaning.kind in _NESTED]
        tops = [meaning for meaning in own if not meaning.outer]
        if tops and use.kind != "import":
            return tops
        line = self._statement_line(file, use.line) if use.kind == "import" else None
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

    def _python_member(self, file: int, use: Use) -> Resolution:
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
                    return Resolution(of_class)
        first, _, rest = (use.owner or "").partition(".")
        last = rest.rpartition(".")[2] or first
        members = [meaning for meaning in (*own, *reached) if meaning.outer]
        if of_owner := [meaning for meaning in members if meaning.outer == last]:
            return Resolution(of_owner)
        binding = self._binding(file, first)
        tops = [
            meaning
            for meaning, places in reached.items()
            if not meaning.outer and binding & places
        ]
        tops += self._of_parent_packages(file, binding)
        if tops:
            of_module = [meaning for meaning in tops if self._module(meaning.file) == last]
            return Resolution(list(dict.fromkeys(of_module or tops)))
        if binding and not self._leads_to_files(file, binding):
            return Resolution([])  # the import is of an external library
        # after `self` of a base that is not written here
        return Resolution(members, is_open=not use.classes)

    def _binding(self, file: int, name: str) -> set[int]:
        """Return the numbers of the imports of a file that may bind a name."""
        imports = self._graph.row(file).imports
        if (file, name) not in self._bindings:
            self._bindings[file, name] = {
                place
                for place, imported in enumerate(imports)
                if name in self._bound(file, place, imported)
            }
        return self._bindings[file, name]

    def _bound(self, file: int, place: int, imported: Import) -> Collection[str]:
        language = self._graph.language(file)
        if language == _PYTHON:
            return set().union(*_names(imported))
        if imported.kind == "include":
            return ()  # a file, whose name is none in the code
        if language != _GO or imported.kind != "import" or imported.names:
            return bound_by(imported)
        if file not in self._packages:
            self._packages[file] = self._imported_packages(file)
        if place in self._packages[file]:
            return {self._packages[file][place]}
        *_, above, last = ("", *imported.specifier.split("/"))
        return {(above if _VERSION.fullmatch(last) else last).partition(".")[0]}

    def _imported_packages(self, file: int) -> dict[int, str]:
        """Return the names that the packages which a file in Go imports have in their clauses."""
        names: dict[int, str] = {}
        for edge in self._graph.out_edges(file):
            clauses = self._graph.row(edge.target).imports[:1] if edge.place not in names else ()
            if clauses and clauses[0].kind == "package":
                names[edge.place] = clauses[0].specifier
        return names

    def _leads_to_files(self, file: int, places: Set[int]) -> bool:
        """Return True if one of some imports leads to a file, False for external libraries."""
        return any(edge.place in places for edge in self._graph.out_edges(file))

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


def _without_methods(meanings: Iterable[ResolvedName]) -> list[ResolvedName]:
    return [meaning for meaning in meanings if meaning.kind != _METHOD]


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
