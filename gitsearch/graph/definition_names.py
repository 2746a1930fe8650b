"""The definitions of all files of a tree, and what a name at the top of a file means."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.definition_uses import DEFAULT
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.graph.definition_rules import PACKAGE, RULES, USED, LanguageRules
from gitsearch.graph.exports import ECMASCRIPT, JVM, bound_by, imported_by, module_name
from gitsearch.graph.graph import USED as USED_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.graph import Graph
    from gitsearch.records import Import

# What an expression may be: an instance of a class, the class, a function, a module, the bases of
# a class (`super()`), or something that the tree does not define.
INSTANCE, CLASS, FUNCTION, MODULE, SUPER, VARIABLE, EXTERNAL = range(7)

# So many alternatives of an expression are followed.
MOST = 8

_WHOLE = "*"

# Go: what stands around the name of a package in the last part of its path.
_VERSION = re.compile(r"(?:^|\.)v\d+$")


class Value(NamedTuple):
    """A possible value of an expression; `number` is a definition or a file."""

    kind: int
    number: int = -1


OUTSIDE = Value(EXTERNAL)
Values = tuple[Value, ...]

# What names mean that were met on the way to one, by file: () while a name is looked for.
_Seen = dict[tuple[int, str], Values]


def inside(values: list[Value]) -> Values:
    """Return the values once each, those of the tree only if there are any, and only so many."""
    if len(values) < 2:
        return tuple(values)
    own = [value for value in values if value != OUTSIDE]
    return tuple(dict.fromkeys(own or values))[:MOST]


def together(values: list[Value]) -> Values:
    """Return the values once each, those of the tree first, and only so many."""
    own = inside(values)
    return (*own, OUTSIDE) if OUTSIDE in values and OUTSIDE not in own else own


class Definitions:
    """The definitions of all files, numbered in the order of files and positions."""

    def __init__(self, graph: Graph, facts: Mapping[int, DefinitionFacts]) -> None:
        self.facts = facts
        self._graph = graph
        self._rules = {file: RULES[graph.language(file)] for file in facts}
        self._spaces: dict[tuple[bytes, str], int] = {}
        # the first file of the package of each file, if names belong to packages
        self.space: dict[int, int] = {}
        self.first: dict[int, int] = {}
        self.file: list[int] = []
        self.name: list[str] = []
        self.qualified: list[str] = []
        self.kind: list[str] = []
        self.lines: list[tuple[int, int]] = []
        self.parent: list[int] = []
        for file in sorted(facts):
            self.space[file] = self._space(file)
            base = self.first[file] = len(self.file)
            for one in facts[file].definitions:
                self.file.append(file)
                self.name.append(one.qualified.rpartition(".")[2].lstrip("#"))
                self.qualified.append(one.qualified)
                self.kind.append(one.kind)
                self.lines.append((one.first, one.last))
                self.parent.append(base + one.parent if one.parent >= 0 else -1)
        # definitions that have members which are written outside of them
        self.owners: set[int] = set()
        self._find_owners()

    def __len__(self) -> int:
        """The number of definitions."""
        return len(self.file)

    def rules(self, file: int) -> LanguageRules:
        """Return the rules of the language of a file."""
        return self._rules[file]

    def _space(self, file: int) -> int:
        if self.rules(file).scope != PACKAGE:
            return file
        folder = self._graph.path(file).rpartition(b"/")[0]
        return self._spaces.setdefault((folder, package_of(self._graph, file)), file)

    def _find_owners(self) -> None:
        """Give members such as `Type.method`, which are written alone, their type as parent."""
        named: dict[tuple[int, str], int] = {}
        for number, parent in enumerate(self.parent):
            if parent < 0:
                key = self.space[self.file[number]], self.qualified[number]
                if self.kind[number] in TYPES or key not in named:
                    named[key] = number
        for number, parent in enumerate(self.parent):
            owner = self.qualified[number].rpartition(".")[0]
            if parent < 0 and owner:
                above = named.get((self.space[self.file[number]], owner), -1)
                if above >= 0 and above != number:
                    self.parent[number] = above
                    self.owners.add(above)

    def number(self, file: int, scope: int) -> int:
        """Return the number of a definition of a file; -1 for the file outside of all."""
        return self.first[file] + scope if scope >= 0 else -1

    @cached_property
    def children(self) -> dict[int, dict[str, list[int]]]:
        """The definitions directly in each definition, by name."""
        children: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for number, parent in enumerate(self.parent):
            if parent >= 0:
                children[parent].setdefault(self.name[number], []).append(number)
        return children

    @cached_property
    def tops(self) -> dict[int, dict[str, list[int]]]:
        """The definitions of each package or file outside of all others, by name.

        Members of an object, such as `app.get`, are among those of a module that is this object.
        """
        tops: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for number, parent in enumerate(self.parent):
            if parent < 0 or (parent in self.owners and self.kind[parent] not in TYPES):
                own = tops[self.space[self.file[number]]]
                own.setdefault(self.name[number], []).append(number)
        return tops

    def is_place(self, number: int) -> bool:
        """Return True for what has members: a type, or an object that is written out."""
        if self.kind[number] in FUNCTIONS:
            return number in self.owners
        return self.kind[number] in TYPES or number in self.children

    def enclosing_class(self, number: int) -> int:
        """Return the innermost place around a definition, or -1."""
        while number >= 0 and not self.is_place(number):
            number = self.parent[number]
        return number

    def value(self, number: int) -> Value:
        """Return the value that a definition makes."""
        kind = self.kind[number]
        if kind in TYPES:
            return Value(CLASS, number)
        return Value(FUNCTION if kind in FUNCTIONS else VARIABLE, number)


def package_of(graph: Graph, file: int) -> str:
    """Return the package that a file says it is of; "" without one."""
    imports = graph.row(file).imports
    return next((one.specifier for one in imports if one.kind == "package"), "")


class Names:
    """Resolves names of files: to definitions of the file or package, or to imported ones."""

    def __init__(
        self, graph: Graph, definitions: Definitions, aliases: Callable[[int, str], Values]
    ) -> None:
        """`aliases` tells what a file calls by another name for its importers."""
        self._graph = graph
        self._definitions = definitions
        self._aliases = aliases
        self._names: dict[tuple[int, str], Values] = {}
        self._imports: dict[int, dict[str, list[tuple[int, str]]]] = {}
        self._targets: dict[int, dict[int, list[int]]] = {}

    def name(self, file: int, name: str) -> Values:
        """Return what a name means at the top of a file; () if the file does not bind it."""
        return self._name(file, name, {})

    def _name(self, file: int, name: str, seen: _Seen) -> Values:
        key = (file, name)
        if key in self._names:
            return self._names[key]
        if key in seen:
            return seen[key]
        outermost = not seen
        seen[key] = ()
        values = self._own(file, name)
        variable = all(value.kind == VARIABLE for value in values)
        if variable and (not values or name in self.bound(file)):
            values = self._imported(file, name, seen) or values
        seen[key] = values = values or self._used(file, name)
        if outermost:
            # what is seen on the way may lack what a circle of imports leads back to
            self._names[key] = values
        return values

    def _own(self, file: int, name: str) -> Values:
        definitions = self._definitions
        if file not in definitions.space:
            return ()
        own = definitions.tops[definitions.space[file]].get(name, ())
        return tuple(map(definitions.value, own))

    def provided(self, file: int, name: str) -> Values:
        """Return what importers of a file get by a name."""
        return self._provided(file, name, {})

    def _provided(self, file: int, name: str, seen: _Seen) -> Values:
        if file not in self._definitions.space:
            return ()
        if self._definitions.rules(file).hands_on:
            return self._name(file, name, seen) or self._aliases(file, name)
        return self._own(file, name) or self._member_of_top(file, name)

    def _member_of_top(self, file: int, name: str) -> Values:
        """Return a nested type or a static member: they are imported by name in Java."""
        definitions = self._definitions
        if self._graph.language(file) not in JVM:
            return ()
        found = [
            definitions.value(number)
            for tops in definitions.tops[file].values()
            for top in tops
            for number in definitions.children[top].get(name, ())
        ]
        return tuple(found)[:MOST]

    def _used(self, file: int, name: str) -> Values:
        """Return what other files of a package define that need not be imported."""
        if file not in self._definitions.space or self._definitions.rules(file).scope != USED:
            return ()
        targets = self.targets(file).get(USED_NAME, ())
        return inside([value for target in targets for value in self._own(target, name)])

    def _imported(self, file: int, name: str, seen: _Seen) -> Values:
        bound = self.bound(file)
        targets = self.targets(file)
        values: list[Value] = []
        for place, original in bound.get(name, ()):
            found = targets.get(place, ())
            if not found:
                values.append(OUTSIDE)
            for target in found if original else found[:1]:
                if not original:
                    values.append(Value(MODULE, target))
                    continue
                provided = self._provided(target, original, seen)
                if provided:
                    values += provided
                elif self._is_module(target, original):
                    values.append(Value(MODULE, target))
        if values:
            return inside(values)
        for place, _ in bound.get(_WHOLE, ()):
            for target in targets.get(place, ()):
                values += self._provided(target, name, seen)
        return tuple(dict.fromkeys(values))[:MOST]

    def _is_module(self, file: int, name: str) -> bool:
        """Return True if a name means a module itself: in JavaScript what it is as a whole."""
        if self._graph.language(file) in ECMASCRIPT:
            return name == DEFAULT
        return module_name(self._graph.path(file)) == name

    def imported(self, file: int) -> Iterator[tuple[Value, int]]:
        """Yield what the names in the imports of a file mean, with the lines of the imports."""
        imports = self._graph.row(file).imports
        for name, places in self.bound(file).items():
            for place, original in places:
                if original not in ("", _WHOLE):
                    yield from ((value, imports[place].line) for value in self.name(file, name))

    def bound(self, file: int) -> dict[str, list[tuple[int, str]]]:
        """Return the imports that bind each name, with the name in the target; "" for a module."""
        if file not in self._imports:
            by_name: dict[str, list[tuple[int, str]]] = defaultdict(list)
            for place, imported in enumerate(self._graph.row(file).imports):
                for name, original in self._pairs(file, place, imported):
                    by_name[name].append((place, original))
            self._imports[file] = by_name
        return self._imports[file]

    def _pairs(self, file: int, place: int, imported: Import) -> list[tuple[str, str]]:
        language = self._graph.language(file)
        if language in ECMASCRIPT:
            return _of_ecmascript(imported)
        if language == "go":
            target = self.targets(file).get(place, ())
            return _of_go(imported, package_of(self._graph, target[0]) if target else "")
        if language in JVM:
            return _of_jvm(imported)
        return _of_python(imported)

    def targets(self, file: int) -> dict[int, list[int]]:
        """Return the files to which each import of a file leads."""
        if file not in self._targets:
            targets: dict[int, list[int]] = defaultdict(list)
            for edge in self._graph.out_edges(file):
                targets[edge.place].append(edge.target)
            self._targets[file] = targets
        return self._targets[file]


# ---------------------------------------------------------------- what an import binds


def _of_python(imported: Import) -> list[tuple[str, str]]:
    if not imported.names:
        first = imported.specifier.partition(".")[0]
        return [(name, "") for name in ((first,) if first else bound_by(imported))]
    whole = [(_WHOLE, _WHOLE)] if _WHOLE in imported.names else []
    return [*whole, *zip(bound_by(imported), imported_by(imported), strict=False)]


def _of_ecmascript(imported: Import) -> list[tuple[str, str]]:
    """Read `a`, `a as b`, `default as a`, `* as a`, and `a: b` of a pattern."""
    if not imported.names:
        return [(_WHOLE, _WHOLE)] if imported.kind == "export" else []
    pairs = []
    for part in imported.names.split(","):
        words = part.replace(":", " as ").removeprefix("type ").split()
        if words:
            pairs.append((words[-1], "" if words[0] == _WHOLE else words[0]))
    return pairs


def _of_go(imported: Import, package: str) -> list[tuple[str, str]]:
    """Read an alias, or guess the name of a package of a library by its path."""
    if imported.kind in ("package", "embed") or imported.names == "_":
        return []
    if imported.names == ".":
        return [(_WHOLE, _WHOLE)]
    if imported.names or package:
        return [(imported.names or package, "")]
    parts = [part for part in imported.specifier.split("/") if not _VERSION.fullmatch(part)]
    last = _VERSION.sub("", parts[-1] if parts else "")
    guesses = {last, last.removeprefix("go-"), last.removesuffix("-go"), last.replace("-", "")}
    return [(guess, "") for guess in sorted(guesses)]


def _of_jvm(imported: Import) -> list[tuple[str, str]]:
    if imported.kind in ("package", "packaging", "qualified"):
        return []
    if imported.names == _WHOLE:
        return [(_WHOLE, _WHOLE)]
    last = imported.specifier.rpartition(".")[2]
    return [(bound_by(imported)[-1] if imported.names else last, last)]
