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
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.graph.definition_resolution import (
    CLASS,
    EXTERNAL,
    INSTANCE,
    MODULE,
    SUPER,
    VARIABLE,
    Resolver,
)

if TYPE_CHECKING:
    from gitsearch.extract.definition_uses import DefinitionUse
    from gitsearch.graph.definition_resolution import Definitions, Value
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
        if use.form == used.PARAMETER:
            for fixture in self._resolver.fixture(file, use.name):
                self._add(source, fixture, "fixture", use.line)
        elif not use.owner:
            self._called.add(use.name)
            for value in self._resolver.bare(file, number, use.name):
                self._reach(source, value, use)
        else:
            owners = self._resolver.value(file, number, use.owner)
            for owner in owners or ():
                self._add_member(source, owner, use)
            if owners is None and use.form in (used.CALL, used.VALUE):
                self._called.add(use.name)
                kind = "dynamic" if use.form == used.CALL else "member"
                self._add(source, self._name_node(use.name), kind, use.line)

    def _add_member(self, source: int, owner: Value, use: DefinitionUse) -> None:
        if owner.kind == MODULE:
            for value in self._resolver.module_member(owner.number, use.name):
                self._reach(source, value, use)
        elif owner.kind in (INSTANCE, CLASS, SUPER):
            self._called.add(use.name)
            above = owner.kind == SUPER
            members = self._resolver.members(owner.number, use.name, above=above)
            for member in members:
                self._reach(source, self._resolver.defined(member), use)
            if not members and not above:
                self._add_below(source, owner.number, use)

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
        if value.kind in (EXTERNAL, MODULE):
            return
        kind = _KIND_OF_USE[use.form]
        if value.kind == VARIABLE and kind != "type":
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
        elif definitions.kind[parent] in FUNCTIONS:
            self._add(parent, number, "nested", line)
        elif definitions.kind[parent] in TYPES and kind in FUNCTIONS:
            self._add(parent, number, self._role(parent, definitions.name[number]), line)
        if kind in TYPES:
            for base in self._resolver.bases(number):
                if base.kind == CLASS:
                    self._add(number, base.number, "subclass", line)

    def _role(self, parent: int, name: str) -> str:
        """Return how the users of a class may run a method of it without naming it."""
        if name in _CONSTRUCTORS:
            return "constructor"
        if name.startswith("__") and name.endswith("__"):
            return "special"
        unseen = name not in self._called or self._resolver.mro(parent)[1]
        return "callback" if unseen else "sibling"

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        """The classes below each class."""
        below: dict[int, list[int]] = {}
        for number, kind in enumerate(self._definitions.kind):
            if kind in TYPES:
                for above in self._resolver.mro(number)[0][1:]:
                    below.setdefault(above, []).append(number)
        return below

    def _add_candidates(self) -> None:
        definitions = self._definitions
        by_name: dict[str, list[int]] = {}
        for number, parent in enumerate(definitions.parent):
            is_member = parent >= 0 and definitions.kind[parent] in TYPES
            if is_member and definitions.kind[number] in FUNCTIONS:
                by_name.setdefault(definitions.name[number], []).append(number)
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
                    if definitions.kind[member] in FUNCTIONS and name not in _CONSTRUCTORS
                ]
                for member in overriding if len(overriding) <= _MOST_FOLLOWED else ():
                    line = definitions.lines[member][0]
                    self._add(members[-1], member, "override", line, len(overriding))

    def _add_imports(self) -> None:
        for file in self._definitions.facts:
            for value, line in self._resolver.imported(file):
                if value.kind not in (EXTERNAL, MODULE):
                    self._add(self._file_node(file), value.number, "import", line)
        facts, arrays = self._definitions.facts, self._graph.arrays
        ends = (arrays[name].tolist() for name in ("edge_source", "edge_target", "edge_place"))
        for source, target, place in zip(*ends, strict=True):
            if source in facts and target in facts:
                line = self._graph.line(source, place)
                self._add(self._file_node(source), self._file_node(target), "import", line)
