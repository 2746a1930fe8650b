"""The answer of `context`: what is needed to begin with a task, or with a place in the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import Coverage, TreeName

# Kinds of items, in the order of output.
PLACE, USED, USER, TEST, TOGETHER, RULE = KINDS = (
    *("place", "used", "user"),
    *("test", "changed-together", "rule"),
)

# What the text of an item is: all of its lines, the signature of its definition, the line on
# which something is used, or nothing.
CODE, SIGNATURE, LINE, NOTHING = "code", "signature", "line", ""


class ContextItem(NamedTuple):
    """Lines of a file, both ends included, and why they are given.

    form: what `text` is; within: the line and the signature of the definition around the lines.
    """

    kind: str
    path: str
    start: int
    end: int
    symbol: str | None
    reason: str
    form: str = NOTHING
    text: str = ""
    within: tuple[int, str] | None = None


class ContextQuery(NamedTuple):
    """What was asked for: a task in words, or a file and perhaps a symbol in it."""

    task: str | None
    path: str | None = None
    symbol: str | None = None


class TokenBudget(NamedTuple):
    """The limit of an answer in tokens, the tokens that it has, and the items that did not fit."""

    tokens: int
    used: int
    left_out: int


class ContextReport(NamedTuple):
    """The answer of `context`: items by kind, the most important of a kind first."""

    query: ContextQuery
    tree: TreeName
    coverage: Coverage
    budget: TokenBudget
    items: tuple[ContextItem, ...]
    warnings: tuple[str, ...]
