"""Edges from what the definitions of one file use: which definition may run another one, by what.

Nodes are definitions, files (their code outside of all definitions), and names: a member of a
value whose type is unknown leads to its name, and from there to every member of that name.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import definition_uses as used
from gitsearch.extract.names_in_strings import ANY, is_telling
from gitsearch.extract.path_kinds import is_test
from gitsearch.extract.symbol_kinds import FUNCTIONS, SPACES, TYPES
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.graph.definition_resolution import Resolver
from gitsearch.graph.definition_table import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    SUPER,
    VARIABLE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.extract.definition_uses import DefinitionUse
    from gitsearch.graph.definition_lookup import Lookup
    from gitsearch.graph.definition_table import Value, Values

_NUMBER = {name: number for number, name in enumerate(EDGE_KINDS)}

# What is said of a definition, and is no use.
_SAID = frozenset(
    {
        used.ALIAS,
        used.AUTOMATIC,
        used.CLOSED,
        used.DECLARED,
        used.EXTENSION,
        used.GETTER,
        used.IMPLEMENTED,
        used.OF_TRAIT,
        used.OPERAND,
        used.PLACED,
        used.PROMISED,
    }
)

_KIND_OF_USE = {
    used.CALL: "call",
    used.OPERATOR: "call",
    used.VALUE: "value",
    used.ENTRY: "member",
    used.TYPE: "type",
    used.BASE: "subclass",
    used.DECORATOR: "decorator",
}

# The kind of edges from a field to the functions that are stored in it.
STORED_KIND = "candidate"

# The kind of edges to the members of which the one to run is selected by a composed name.
SELECTED_KIND = "callback"

# The kind of edges from what gets the members of a module to these.
MIXED_KIND = "sibling"

# Types without code, and members that hold a value.
_SHAPES = frozenset({"interface", "type"})
_FIELDS = frozenset({"field", "property"})

# Of more alternatives each is too unlikely to be followed: see `likelihood.FLOOR`.
MOST_FOLLOWED = 250

# A module with more functions than this is no plug-in, but a library.
_MOST_OF_PLUGIN = 50

# So many modules that stand for each other are looked at for a member.
_MOST_MODULES = 50

# So many members of types that are called like a value are followed.
_MOST_NAMESAKES = 3


def called_outside(name: str) -> str:
    """Return what stands among called names for a member of a value that the tree has not made."""
    return f"#.{name}"


def called_by_key(path: str, name: str) -> str:
    """Return the name of the node for all functions of an object of a file."""
    return f"{path}:{name}[]"


def written_out(name: str) -> str:
    """Return the name of the node for functions of a name in objects that are written out."""
    return f"{{{name}}}"


def _fits(beginning: str, end: str, name: str) -> bool:
    """Return True for a name with a beginning and an end that do not overlap."""
    least = len(beginning) + len(end)
    return len(name) >= least and name.startswith(beginning) and name.endswith(end)


class DefinitionEdge(NamedTuple):
    """An edge; `spread` is the number of alternatives that its kind has at this place."""

    target: int
    source: int
    kind: int
    spread: int
    line: int


def edge_of(source: int, target: int, kind: str, line: int, spread: int = 1) -> DefinitionEdge:
    """Return an edge between two nodes."""
    return DefinitionEdge(target, source, _NUMBER[kind], spread, line)


# A name, and the family of the languages in which it is used: see `Definitions.family`.
FamilyName = tuple[str, str]


class Nodes:
    """The numbers of nodes: definitions, files, and names as they come."""

    def __init__(self, definitions: int, files: int) -> None:
        self._definitions = definitions
        self.first_name = definitions + files
        self.names: dict[FamilyName, int] = {}

    def file(self, file: int) -> int:
        """Return the node of the code of a file outside of all definitions."""
        return self._definitions + file

    def name(self, name: str, family: str = "") -> int:
        """Return the node of a name in a family of languages, "" where there is but one."""
        return self.first_name + self.names.setdefault((name, family), len(self.names))


class FileEdges:
    """Makes the edges from the uses and the imports of one file.

    called: the names of what is used, but for members of modules and of what is no part of the
    tree.
    """

    def __init__(self, lookup: Lookup, nodes: Nodes) -> None:
        self._lookup = lookup
        self._nodes = nodes
        self._definitions = lookup.definitions
        self._resolver = Resolver(lookup)
        self._edges: dict[tuple[int, int], DefinitionEdge] = {}
        self.called: set[str] = set()

    def made(self, file: int) -> list[DefinitionEdge]:
        """Return the edges from a file, ascending."""
        for use in self._lookup.tree.rows.facts(file).uses:
            if use.form not in _SAID:
                self._add_use(file, use)
        for number in dict.fromkeys(
            self._definitions.number(file, hint.scope)
            for hint in self._lookup.tree.rows.facts(file).hints
            if hint.variable == used.MIXED
        ):
            self._add_mixed(number)
        if self._definitions.rules(file).operators:
            self._add_operators(file)
        for value, line in self._resolver.imported(file):
            if value.kind in (CLASS, FUNCTION, VARIABLE):
                self._add(self._nodes.file(file), value.number, "import", line)
        return sorted(self._edges.values())

    def _add(self, source: int, target: int, kind: str, line: int, spread: int = 1) -> None:
        if source == target:
            return
        edge = edge_of(source, target, kind, line, spread)
        known = self._edges.get((source, target))
        if known is None or edge < known:
            self._edges[source, target] = edge

    def _add_use(self, file: int, use: DefinitionUse) -> None:
        number = self._definitions.number(file, use.scope)
        source = number if number >= 0 else self._nodes.file(file)
        if use.form == used.PARAMETER:
            self._add_fixtures(file, source, use)
        elif use.form == used.STORED:
            self._add_stored(file, number, use)
        elif use.form == used.COMPUTED:
            self._add_computed(file, source, use)
        elif use.form == used.PASSED:
            self._add_passed(file, number, source, use)
        elif use.form == used.PICKED:
            self._add_picked(file, number, source, use)
        elif use.form == used.TABLE:
            self._add_table(file, number, source, use)
        elif use.form in (used.NAMED, used.MENTIONED):
            self._add_named(file, source, use)
        elif use.form == used.PATTERN:
            self._add_pattern(file, number, source, use)
        elif not use.owner:
            self._add_name(file, number, source, use)
        else:
            self._add_owned(file, number, source, use)

    def _add_fixtures(self, file: int, source: int, use: DefinitionUse) -> None:
        for fixture in self._lookup.fixtures(file, use.name):
            self._add(source, fixture, "fixture", use.line)

    def _add_computed(self, file: int, source: int, use: DefinitionUse) -> None:
        """Lead from a member with a computed name to what is assigned to it."""
        value = self._definitions.number(file, int(use.name))
        self._add(source, value, "call", use.line)
        if (around := self._definitions.parent[value]) >= 0:
            # its code is part of what stands around
            self._add(value, around, "call", use.line)

    def _add_owned(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        """Lead to a member by the value before it."""
        owners = self._resolver.value(file, number, use.owner)
        known = False
        for owner in owners or ():
            known |= self._add_member(file, source, owner, use)
        if not owners and use.owner == "this":
            beside = self._resolver.beside(file, number, use.name)
            self._reach_all(source, beside, use)
            known = bool(beside)
        if not owners and self._definitions.rules(file).qualified and use.name[:1].isupper():
            # what stands before a type may be a package
            types = self._resolver.value(file, number, f"{use.owner}.{use.name}") or ()
            self._reach_all(source, types, use)
            known = known or bool(types)
        if not known and use.form in (used.CALL, used.VALUE, used.ENTRY):
            self._add_unknown(file, source, use)

    def _add_picked(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        """Lead to a member of a known value that a variable is: `const { open } = box`."""
        for value in self._resolver.value(file, number, f"{use.owner}.{use.name}") or ():
            if value.kind in (CLASS, FUNCTION):
                self._reach(source, value, use._replace(form=used.CALL))

    def _add_table(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        """Lead to the functions of an object one of which is called by a computed name."""
        for value in self._resolver.bare(file, number, use.name):
            if value.kind == VARIABLE and self._lookup.is_place(value.number):
                path = self._lookup.tree.path(self._definitions.file[value.number])
                name = called_by_key(path, self._definitions.qualified[value.number])
                self._add(source, self._nodes.name(name), "variable", use.line)

    def _add_named(self, file: int, source: int, use: DefinitionUse) -> None:
        """Lead to what a path in a string names, but from code to no test."""
        kind = "value" if use.form == used.NAMED else "member"
        path = self._lookup.tree.graph.path
        for value in self._resolver.dotted(file, use.name):
            is_module = value.kind == MODULE
            of = value.number if is_module else self._definitions.file[value.number]
            if (is_module and of == file) or (is_test(path(of)) and not is_test(path(file))):
                continue
            self._add(source, self._nodes.file(of) if is_module else value.number, kind, use.line)

    def _add_pattern(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        """Lead to the members with such names as are composed, of a value that is known.

        A class below leads to its own ones: who has an instance may run them.
        """
        beginning, _, end = use.name.partition(ANY)
        fits = partial(_fits, beginning, end)
        telling = is_telling(use.name)
        kind = SELECTED_KIND if telling else "member"
        for owner in self._resolver.value(file, number, use.owner) or ():
            if owner.kind == MODULE:
                tops = self._lookup.all_tops(owner.number)
                found = [one for one in tops if fits(self._definitions.name[one])]
                self._add_selected(source, found, kind, use)
            elif owner.kind in (INSTANCE, CLASS):
                above = self._resolver.mro(owner.number)[0]
                found = [one for around in above for one in self._members(around, fits)]
                self._add_selected(source, found, kind, use)
                below = self._lookup.below(owner.number) if telling else ()
                for one in below[:MOST_FOLLOWED]:
                    self._add_selected(one, self._members(one, fits), kind, use)

    def _members(self, number: int, fits: Callable[[str], bool]) -> list[int]:
        """Return the members of a class itself whose names fit; none if there are too many."""
        names = [name for name in self._lookup.child_names(number) if fits(name)]
        names = names if len(names) <= MOST_FOLLOWED else []
        return [one for name in names for one in self._lookup.children(number, name)]

    def _add_selected(
        self, source: int, members: Sequence[int], kind: str, use: DefinitionUse
    ) -> None:
        """Lead to members one of which is selected by its name: to functions and their holders."""
        found = [one for one in members if self._definitions.kind[one] not in TYPES]
        for member in found if len(found) <= MOST_FOLLOWED else ():
            self._add(source, member, kind, use.line)

    def _add_mixed(self, number: int) -> None:
        """Lead from what gets the members of modules to the functions in them."""
        for value in self._resolver.givers(number):
            for member in self._lookup.all_tops(value.number) if value.kind == MODULE else ():
                if self._definitions.kind[member] in FUNCTIONS:
                    self._add(number, member, MIXED_KIND, self._definitions.line[number])

    def _add_operators(self, file: int) -> None:
        """Lead to operators that are no members from the type of the last operand that has one.

        What is written to is the first operand, and of few types.
        """
        operands: dict[int, list[DefinitionUse]] = {}
        for use in self._lookup.tree.rows.facts(file).uses:
            number = self._definitions.number(file, use.scope)
            if use.form == used.OPERAND and self._definitions.kind[number] == "function":
                operands.setdefault(number, []).append(use)
        for number, uses in operands.items():
            typed = [self._types(file, number, use.owner) for use in uses]
            for one in next(filter(None, reversed(typed)), []):
                self._add(one, number, "special", self._definitions.line[number])

    def _types(self, file: int, number: int, text: str) -> list[int]:
        """Return the types with members that the value of an expression may have."""
        values = self._resolver.value(file, number, text) or ()
        own = [value.number for value in values if value.kind == INSTANCE]
        return [one for one in own if not self._definitions.is_space(one)]

    def _add_stored(self, file: int, number: int, use: DefinitionUse) -> None:
        """Lead from a field to the functions that are stored in it."""
        found = self._resolver.bare(file, number, use.name)
        functions = [
            value.number
            for value in found
            if value.kind == FUNCTION and self._lookup.kind(value.number) != "macro"
        ]
        holder, _, name = use.owner.rpartition(".")
        owners = self._resolver.value(file, number, holder) if functions else ()
        for owner in owners or ():
            fields = self._resolver.fields(owner.number, name) if owner.kind == INSTANCE else []
            for field in fields:
                for function in functions:
                    self._add(field, function, STORED_KIND, use.line)

    def _add_unknown(self, file: int, source: int, use: DefinitionUse) -> None:
        """Lead to the members of a name, and to those of what is called like the value before.

        Those of traits in scope come before the others.
        """
        self.called.add(use.name)
        kind = "dynamic" if use.form == used.CALL else "member"
        self._add(source, self._nodes.name(use.name), kind, use.line)
        owner = use.owner.rpartition(".")[2].lower()
        family = self._definitions.family
        members = [
            member
            for place in self._lookup.namesakes(owner)
            if family[self._definitions.file[place]] == family[file]
            for member in self._resolver.members(place, use.name, given=use.given)
        ]
        members = members if len(members) <= _MOST_NAMESAKES else []
        if use.form == used.CALL:
            members += self._resolver.trait_members(file, use.name)
        for member in members:
            if self._definitions.kind[member] in FUNCTIONS:
                self._add(source, member, kind, use.line)

    def _add_name(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        found = self._resolver.bare(file, number, use.name, use.given)
        if use.form == used.ASSIGNED:
            # who uses a variable depends on what assigned it
            for value in found:
                if value.kind == VARIABLE:
                    self._add(value.number, source, "value", use.line)
            return
        self.called.add(use.name)
        if not found and use.form == used.CALL and self._resolver.is_open(file, number, use.name):
            self._add(source, self._nodes.name(use.name), "dynamic", use.line)
        self._reach_all(source, self._meant(file, found, use), use)
        if not found and use.form in (used.CALL, used.VALUE):
            self._add_linked(file, source, use)

    def _add_linked(self, file: int, source: int, use: DefinitionUse) -> None:
        """Lead to what headers declare by a name that a file has, but not from what it includes.

        It may include headers that a build makes or that lie outside of the tree.
        """
        linked = self._lookup.linked(use.name) if self._definitions.rules(file).linked else []
        if use.form == used.CALL and len(linked) <= MOST_FOLLOWED:
            for one in linked:
                self._add(source, one, "declaration", use.line, len(linked))
        elif len(linked) == 1:
            self._add(source, linked[0], "value", use.line)

    def _meant(self, file: int, values: Values, use: DefinitionUse) -> Values:
        """Leave out variables of a name that is called, and methods of one that is not."""
        unmeant = VARIABLE if use.form == used.CALL else FUNCTION
        if not self._definitions.rules(file).apart:
            return values
        meant = [value for value in values if value.kind != unmeant]
        if meant and use.form != used.CALL and self._definitions.rules(file).declares:
            # a variable is a declaration of a function of its file, by the name of a type
            files = {self._definitions.file[value.number] for value in meant}
            meant += [
                value
                for value in values
                if value.kind == unmeant and self._definitions.file[value.number] in files
            ]
        return tuple(meant) or values

    def _add_member(self, file: int, source: int, owner: Value, use: DefinitionUse) -> bool:
        """Lead to the members that a value has; returns False if it may have others."""
        if owner.kind == MODULE:
            self._add_provided(file, source, owner, use)
            return True
        if owner.kind == EXTERNAL:
            self._add_external(file, source, use)
            return True
        if owner.kind == FUNCTION:
            mixed = self._resolver.mixed(owner.number, use.name)
            self._reach_all(source, mixed, use)
            return bool(mixed)
        if owner.kind not in (INSTANCE, CLASS, SUPER):
            return False
        self.called.add(use.name)
        if made := self._resolver.made(owner, use.name):
            members = self._resolver.members(owner.number, use.name)
            self._reach_all(source, (made, *map(self._definitions.value, members)), use)
            return True
        above = owner.kind == SUPER
        members = self._resolver.members(owner.number, use.name, above=above, given=use.given)
        found = tuple(map(self._definitions.value, members))
        if not found and not above:
            found = self._resolver.mixed(owner.number, use.name)
        values = found or self._resolver.extension(use.name, owner.number)
        self._reach_all(source, self._meant(file, values, use), use)
        if use.form == used.CALL and self._definitions.rules(file).shaped:
            self._add_given(source, owner.number, values, use)
        if not values and not above:
            self._add_below(source, owner.number, use)
            for member in self._resolver.trait_members(file, use.name):
                self._add(source, member, "dynamic", use.line)
        # an object that is no instance of a class may be given others anywhere
        known = self._lookup.kind(owner.number) in TYPES
        return bool(found) or (known and not self._definitions.rules(file).open)

    def _add_given(self, source: int, owner: int, members: Values, use: DefinitionUse) -> None:
        """Lead to what an object is given elsewhere for a member that a type only declares.

        That is a function which is written out in an object, or assigned to a member of one. A
        class that declares nothing may assign the member to its instances.
        """
        declared = any(self._is_declared(member.number) for member in members)
        if declared or (not members and self._resolver.is_assigned(owner, use.name)):
            name = written_out(use.name)
            self._add(source, self._nodes.name(name), "dynamic", use.line)

    def _is_declared(self, number: int) -> bool:
        """Return True for a field, and for a method that a type has without code."""
        around = self._lookup.parent(number)
        kind = self._lookup.kind(around) if around >= 0 else ""
        return kind in _SHAPES or (kind in TYPES and self._lookup.kind(number) in _FIELDS)

    def _add_provided(self, file: int, source: int, module: Value, use: DefinitionUse) -> None:
        """Lead to what a module provides by a name, or is as a whole."""
        if use.name == used.DEFAULT and use.form == used.CALL:
            self._reach(source, module, use)
            return
        if use.name == used.DEFAULT and (whole := self._resolver.whole(module.number)):
            self._reach_all(source, whole, use)
            return
        modules = [module.number]
        for number in modules:
            if provided := self._resolver.module_member(number, use.name):
                self._reach_all(source, provided, use)
                continue
            for value in self._resolver.whole_values(number):
                if value.kind != MODULE:
                    self._add_member(file, source, value, use)
                elif value.number not in modules and len(modules) < _MOST_MODULES:
                    modules.append(value.number)

    def _add_passed(self, file: int, number: int, source: int, use: DefinitionUse) -> None:
        """Lead to the functions of modules and in variables that are handed on."""
        for module in self._resolver.made_by(file, number, use.name):
            self._add(source, self._nodes.file(module), "value", use.line)
        # who calls a member gets what it holds
        is_member = number >= 0 and self._definitions.kind[number] not in FUNCTIONS
        for one in self._resolver.bare(file, number, use.name):
            if one.kind == MODULE:
                self._add_plugin(source, one.number, use)
            elif one.kind == VARIABLE and not is_member:
                self._add_held(source, one.number, use)

    def _add_plugin(self, source: int, module: int, use: DefinitionUse) -> None:
        """Lead to the functions of a module that is handed on as an object."""
        if self._resolver.whole(module):
            return
        tops = self._lookup.all_tops(module)
        own = [member for member in tops if self._definitions.kind[member] in FUNCTIONS]
        own = own or self._handed_on(module)
        for member in own if len(own) <= _MOST_OF_PLUGIN else ():
            self._add(source, member, "value", use.line)

    def _handed_on(self, file: int) -> list[int]:
        """Return the functions that a module has from others, and modules that are functions."""
        found: list[int] = []
        for name in self._lookup.all_bound(file):
            for value in self._resolver.name(file, name):
                if value.kind == FUNCTION:
                    found.append(value.number)
                elif value.kind == MODULE and not self._resolver.whole(value.number):
                    found.append(self._nodes.file(value.number))
        return found

    def _add_held(self, source: int, variable: int, use: DefinitionUse) -> None:
        """Lead to the functions that a variable holds which is handed on, but not to classes.

        Who is handed a function calls it, but not each one makes an instance of a class.
        """
        for one in self._resolver.held(variable):
            for value in self._resolver.whole(one.number) if one.kind == MODULE else (one,):
                if value.kind == FUNCTION and not self._lookup.is_place(value.number):
                    self._add(source, value.number, "value", use.line)

    def _add_external(self, file: int, source: int, use: DefinitionUse) -> None:
        """Lead to what the tree adds to the members of values that it does not define."""
        self._reach_all(source, self._resolver.extension(use.name), use)
        if self._definitions.rules(file).mixins:
            self.called.add(called_outside(use.name))
        if use.form == used.CALL:
            for member in self._resolver.trait_members(file, use.name, outside=True):
                self.called.add(use.name)
                self._add(source, member, "dynamic", use.line)

    def _add_below(self, source: int, owner: int, use: DefinitionUse) -> None:
        """Lead to a member that only classes below the one of a value have."""
        members = [
            member
            for below in self._lookup.below(owner)
            for member in self._lookup.children(below, use.name)
            if self._lookup.accepts(member, use.given)
        ]
        for member in members if len(members) <= MOST_FOLLOWED else ():
            self._add(source, member, "override", use.line, len(members))

    def _is_name_only(self, number: int, use: DefinitionUse) -> bool:
        """Return True for a space, and for one of the parts of a module that is only named."""
        definitions = self._definitions
        rules = definitions.rules(definitions.file[number])
        named = rules.everywhere and use.form != used.BASE and definitions.kind[number] in SPACES
        return named or definitions.is_space(number)

    def _is_unmade(self, number: int) -> bool:
        """Return True if who names a class, and does not call it, makes no instance of it."""
        return self._definitions.rules(self._definitions.file[number]).unmade

    def _reach_all(self, source: int, values: Values, use: DefinitionUse) -> None:
        for value in values:
            self._reach(source, value, use)

    def _reach(self, source: int, value: Value, use: DefinitionUse) -> None:
        """Lead to a value; of a call also to what a module is as a whole and a variable holds."""
        todo, seen = [value], {value}
        for one in todo:
            fresh = [called for called in self._reach_one(source, one, use) if called not in seen]
            todo += fresh
            seen.update(fresh)

    def _reach_one(self, source: int, value: Value, use: DefinitionUse) -> Values:
        """Lead to a value; returns what is called with it."""
        called: Values = ()
        if value.kind == MODULE and use.form == used.CALL:
            called = self._resolver.whole(value.number)
            if not called:
                # a module that is a function without a name
                self._add(source, self._nodes.file(value.number), "call", use.line)
        if value.kind in (EXTERNAL, MODULE, INSTANCE):
            return called
        if value.kind == VARIABLE and self._is_name_only(value.number, use):
            return ()
        kind = _KIND_OF_USE[use.form]
        if value.kind == VARIABLE and kind not in ("type", "subclass"):
            if kind == "call":
                called = self._resolver.held(value.number)
            computed = self._definitions.rules(self._definitions.file[value.number]).computed
            kind = "call" if self._lookup.kind(value.number) in computed else "variable"
        elif kind in ("value", "member") and self._lookup.is_property(value.number):
            kind = "call"
        elif kind == "value" and value.kind == CLASS and self._is_unmade(value.number):
            kind = "member"
        self._add(source, value.number, kind, use.line)
        return called
