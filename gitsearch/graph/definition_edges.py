"""Edges between the definitions of one tree: which definition may run another one, and by what.

Nodes are definitions, files (their code outside of all definitions), and names: a member of a
value whose type is unknown leads to its name, and from there to every member of that name.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract import definition_uses as used
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.graph.definition_foreign import foreign_uses
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.graph.definition_implementers import implementers
from gitsearch.graph.definition_names import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    SUPER,
    VARIABLE,
)
from gitsearch.graph.definition_resolution import Resolver

if TYPE_CHECKING:
    from gitsearch.extract.definition_uses import DefinitionUse
    from gitsearch.graph.definition_names import Definitions, Value, Values
    from gitsearch.graph.definition_rules import LanguageRules
    from gitsearch.graph.graph import Graph

_NUMBER = {name: number for number, name in enumerate(EDGE_KINDS)}

_KIND_OF_USE = {
    used.CALL: "call",
    used.VALUE: "value",
    used.TYPE: "type",
    used.BASE: "subclass",
    used.DECORATOR: "decorator",
}

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__"})

# Of more alternatives each is too unlikely to be followed: see `likelihood.FLOOR`.
_MOST_FOLLOWED = 250

# So many members of types that are called like a value are followed.
_MOST_NAMESAKES = 3


class _Edge(NamedTuple):
    """An edge; `spread` is the number of alternatives that its kind has at this place."""

    target: int
    source: int
    kind: int
    spread: int
    line: int


class DefinitionEdges:
    """Makes the edges of a tree."""

    def __init__(self, graph: Graph, definitions: Definitions) -> None:
        self._graph = graph
        self._definitions = definitions
        self._resolver = Resolver(graph, definitions)
        self._edges: dict[tuple[int, int], _Edge] = {}
        self._called: set[str] = set()
        # the definitions whose code uses others
        self._using: set[int] = set()
        # the names by which functions are known as members
        self._aliases: list[tuple[str, int]] = []
        # the names that are nodes, in the order of their numbers
        self.names: dict[str, int] = {}

    def columns(self) -> np.ndarray:
        """Return target, source, kind, spread and line of each edge, ascending: int64."""
        definitions = self._definitions
        for file, facts in definitions.facts.items():
            for use in facts.uses:
                self._add_use(file, use)
        for number in range(len(definitions)):
            self._add_structure(number)
        self._add_candidates()
        self._add_overrides()
        self._add_imports()
        return np.asarray(sorted(self._edges.values()), np.int64).reshape(-1, 5)

    def _add(self, source: int, target: int, kind: str, line: int, spread: int = 1) -> None:
        if source == target:
            return
        edge = _Edge(target, source, _NUMBER[kind], spread, line)
        known = self._edges.get((source, target))
        if known is None or edge < known:
            self._edges[source, target] = edge

    def _file_node(self, file: int) -> int:
        return len(self._definitions) + file

    def _name_node(self, name: str) -> int:
        number = self.names.setdefault(name, len(self.names))
        return len(self._definitions) + self._graph.files + number

    # ---------------------------------------------------------------- uses

    def _add_use(self, file: int, use: DefinitionUse) -> None:
        number = self._definitions.number(file, use.scope)
        source = number if number >= 0 else self._file_node(file)
        if use.form in (used.CALL, used.VALUE):
            self._using.add(number)
        if use.form == used.ALIAS:
            self._aliases.append((use.name, number))
        elif use.form == used.PARAMETER:
            for fixture in self._resolver.fixture(file, use.name):
                self._add(source, fixture, "fixture", use.line)
        elif use.form != used.GETTER and not use.owner:
            self._add_name(file, number, source, use)
        elif use.form != used.GETTER:
            owners = self._resolver.value(file, number, use.owner)
            known = False
            for owner in owners or ():
                known |= self._add_member(file, source, owner, use)
            if not known and use.form in (used.CALL, used.VALUE):
                self._add_unknown(source, use)

    def _add_unknown(self, source: int, use: DefinitionUse) -> None:
        """Lead to all members of a name, and to those of what is called like the value before."""
        self._called.add(use.name)
        kind = "dynamic" if use.form == used.CALL else "member"
        self._add(source, self._name_node(use.name), kind, use.line)
        owner = use.owner.rpartition(".")[2].lower()
        members = [
            member
            for place in self._namesakes.get(owner, ())
            for member in self._resolver.members(place, use.name)
        ]
        for member in members if len(members) <= _MOST_NAMESAKES else ():
            if self._definitions.kind[member] in FUNCTIONS:
                self._add(source, member, kind, use.line)

    @cached_property
    def _namesakes(self) -> dict[str, list[int]]:
        """The types and objects by name, in lower case."""
        definitions = self._definitions
        names: dict[str, list[int]] = {}
        for number, name in enumerate(definitions.name):
            if definitions.is_place(number):
                names.setdefault(name.lower(), []).append(number)
        return names

    def _add_name(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        found = self._resolver.bare(file, number, use.name)
        if use.form == used.ASSIGNED:
            # who uses a variable depends on what assigned it
            for value in found:
                if value.kind == VARIABLE:
                    self._add(value.number, source, "value", use.line)
            return
        self._called.add(use.name)
        for value in self._meant(file, found, use):
            self._reach(source, value, use)

    def _meant(self, file: int, values: Values, use: DefinitionUse) -> Values:
        """Leave out variables of a name that is called, and methods of one that is not."""
        unmeant = VARIABLE if use.form == used.CALL else FUNCTION
        if not self._definitions.rules(file).apart:
            return values
        return tuple(value for value in values if value.kind != unmeant) or values

    def _add_member(self, file: int, source: int, owner: Value, use: DefinitionUse) -> bool:
        """Lead to the members that a value has; returns False if it may have others."""
        if owner.kind == MODULE and use.name == used.DEFAULT and use.form == used.CALL:
            self._reach(source, owner, use)
            return True
        if owner.kind == MODULE:
            for value in self._resolver.module_member(owner.number, use.name):
                self._reach(source, value, use)
            return True
        if owner.kind not in (INSTANCE, CLASS, SUPER):
            return owner.kind == EXTERNAL
        self._called.add(use.name)
        above = owner.kind == SUPER
        members = self._resolver.members(owner.number, use.name, above=above)
        values = tuple(map(self._definitions.value, members))
        for value in self._meant(file, values, use):
            self._reach(source, value, use)
        if not members and not above:
            self._add_below(source, owner.number, use)
        # an object that is no instance of a class may be given others anywhere
        return bool(members) or self._definitions.kind[owner.number] in TYPES

    def _add_below(self, source: int, owner: int, use: DefinitionUse) -> None:
        """Lead to a member that only classes below the one of a value have."""
        children = self._definitions.children
        members = [
            member
            for below in self._below.get(owner, ())
            for member in children[below].get(use.name, ())
        ]
        for member in members if len(members) <= _MOST_FOLLOWED else ():
            self._add(source, member, "override", use.line, len(members))

    def _reach(self, source: int, value: Value, use: DefinitionUse) -> None:
        if value.kind == MODULE and use.form == used.CALL:
            wholes = self._resolver.whole(value.number)
            for whole in wholes:
                self._reach(source, whole, use)
            if not wholes:
                # a module that is a function without a name
                self._add(source, self._file_node(value.number), "call", use.line)
        if value.kind in (EXTERNAL, MODULE, INSTANCE):
            return
        kind = _KIND_OF_USE[use.form]
        if value.kind == VARIABLE and kind != "type":
            if kind == "call":
                for held in self._resolver.held(value.number):
                    self._reach(source, held, use)
            kind = "variable"
        elif kind == "value" and value.number in self._resolver.properties:
            kind = "call"
        self._add(source, value.number, kind, use.line)

    # ---------------------------------------------------------------- structure

    def _add_structure(self, number: int) -> None:
        definitions = self._definitions
        parent, kind = definitions.parent[number], definitions.kind[number]
        line = definitions.lines[number][0]
        if parent < 0:
            module = self._file_node(definitions.file[number])
            self._add(number, module, "module", line)
            if kind in FUNCTIONS | TYPES:
                self._add(module, number, "content", line)
        elif not definitions.is_place(parent):
            if definitions.kind[parent] in FUNCTIONS:
                self._add(parent, number, "nested", line)
        elif kind in FUNCTIONS:
            self._add(parent, number, self._role(parent, number), line)
        elif number in self._using and self._rules(number).initialized:
            self._add(parent, number, "constructor", line)
        if kind in TYPES:
            for base in self._resolver.bases(number):
                if base.kind == CLASS:
                    self._add(number, base.number, "subclass", line)

    def _is_constructor(self, number: int) -> bool:
        own = self._definitions.kind[number] == "constructor"
        return own or self._definitions.name[number] in _CONSTRUCTORS

    def _rules(self, number: int) -> LanguageRules:
        return self._definitions.rules(self._definitions.file[number])

    def _role(self, parent: int, number: int) -> str:
        """Return how the users of a class may run a method of it without naming it."""
        name, rules = self._definitions.name[number], self._rules(number)
        if self._is_constructor(number):
            return "constructor"
        if name in rules.library:
            return "callback"
        if rules.special and name.startswith("__") and name.endswith("__"):
            return "special"
        if name not in self._called or number in self._implementing:
            return "callback"
        above, outside = self._resolver.mro(parent)
        if rules.marked and outside:
            children = self._definitions.children
            known = any(name in children[one] for one in above[1:])
            outside = number in self._resolver.overriding and not known
        return "callback" if outside and rules.calls_back else "sibling"

    @cached_property
    def _implementing(self) -> set[int]:
        """The methods that an interface has which their type does not name."""
        definitions = self._definitions
        return {
            member
            for interface, types in self._implementers.items()
            for name in definitions.children[interface]
            for one in types
            for member in definitions.children[one].get(name, ())
        }

    @cached_property
    def _implementers(self) -> dict[int, list[int]]:
        return implementers(self._definitions, self._resolver)

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        """The classes below each class, and those that have all methods of an interface."""
        below: dict[int, list[int]] = {}
        for number, kind in enumerate(self._definitions.kind):
            if kind in TYPES:
                for above in self._resolver.mro(number)[0][1:]:
                    below.setdefault(above, []).append(number)
        for number, types in self._implementers.items():
            below[number] = list(dict.fromkeys([*below.get(number, ()), *types]))
        return below

    def _add_candidates(self) -> None:
        definitions = self._definitions
        by_name: dict[str, list[int]] = {}
        for number, parent in enumerate(definitions.parent):
            is_member = parent >= 0 and definitions.is_place(parent)
            is_member |= definitions.kind[number] == "method"
            if is_member and definitions.kind[number] in FUNCTIONS:
                by_name.setdefault(definitions.name[number], []).append(number)
        for name, number in self._aliases:
            members = by_name.setdefault(name, [])
            members += [number] if number >= 0 and number not in members else []
        for name, members in by_name.items():
            followed = name in self.names and len(members) <= _MOST_FOLLOWED
            for member in members if followed else ():
                line = definitions.lines[member][0]
                self._add(self._name_node(name), member, "candidate", line, len(members))

    def _add_overrides(self) -> None:
        definitions = self._definitions
        for above, below in self._below.items():
            for name, members in definitions.children[above].items():
                overriding = [
                    member
                    for child in below
                    for member in definitions.children[child].get(name, ())
                    if definitions.kind[member] in FUNCTIONS and not self._is_constructor(member)
                ]
                for member in overriding if len(overriding) <= _MOST_FOLLOWED else ():
                    line = definitions.lines[member][0]
                    self._add(members[-1], member, "override", line, len(overriding))

    def _add_imports(self) -> None:
        for file in self._definitions.facts:
            for value, line in self._resolver.names.imported(file):
                if value.kind in (CLASS, FUNCTION, VARIABLE):
                    self._add(self._file_node(file), value.number, "import", line)
        facts, arrays = self._definitions.facts, self._graph.arrays
        ends = (arrays[name].tolist() for name in ("edge_source", "edge_target", "edge_place"))
        for source, target, place in zip(*ends, strict=True):
            if source in facts and target in facts:
                line = self._graph.line(source, place)
                self._add(self._file_node(source), self._file_node(target), "import", line)
        for use in foreign_uses(self._graph, self._definitions):
            named = use.definition >= 0
            node = use.definition if named else self._file_node(use.target)
            self._add(self._file_node(use.source), node, "value" if named else "import", use.line)
