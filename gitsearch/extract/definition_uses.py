"""The definitions of a text, what each of them uses, and what is known of the types of values.

All of it depends on the text alone. A language has uses.scm for this, with the captures:
    @name               an identifier; @defined, @label: one that is no use; @bound: one that is
                        bound in the function around it
    @owner, @member     a member and the expression before it
    @called             an identifier that is called
    @operator           a sign that calls a member, whose name it is; @setter: a member that is
                        assigned by calling the one with `=` behind this name
    @tokens             the arguments of a macro: see `token_trees`
    @block              a part of a function, or of a file, that has variables of its own
    @skipped, @type     ranges in which identifiers are no uses, or types only
    @base, @decorator   expressions of a base class and of a decorator
    @variable, @value   a variable and what it is assigned, or its type; @element: what holds it;
                        @module: the module whose alias it is; @picked: what it is a member of, by
                        the name of @part if it is another;
                        @bounding: the type that it is a parameter for
    @typed              a node that stands for a type, instead of @value
    @key, @value        a key of an object, which counts if it is a definition, and what it is
    @attribute, @value  a variable that is a member of the object too, as a parameter may be
    @exported, @value   a name that the file provides, and what it stands for
    @parameter          a parameter, which may name a fixture
    @fixture            the name of a fixture in a string
    @automatic          a property of a fixture, by which all tests that see it run it
    @returned           the value or the type that a function returns; @giving: a node that stands
                        for the type
    @inline             a function that is an expression, unless it is a definition of its own
    @getter             the name of a member that is called when it is read
    @alias, @known      a name by which a function is known as a member, and the function
    @loaded             a module that is called where it is loaded
    @whole, @named      a module that is a value where it is loaded, but for one with a name
    @assigned           a variable that is assigned here and bound elsewhere
    @nameless           the body of a function whose name a macro makes: it has no definitions
    @closed             in a function that its own class alone calls: a private or a static one
    @promised           a base that is an interface, and so calls nothing itself
    @above              a call of the method above that has the name of the one around
    @extension          the name of a function that is called like a member of what it is given
    @unparsed           a text, of which the names before a parenthesis are called
    @implementing       a base, written apart from the type @implemented of this file; in an
                        @implementation, which has the members, the type may be of any file
    @stored, @filled    what is stored in fields, and which these are by their places (@unplaced,
                        @several): see `stored_functions`
    @generic            a type parameter of @constrained, and a bound of it, @constraint
    @passed             an identifier that is an argument, an element or a property, and may stand
                        for a module
    @table              what has its members called by computed names
    @mixed, @mixing     an object or class, and another one whose members it gets
    @computed, @index, @given   an object, the computed name of a member, and what it is assigned:
                        see `computed_members`; @array_name, @array: a variable and its array
    @operand            the type of a parameter of an operator
    @signature, @value  how an object is called, and what it returns then
    @holder, @value     a type that is another name for what holds values of others
    @imported           a name that a function binds by an import from the module @source, in which
                        it may be called @original
    @entry              a name that is one of the @entries of a table, selected by their keys
    @selected           an expression for the name of a member of @selected_of: see
                        `names_in_strings`
    @composed           the value of a variable @composed_as, which may be such a name
    @documentation      a comment that may give the types of the function after it
    @documenting        a comment that may give the type of a @variable
    @parameters         the parameters of a definition, or what is given for them to what is
                        @called: those that differ in their number are told apart by it

`expressions` says how expressions are written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import documented_types, symbols, syntax, token_trees
from gitsearch.extract.block_macros import block_macros, misread, opened_namespaces
from gitsearch.extract.byte_ranges import Ranges, Scopes
from gitsearch.extract.chunks import line_numbers
from gitsearch.extract.computed_members import computed_members
from gitsearch.extract.expressions import (
    EXPRESSIONS,
    LIBRARY,
    LITERAL,
    UNKNOWN,
    ExpressionNodes,
    expression,
    text_of,
    typed,
    without_own,
)
from gitsearch.extract.implementations import Implementations
from gitsearch.extract.languages import LANGUAGES
from gitsearch.extract.names_in_strings import FEW_ENTRIES, member_pattern, paths_in_strings
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.extract.stored_functions import StoredName, places_until, stored_names
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.extract.uncollected import uncollected
from gitsearch.records import Definition

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from gitsearch.extract.block_macros import BlockMacro
    from gitsearch.extract.computed_members import ComputedMember

# How a name is used.
CALL, OPERATOR, VALUE, TYPE, BASE, DECORATOR, PARAMETER, GETTER = (
    "call",
    "operator",
    "value",
    "type",
    "base",
    "decorator",
    "parameter",
    "getter",
)
ALIAS, ASSIGNED, AUTOMATIC, CLOSED, COMPUTED, DECLARED, EXTENSION, IMPLEMENTED = (
    "alias",
    "assigned",
    "automatic",
    "closed",
    "computed",
    "declared",
    "extension",
    "implemented",
)
ENTRY, MENTIONED, NAMED, OF_TRAIT, OPERAND, PASSED, PATTERN = (
    "entry",
    "mentioned",
    "named",
    "of trait",
    "operand",
    "passed",
    "pattern",
)
PICKED, PLACED, PROMISED, STORED, TABLE = ("picked", "placed", "promised", "stored", "table")

# The variable that stands for what a file provides without a name.
DEFAULT = "default"

# The variable that stands for what gives an object or class its members, for what a call of an
# object returns, and for what a value of a type holds.
MIXED, CALLED, HELD = "...", "()", "[]"

# Kinds of functions that may be declared in one place and defined in another.
_CALLED = frozenset({"function", "method", "constructor"})

# A name in a text that is not parsed, but for a member, and what shows that it is called.
_UNPARSED_NAME = re.compile(
    rb"//[^\n]*+|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*+\"?+|(?<!\w)'(?:[^'\\\n]|\\.)*+'?+"
    rb"|(?<![\w.#])(?<!->)([A-Za-z_]\w{0,100}+)(\s{0,5}\()?",
    re.DOTALL,
)

# Words in the text of a macro that are no names.
_WORDS_OF_C = frozenset(
    b"break case char const continue default do double else enum extern float for goto if int long"
    b" return short signed sizeof static struct switch typedef union unsigned void volatile"
    b" while".split()
)
_WORD = re.compile(rb"\w+")

# What may stand between a comment and what it describes.
_BLANK = re.compile(rb"\s*+\Z")

# The most uses and the most hints of a text.
_MOST = 50_000

# So many variables of one declaration have all that it uses: of n variables that use n things it
# would be n * n. People write a handful.
_MOST_TOGETHER = 50

# So many members of a text whose names are composed are looked at, and values of such a name.
_MOST_SELECTED = 50
_MOST_COMPOSED = 8

# What is assigned to a member with a computed name.
_VALUE = "[]"

# Captures of what has a value.
_HINTING = frozenset({"attribute", "exported", "holder", "key", "signature", "variable"})

# Parameters that are the object or the class of a method.
_RECEIVERS = frozenset({"self", "cls"})


class DefinedName(NamedTuple):
    """A definition: its lines are 1-based and inclusive, `parent` is an index or -1.

    takes: how many arguments it takes, with "+" if it takes more, too; "" where functions of one
    name are not told apart by this.
    """

    qualified: str
    kind: str
    first: int
    last: int
    parent: int
    takes: str = ""


class DefinitionUse(NamedTuple):
    """A name that a definition uses, or the file outside of all (`scope` is -1).

    owner: the expression before the dot, or "" without one. Of a member that is written apart from
    its type (form IMPLEMENTED) it is the type, or "" where that has no name, and `name` is the
    base that has the member, or "". Of what is stored in a field (STORED) it is the field.
    Of a member that implements a trait (OF_TRAIT) `name` is this trait.
    Of an operator (OPERAND) it is the type of a parameter.
    Of a variable that is a member of something (PICKED) it is what has the member.
    Of a path in a string (NAMED), or of one that need not be followed (MENTIONED), `name` is the
    path. Of a member of which the beginning and the end of the name are known (PATTERN)
    `name` is these, with `*` between them.
    Of a type of which only so many first fields are known by their places (PLACED) `name` is this
    number. Of a member with a computed name (COMPUTED) it is the number of the definition, in this
    text, that is assigned to it.
    given: how many arguments its calls give it, such as "1 3"; "" where this is not known.
    """

    scope: int
    name: str
    owner: str
    form: str
    line: int
    given: str = ""


class TypeHint(NamedTuple):
    """A possible value of a variable in a scope; `variable` is "" for what a function returns."""

    scope: int
    variable: str
    value: str


class DefinitionFacts(NamedTuple):
    """The definitions of a text, the uses in each, and hints on types."""

    definitions: tuple[DefinedName, ...] = ()
    uses: tuple[DefinitionUse, ...] = ()
    hints: tuple[TypeHint, ...] = ()


NO_FACTS = DefinitionFacts()


def definition_facts(data: bytes, language: str) -> DefinitionFacts:
    """Return the facts of a text; none if it is generated, or cannot be parsed."""
    if skip_reason(data, language, forced=True):
        return NO_FACTS
    with uncollected():
        grammar = LANGUAGES[language].grammar or ""
        macros = (*block_macros(data, grammar), *misread(data, grammar))
        tree = syntax.parse(data, grammar, macros)
        query = syntax.grammar_query(language, "locals", "uses")
        if tree is None or query is None:
            return NO_FACTS
        defined = symbols.definitions(tree.root_node, data, language, described=False)
        matches = syntax.matches(query, tree.root_node)
        nameless = {
            node.byte_range for _, captures in matches for node in captures.get("nameless", ())
        }
        ranges = Ranges(nameless)
        defined = _outside(defined, ranges)
        nodes = _nodes_of(EXPRESSIONS[language], defined, matches)
        computed = _owned(defined, computed_members(matches))
        defined = _with_values(defined, computed)
        collector = _Collector(data, defined, nodes, ranges, macros, computed)
        facts = collector.facts(matches, tree.root_node)
        opened = opened_namespaces(data, grammar, macros)
        return facts._replace(definitions=facts.definitions + _namespaces(data, opened))


def _namespaces(data: bytes, opened: list[tuple[str, int]]) -> tuple[DefinedName, ...]:
    """Return the namespaces that macros open, as definitions in the lines of the macros."""
    lines = line_numbers(data)([offset for _, offset in opened])
    named = zip(opened, lines, strict=True)
    return tuple(DefinedName(name, "namespace", line, line, -1) for (name, _), line in named)


def _outside(defined: tuple[Definition, ...], ranges: Ranges) -> tuple[Definition, ...]:
    """Return definitions but for those in some ranges, with the new numbers of their parents."""
    kept: list[Definition] = []
    numbers = {-1: -1}
    for number, one in enumerate(defined):
        if not ranges.has(one.start):
            numbers[number] = len(kept)
            kept.append(one._replace(parent=numbers[one.parent]))
    return tuple(kept)


def _nodes_of(
    nodes: ExpressionNodes, defined: Sequence[Definition], matches: Sequence[syntax.Match]
) -> ExpressionNodes:
    """Return the nodes for a text: a function of its own may have the name of a built-in one."""
    if not nodes.casting:
        return nodes
    own = {one.name for one in defined if one.parent < 0 or defined[one.parent].kind not in TYPES}
    for _, captures in matches:
        if "imported" in captures and text_of(captures["source"][0]) not in LIBRARY:
            own.update(map(text_of, captures["imported"]))
    return without_own(nodes, own)


def _owned(
    defined: Sequence[Definition], computed: Sequence[ComputedMember]
) -> list[ComputedMember]:
    """Return those members whose owner is a definition that is seen where they are assigned."""
    if not computed:
        return []
    known = {(one.parent, one.name) for one in defined}
    scopes = Scopes([(one.start, one.end) for one in defined])
    owned = []
    for one in computed:
        # not in the value, which may be a definition
        around = scopes.at(one.value.start_byte - 1)
        scope = _seen_in(defined, known, around, one.owner_name)
        if (scope, one.owner_name) in known:
            owned.append(one)
    return owned


def _seen_in(
    defined: Sequence[Definition], known: Container[tuple[int, str]], scope: int, name: str
) -> int:
    """Return the innermost definition around a scope that has one of a name in it, or -1.

    known: the definitions directly in each one, or in none (-1), by name.
    """
    while scope >= 0 and (scope, name) not in known:
        scope = defined[scope].parent
    return scope


def _instance(text: str) -> str:
    """Return the expression of what has the members of another: `A()` of `A.prototype`."""
    plain = text.removesuffix(".prototype")
    return text if plain == text else f"{plain}()"


def _with_values(
    defined: tuple[Definition, ...], computed: list[ComputedMember]
) -> tuple[Definition, ...]:
    """Return definitions, and what is assigned to members with computed names among them."""
    known = {(one.start, one.end) for one in defined}
    fresh = [one.value for one in computed if one.value.byte_range not in known]
    if not fresh:
        return defined
    scopes = Scopes([(one.start, one.end) for one in defined])
    values = [
        Definition(
            *(_VALUE, _VALUE, "method", "", "", node.start_byte, node.end_byte, node.end_byte),
            *(node.start_point[0] + 1, node.end_point[0] + 1, scopes.at(node.start_byte)),
        )
        for node in fresh
    ]
    every = sorted([*defined, *values], key=lambda one: (one.start, -one.end))
    numbers = {id(one): number for number, one in enumerate(every)}
    # the innermost definition around one is that of before, or a value in this
    inner = Scopes([(one.start, one.end) for one in values])
    placed = []
    for one in every:
        above = [defined[one.parent]] if one.parent >= 0 else []
        # no other value begins where one does
        around = inner.at(one.start - 1)
        if around >= 0:
            above.append(values[around])
        last = max(above, key=lambda each: each.start, default=None)
        placed.append(one._replace(parent=numbers[id(last)] if last else -1))
    return tuple(placed)


_Nodes = dict[tuple[int, int], syntax.Node]


class _Collector:
    """Collects the facts of one text from the matches of the queries."""

    def __init__(
        self,
        data: bytes,
        defined: tuple[Definition, ...],
        nodes: ExpressionNodes,
        nameless: Ranges,
        macros: Sequence[BlockMacro],
        computed: Sequence[ComputedMember],
    ) -> None:
        """`nameless` are bodies of functions that are no definitions, `macros` have no nodes.

        What is assigned to `computed` members is among what is `defined`.
        """
        self._macros = macros
        self._computed = computed
        self._data = data
        self._nameless = nameless
        self._defined = defined
        self._nodes = nodes
        # a macro that begins a function is taken for another name of it
        ranges = [(one.start, one.end) for one in defined]
        self._scopes = Scopes(ranges, first=nodes.declares)
        self._found: dict[str, _Nodes] = {}
        # the expression before a member, by where the member starts
        self._owners: dict[int, syntax.Node] = {}
        # the members and calls in the arguments of macros
        self._tokens = token_trees.read(())
        self._hints: dict[TypeHint, None] = {}
        self._implementations = Implementations(defined, self._scopes, nodes)
        # uses that do not stand where they belong: by scope, name, owner and form
        self._apart: dict[tuple[int, str, str, str], int] = {}
        self._stored: list[StoredName] = []
        # variables and what gives them members
        self._given: list[tuple[syntax.Node, list[syntax.Node]]] = []
        # what is imported in functions, by function and name
        self._imported: dict[tuple[int, bytes], str] = {}
        # the entries of tables one of which is selected by its key
        self._entries: set[tuple[int, int]] = set()
        # how many arguments definitions take, and are given where what is called starts
        self._takes: dict[int, str] = {}
        self._arguments: dict[int, int] = {}
        # how many arguments the calls of a use give it
        self._given_to: dict[tuple[int, str, str, str], set[int]] = {}
        # expressions for the names of members, and what has these
        self._selecting: list[tuple[syntax.Node, syntax.Node]] = []
        # what variables are that may be names of members, by function and variable
        self._composed: dict[tuple[int, str], list[syntax.Node]] = {}

    def facts(self, matches: list[syntax.Match], root: syntax.Node) -> DefinitionFacts:
        for _, captures in matches:
            if len(captures) == 1:
                # most are of one name
                for capture, nodes in captures.items():
                    known = self._found.setdefault(capture, {})
                    for node in nodes:
                        known[node.byte_range] = node
                continue
            if "member" in captures:
                self._owners[captures["member"][0].start_byte] = captures["owner"][0]
            self._note(captures)
            for capture, nodes in captures.items():
                known = self._found.setdefault(capture, {})
                known.update((node.byte_range, node) for node in nodes)
        self._tokens = token_trees.read(self._found.get("tokens", {}).values())
        self._note_given()
        self._note_imported()
        self._note_returned()
        self._note_documented()
        named = self._note_computed()
        for scope, base, name, line in self._implementations.members():
            self._apart[scope, base, name, IMPLEMENTED] = line
        for scope, base, _, line in self._implementations.of_traits():
            self._apart[scope, base, "", OF_TRAIT] = line
        uses = self._uses()
        uses |= self._parameters()
        uses |= self._fixtures()
        uses |= self._named("getter", GETTER)
        uses |= self._named("extension", EXTENSION)
        uses |= self._named("automatic", AUTOMATIC)
        uses |= self._named("closed", CLOSED)
        uses |= self._promised()
        uses |= self._above()
        uses |= self._loaded()
        uses |= self._tables()
        uses |= self._in_strings(root) if self._nodes.named_in_strings else {}
        uses |= self._selected
        uses |= self._apart
        uses |= self._declared() if self._nodes.declares or self._nodes.abstract else {}
        uses |= self._unparsed()
        uses |= self._unseen()
        uses |= self._in_fields()
        uses |= self._placed()
        uses |= self._operands()
        self._share(uses)
        return DefinitionFacts(
            tuple(
                DefinedName(
                    *(one.qualified, one.kind, one.first_line, one.last_line, one.parent),
                    self._takes.get(number, ""),
                )
                for number, one in enumerate(self._defined)
            )
            + named,
            tuple(
                DefinitionUse(*key, line, " ".join(map(str, sorted(self._given_to.get(key, ())))))
                for key, line in uses.items()
            )[:_MOST],
            tuple(hint for hint in self._hints if UNKNOWN not in hint.value)[:_MOST],
        )

    def _share(self, uses: dict[tuple[int, str, str, str], int]) -> None:
        """Give each of the variables that one declaration binds what it uses and says of them."""
        numbers: dict[tuple[int, int], list[int]] = {}
        for number, one in enumerate(self._defined):
            if one.kind not in FUNCTIONS and one.kind not in TYPES:
                numbers.setdefault((one.start, one.end), []).append(number)
        together = {
            self._scopes.at(start): several
            for (start, _), several in numbers.items()
            if 1 < len(several) <= _MOST_TOGETHER
        }
        for (scope, name, owner, form), line in list(uses.items()) if together else ():
            if len(uses) >= _MOST:
                break
            for number in together.get(scope, ()):
                shared = number, name, owner, form
                uses.setdefault(shared, line)
                if given := self._given_to.get((scope, name, owner, form)):
                    self._given_to[shared] = given
        for scope, variable, value in list(self._hints) if together else ():
            for number in together.get(scope, ()):
                if self._defined[number].name == variable:
                    self._hints[TypeHint(number, variable, value)] = None

    def _note(self, captures: dict[str, list[syntax.Node]]) -> None:
        """Note what several captures together say."""
        roles = captures.keys()
        if roles & _HINTING:
            self._note_hints(captures)
        if "mixed" in roles:
            self._note_mixed(captures)
        if roles & {"implementing", "implementation"}:
            self._note_bases(captures)
        if roles & {"stored", "filled"} and len(self._stored) < _MOST:
            self._stored += stored_names(captures, self._nodes)
        if "imported" in roles:
            self._add_imported(captures)
        if "picked" in roles:
            self._note_picked(captures)
        if "generic" in roles:
            self._note_bounds(captures)
        self._note_selected(captures)
        for node in captures.get("parameters", ()):
            self._note_parameters(node, captures)
        for node in captures.get("known", ()):
            scope = self._scopes.at(node.start_byte)
            name = text_of(captures["alias"][0])
            self._apart[scope, name, "", ALIAS] = node.start_point[0] + 1

    def _note_selected(self, captures: dict[str, list[syntax.Node]]) -> None:
        """Note what is selected by a key or by a name that is composed."""
        if "entry" in captures and captures["entries"][0].named_child_count > FEW_ENTRIES:
            self._entries.add(captures["entry"][0].byte_range)
        if "selected" in captures and len(self._selecting) < _MOST_SELECTED:
            self._selecting.append((captures["selected"][0], captures["selected_of"][0]))
        if "composed" in captures:
            of = captures["composed_as"][0]
            key = self._function(of.start_byte), text_of(of)
            self._composed.setdefault(key, []).append(captures["composed"][0])

    def _expression(self, node: syntax.Node) -> str:
        return expression(node, self._nodes)

    def _note_hints(self, captures: dict[str, list[syntax.Node]]) -> None:
        for role in sorted(captures.keys() & _HINTING):
            for node in captures.get(role, ()):
                if role == "key" and not self._is_member(node):
                    continue
                name = text_of(node) if role == "exported" else self._expression(node)
                name = f"this.{name}" if role == "attribute" else name
                name = {"signature": CALLED, "holder": HELD}.get(role, name)
                # a variable that is a definition is its own scope
                scope = -1 if role == "exported" else self._scopes.at(node.start_byte)
                for value in self._values(captures, name):
                    # an object without a name is the module that provides it
                    if (name, value) != (DEFAULT, LITERAL):
                        self._hints[TypeHint(scope, name, value)] = None

    def _note_picked(self, captures: dict[str, list[syntax.Node]]) -> None:
        """Note that a function, or a file, which binds members of a value reads them."""
        for owner in captures["picked"]:
            text = self._expression(owner)
            if owner.type in self._nodes.types or UNKNOWN in text or text == LITERAL:
                continue
            for node in captures["variable"]:
                scope = self._scopes.at(node.start_byte)
                inside = scope < 0 or self._defined[scope].kind in FUNCTIONS
                if inside and len(self._apart) < _MOST:
                    part = text_of(captures["part"][0]) if "part" in captures else text_of(node)
                    self._apart[scope, part, text, PICKED] = node.start_point[0] + 1

    def _is_member(self, key: syntax.Node) -> bool:
        """Return True for the key of an object that is a definition."""
        scope = self._scopes.at(key.start_byte)
        return scope >= 0 and self._defined[scope].start == key.start_byte

    def _note_parameters(self, node: syntax.Node, captures: dict[str, list[syntax.Node]]) -> None:
        kinds = [one.type for one in node.named_children if not one.is_extra]
        if "called" in captures:
            self._arguments[captures["called"][0].start_byte] = len(kinds)
            return
        several = kinds.count("spread_parameter")
        least = len(kinds) - several - kinds.count("receiver_parameter")
        takes = f"{least}+" if several else str(least)
        self._takes[self._scopes.at(node.start_byte)] = takes

    def _note_mixed(self, captures: dict[str, list[syntax.Node]]) -> None:
        """Note what gives its members to a definition that can be seen where this is said.

        A variable of a function is taken for what gives it members.
        """
        for node in captures["mixed"]:
            name = text_of(node).removesuffix(".prototype")
            self._given.append((node, captures["mixing"]))
            for number in self._seen(self._scopes.at(node.start_byte), name):
                for given in captures["mixing"]:
                    value = self._expression(given).removesuffix(".prototype")
                    self._hints[TypeHint(number, MIXED, value)] = None

    def _note_given(self) -> None:
        """Note of variables of functions that they may be what gives them members."""
        for node, giving in self._given:
            name, scope = text_of(node), self._function(node.start_byte)
            while scope >= 0 and name.encode() not in self._bound.get(scope, ()):
                scope = self._defined[scope].parent
            for given in giving if scope >= 0 else ():
                made = _instance(self._expression(given))
                self._hints[TypeHint(scope, name, made)] = None

    def _note_computed(self) -> tuple[DefinedName, ...]:
        """Return the members with computed names; each stands for what is assigned to it."""
        named: list[DefinedName] = []
        values = {(one.start, one.end): number for number, one in enumerate(self._defined)}
        for one in self._computed:
            value = values[one.value.byte_range]
            around = self._defined[value].parent
            number = self._seen(around, one.owner_name)[0]
            # functions beside it may be what it is, such as those that another one returns
            inside = around >= 0 and one.function == (
                self._defined[around].start,
                self._defined[around].end,
            )
            this = TypeHint(around if inside else value, "this", _instance(one.owner))
            self._hints[this] = None
            # written apart from its type, where that is at the top
            parent = number if self._defined[number].parent >= 0 else -1
            for name, line in one.names:
                member = len(self._defined) + len(named)
                qualified = f"{self._defined[number].qualified}.{name}"
                named.append(DefinedName(qualified, "method", line, line, parent))
                self._apart[member, str(value), "", COMPUTED] = line
        return tuple(named)

    def _seen(self, scope: int, name: str) -> list[int]:
        """Return the definitions of a name that are seen in a definition."""
        scope = _seen_in(self._defined, self._numbers, scope, name)
        return self._numbers.get((scope, name), [])

    @cached_property
    def _numbers(self) -> dict[tuple[int, str], list[int]]:
        """The definitions directly in each definition, or in none (-1), by name."""
        numbers: dict[tuple[int, str], list[int]] = {}
        for number, one in enumerate(self._defined):
            numbers.setdefault((one.parent, one.name), []).append(number)
        return numbers

    def _values(self, captures: dict[str, list[syntax.Node]], name: str) -> list[str]:
        values = [f'"{text_of(node)}"' for node in captures.get("module", ())]
        values += [self._expression(node) for node in captures.get("value", ())]
        values += [typed(node, self._nodes) for node in captures.get("typed", ())]
        values += [f"{self._expression(node)}[]" for node in captures.get("element", ())]
        for node in captures.get("bounding", ()):
            values.append(typed(node, self._nodes).replace(CALLED, ""))
        part = text_of(captures["part"][0]) if "part" in captures else name
        values += [f"{self._expression(node)}.{part}" for node in captures.get("picked", ())]
        for node in captures.get("documenting", ()):
            values += documented_types.of_variable(text_of(node))
        return values

    def _note_bases(self, captures: dict[str, list[syntax.Node]]) -> None:
        """Note bases of types that stand elsewhere in the file."""
        for scope, name, owner, line in self._implementations.bases(captures):
            if len(self._apart) >= _MOST:
                return
            self._apart[scope, name, owner, BASE] = line

    def _note_bounds(self, captures: dict[str, list[syntax.Node]]) -> None:
        for bound in self._implementations.bounds(captures):
            if len(self._hints) >= _MOST:
                return
            self._hints[TypeHint(*bound)] = None

    def _add_imported(self, captures: dict[str, list[syntax.Node]]) -> None:
        for node in captures["imported"]:
            if (scope := self._function(node.start_byte)) >= 0:
                source = text_of(captures["source"][0])
                original = text_of(captures.get("original", [node])[0])
                name = self._data[slice(*node.byte_range)]
                self._imported[scope, name] = f'"{source}".{original}'

    def _note_imported(self) -> None:
        """Note the names that a function imports and else would be other values there."""
        others = {(hint.scope, hint.variable) for hint in self._hints}
        for (scope, raw), value in self._imported.items():
            name = raw.decode("utf-8", "replace")
            if name in _RECEIVERS or (scope, name) in others:
                self._hints[TypeHint(scope, name, value)] = None

    def _note_returned(self) -> None:
        """Note what functions return; what one that is an expression returns is nobody's."""
        own = [(one.start, one.end, number) for number, one in enumerate(self._defined)]
        inline = [(*span, -1) for span in self._spans("inline")]
        ranges = sorted([*inline, *own], key=lambda one: (one[0], -one[1], one[2]))
        innermost = Scopes([(start, end) for start, end, _ in ranges])
        returned = [
            (role, node)
            for role in ("returned", "giving")
            for node in self._found.get(role, {}).values()
        ]
        # what is read as the declaration of a function may be that of a variable
        variables = self._spans("typed") if self._nodes.declares else set()
        for role, node in returned:
            if node.byte_range in variables:
                continue
            around = innermost.at(node.start_byte)
            if around >= 0 and ranges[around][2] < 0:
                continue
            scope = self._function(node.start_byte)
            text = typed(node, self._nodes) if role == "giving" else self._expression(node)
            self._hints[TypeHint(scope, "", text)] = None

    def _note_documented(self) -> None:
        """Note the types that comments give, each of the definition that begins behind it."""
        if self._nodes.documented:
            self._note_documented_php()
            return
        starts = [one.start for one in self._defined]
        for (start, end), node in self._found.get("documentation", {}).items():
            scope = bisect_left(starts, end)
            if (
                scope < len(starts)
                and self._data.startswith(documented_types.BEGINNING, start)
                and self._is_before(end, scope)
            ):
                for parameter, value in documented_types.of_function(text_of(node)):
                    self._hints[TypeHint(scope, parameter, value)] = None

    def _note_documented_php(self) -> None:
        """Note the types that comments of PHP give."""
        starts = [one.start for one in self._defined]
        for (start, end), node in self._found.get("documentation", {}).items():
            below, around = bisect_left(starts, end), self._function(start)
            for tag, (name, value) in documented_types.of_php(text_of(node)):
                if tag == "var" and name and around >= 0:
                    self._hints[TypeHint(around, f"${name}", value)] = None
                elif below == len(starts) or not self._is_before(end, below):
                    continue
                elif tag == "var":
                    self._hints[TypeHint(below, self._defined[below].name, value)] = None
                elif tag == "property":
                    self._hints[TypeHint(below, f"this.{name}", value)] = None
                else:
                    variable = f"${name}" if tag == "param" else ""
                    self._hints[TypeHint(below, variable, value)] = None

    def _is_before(self, end: int, number: int) -> bool:
        """Return True if a comment that ends at a byte stands directly before a definition."""
        return _BLANK.match(self._data, end, self._defined[number].start) is not None

    def _function(self, offset: int) -> int:
        """Return the innermost function at a byte, or -1."""
        scope = self._scopes.at(offset)
        while scope >= 0 and self._defined[scope].kind not in FUNCTIONS:
            scope = self._defined[scope].parent
        return scope

    def _spans(self, *captures: str) -> set[tuple[int, int]]:
        return {span for capture in captures for span in self._found.get(capture, ())}

    def _uses(self) -> dict[tuple[int, str, str, str], int]:
        """Return scope, name, owner and form of each use, with its first line."""
        bound = self._bound
        changed = self._spans("assigned")
        variables = self._spans("variable") - changed
        assigned = {span for span in variables if span[0] not in self._owners}
        none = assigned | self._spans("defined", "label", "bound")
        skipped = Ranges(self._spans("skipped"))
        # what gives an object its members is not handed on to be used
        passed = self._spans("passed") - self._spans("mixing")
        called = self._spans("called") | self._tokens.called
        forms = [(form, Ranges(self._spans(form))) for form in (BASE, DECORATOR, TYPE)]
        forms.append((VALUE, Ranges([(0, len(self._data))])))
        spans = sorted(self._spans("name") - none)
        uses: dict[tuple[int, str, str, str], int] = {}
        lines = line_numbers(self._data)([start for start, _ in spans])
        for (start, end), line in zip(spans, lines, strict=True):
            scope, raw = self._scopes.at(start), self._data[start:end]
            before = self._expression_before(start)
            if skipped.has(start) or (not before and self._is_bound(bound, scope, raw, start)):
                continue
            if not before and self._is_bound_in_block(raw, start):
                continue
            form = next(other for other, ranges in forms if ranges.has(start))
            if (start, end) in passed:
                uses.setdefault((scope, raw.decode("utf-8", "replace"), "", PASSED), line)
            if form == VALUE and (start, end) in self._entries:
                form = ENTRY
            if (start, end) in changed:
                form = ASSIGNED
            elif form in (VALUE, TYPE) and (start, end) in called:
                form = CALL
            name = raw.decode("utf-8", "replace").lstrip("#:")
            if form == BASE and self._is_hook(scope):
                scope = self._defined[scope].parent
            key = scope, name, before, form
            uses.setdefault(key, line)
            if start in self._arguments:
                self._given_to.setdefault(key, set()).add(self._arguments[start])
        return uses | self._signs() | self._setters()

    def _expression_before(self, start: int) -> str:
        """Return the expression before the member that starts at a byte, "" if none does."""
        if owner := self._owners.get(start):
            text = self._expression(owner)
            # a type has another one as a member, not an instance of it
            return text.removesuffix(CALLED) if owner.type in self._nodes.types else text
        return self._tokens.before.get(start, "")

    def _is_hook(self, scope: int) -> bool:
        """Return True for a method of a module that is called with what includes it."""
        one = self._defined[scope] if scope >= 0 else None
        return one is not None and one.kind in FUNCTIONS and one.name in self._nodes.hooks

    def _signs(self) -> dict[tuple[int, str, str, str], int]:
        """Return the members that signs call, of values that may be known."""
        uses: dict[tuple[int, str, str, str], int] = {}
        for (start, _), node in sorted(self._found.get("operator", {}).items()):
            before = self._expression(self._owners[start])
            if UNKNOWN not in before and before != LITERAL:
                name = self._nodes.operators_named.get(text_of(node), text_of(node))
                key = self._scopes.at(start), name, before, OPERATOR
                uses.setdefault(key, node.start_point[0] + 1)
        return uses

    def _setters(self) -> dict[tuple[int, str, str, str], int]:
        """Return the members that are called where one is assigned."""
        return {
            (self._scopes.at(start), f"{text_of(node)}=", self._expression(owner), CALL): (
                node.start_point[0] + 1
            )
            for (start, _), node in sorted(self._found.get("setter", {}).items())
            if (owner := self._owners.get(start))
        }

    def _parameters(self) -> dict[tuple[int, str, str, str], int]:
        spans = sorted(self._spans("parameter"))
        lines = line_numbers(self._data)([start for start, _ in spans])
        return {
            (scope, name, "", PARAMETER): line
            for (start, end), line in zip(spans, lines, strict=True)
            if (scope := self._function(start)) >= 0
            and (name := self._data[start:end].decode("utf-8", "replace")) not in _RECEIVERS
        }

    def _fixtures(self) -> dict[tuple[int, str, str, str], int]:
        """Return the fixtures that are named in strings, by what is marked with them."""
        return {
            (self._scopes.at(start), text_of(node), "", PARAMETER): node.start_point[0] + 1
            for (start, _), node in sorted(self._found.get("fixture", {}).items())
        }

    def _promised(self) -> dict[tuple[int, str, str, str], int]:
        """Return the interfaces that each class names as bases."""
        return {
            (self._scopes.at(start), self._expression(node), "", PROMISED): node.start_point[0] + 1
            for (start, _), node in sorted(self._found.get("promised", {}).items())
        }

    def _loaded(self) -> dict[tuple[int, str, str, str], int]:
        """Return the uses of modules as a whole: those that are called, and other values."""
        called = self._found.get("loaded", {})
        whole = self._found.get("whole", {})
        values = {span: whole[span] for span in whole.keys() - self._spans("named")}
        uses: dict[tuple[int, str, str, str], int] = {}
        for nodes, form in ((called, CALL), (values, VALUE)):
            for (start, _), node in sorted(nodes.items()):
                use = self._scopes.at(start), DEFAULT, self._expression(node), form
                uses.setdefault(use, node.start_point[0] + 1)
        return uses

    def _tables(self) -> dict[tuple[int, str, str, str], int]:
        """Return what has its members called by computed names."""
        return {
            (scope, text_of(node), "", TABLE): node.start_point[0] + 1
            for (start, end), node in sorted(self._found.get("table", {}).items())
            if not self._is_bound(
                self._bound, scope := self._scopes.at(start), self._data[start:end], start
            )
        }

    def _in_strings(self, root: syntax.Node) -> dict[tuple[int, str, str, str], int]:
        """Return the paths that are strings."""
        return {
            (self._scopes.at(one.start), one.text, "", MENTIONED if one.mentioned else NAMED): (
                one.line
            )
            for one in paths_in_strings(self._data, root)
        }

    @cached_property
    def _selected(self) -> dict[tuple[int, str, str, str], int]:
        """The members of which only the beginning and the end of the name are known."""
        uses: dict[tuple[int, str, str, str], int] = {}
        for node, of in self._selecting:
            scope, owner = self._scopes.at(node.start_byte), self._expression(of)
            names = [node]
            if node.type == "identifier":
                key = self._function(node.start_byte), text_of(node)
                names = self._composed.get(key, names)
            for name in names[:_MOST_COMPOSED] if UNKNOWN not in owner else ():
                use = scope, member_pattern(name), owner, PATTERN
                uses.setdefault(use, node.start_point[0] + 1)
        return uses

    def _declared(self) -> dict[tuple[int, str, str, str], int]:
        """Return the functions without a body."""
        return {
            (number, one.name, "", DECLARED): one.first_line
            for number, one in enumerate(self._defined)
            if one.kind in _CALLED and one.signature_end >= one.end
        }

    def _unparsed(self) -> dict[tuple[int, str, str, str], int]:
        uses: dict[tuple[int, str, str, str], int] = {}
        for (start, end), node in sorted(self._found.get("unparsed", {}).items()):
            scope, line = self._scopes.at(start), node.start_point[0] + 1
            text = self._data[start:end].strip()
            parameters = node.parent.child_by_field_name("parameters") if node.parent else None
            none = _WORDS_OF_C.union(_WORD.findall((parameters and parameters.text) or b""))
            for name, called in _UNPARSED_NAME.findall(text):
                # a macro may be another name of a function
                form = CALL if called or name == text else VALUE
                if name and name not in none:
                    uses.setdefault((scope, name.decode("utf-8", "replace"), "", form), line)
        return uses

    def _in_fields(self) -> dict[tuple[int, str, str, str], int]:
        """Return the names that are stored in fields, but for those of local variables."""
        uses: dict[tuple[int, str, str, str], int] = {}
        for (start, end), field in ((one.node.byte_range, one.field) for one in self._stored):
            scope, raw = self._scopes.at(start), self._data[start:end]
            if not self._is_bound(self._bound, scope, raw, start):
                name = raw.decode("utf-8", "replace")
                uses.setdefault((scope, name, field, STORED), start)
        lines = line_numbers(self._data)(list(uses.values()))
        return dict(zip(uses, lines, strict=True))

    def _placed(self) -> dict[tuple[int, str, str, str], int]:
        """Return the types of which not all fields are known by their places."""
        until: dict[int, int] = {}
        for capture, several in (("unplaced", False), ("several", True)):
            for (start, _), node in self._found.get(capture, {}).items():
                around, end = self._scopes.at(start), places_until(node, several=several)
                own = self._defined[around] if around >= 0 else None
                if own is not None and own.kind == "field" and own.start == start:
                    around = own.parent
                # a static method is no field
                if end is not None and around >= 0 and self._defined[around].kind in TYPES:
                    until[around] = min(end, until.get(around, end))
        fields: dict[int, list[int]] = {}
        for one in self._defined if until else ():
            if one.kind == "field" and one.parent in until:
                fields.setdefault(one.parent, []).append(one.start)
        return {
            (number, str(known), "", PLACED): self._defined[number].first_line
            for number, starts in fields.items()
            if (known := bisect_left(starts, until[number])) < len(starts)
        }

    def _operands(self) -> dict[tuple[int, str, str, str], int]:
        """Return the types of the parameters of operators, in order."""
        return {
            (scope, self._defined[scope].name, typed(node, self._nodes), OPERAND): (
                node.start_point[0] + 1
            )
            for (start, _), node in sorted(self._found.get("operand", {}).items())
            if (scope := self._scopes.at(start)) >= 0
        }

    def _unseen(self) -> dict[tuple[int, str, str, str], int]:
        """Return the macros that the parser does not see."""
        lines = line_numbers(self._data)([macro.start for macro in self._macros])
        uses: dict[tuple[int, str, str, str], int] = {}
        for macro, line in zip(self._macros, lines, strict=True):
            name = self._data[macro.start : macro.end].decode("ascii")
            uses.setdefault((self._scopes.at(macro.start), name, "", CALL), line)
        return uses

    def _above(self) -> dict[tuple[int, str, str, str], int]:
        return {
            (scope, self._defined[scope].name, "super", CALL): node.start_point[0] + 1
            for (start, _), node in sorted(self._found.get("above", {}).items())
            if (scope := self._function(start)) >= 0
        }

    def _named(self, capture: str, form: str) -> dict[tuple[int, str, str, str], int]:
        """Return what is said of functions by their names."""
        return {
            (scope, self._defined[scope].name, "", form): self._defined[scope].first_line
            for start, _ in sorted(self._spans(capture))
            if (scope := self._function(start)) >= 0
        }

    @cached_property
    def _bound(self) -> dict[int, set[bytes]]:
        """The names that are bound in each function, and in nameless ones (-1).

        But for those that it imports, too: they may mean something elsewhere.
        """
        bound: dict[int, set[bytes]] = {}
        for span in self._spans("bound", "variable") - self._spans("assigned"):
            scope = self._function(span[0])
            if scope >= 0 or self._nameless.has(span[0]):
                name = self._data[slice(*span)]
                if (scope, name) not in self._imported:
                    bound.setdefault(scope, set()).add(name)
        return bound

    @cached_property
    def _blocks(self) -> Scopes:
        return Scopes(sorted(self._spans("block"), key=lambda span: (span[0], -span[1])))

    @cached_property
    def _block_starts(self) -> list[int]:
        return sorted(start for start, _ in self._spans("block"))

    @cached_property
    def _bound_in_blocks(self) -> dict[int, set[bytes]]:
        """The names that are bound in each block outside of functions, -1 for the file."""
        bound: dict[int, set[bytes]] = {}
        for start, end in self._spans("bound", "variable") if self._block_starts else ():
            if self._function(start) < 0:
                bound.setdefault(self._blocks.at(start), set()).add(self._data[start:end])
        return bound

    def _is_bound_in_block(self, raw: bytes, offset: int) -> bool:
        """Return True for a name that is bound in a block around, or outside of all blocks.

        With a capital it is a constant, and a definition.
        """
        if raw[:1].isupper() or not self._block_starts or self._function(offset) >= 0:
            return False
        block = self._blocks.at(offset)
        while block >= 0 and raw not in self._bound_in_blocks.get(block, ()):
            block = self._blocks.at(self._block_starts[block] - 1)
        return raw in self._bound_in_blocks.get(block, ())

    def _is_bound(self, bound: dict[int, set[bytes]], scope: int, raw: bytes, offset: int) -> bool:
        if self._nameless.has(offset):
            return raw in bound.get(-1, ())
        while scope >= 0 and raw not in bound.get(scope, ()):
            scope = self._defined[scope].parent
        return scope >= 0
