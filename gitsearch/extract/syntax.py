"""The gateway to tree-sitter: parsing and queries, with limits for hostile input.

The limits are on work or depth: the result for a text must not depend on the load of the machine.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from itertools import groupby, pairwise
from time import thread_time
from typing import cast

from tree_sitter import Language, Node, Parser, Point, Query, QueryCursor, Tree

from gitsearch.extract import parser_limits
from gitsearch.extract.block_macros import BlockMacro, block_macros, without_block_macros
from gitsearch.extract.languages import LANGUAGES

__all__ = ["Match", "Node", "Query", "Tree", "grammar_query", "matches", "parse", "patterns"]

# The index of the pattern in its query, and the nodes by capture.
Match = tuple[int, dict[str, list[Node]]]

# The parser reads a text in pieces, so that the work of its scanners can be counted and stopped
# too: some look ahead to the end of the text from each token. As of 0.26.1 the binding never frees
# the pieces that it gets, so all but the last are one buffer, which is overwritten. When a
# predicate of a query reads a name later, the binding crashes for any type but bytes; few names
# are longer than _NAME.
_PIECE = 1 << 10
_NAME = 1 << 6

# Ordinary code takes 0.002 reads a byte, at most 0.005 in the largest files of 30 languages. Some
# scanners ask for the column of each token: up to 0.36 a byte in Perl, 0.29 in PureScript, 0.23 in
# Scala. A read takes 1 to 100 us.
_READS_PER_BYTE = 0.015
_READS_PER_BYTE_OF = dict.fromkeys(("d", "fsharp", "julia", "perl", "purescript", "scala"), 0.5)
_READS_FREE = 3_000

# The parser reports progress 6 times per KiB of ordinary code, and up to 31 times in the densest
# of 15,900 files. A parse in which error recovery takes much more is given up.
_REPORTS_PER_BYTE = 0.032
_REPORTS_FREE = 2_000

# A report stands for 10 us of ordinary code, but for 2 ms in the slowest grammar. The last resort
# is a limit in seconds of this thread's own processor time, for each MiB begun. A real file of 1
# MB takes 0.2 s. The limits are checked once in _SELDOM reports.
_SECONDS = 2.0
_SELDOM = 16

# Queries do not descend below this depth: the cost of each step of a cursor is proportional to the
# depth of its node (100,000 nested calls: 45 s without this limit, 0.4 ms with it).
_DEPTH = 1000

# A cursor searches from each node for the next named sibling, so a run of n unnamed nodes costs
# n * n steps (200,000 opening brackets: 22 s; a run of this length: 0.05 s).
_RUN = 10_000

# All matches are in memory at once; each takes 15 us and 1 KiB. The densest of 2,500 real files
# have 0.094 a byte, and arithmetic in Ruby 0.23.
_MATCHES_PER_BYTE = 0.3
_MATCHES_FREE = 1_000

# The role of a capture in a query; those for predicates begin with an underscore.
_ROLE = re.compile(r"@(?!_)([^\W_]\w*)")

# What must be told apart to find where the patterns of a query begin.
_QUERY_TOKEN = re.compile(
    r'(?P<string>"(?:\\(?s:.)|[^"\\])*(?:"|\\?\Z))|;.*|(?P<open>[(\[])|(?P<close>[)\]])'
)

_INCLUDE = re.compile(r"^; include: (\w+)/(\w+)$", re.MULTILINE)


@cache
def _language(grammar: str) -> Language | None:
    """Return a grammar of the language pack, whose import takes 30 ms; None if there is none."""
    pack = import_module("tree_sitter_language_pack")
    try:
        return cast("Language", pack.get_language(grammar))
    except LookupError:
        return None


def parse(data: bytes, grammar: str, macros: tuple[BlockMacro, ...] | None = None) -> Tree | None:
    """Return the syntax tree of a text, None without a grammar or when a limit is exceeded.

    Nodes may end one byte behind the text. Macros that open or close blocks have none; `macros`
    are those of the text, which are looked for if they are not given.
    """
    language = _language(grammar)
    if language is None or not parser_limits.may_parse(data, grammar):
        return None
    reads = _READS_PER_BYTE_OF.get(grammar, _READS_PER_BYTE)
    macros = block_macros(data, grammar) if macros is None else macros
    text = without_block_macros(parser_limits.as_parsed(data, grammar), macros)
    reading = _Reading(text, reads)
    try:
        tree = Parser(language).parse(reading.piece, progress_callback=reading.is_too_much)
    except ValueError:
        return None
    reading.is_parsing = False
    return None if reading.given_up else tree


class _Reading:
    """Passes a text to the parser, and counts the work of the parser."""

    def __init__(self, text: bytes, reads_per_byte: float) -> None:
        self._text = text
        self._buffer = bytearray(_PIECE)
        self._last = max(len(text) - _PIECE, 0)
        self._reads = int(_READS_FREE + reads_per_byte * len(text))
        self._reports = int(_REPORTS_FREE + _REPORTS_PER_BYTE * len(text))
        self._until = thread_time() + _SECONDS * (1 + (len(text) >> 20))
        self.given_up = False
        self.is_parsing = True

    def piece(self, offset: int, _point: Point) -> bytes | bytearray:
        """Return the text from an offset on; after too many reads, pretend that the text ends."""
        if not self.is_parsing:
            return self._text[offset : offset + _NAME]
        self._reads -= 1
        if self._reads < 0:
            self.given_up = True
            # The piece before may have ended within a character, and tree-sitter reads the rest of
            # it without a check that there is any.
            return b"\n" if self._reads == -1 else b""
        if offset >= self._last:
            return self._text[offset:]
        self._buffer[:] = self._text[offset : offset + _PIECE]
        return self._buffer

    def is_too_much(self, _offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - tree-sitter calls it
        """Return True to stop the parser, which calls this once for a number of steps."""
        self._reports -= 1
        if self._reports % _SELDOM == 0 and not self.given_up:
            self.given_up = self._reports <= 0 or thread_time() > self._until
        return self.given_up


@cache
def grammar_query(
    language: str, *kinds: str, without: frozenset[str] = frozenset()
) -> Query | None:
    """Return the files queries/<language>/<kind>.scm as one query, None if there are none.

    without: patterns are left out that have no captures but those with one of these roles, which
    is what stands before the dot, and those for predicates.
    """
    row = LANGUAGES.get(language)
    grammar = _language(row.grammar) if row and row.grammar else None
    if grammar is None:
        return None
    text = "\n".join(_source(language, kind) for kind in kinds)
    if without:
        # to compile them and disable them after that would take twice as long
        kept = (pattern for pattern in patterns(text) if not without >= {*_ROLE.findall(pattern)})
        text = "".join(kept)
    return Query(grammar, text) if text.strip() else None


def patterns(text: str) -> list[str]:
    """Split the text of a query into its patterns, each with the comments behind it."""
    starts: list[int] = []
    depth = 0
    for token in _QUERY_TOKEN.finditer(text):
        if depth == 0 and token.lastgroup in ("open", "string"):
            starts.append(token.start())
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _source(language: str, kind: str) -> str:
    """Return the text of a query file, with `; include: <language>/<kind>` lines replaced."""
    file = files("gitsearch.extract") / "queries" / language / f"{kind}.scm"
    if not file.is_file():
        return ""
    return _INCLUDE.sub(lambda line: _source(line[1], line[2]), file.read_text("utf-8"))


def matches(query: Query, root: Node, span: tuple[int, int] | None = None) -> list[Match]:
    """Return the matches of a query below a node, or only those around a range of bytes.

    The result is empty for a tree that would take quadratic time, or with more matches than any
    real program has.
    """
    if _has_long_run(root):
        return []
    cursor = QueryCursor(query)
    # The progress callback of a cursor cannot limit it: as of 0.26.1 the binding keeps a pointer
    # to options on a stack frame that no longer exists, and crashes.
    cursor.set_max_start_depth(_DEPTH)
    if span:
        cursor.set_byte_range(*span)
    results = cursor.matches(root)
    size = root.end_byte - root.start_byte
    return results if len(results) <= _MATCHES_FREE + _MATCHES_PER_BYTE * size else []


def _has_long_run(root: Node) -> bool:
    """Return True if a node has a long run of unnamed children; only large nodes are visited."""
    level = [root]
    for _ in range(_DEPTH):
        level = [node for node in level if node.end_byte - node.start_byte >= _RUN]
        if not level:
            return False
        below: list[Node] = []
        for node in level:
            children = node.children
            if len(children) - node.named_child_count >= _RUN:
                runs = groupby(child.is_named for child in children)
                if any(not is_named and len(list(run)) >= _RUN for is_named, run in runs):
                    return True
            below += children
        level = below
    return False
