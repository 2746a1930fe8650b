"""The definitions of a text, what each of them uses, and what is known of the types of values.

All of it depends on the text alone. A language has uses.scm for this, with the captures:
    @name               an identifier; @defined, @label: one that is no use; @bound: one that is
                        bound in the function around it (of locals.scm)
    @owner, @member     a member and the expression before it
    @skipped, @type     ranges in which identifiers are no uses, or types only
    @base, @decorator   expressions of a base class and of a decorator
    @variable, @value   a variable and what it is assigned, or its type; @element: what holds it;
                        @module: the module whose alias it is
    @parameter          a parameter, which may name a fixture
    @returned           the value or the type that a function returns

Expressions are written in a short form: names, `.member`, `()` for a call, `[]` for an element,
`#` for a literal, `?` for anything else; `|` before each of several alternatives, `=` before the
name of a module.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from gitsearch.extract import symbols, syntax
from gitsearch.extract.chunks import line_numbers
from gitsearch.extract.languages import LANGUAGES
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.extract.symbol_kinds import FUNCTIONS
from gitsearch.records import Definition

# How a name is used.
CALL, VALUE, TYPE, BASE, DECORATOR, PARAMETER = (
    "call",
    "value",
    "type",
    "base",
    "decorator",
    "parameter",
)

LITERAL, UNKNOWN = "#", "?"

# Longer expressions, and deeper ones, are unknown.
_LONGEST = 120
_DEEPEST = 20

# The most uses and the most hints of a text, and the most alternatives of a type.
_MOST = 50_000
_MOST_TYPES = 8

# Nodes that add to the expression in a field.
_SUFFIXED = {
    "attribute": ("object", ""),
    "call": ("function", "()"),
    "subscript": ("value", "[]"),
}

# Nodes that stand for the expression in them, for one of several, and for a value that no
# definition of the tree has made.
_WRAPPERS = frozenset({"await", "parenthesized_expression", "list_splat", "expression_statement"})
_ALTERNATIVES = frozenset({"boolean_operator", "conditional_expression"})
_LITERALS = frozenset(
    {
        "binary_operator",
        "comparison_operator",
        "concatenated_string",
        "dictionary",
        "dictionary_comprehension",
        "false",
        "float",
        "generator_expression",
        "integer",
        "lambda",
        "list",
        "list_comprehension",
        "none",
        "not_operator",
        "set",
        "set_comprehension",
        "string",
        "true",
        "tuple",
    }
)

# Parameters that are the object or the class of a method.
_RECEIVERS = frozenset({"self", "cls"})


class DefinedName(NamedTuple):
    """A definition: its lines are 1-based and inclusive, `parent` is an index or -1."""

    qualified: str
    kind: str
    first: int
    last: int
    parent: int


class DefinitionUse(NamedTuple):
    """A name that a definition uses, or the file outside of all (`scope` is -1).

    owner: the expression before the dot, or "" without one; local: bound in the function around.
    """

    scope: int
    name: str
    owner: str
    form: str
    line: int


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
    tree = syntax.parse(data, LANGUAGES[language].grammar or "")
    query = syntax.grammar_query(language, "locals", "uses")
    if tree is None or query is None:
        return NO_FACTS
    defined = symbols.definitions(tree.root_node, data, language, described=False)
    return _Collector(data, defined).facts(syntax.matches(query, tree.root_node))


class _Scopes:
    """The innermost definition at a byte."""

    def __init__(self, defined: tuple[Definition, ...]) -> None:
        edges: list[int] = [0]
        inner: list[int] = [-1]
        stack: list[int] = []

        def close(until: int) -> None:
            while stack and defined[stack[-1]].end <= until:
                edges.append(defined[stack.pop()].end)
                inner.append(stack[-1] if stack else -1)

        for number, one in enumerate(defined):
            close(one.start)
            stack.append(number)
            edges.append(one.start)
            inner.append(number)
        close(1 << 62)
        self._edges, self._inner = edges, inner

    def at(self, offset: int) -> int:
        return self._inner[bisect_right(self._edges, offset) - 1]


_Nodes = dict[tuple[int, int], syntax.Node]


class _Collector:
    """Collects the facts of one text from the matches of the queries."""

    def __init__(self, data: bytes, defined: tuple[Definition, ...]) -> None:
        self._data = data
        self._defined = defined
        self._scopes = _Scopes(defined)
        self._found: dict[str, _Nodes] = {}
        # the expression before a member, by where the member starts
        self._owners: dict[int, syntax.Node] = {}
        self._hints: dict[TypeHint, None] = {}

    def facts(self, matches: list[syntax.Match]) -> DefinitionFacts:
        for _, captures in matches:
            if "member" in captures:
                self._owners[captures["member"][0].start_byte] = captures["owner"][0]
            self._note_hints(captures)
            for capture, nodes in captures.items():
                known = self._found.setdefault(capture, {})
                known.update((node.byte_range, node) for node in nodes)
        uses = self._uses()
        uses |= self._parameters()
        return DefinitionFacts(
            tuple(
                DefinedName(one.qualified, one.kind, one.first_line, one.last_line, one.parent)
                for one in self._defined
            ),
            tuple(DefinitionUse(*key, line) for key, line in uses.items())[:_MOST],
            tuple(hint for hint in self._hints if UNKNOWN not in hint.value)[:_MOST],
        )

    def _note_hints(self, captures: dict[str, list[syntax.Node]]) -> None:
        values = [f"={_text(node)}" for node in captures.get("module", ())]
        values += [_expression(node) for node in captures.get("value", ())]
        values += [f"{_expression(node)}[]" for node in captures.get("element", ())]
        for value in values:
            variable = captures["variable"][0]
            # a variable that is a definition is its own scope
            scope = self._scopes.at(variable.start_byte)
            self._hints[TypeHint(scope, _expression(variable), value)] = None
        for node in captures.get("returned", ()):
            scope = self._function(node.start_byte)
            self._hints[TypeHint(scope, "", _expression(node))] = None

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
        bound = self._bound()
        assigned = {span for span in self._spans("variable") if span[0] not in self._owners}
        none = assigned | self._spans("defined", "label", "bound")
        skipped = _Ranges(self._spans("skipped"))
        forms = {form: _Ranges(self._spans(form)) for form in (TYPE, BASE, DECORATOR)}
        spans = sorted(self._spans("name") - none)
        uses: dict[tuple[int, str, str, str], int] = {}
        lines = line_numbers(self._data)([start for start, _ in spans])
        for (start, end), line in zip(spans, lines, strict=True):
            scope, raw = self._scopes.at(start), self._data[start:end]
            owner = self._owners.get(start)
            if skipped.has(start) or (owner is None and self._is_bound(bound, scope, raw)):
                continue
            form = next((form for form, ranges in forms.items() if ranges.has(start)), None)
            if form is None:
                form = CALL if self._data[end : end + 1] == b"(" else VALUE
            before = "" if owner is None else _expression(owner)
            uses.setdefault((scope, raw.decode("utf-8", "replace"), before, form), line)
        return uses

    def _parameters(self) -> dict[tuple[int, str, str, str], int]:
        spans = sorted(self._spans("parameter"))
        lines = line_numbers(self._data)([start for start, _ in spans])
        return {
            (scope, name, "", PARAMETER): line
            for (start, end), line in zip(spans, lines, strict=True)
            if (scope := self._function(start)) >= 0
            and (name := self._data[start:end].decode("utf-8", "replace")) not in _RECEIVERS
        }

    def _bound(self) -> dict[int, set[bytes]]:
        """Return the names that are bound in each function."""
        bound: dict[int, set[bytes]] = {}
        for span in self._spans("bound", "variable"):
            scope = self._function(span[0])
            if scope >= 0:
                bound.setdefault(scope, set()).add(self._data[slice(*span)])
        return bound

    def _is_bound(self, bound: dict[int, set[bytes]], scope: int, raw: bytes) -> bool:
        while scope >= 0 and raw not in bound.get(scope, ()):
            scope = self._defined[scope].parent
        return scope >= 0


class _Ranges:
    """Ranges of bytes, of which the outermost count."""

    def __init__(self, spans: object) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):  # type: ignore[call-overload]
            if not self._ends or start >= self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)

    def has(self, offset: int) -> bool:
        place = bisect_right(self._starts, offset) - 1
        return place >= 0 and offset < self._ends[place]


def _expression(node: syntax.Node) -> str:
    """Return the short form of an expression or a type."""
    text = _short(node, 0)
    return text if len(text) <= _LONGEST else UNKNOWN


def _text(node: syntax.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _short(node: syntax.Node, depth: int) -> str:
    if depth > _DEEPEST:
        return UNKNOWN
    kind = node.type
    if kind == "identifier":
        return _text(node)
    if kind in _SUFFIXED:
        field, suffix = _SUFFIXED[kind]
        inner, member = node.child_by_field_name(field), node.child_by_field_name("attribute")
        if inner is None:
            return UNKNOWN
        return _short(inner, depth + 1) + (suffix or f".{_text(member) if member else UNKNOWN}")
    if kind in _WRAPPERS and node.named_child_count:
        return _short(node.named_children[-1], depth + 1)
    if kind == "type":
        return "|" + "|".join(dict.fromkeys(_type_names(node)))
    if kind in _ALTERNATIVES:
        return _either(node, depth)
    return LITERAL if kind in _LITERALS else UNKNOWN


def _either(node: syntax.Node, depth: int) -> str:
    """Return the alternatives of `a or b` and `a if b else c`."""
    inner = [_short(child, depth + 1) for child in node.named_children]
    if node.type == "conditional_expression":
        del inner[1:2]
    known = [one for one in inner if UNKNOWN not in one and "|" not in one]
    return "|" + "|".join(dict.fromkeys(known)) if known else UNKNOWN


def _type_names(node: syntax.Node) -> list[str]:
    """Return the instances that a type may mean, as calls of the names in it."""
    names: list[str] = []
    todo = [node]
    while todo and len(names) < _MOST_TYPES:
        one = todo.pop()
        if one.type in ("identifier", "attribute"):
            names.append(f"{_short(one, 0)}()")
        elif one.type == "string":
            parts = _text(one).strip("'\"").split("|")
            names += [f"{part.strip()}()" for part in parts if part.strip().isidentifier()]
        elif one.type == "generic_type" and (one.text or b"").startswith((b"type[", b"Type[")):
            # the class itself, not one of its instances
            names += [name.removesuffix("()") for name in _type_names(one.named_children[-1])]
        else:
            todo += reversed(one.named_children)
    return names
