"""Members of JavaScript whose names are computed: `Type.prototype[name] = function () {}`.

What the names are is known where a function or a loop gets them from a list that is written out.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.expressions import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.extract import syntax

# The most names, arguments and the like of one assignment; names and assignments of a text; nodes
# around one that are looked at.
_MOST_NAMES = 100
_MOST, _MOST_ASSIGNED = 1_000, 10_000
_MOST_AROUND = 40

_LOOPS = frozenset({"for_in_statement"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_SPACES = _FUNCTIONS | {"function_declaration", "method_definition", "program"}
_STRING = "string"


class MemberName(NamedTuple):
    """A name that a member has, and the 1-based line of the list that has it."""

    name: str
    line: int


class ComputedMember(NamedTuple):
    """A value that is assigned to the members of several names.

    owner: what has the members; value: the node that is assigned; function: the bytes of the
    function that gets the names one by one, or of the loop.
    """

    owner: str
    value: syntax.Node
    function: tuple[int, int]
    names: list[MemberName]

    @property
    def owner_name(self) -> str:
        """The name of what has the members, of `name` or `name.prototype`."""
        return self.owner.removesuffix(".prototype")


def computed_members(matches: Iterable[syntax.Match]) -> list[ComputedMember]:
    """Return the members of a text whose computed names are known, in order of position."""
    lists = _Lists()
    assigned: dict[tuple[int, int], dict[str, list[syntax.Node]]] = {}
    for _, captures in matches:
        if "array" in captures:
            lists.add(text_of(captures["array_name"][0]), captures["array"][0])
        elif "computed" in captures and len(assigned) < _MOST_ASSIGNED:
            assigned[captures["given"][0].byte_range] = captures
    found: list[ComputedMember] = []
    left = _MOST
    for _, captures in sorted(assigned.items()):
        index = captures["index"][0]
        variable, suffix = _parts(index)
        binding = lists.binding(variable) if variable is not None else None
        if binding is None:
            continue
        names = [MemberName(word.name + suffix, word.line) for word in lists.given(binding)]
        # others are read in brackets, too
        names = [one for one in names if one.name.replace("$", "_").isidentifier()]
        if names and len(names) <= left:
            left -= len(names)
            owner, value = text_of(captures["computed"][0]), captures["given"][0]
            found.append(ComputedMember(owner, value, binding.byte_range, names))
    return found


def _parts(index: syntax.Node) -> tuple[syntax.Node | None, str]:
    """Return the variable that an index is, and the string behind it; None for another one."""
    suffix = ""
    variable: syntax.Node | None = index
    if index.type == "binary_expression":
        variable, right = (index.child_by_field_name(field) for field in ("left", "right"))
        if right is None or right.type != _STRING:
            return None, ""
        suffix = text_of(right)[1:-1]
    known = variable is not None and variable.type == "identifier"
    return variable if known else None, suffix


class _Lists:
    """The lists of strings of a text, and what gets their elements one by one.

    What a node says is read once: many assignments may stand in one.
    """

    def __init__(self) -> None:
        self._arrays: dict[str, list[syntax.Node]] = {}
        self._parameters: dict[tuple[int, int], frozenset[str]] = {}
        self._given: dict[tuple[int, int], list[MemberName]] = {}

    def add(self, name: str, array: syntax.Node) -> None:
        """Add an array that a variable holds."""
        self._arrays.setdefault(name, []).append(array)

    def binding(self, variable: syntax.Node) -> syntax.Node | None:
        """Return the function that has a variable as a parameter, or the loop that has it."""
        name = text_of(variable)
        for around in _around(variable):
            if around.type in _FUNCTIONS | _LOOPS and name in self._bound(around):
                return around
        return None

    def _bound(self, node: syntax.Node) -> frozenset[str]:
        """Return the parameters of a function, or the variable of a loop."""
        if node.byte_range not in self._parameters:
            several = node.child_by_field_name("parameters")
            nodes = several.named_children[:_MOST_NAMES] if several is not None else []
            for field in ("parameter", "left"):
                if (one := node.child_by_field_name(field)) is not None:
                    nodes.append(one)
            names = [text_of(one.child_by_field_name("pattern") or one) for one in nodes]
            self._parameters[node.byte_range] = frozenset(names)
        return self._parameters[node.byte_range]

    def given(self, binding: syntax.Node) -> list[MemberName]:
        """Return the strings that a function or a loop gets one by one."""
        if binding.byte_range not in self._given:
            words = (word for node in _sources(binding) for word in self._words(node))
            self._given[binding.byte_range] = list(islice(words, _MOST_NAMES))
        return self._given[binding.byte_range]

    def _words(self, node: syntax.Node) -> Iterator[MemberName]:
        """Yield the strings of an array, of what a variable holds, or of a text that is split."""
        if node.type == "identifier":
            node = self._array(node) or node
        if node.type == "array":
            for one in node.named_children:
                if one.type == _STRING:
                    yield MemberName(text_of(one)[1:-1], one.start_point[0] + 1)
        elif node.type == "call_expression":
            called = node.child_by_field_name("function")
            text = called.child_by_field_name("object") if called is not None else None
            split = called is not None and text_of(called).endswith(".split")
            if split and text is not None and text.type == _STRING:
                for word in text_of(text)[1:-1].replace(",", " ").split():
                    yield MemberName(word, text.start_point[0] + 1)

    def _array(self, variable: syntax.Node) -> syntax.Node | None:
        """Return the array that a variable holds, of the innermost function around both."""
        ranges = [node.byte_range for node in _around(variable) if node.type in _SPACES]
        best: syntax.Node | None = None
        depth = len(ranges)
        for array in self._arrays.get(text_of(variable), ())[:_MOST_NAMES]:
            own = [node.byte_range for node in _around(array) if node.type in _SPACES]
            if own and own[0] in ranges[:depth]:
                best, depth = array, ranges.index(own[0])
        return best


def _around(node: syntax.Node) -> Iterator[syntax.Node]:
    """Yield the nodes around a node, the innermost first."""
    around = node.parent
    for _ in range(_MOST_AROUND):
        if around is None:
            return
        yield around
        around = around.parent


def _sources(binding: syntax.Node) -> Iterator[syntax.Node]:
    """Yield what a loop walks, or what a call has besides a function: `list.forEach(...)`."""
    if binding.type in _LOOPS:
        nodes = [binding.child_by_field_name("right")]
    else:
        arguments = binding.parent
        call = arguments.parent if arguments is not None else None
        if arguments is None or call is None or arguments.type != "arguments":
            return
        called = call.child_by_field_name("function")
        owner = called.child_by_field_name("object") if called is not None else None
        nodes = [owner, *arguments.named_children[:_MOST_NAMES]]
    yield from (node for node in nodes if node is not None)
