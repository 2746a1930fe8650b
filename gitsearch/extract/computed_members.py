"""Members of JavaScript whose names are computed: `Type.prototype[name] = function () {}`.

What the names are is known where a function or a loop gets them from a list that is written out.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.expressions import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitsearch.extract import syntax

# The most names of one assignment and of a text, and the most nodes around an assignment that are
# looked at.
_MOST_NAMES = 100
_MOST = 1_000
_MOST_AROUND = 40

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
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


def computed_members(matches: Iterable[syntax.Match]) -> list[ComputedMember]:
    """Return the members of a text whose computed names are known, in order of position."""
    lists: dict[str, syntax.Node] = {}
    assigned: dict[tuple[int, int], dict[str, list[syntax.Node]]] = {}
    for _, captures in matches:
        if "array" in captures:
            lists[text_of(captures["array_name"][0])] = captures["array"][0]
        elif "computed" in captures:
            assigned[captures["given"][0].byte_range] = captures
    found: list[ComputedMember] = []
    left = _MOST
    for _, captures in sorted(assigned.items()):
        owner, value = text_of(captures["computed"][0]), captures["given"][0]
        function, names = _names(captures["index"][0], lists)
        if names and len(names) <= left:
            left -= len(names)
            found.append(ComputedMember(owner, value, function, names))
    return found


def _names(
    index: syntax.Node, lists: Mapping[str, syntax.Node]
) -> tuple[tuple[int, int], list[MemberName]]:
    """Return what gives an index its names, and these: a variable, maybe with a string behind."""
    suffix = ""
    variable: syntax.Node | None = index
    if index.type == "binary_expression":
        variable = index.child_by_field_name("left")
        right = index.child_by_field_name("right")
        if right is None or right.type != _STRING:
            return (0, 0), []
        suffix = text_of(right)[1:-1]
    if variable is None or variable.type != "identifier":
        return (0, 0), []
    binding = _binding(variable)
    if binding is None:
        return (0, 0), []
    words = _given(binding, lists) if binding.type in _FUNCTIONS else _walked(binding, lists)
    names = [MemberName(word.name + suffix, word.line) for word in islice(words, _MOST_NAMES)]
    # others are read in brackets, too
    named = [one for one in names if one.name.replace("$", "_").isidentifier()]
    return binding.byte_range, named


def _binding(variable: syntax.Node) -> syntax.Node | None:
    """Return the function that has a variable as a parameter, or the loop that has it."""
    name, around = text_of(variable), variable.parent
    for _ in range(_MOST_AROUND):
        if around is None:
            return None
        if around.type == "for_in_statement":
            left = around.child_by_field_name("left")
            if left is not None and text_of(left) == name:
                return around
        elif around.type in _FUNCTIONS and name in _parameters(around):
            return around
        around = around.parent
    return None


def _walked(loop: syntax.Node, lists: Mapping[str, syntax.Node]) -> Iterator[MemberName]:
    right = loop.child_by_field_name("right")
    if right is not None:
        yield from _words(right, lists)


def _parameters(function: syntax.Node) -> list[str]:
    one = function.child_by_field_name("parameter")
    several = function.child_by_field_name("parameters")
    nodes = [one] if one is not None else several.named_children if several is not None else []
    return [text_of(node.child_by_field_name("pattern") or node) for node in nodes]


def _given(function: syntax.Node, lists: Mapping[str, syntax.Node]) -> Iterator[MemberName]:
    """Yield the strings of the lists that a call has besides a function: `list.forEach(...)`."""
    arguments = function.parent
    call = arguments.parent if arguments is not None else None
    if arguments is None or call is None or arguments.type != "arguments":
        return
    called = call.child_by_field_name("function")
    owner = called.child_by_field_name("object") if called is not None else None
    for node in (owner, *arguments.named_children):
        if node is not None:
            yield from _words(node, lists)


def _words(node: syntax.Node, lists: Mapping[str, syntax.Node]) -> Iterator[MemberName]:
    """Yield the strings of an array, of a variable that holds one, or of a text that is split."""
    if node.type == "identifier":
        node = lists.get(text_of(node), node)
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
