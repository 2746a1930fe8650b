"""The gateway to tree-sitter: parse a text, run a query, within bounds for hostile input.

Bounds count work or depth: what is found in a text must not depend on how busy the machine is.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from time import thread_time
from typing import TYPE_CHECKING, cast

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

from gitsearch.extract.languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Point

__all__ = ["Match", "Node", "Query", "Tree", "grammar_query", "matches", "parse"]

# The number of the pattern in its query, and the nodes by capture.
Match = tuple[int, dict[str, list[Node]]]

# The parser is given the whole text, uncopied. Where it goes back after it has seen the end, and
# where a predicate of a query wants a name, it gets pieces: large against the call and small to
# copy, because as of 0.26.1 the binding never frees what it was given (a memoryview crashes it).
_PIECE = 1 << 9

# The parser reports 6 times per KiB of ordinary code and up to 20 times in the densest files seen.
# A parse in which error recovery takes much more is given up.
_REPORTS_PER_BYTE = 0.02
_REPORTS_FREE = 20_000

# A report stands for 10 us of ordinary code, but for 2 ms in the slowest of grammars: the last
# resort is a bound on seconds, of this thread's own processor time, which is looked at seldom.
_SECONDS = 5.0
_SELDOM = 16

# Queries do not look below this depth: each step of a cursor costs as much as the tree is deep
# there (100,000 nested calls: 45 s without this bound, 0.4 ms with it).
_DEPTH = 1000

# A cursor looks from each node for its next named sibling, so a run of n tokens without one costs
# n * n (200,000 opening brackets: 22 s; a run of this length: 0.05 s).
_RUN = 10_000

_INCLUDE = re.compile(r"^; include: (\w+)/(\w+)$", re.MULTILINE)


@cache
def _language(grammar: str) -> Language | None:
    """A grammar of the language pack, which is imported late because it takes 30 ms."""
    pack = import_module("tree_sitter_language_pack")
    try:
        return cast("Language", pack.get_language(grammar))
    except LookupError:
        return None


def parse(data: bytes, grammar: str) -> Tree | None:
    """The syntax tree of a text, or None without a grammar or when parsing takes too long."""
    language = _language(grammar)
    if language is None:
        return None
    reports = int(_REPORTS_FREE + _REPORTS_PER_BYTE * len(data))
    until = thread_time() + _SECONDS
    parsing = True

    def read(offset: int, _point: Point) -> bytes:
        return data if parsing and not offset else data[offset : offset + _PIECE]

    def enough(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter calls it
        nonlocal reports
        reports -= 1
        return reports < 0 or (reports % _SELDOM == 0 and thread_time() > until)

    try:
        tree = Parser(language).parse(read, progress_callback=enough)
    except ValueError:
        return None
    parsing = False
    return tree


@cache
def grammar_query(language: str, *kinds: str) -> Query | None:
    """The queries of a language, files queries/<language>/<kind>.scm, as one; None without any."""
    row = LANGUAGES.get(language)
    grammar = _language(row.grammar) if row and row.grammar else None
    if grammar is None:
        return None
    text = "\n".join(_source(language, kind) for kind in kinds)
    return Query(grammar, text) if text.strip() else None


def _source(language: str, kind: str) -> str:
    """The text of a query file; a line `; include: <language>/<kind>` stands for that file."""
    file = files("gitsearch.extract") / "queries" / language / f"{kind}.scm"
    if not file.is_file():
        return ""
    return _INCLUDE.sub(lambda line: _source(line[1], line[2]), file.read_text("utf-8"))


def matches(query: Query, root: Node, span: tuple[int, int] | None = None) -> list[Match]:
    """What a query finds below a node, around a range of bytes if one is given.

    Nothing is found in a tree that would take a time quadratic in its size.
    """
    if _has_long_run(root):
        return []
    cursor = QueryCursor(query)
    # The progress callback of a cursor is no way to bound it: as of 0.26.1 the binding keeps a
    # pointer to options on a stack frame that is gone, and crashes.
    cursor.set_max_start_depth(_DEPTH)
    if span:
        cursor.set_byte_range(*span)
    return cursor.matches(root)


def _has_long_run(root: Node) -> bool:
    """Whether some node has a long run of unnamed children; only large nodes are visited."""
    level = [root]
    for _ in range(_DEPTH):
        level = [node for node in level if node.end_byte - node.start_byte >= _RUN]
        if not level:
            return False
        below: list[Node] = []
        for node in level:
            children = node.children
            if len(children) - node.named_child_count >= _RUN and _longest_run(children) >= _RUN:
                return True
            below += children
        level = below
    return False


def _longest_run(children: list[Node]) -> int:
    longest = run = 0
    for child in children:
        run = 0 if child.is_named else run + 1
        longest = max(longest, run)
    return longest
