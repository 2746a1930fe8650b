"""Edges that follow from where definitions stand: in a file, in a type, in types above each other.

They depend on all of a tree, for which of them there are depends on what any file calls.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract.definition_uses import (
    ALIAS,
    AUTOMATIC,
    CALL,
    CLOSED,
    DECLARED,
    DECORATOR,
    OF_TRAIT,
    PROMISED,
    VALUE,
)
from gitsearch.extract.path_kinds import DECLARATION_ENDS, GENERATED, VENDORED, is_test, noise
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.graph.definition_edges import (
    MIXED_KIND,
    MOST_FOLLOWED,
    STORED_KIND,
    DefinitionEdge,
    Nodes,
    called_by_key,
    called_outside,
    edge_of,
    written_out,
)
from gitsearch.graph.definition_foreign import foreign_uses
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.graph.definition_hierarchy import UNKNOWN_BASE
from gitsearch.graph.definition_table import member_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from gitsearch.graph.definition_edges import FamilyName
    from gitsearch.graph.definition_hierarchy import Hierarchy
    from gitsearch.graph.definition_lookup import DefinitionTree
    from gitsearch.graph.definition_rules import LanguageRules

# The names of destructors and of operators of C++ begin so.
_DESTRUCTOR = "~"
_OPERATOR = re.compile(r"operator(?!\w)")

_CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__"})

# How a file leads to another one without an import.
_FIRST_LINE = 1

# The file with the fixtures of all tests in its folder and those below.
_CONFTEST = b"conftest.py"

# The number of a kind of edges.
_CALL = EDGE_KINDS.index("call")


class TreeEdges:
    """Makes the edges of a tree that are no uses."""

    def __init__(
        self,
        tree: DefinitionTree,
        hierarchy: Hierarchy,
        nodes: Nodes,
        called: AbstractSet[FamilyName],
        missed: AbstractSet[FamilyName],
        uses: np.ndarray,
    ) -> None:
        """`called` are the names that files use, `missed` those that are nodes.

        uses: target, source and kind of each edge of a use, in the first columns: int64.
        """
        self._tree = tree
        self._definitions = tree.definitions
        self._hierarchy = hierarchy
        self._nodes = nodes
        self._called = called
        self._missed = missed
        self._uses = uses
        self._edges: list[DefinitionEdge] = []

    def columns(self) -> np.ndarray:
        """Return target, source, kind, spread and line of each edge: int64."""
        for number in range(len(self._definitions)):
            self._add_structure(number)
        self._add_candidates()
        self._add_written()
        self._add_overrides()
        self._add_declarations()
        self._add_automatic()
        self._add_foreign()
        own = np.asarray(self._edges, np.int64).reshape(-1, 5)
        return np.concatenate([own, self._imports()])

    def _add(self, source: int, target: int, kind: str, line: int, spread: int = 1) -> None:
        if source != target:
            self._edges.append(edge_of(source, target, kind, line, spread))

    def _lead(self, source: int, target: int, kind: str, spread: int = 1) -> None:
        """Add an edge without a use: its line is that of the target, if it lies in one file."""
        file, line = self._definitions.file, self._definitions.line
        place = target if file[target] == file[source] else source
        self._add(source, target, kind, line[place], spread)

    def _using(self, *forms: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the uses of some forms in definitions, and the definition of each: int64."""
        rows = self._tree.rows
        scope = rows.arrays["use_scope"].astype(np.int64)
        found = np.flatnonzero(rows.having("use_form", *forms) & (scope >= 0))
        return found, (rows.first_definitions("use") + scope)[found]

    @cached_property
    def _users(self) -> frozenset[int]:
        """The definitions whose code uses others."""
        return frozenset(self._using(CALL, VALUE)[1].tolist())

    @cached_property
    def _overriding(self) -> frozenset[int]:
        """The definitions that override a member, as they say themselves."""
        uses, numbers = self._using(DECORATOR)
        marked = self._tree.rows.having("use_name", "Override")[uses]
        return frozenset(numbers[marked].tolist())

    @cached_property
    def _of_traits(self) -> frozenset[int]:
        """The methods that implement traits."""
        return frozenset(self._using(OF_TRAIT)[1].tolist())

    # ---------------------------------------------------------------- structure

    def _add_structure(self, number: int) -> None:
        definitions = self._definitions
        parent, kind = definitions.parent[number], definitions.kind[number]
        line = definitions.line[number]
        if parent < 0 or definitions.is_space(parent):
            module = self._nodes.file(definitions.file[number])
            self._add(number, module, "module", line)
            if kind in FUNCTIONS | TYPES:
                self._add(module, number, "content", line)
        elif not definitions.is_place(parent):
            if definitions.kind[parent] in FUNCTIONS:
                self._lead(parent, number, "nested")
        elif kind in FUNCTIONS:
            self._lead(parent, number, self._role(parent, number))
        elif (
            number in self._users
            and self._rules(number).initialized
            and kind not in self._rules(number).computed
        ):
            self._lead(parent, number, "constructor")
        if kind in TYPES:
            for base in self._hierarchy.bases.get(number, ()):
                if base != UNKNOWN_BASE:
                    self._add(number, base, "subclass", line)

    def _is_constructor(self, number: int) -> bool:
        own = self._definitions.kind[number] == "constructor"
        name = self._definitions.name[number]
        rules = self._rules(number)
        destroys = (rules.operators and name.startswith(_DESTRUCTOR)) or name in rules.ending
        return own or name in _CONSTRUCTORS or destroys

    def _rules(self, number: int) -> LanguageRules:
        return self._definitions.rules(self._definitions.file[number])

    def _named(self, number: int, name: str) -> FamilyName:
        """Return a name in the languages whose code may call that of a definition."""
        return name, self._definitions.family[self._definitions.file[number]]

    def _role(self, parent: int, number: int) -> str:
        """Return how the users of a class may run a method of it without naming it."""
        name, rules = self._definitions.name[number], self._rules(number)
        if self._is_constructor(number):
            return "constructor"
        if name in rules.library:
            return "callback"
        if rules.special and name.startswith("__") and name.endswith("__"):
            return "callback"
        if rules.operators and _OPERATOR.match(name):
            return "special"
        if name.startswith(rules.tests) and self._hierarchy.mro(parent)[1]:
            return "special"
        is_sign = rules.open and not name[:1].isidentifier()
        if is_sign or self._is_unseen(parent, number) or number in self._implementing:
            return "callback"
        return self._role_by_bases(parent, number)

    def _is_unseen(self, parent: int, number: int) -> bool:
        """Return True for a method that nothing in the tree calls, and something else may."""
        if self._named(number, self._definitions.name[number]) in self._called:
            return False
        return number not in self._closed or self._hierarchy.mro(parent)[1]

    def _role_by_bases(self, parent: int, number: int) -> str:
        """Return how users of a class may run a method by what the bases of the class have."""
        name, rules = self._definitions.name[number], self._rules(number)
        above, outside = self._hierarchy.mro(parent)
        overridden = [self._overridden(one, number) for one in above[1:]]
        if rules.mixins:
            overridden += self._overridden_by.get(number, ())
            known = any(one >= 0 for one in overridden)
            outside = not known and self._is_outside(parent, name)
        if not self._called_inside.isdisjoint(overridden):
            return "callback"
        if rules.dispatched and any(
            self._overriding_several.get(one, 0) > rules.dispatched for one in overridden
        ):
            return "override"
        known = any(one >= 0 for one in overridden)
        if rules.marked and outside:
            outside = number in self._overriding and not known
        if rules.traits:
            outside = number in self._of_traits and not known
        if outside and rules.calls_back:
            return "callback"
        if (
            rules.open
            and self._named(number, name) in self._missed
            and number not in self._called_inside
        ):
            return "override" if self._open_members[name] > rules.dispatched else "sibling"
        return "sibling"

    @cached_property
    def _open_members(self) -> Counter[str]:
        """The number of methods of each name, in languages in which no base has to declare it."""
        definitions = self._definitions
        return Counter(
            definitions.name[number]
            for number, parent in enumerate(definitions.parent)
            if parent >= 0
            and definitions.kind[number] in FUNCTIONS
            and self._rules(number).open
            and definitions.is_place(parent)
        )

    def _is_outside(self, parent: int, name: str) -> bool:
        """Return True if a base outside of the tree may call a method of a class.

        An interface calls nothing: what has one as a type does, which the tree shows. What is
        given to classes is called by the bases of these.
        """
        mro, below = self._hierarchy.mro, self._hierarchy.below.get(parent, ())
        having = [parent, *(below if self._definitions.is_given(parent) else ())]
        if any(mro(one)[1] for one in having):
            return True
        if self._named(parent, called_outside(name)) not in self._called:
            return False
        return any(one in self._promising for child in (parent, *below) for one in mro(child)[0])

    @cached_property
    def _promising(self) -> frozenset[int]:
        """The classes with an interface that the tree does not define."""
        kind, bases = self._definitions.kind, self._hierarchy.bases
        promised = Counter(self._using(PROMISED)[1].tolist())
        for number in promised:
            known = (one for one in bases.get(number, ()) if one != UNKNOWN_BASE)
            promised[number] -= sum(kind[one] == "interface" for one in known)
        return frozenset(number for number, left in promised.items() if left > 0)

    @cached_property
    def _closed(self) -> frozenset[int]:
        """The methods that who has an instance does not run: private and static ones."""
        return frozenset(self._using(CLOSED)[1].tolist())

    @cached_property
    def _called_inside(self) -> frozenset[int]:
        """The methods that another one of their class calls: template methods and hooks."""
        parent = np.asarray(self._definitions.parent, np.int64)
        target, source, kind = self._uses[:, :3].T
        known = (np.maximum(target, source) < len(parent)) & (kind == _CALL)
        target, source = target[known], source[known]
        inside = (parent[target] == parent[source]) & (parent[target] >= 0)
        return frozenset(target[inside].tolist())

    @cached_property
    def _implementing(self) -> set[int]:
        """The methods that an interface has which their type does not name."""
        definitions = self._definitions
        return {
            member
            for interface, types in self._hierarchy.implementers.items()
            for name in definitions.children_of(interface)
            for one in types
            for member in definitions.children_of(one).get(name, ())
        }

    def _add_candidates(self) -> None:
        definitions = self._definitions
        by_name: dict[FamilyName, dict[int, None]] = {}
        for number, parent in enumerate(definitions.parent):
            is_member = parent >= 0 and definitions.is_place(parent)
            is_member |= definitions.kind[number] == "method"
            if is_member and definitions.kind[number] in FUNCTIONS:
                name = self._named(number, definitions.name[number])
                by_name.setdefault(name, {})[number] = None
        for text, number in (*self._aliases(), *self._stored(), *self._mixed()):
            by_name.setdefault(self._named(number, text), {})[number] = None
        for name, members in by_name.items():
            if name in self._missed and len(members) <= MOST_FOLLOWED:
                self._add_members(name, members, self._several(members))

    def _add_written(self) -> None:
        """Lead from names to functions of objects that are written out."""
        definitions = self._definitions
        members: dict[FamilyName, dict[int, None]] = {}
        for number, parent in enumerate(definitions.parent):
            of_type = parent >= 0 and definitions.kind[parent] in TYPES
            if definitions.kind[number] == "method" and not of_type and self._rules(number).shaped:
                self._add_of_table(number)
                name = self._named(number, written_out(definitions.name[number]))
                members.setdefault(name, {})[number] = None
        for text, number in self._aliases():
            parent = definitions.parent[number]
            # one that is written apart from its object is a member of that
            if self._rules(number).shaped and (parent < 0 or not definitions.is_place(parent)):
                name = self._named(number, written_out(text))
                members.setdefault(name, {})[number] = None
        for name, own in members.items():
            if name in self._missed and len(own) <= MOST_FOLLOWED:
                # tests write out further alternatives, which leave those of the code as likely
                tests = {one for one in own if self._is_of_test(one)}
                self._add_members(name, tests, self._several(own))
                others = own.keys() - tests
                self._add_members(name, others, self._several(others))

    def _add_members(self, name: FamilyName, members: Iterable[int], several: int) -> None:
        """Lead from a name to the functions that have it, which are so many alternatives."""
        for member in sorted(members):
            line = self._definitions.line[member]
            self._add(self._nodes.name(*name), member, "candidate", line, several)

    def _add_of_table(self, number: int) -> None:
        """Lead to a function of an object from the name of all that have computed names."""
        parent = self._definitions.parent[number]
        path = self._tree.path(self._definitions.file[number])
        text = called_by_key(path, self._definitions.qualified[parent]) if parent >= 0 else ""
        name = self._named(number, text)
        if name in self._missed:
            self._add(self._nodes.name(*name), number, "value", self._definitions.line[number])

    def _is_of_test(self, number: int) -> bool:
        return is_test(self._tree.graph.path(self._definitions.file[number]))

    @cached_property
    def _overriding_several(self) -> dict[int, int]:
        """The number of methods that override each member which is overridden."""
        return {above: self._several(them) for above, them in self._overriding_each.items()}

    def _several(self, members: Iterable[int]) -> int:
        """Return how many members of one name these are: those of one type are overloads."""
        parent = self._definitions.parent
        return len({parent[one] if parent[one] >= 0 else ~one for one in members})

    @cached_property
    def _overriding_each(self) -> dict[int, list[int]]:
        """The methods that override each member which is overridden."""
        definitions, hierarchy = self._definitions, self._hierarchy
        found: dict[int, list[int]] = {}
        for above in dict.fromkeys([*hierarchy.below, *hierarchy.implementing]):
            apart: dict[str, list[int]] = {}
            for member in hierarchy.implementing.get(above, ()):
                apart.setdefault(definitions.name[member], []).append(member)
            over = frozenset(hierarchy.mro(above)[0])
            for name in definitions.children_of(above):
                overriding = [
                    member
                    for child in hierarchy.below.get(above, ())
                    for member in self._run_by(child, over, name)
                    if definitions.kind[member] in FUNCTIONS and not self._is_constructor(member)
                ]
                for member in (*dict.fromkeys(overriding), *apart.get(name, ())):
                    if (one := self._overridden(above, member)) >= 0:
                        found.setdefault(one, []).append(member)
        return found

    def _overridden(self, above: int, number: int) -> int:
        """Return the member of a class that a method of one below overrides, or -1.

        Where functions are told apart by their parameters, it is the one that takes as many.
        """
        definitions = self._definitions
        members = definitions.children_of(above).get(definitions.name[number], [-1])
        takes = definitions.takes[number]
        if not takes:
            return members[-1]
        fitting = [
            one for text in (takes, "") for one in members if definitions.takes[one] == text
        ]
        return fitting[0] if fitting else -1

    def _run_by(self, child: int, over: AbstractSet[int], name: str) -> Sequence[int]:
        """Return the members of a name that a class has in place of those of a class above it.

        over: that class and those above it. Where types give others their members, these may be
        inherited or given.
        """
        children_of = self._definitions.children_of
        if not self._rules(child).mixins:
            return children_of(child).get(name, ())
        for one in self._hierarchy.mro(child)[0]:
            if one not in over and (found := children_of(one).get(name)):
                return found
        return ()

    @cached_property
    def _overridden_by(self) -> dict[int, list[int]]:
        """The methods that each method overrides."""
        found: dict[int, list[int]] = {}
        for above, overriding in self._overriding_each.items():
            for member in overriding:
                found.setdefault(member, []).append(above)
        return found

    def _add_overrides(self) -> None:
        abstract = self._abstract
        for above, overriding in self._overriding_each.items():
            several = self._overriding_several[above]
            bodies = self._several(one for one in overriding if one not in abstract)
            for member in overriding if len(overriding) <= MOST_FOLLOWED else ():
                alone = bodies == 1 and above in abstract and member not in abstract
                if alone and self._is_seen(above, member):
                    self._lead(above, member, "declaration")
                else:
                    self._lead(above, member, "override", several)

    @cached_property
    def _abstract(self) -> frozenset[int]:
        """The methods without a body, in languages where each of their calls runs another one."""
        declared = self._using(DECLARED)[1].tolist()
        return frozenset(number for number in declared if self._rules(number).mixins)

    def _is_seen(self, above: int, member: int) -> bool:
        """Return False for a method of tests that overrides one of other code."""
        file, path = self._definitions.file, self._tree.graph.path
        return is_test(path(file[above])) or not is_test(path(file[member]))

    def _add_declarations(self) -> None:
        """Lead from what declares a function to what defines it: in its file, or in what sees it.

        A name that very many files define, such as that of a static function, has only its own.
        """
        definitions = self._definitions
        variables = self._in_headers
        written = frozenset(self._using(DECLARED)[1].tolist()) | self._in_declarations
        declared = variables.union(number for number in written if self._declared_key(number))
        keys = {self._declared_key(number) for number in declared}
        bodies: dict[FamilyName | None, dict[int, list[int]]] = {}
        for number, kind in enumerate(definitions.kind) if keys else ():
            if kind in FUNCTIONS and number not in declared:
                key = self._declared_key(number)
                if key in keys:
                    by_file = bodies.setdefault(key, {})
                    by_file.setdefault(definitions.file[number], []).append(number)
        for number in sorted(declared):
            by_file = bodies.get(self._declared_key(number), {})
            own = definitions.file[number]
            files = [own] if own in by_file else list(by_file)
            if len(files) > MOST_FOLLOWED:
                continue
            files = self._preferred(own, files) or (files if number not in variables else [])
            for file in files:
                for body in by_file[file]:
                    self._lead(number, body, "declaration", len(files))

    def _declared_key(self, number: int) -> FamilyName | None:
        """Return by which name a function is declared and defined, None if it never is."""
        rules = self._rules(number)
        if rules.declares:
            return self._named(number, self._definitions.declared_name(number))
        qualified = self._definitions.qualified[number]
        declares = rules.mixes and "." in qualified
        return self._named(number, member_key(qualified)) if declares else None

    @cached_property
    def _in_headers(self) -> frozenset[int]:
        """The variables of headers of C and C++: the type of one may be that of a function."""
        definitions = self._definitions
        return frozenset(
            number
            for number, kind in enumerate(definitions.kind)
            if kind == "variable"
            and definitions.is_in_header(number)
            and definitions.is_top(number)
        )

    @cached_property
    def _in_declarations(self) -> frozenset[int]:
        """The methods of types in files of TypeScript that have no code."""
        graph = self._tree.graph
        return frozenset(
            number
            for file in self._tree.rows.files
            if graph.path(file).endswith(DECLARATION_ENDS)
            for number in self._definitions.of_file(file)
            if self._definitions.kind[number] in FUNCTIONS and self._declared_key(number)
        )

    def _preferred(self, declaring: int, files: list[int]) -> list[int]:
        """Return those files of several that define what a file declares, and not a copy of it."""
        if self._definitions.rules(declaring).declares:
            reached = self._tree.reached
            return [file for file in files if declaring in reached.files(file)]
        path = self._tree.graph.path
        return [file for file in files if not noise(path(file)) & (VENDORED | GENERATED)]

    def _add_automatic(self) -> None:
        """Lead from tests to the fixtures of pytest that they run without naming them."""
        graph, definitions = self._tree.graph, self._definitions
        for number in self._using(AUTOMATIC)[1].tolist():
            file = definitions.file[number]
            seeing = [file]
            if graph.path(file).rpartition(b"/")[2] == _CONFTEST:
                edges = graph.in_edge_numbers(np.asarray([file]))
                seeing += np.unique(graph.arrays["edge_source"][edges]).tolist()
            for one in seeing:
                self._add(self._nodes.file(one), number, "fixture", _FIRST_LINE)

    def _aliases(self) -> list[tuple[str, int]]:
        """Return the names by which functions are known as members, in order."""
        uses, numbers = self._using(ALIAS)
        names = self._tree.rows.arrays["use_name"][uses].tolist()
        return list(zip(map(self._tree.rows.table.word, names), numbers.tolist(), strict=True))

    def _stored(self) -> list[tuple[str, int]]:
        """Return the functions that are stored in fields, after the names of these, in order."""
        stored = self._uses[:, 2] == EDGE_KINDS.index(STORED_KIND)
        pairs = sorted({(source, target) for target, source in self._uses[stored, :2].tolist()})
        return [(self._definitions.name[source], target) for source, target in pairs]

    def _mixed(self) -> list[tuple[str, int]]:
        """Return the functions of modules that are members of other objects, in order."""
        mixed = self._uses[:, 2] == EDGE_KINDS.index(MIXED_KIND)
        found = sorted(set(self._uses[mixed, 0].tolist()))
        return [(self._definitions.name[number], number) for number in found]

    def _imports(self) -> np.ndarray:
        """Return an edge for each between two files."""
        graph = self._tree.graph
        columns = ("edge_source", "edge_target", "edge_place")
        source, target, place = (graph.arrays[name].astype(np.int64) for name in columns)
        own = np.zeros(graph.files, bool)
        own[self._tree.rows.files] = True
        both = own[source] & own[target]
        source, target, place = source[both], target[both], place[both]
        starts = graph.arrays["import_ends"].astype(np.int64)[source]
        lines = np.append(graph.arrays["import_line"].astype(np.int64), 0)
        line = np.where(place < 0, _FIRST_LINE, lines[starts + np.maximum(place, 0)])
        edge = edge_of(0, 0, "import", 0)
        fixed = (np.full(len(source), value) for value in (edge.kind, edge.spread))
        first = self._nodes.file(0)
        return np.stack([target + first, source + first, *fixed, line], axis=1)

    def _add_foreign(self) -> None:
        for use in foreign_uses(self._tree, self._hierarchy):
            named = use.definition >= 0
            node = use.definition if named else self._nodes.file(use.target)
            self._add(self._nodes.file(use.source), node, "value" if named else "import", use.line)
