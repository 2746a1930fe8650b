"""Names of Python that a program has as strings: paths of modules, and parts of names of members.

A path is a string that is nothing but identifiers joined by dots, as `"app.views.index"`, the last
of them perhaps behind a colon, as in entry points. Of the name of a member that `getattr` gets the
beginning and the end may be written down: `getattr(self, f"visit_{kind}")`.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.captures import LONGEST_NAME
from gitsearch.extract.expressions import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.extract import syntax

# So many paths of a text are looked at: a table of plug-ins or of settings has no more, and each
# is searched for in the tree of the text.
_MOST_PATHS = 500

# So many parts of an expression are looked at for what a name begins and ends with.
_DEEPEST = 10

# Who has a table with more entries than these most likely does not run one of them.
FEW_ENTRIES = 4

# So many letters of a name say which members may be meant.
_FEWEST_LETTERS = 2

# Stands for what is not known of the name of a member.
ANY = "*"

_PATH = re.compile(
    rb"[\"']([A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+(?::[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+)?+)(?=[\"'])"
)
_SEPARATOR = re.compile(rb"[.:]")

# Functions that put something else in the place of what a path names, and those that give its name
# to something else.
_REPLACING = frozenset({b"patch", b"setattr", b"delattr"})
_NAMING = frozenset({b"getLogger"})

# What a string is part of that is no path: a longer string, or a type in quotes.
_NO_PATHS = frozenset({"concatenated_string", "type"})

_CONVERSION = re.compile(r"%[-#0-9 +]*+[sdr]|\{[^{}]*+\}")
_LETTER = re.compile(r"[^\W\d_]")


class PathInString(NamedTuple):
    """A path, the byte where it stands, and its 1-based line.

    mentioned: something else is put in its place, or it is one of many entries of a table.
    """

    text: str
    start: int
    line: int
    mentioned: bool


def paths_in_strings(data: bytes, root: syntax.Node) -> Iterator[PathInString]:
    """Yield the paths that are strings of a text, in order."""
    spans = (
        found.span(1)
        for found in _PATH.finditer(data)
        if _SEPARATOR.search(found[1]) and len(found[1]) <= LONGEST_NAME
    )
    for start, end in islice(spans, _MOST_PATHS):
        node = root.descendant_for_byte_range(start, end)
        if node is None or node.type != "string_content" or node.byte_range != (start, end):
            continue
        string = node.parent
        around = string.parent if string is not None else None
        if string is None or around is None or around.type in _NO_PATHS:
            continue
        words = _called_with(string, around)
        if _NAMING.isdisjoint(words):
            mentioned = _is_entry(string, around) or not _REPLACING.isdisjoint(words)
            yield PathInString(text_of(node), start, node.start_point[0] + 1, mentioned)


def _is_entry(string: syntax.Node, around: syntax.Node) -> bool:
    """Return True for a string that is a key of a table, or one of many entries."""
    table = around.parent if around.type == "pair" else None
    if table is None:
        return False
    return around.child_by_field_name("key") == string or table.named_child_count > FEW_ENTRIES


def _called_with(string: syntax.Node, around: syntax.Node) -> frozenset[bytes]:
    """Return the words of the function of which a string is the first argument, or a named one."""
    named = around.type == "keyword_argument"
    arguments = around.parent if named else around
    call = arguments.parent if arguments is not None else None
    if arguments is None or call is None or call.type != "call":
        return frozenset()
    function = call.child_by_field_name("function")
    if function is None or not (named or arguments.named_child(0) == string):
        return frozenset()
    return frozenset((function.text or b"").split(b"."))


def member_pattern(node: syntax.Node) -> str:
    """Return what the name that an expression makes begins and ends with, as `visit_*`."""
    known = _ends(node, 0) or ("", "")
    text = ANY.join(known)
    is_name = all(not end or f"_{end}".isidentifier() for end in known)
    return text if is_name and len(text) <= LONGEST_NAME else ANY


def is_telling(pattern: str) -> bool:
    """Return True for a pattern that says which members of a value may be meant."""
    return len(_LETTER.findall(pattern)) >= _FEWEST_LETTERS


def _ends(node: syntax.Node, depth: int) -> tuple[str, str] | None:
    """Return the beginning and the end of what an expression makes of others."""
    if depth > _DEEPEST:
        return None
    if node.type == "string":
        ends = ("string_start", "string_end")
        parts = [one for one in node.named_children if one.type not in ends]
        if not any(one.type == "interpolation" for one in parts):
            return None
        first, last = parts[0], parts[-1]
        return _content(first), _content(last)
    if node.type == "parenthesized_expression":
        return _ends(node.named_children[0], depth + 1)
    if node.type == "call":
        function = node.child_by_field_name("function")
        of = function.child_by_field_name("object") if function is not None else None
        method = function.child_by_field_name("attribute") if function is not None else None
        is_format = method is not None and method.text == b"format"
        return _converted(of) if is_format and of is not None else None
    return _ends_of_operator(node, depth) if node.type == "binary_operator" else None


def _ends_of_operator(node: syntax.Node, depth: int) -> tuple[str, str] | None:
    """Return the ends of `"visit_" + name` and `"visit_%s" % name`."""
    left, right = (node.child_by_field_name(side) for side in ("left", "right"))
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return None
    if operator.type == "%":
        return _converted(left)
    if operator.type != "+":
        return None
    before, after = _ends(left, depth + 1), _ends(right, depth + 1)
    first, last = _plain(left), _plain(right)
    beginning = (before or ("", ""))[0] if first is None else first
    return beginning, (after or ("", ""))[1] if last is None else last


def _content(node: syntax.Node) -> str:
    return text_of(node) if node.type == "string_content" else ""


def _plain(node: syntax.Node) -> str | None:
    """Return the text of a string without anything else in it."""
    parts = [one.type for one in node.named_children]
    if node.type != "string" or parts != ["string_start", "string_content", "string_end"]:
        return None
    return text_of(node.named_children[1])


def _converted(node: syntax.Node) -> tuple[str, str] | None:
    """Return what stands before the first and behind the last place for a value in a string."""
    text = _plain(node) or ""
    places = list(_CONVERSION.finditer(text))
    return (text[: places[0].start()], text[places[-1].end() :]) if places else None
