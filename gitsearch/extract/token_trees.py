"""Members in the arguments of macros of Rust, which are not parsed: a list of tokens.

`a.b()?.c` are the tokens `a`, `.`, `b`, `()`, `?`, `.` and `c`, of which what stands in
parentheses is a tree of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.expressions import EXPRESSIONS, LITERAL, UNKNOWN, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.extract import syntax

_NAMES = frozenset({"crate", "identifier", "metavariable", "primitive_type", "self", "super"})
_SEPARATORS = frozenset({".", "::"})
_LITERALS = EXPRESSIONS["rust"].literals

# What may stand between a name and a tree of tokens that it goes with.
_BETWEEN = frozenset({"!", "?"})
# What a value may have before it and be the same to its members.
_BORROWING = frozenset({"&", "*", "mut", "mutable_specifier"})
_SIGNS = {"(": "()", "[": "[]"}

# How many levels of angle brackets a token opens or closes.
_ANGLES = {"<": 1, ">": -1, "<<": 2, ">>": -2}

# Longer expressions are unknown.
_LONGEST = 120


class Tokens(NamedTuple):
    """The names and expressions in a tree of tokens.

    before: the expression before each member, by where the member starts; called: the ranges of
    names that are called; whole: the expressions that stand alone in parentheses, by where these
    start.
    """

    before: dict[int, str]
    called: set[tuple[int, int]]
    whole: dict[int, str]


def read(trees: Iterable[syntax.Node]) -> Tokens:
    """Return the members and calls in trees of tokens."""
    found = Tokens({}, set(), {})
    # those in others come first
    for tree in sorted(trees, key=lambda one: -one.start_byte):
        _read(tree, found)
    return found


def _read(tree: syntax.Node, found: Tokens) -> None:
    text = before = last = ""
    # the name that an expression ends with
    name: syntax.Node | None = None
    alone = _sign(tree) == "("
    for token in _tokens(tree):
        kind = token.type
        if kind in _SEPARATORS:
            text, before = "", text
        elif kind in _NAMES:
            name, text = token, _named(token, last)
            if last in _SEPARATORS and before:
                found.before[token.start_byte] = before
                text = f"{before}.{text}" if UNKNOWN not in before else UNKNOWN
        elif kind == "token_tree":
            if name is not None and _is_called(token, name, last):
                found.called.add(name.byte_range)
            inner = found.whole.get(token.start_byte)
            name, text = None, inner if inner and not text else _grouped(token, text, last)
        elif kind not in _BETWEEN:
            alone = alone and not text and (kind in _LITERALS or kind in _BORROWING)
            name, text = None, _other(kind, last)
        text = text if len(text) <= _LONGEST else UNKNOWN
        last = kind
    if alone and text:
        found.whole[tree.start_byte] = text


def _tokens(tree: syntax.Node) -> list[syntax.Node]:
    """Return what stands between the signs of a tree, without the types of `f::<T>`."""
    kept: list[syntax.Node] = []
    depth = 0
    for token in tree.children[1:-1]:
        kind = token.type
        if depth:
            depth = max(0, depth + _ANGLES.get(kind, 0))
        elif kind == "<" and kept and kept[-1].type == "::":
            kept.pop()
            depth = 1
        else:
            kept.append(token)
    return kept


def _other(kind: str, last: str) -> str:
    """Return the expression of a token that is no name: of a literal, a place, or none."""
    if last in _SEPARATORS:
        return UNKNOWN if kind == "integer_literal" else ""
    return LITERAL if kind in _LITERALS else ""


def _named(token: syntax.Node, last: str) -> str:
    """Return the expression of a name; what a macro gets is unknown."""
    if token.type == "metavariable" or last == "$":
        return "crate" if text_of(token).lstrip("$") == "crate" else UNKNOWN
    return text_of(token)


def _is_called(tree: syntax.Node, name: syntax.Node, last: str) -> bool:
    """Return True if a name before a tree of tokens is that of a function, macro or structure."""
    sign = _sign(tree)
    return sign == "(" or last == "!" or (sign == "{" and _is_type(text_of(name)))


def _sign(tree: syntax.Node) -> str:
    return tree.children[0].type if tree.child_count else ""


def _is_type(name: str) -> bool:
    return name[:1].isupper() and (len(name) == 1 or not name.isupper())


def _grouped(tree: syntax.Node, text: str, last: str) -> str:
    """Return the expression that ends with a tree of tokens; `text` is what is before it."""
    if not text or last == "!":
        return UNKNOWN
    if sign := _SIGNS.get(_sign(tree), ""):
        return text + sign
    # a structure, or else a block: `match a {}`
    return f"{text}()" if _is_type(text.rpartition(".")[2]) else UNKNOWN
