"""The definitions of all files of a tree, and what a name or an expression may mean."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.definition_uses import EXTENSION
from gitsearch.extract.symbol_kinds import FUNCTIONS, SPACES, TYPES
from gitsearch.graph.definition_rules import PACKAGE, RULES, LanguageRules
from gitsearch.graph.project import RESOLVER_OF

if TYPE_CHECKING:
    from gitsearch.graph.definition_facts import FactRows
    from gitsearch.graph.graph import Graph

# What an expression may be: an instance of a class, the class, a function, a module, the bases of
# a class (`super()`), or something that the tree does not define.
INSTANCE, CLASS, FUNCTION, MODULE, SUPER, VARIABLE, EXTERNAL = range(7)

_METHODS = frozenset({"method", "constructor"})

# The objects of JavaScript whose members are global variables.
_GLOBAL_OBJECTS = frozenset({"global", "globalThis", "window"})

# Kinds of what holds a value: a function with a name that stands in it is no member.
_HOLDERS = frozenset({"variable", "constant", "property", "field"})

# The ends of the paths of headers of C and C++.
HEADER_ENDS = (b".h", b".hh", b".hpp", b".hxx")

# So many alternatives of an expression are followed.
MOST = 8


class Value(NamedTuple):
    """A possible value of an expression; `number` is a definition or a file."""

    kind: int
    number: int = -1


OUTSIDE = Value(EXTERNAL)
Values = tuple[Value, ...]


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

    def __init__(self, graph: Graph, rows: FactRows) -> None:
        self._graph = graph
        self._rules = {file: RULES[graph.language(file)] for file in rows.files}
        # by file, what its language has in common with those whose code it may call
        self.family = {file: RESOLVER_OF[graph.language(file)] for file in rows.files}
        arrays = rows.arrays
        ends = arrays["definition_ends"].tolist()
        self.first: dict[int, int] = dict(zip(rows.files, ends, strict=False))
        self._ends = dict(zip(rows.files, ends[1:], strict=True))
        self.file: list[int] = rows.files_of("definition").tolist()
        self.qualified = rows.words("definition_qualified")
        self.kind = rows.words("definition_kind")
        # how many arguments each takes, as in `DefinedName`
        self.takes = rows.words("definition_takes")
        self.line: list[int] = arrays["definition_first"].tolist()
        short = {text: text.rpartition(".")[2].lstrip("#") for text in set(self.qualified)}
        self.name = [short[text] for text in self.qualified]
        inside = arrays["definition_parent"].astype(np.int64)
        around = np.where(inside >= 0, inside + rows.first_definitions("definition"), -1)
        self.parent: list[int] = around.tolist()
        # functions that are called like members of what they are given
        self.extensions = frozenset(
            (rows.first_definitions("use") + arrays["use_scope"].astype(np.int64))[
                rows.having("use_form", EXTENSION)
            ].tolist()
        )
        # the first file of the package of each file, if names belong to packages, and its files
        self.space: dict[int, int] = {}
        self.together: dict[int, list[int]] = defaultdict(list)
        self._spaces: dict[tuple[bytes, str], int] = {}
        for file in rows.files:
            space = self.space[file] = self._space(file)
            self.together[space].append(file)
        # definitions that have members which are written outside of them
        self.owners: set[int] = set()
        self._find_owners()

    def __len__(self) -> int:
        """The number of definitions."""
        return len(self.file)

    def rules(self, file: int) -> LanguageRules:
        """Return the rules of the language of a file."""
        return self._rules[file]

    def of_file(self, file: int) -> range:
        """Return the definitions of a file."""
        return range(self.first[file], self._ends[file])

    def _space(self, file: int) -> int:
        if self.rules(file).scope != PACKAGE:
            return file
        return self._spaces.setdefault(self.package(file), file)

    def package(self, file: int) -> tuple[bytes, str]:
        """Return the folder and the package of a file."""
        return self._graph.path(file).rpartition(b"/")[0], package_of(self._graph, file)

    def _find_owners(self) -> None:
        """Give members such as `Type.method`, which are written alone, their type as parent."""
        alone = [n for n, parent in enumerate(self.parent) if parent < 0 or self.is_space(parent)]
        members = [number for number in alone if "." in self.qualified[number]]
        spaces = {self.space[self.file[number]] for number in members}
        named: dict[tuple[int, str], int] = {}
        for number in alone if spaces else ():
            key = self.space[self.file[number]], self.qualified[number]
            if key[0] in spaces and (self.kind[number] in TYPES or key not in named):
                named[key] = number
        for number in members:
            owner = self.qualified[number].rpartition(".")[0]
            above = named.get((self.space[self.file[number]], owner), -1)
            if above not in (-1, number, self.parent[number]):
                self.parent[number] = above
                self.owners.add(above)

    def number(self, file: int, scope: int) -> int:
        """Return the number of a definition of a file; -1 for the file outside of all."""
        return self.first[file] + scope if scope >= 0 else -1

    def is_space(self, number: int) -> bool:
        """Return True for what is around definitions and has no members of its own."""
        return self.kind[number] in self.rules(self.file[number]).spaces

    def is_top(self, number: int) -> bool:
        """Return True for what is in no other definition, but for spaces."""
        parent = self.parent[number]
        while parent >= 0 and self.is_space(parent):
            parent = self.parent[parent]
        return parent < 0

    def is_apart(self, number: int) -> bool:
        """Return True for a method that is written in no type of its file."""
        apart = self.rules(self.file[number]).apart_members
        return apart and self.kind[number] in _METHODS and self.is_top(number)

    def declared_name(self, number: int) -> str:
        """Return by which name a function is declared and defined: with its type, if any."""
        method = self.kind[number] in _METHODS
        return member_key(self.qualified[number]) if method else self.name[number]

    @cached_property
    def apart(self) -> dict[str, list[int]]:
        """The methods that are written in no type of their file, by type and name."""
        found: dict[str, list[int]] = {}
        for number, qualified in enumerate(self.qualified):
            if "." in qualified and self.is_apart(number):
                found.setdefault(member_key(qualified), []).append(number)
        return found

    def is_namesake(self, number: int) -> bool:
        """Return True for a type or an object, and for a constant that all files see."""
        constant = self.kind[number] == "constant"
        return self.is_place(number) or (constant and self.rules(self.file[number]).everywhere)

    def is_global(self, number: int) -> bool:
        """Return True for what JavaScript makes a global variable: `globalThis.name = ...`."""
        return self.qualified[number] in self._globals and self.rules(self.file[number]).whole

    @cached_property
    def _globals(self) -> frozenset[str]:
        """The qualified names of members of the object whose members are global variables."""
        split = ((text, *text.partition(".")) for text in set(self.qualified))
        return frozenset(
            text for text, owner, _, name in split if owner in _GLOBAL_OBJECTS and "." not in name
        )

    def is_linked(self, number: int) -> bool:
        """Return True for a function or macro of a header of C, which a file may get elsewhere."""
        is_function = self.kind[number] in FUNCTIONS and self.parent[number] < 0
        path = self._graph.path(self.file[number])
        return is_function and path.endswith(b".h") and self.is_in_header(number)

    def is_in_header(self, number: int) -> bool:
        """Return True for a definition in a header of C or C++."""
        file = self.file[number]
        return self.rules(file).declares and self._graph.path(file).endswith(HEADER_ENDS)

    @cached_property
    def linked(self) -> dict[str, list[int]]:
        """The functions and macros of headers, by name."""
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.name):
            if self.is_linked(number):
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _children(self) -> dict[int, dict[str, list[int]]]:
        children: dict[int, dict[str, list[int]]] = {}
        for number, parent in enumerate(self.parent):
            if parent >= 0:
                own = children.setdefault(parent, {})
                own.setdefault(self.name[number], []).append(number)
        return children

    def is_given(self, number: int) -> bool:
        """Return True for a type whose members are those of the classes that name it as a base."""
        return self.kind[number] in self.rules(self.file[number]).mixins

    def is_last(self, number: int) -> bool:
        """Return True for an interface, where classes get members from others than their bases."""
        return self.kind[number] == "interface" and bool(self.rules(self.file[number]).mixins)

    def children_of(self, number: int) -> dict[str, list[int]]:
        """Return the definitions directly in a definition, by name."""
        return self._children.get(number, {})

    def fields(self, number: int) -> list[int]:
        """Return the fields directly in a definition, in order."""
        inner = (one for numbers in self.children_of(number).values() for one in numbers)
        return sorted(one for one in inner if self.kind[one] == "field")

    @cached_property
    def _tops(self) -> dict[int, dict[str, list[int]]]:
        tops: dict[int, dict[str, list[int]]] = {}
        for number, parent in enumerate(self.parent):
            is_member = parent in self.owners and self.kind[parent] not in TYPES
            is_top = self.is_top(number) and not self.is_apart(number)
            if is_member or is_top or number in self.extensions:
                own = tops.setdefault(self.space[self.file[number]], {})
                own.setdefault(self.name[number], []).append(number)
        return tops

    def tops_of(self, file: int) -> dict[str, list[int]]:
        """Return the definitions at the top of a file or its package, by name; {} without facts.

        Members of an object, such as `app.get`, are among those of a module that is this object.
        """
        return self._tops.get(self.space.get(file, -1), {})

    def is_place(self, number: int) -> bool:
        """Return True for what has members: a type, or an object that is written out."""
        if self.kind[number] in FUNCTIONS:
            return number in self.owners
        if self.kind[number] in _HOLDERS:
            return number in self._having_members
        everywhere = self.kind[number] in SPACES and self.rules(self.file[number]).everywhere
        return everywhere or self.kind[number] in TYPES or number in self._children

    @cached_property
    def _having_members(self) -> frozenset[int]:
        """The definitions in which others are than functions that are values."""
        pairs = zip(self.parent, self.kind, strict=True)
        return frozenset(parent for parent, kind in pairs if kind != "function")

    def enclosing_class(self, number: int) -> int:
        """Return the innermost place around a definition, or -1."""
        while number >= 0 and not self.is_place(number):
            number = self.parent[number]
        return number

    def accepts(self, number: int, given: str) -> bool:
        """Return True unless a definition cannot be called with any of some numbers of arguments.

        given: as in `DefinitionUse`.
        """
        takes = self.takes[number]
        if not takes or not given:
            return True
        least = int(takes.rstrip("+"))
        more = takes.endswith("+")
        return any(least == int(one) or (more and least < int(one)) for one in given.split())

    def value(self, number: int) -> Value:
        """Return the value that a definition makes."""
        kind = self.kind[number]
        if kind in TYPES:
            return Value(CLASS, number)
        return Value(FUNCTION if kind in FUNCTIONS else VARIABLE, number)


def member_key(qualified: str) -> str:
    """Return the name of a member and that of its type."""
    return ".".join(qualified.split(".")[-2:])


def package_of(graph: Graph, file: int) -> str:
    """Return the package that a file says it is of; "" without one."""
    imports = graph.row(file).imports
    return next((one.specifier for one in imports if one.kind == "package"), "")
