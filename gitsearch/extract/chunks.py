"""Split a blob into chunks along its syntax tree: each byte is in exactly one chunk.

Siblings are merged greedily up to the budget, and a node is split only if it exceeds the budget. A
comment or decorator stays with the node below it, the header of a split definition with the first
part of its body, closing brackets with the code that they close. Boundaries move back to the start
of their line, so a chunk may exceed the budget by part of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gitsearch.extract.syntax import Node
from gitsearch.records import Chunk, Definition

# Start and end of a part of a node, and the child node, None for text between children.
Unit = tuple[int, int, Node | None]

# A function from offsets in a text to their 1-based lines.
LinesOf = Callable[[list[int]], list[int]]

# Bytes of a chunk, chosen by both quality benchmarks: docs/ranking.md, "Chunk size".
BUDGET = 400

# Ends of the types of nodes that stand above a definition and belong to it.
_LEADING = ("comment", "decorator", "attribute_item", "annotation", "attribute_list")

# Node types that always start a chunk, even where two would fit together: sections of prose.
_ALWAYS_SPLIT = frozenset({"section"})

# Kinds after which a chunk is named only if no other definition starts in it or encloses it.
_DETAILS = frozenset({"field", "variable", "property", "enumerator", "constant"})

# A longer gap between the children of a node is text, not white space (bytes).
_GAP = 32

# A chunk smaller than the budget divided by this is merged with its neighbour if both fit.
_SMALL = 4

_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]")

# A line that only closes blocks.
_CLOSING = re.compile(rb"\s*+(?:end|fi|done|esac)?[^\w\x80-\xff]*+")


def cut_tree(root: Node, data: bytes, budget: int = BUDGET) -> list[int]:
    """Return the start offsets of chunks, strictly increasing from 0; data must not be empty."""
    cutter = _Cutter(data, budget)
    starts = _on_lines(cutter.walk(root), data, budget)
    return _merged(starts, cutter.always_split, data, budget)


def cut_lines(data: bytes, budget: int = BUDGET) -> list[int]:
    """Return the start offsets of chunks of whole lines; lines beyond the budget are split."""
    starts = [0]
    position = 0
    for line in data.splitlines(keepends=True):
        end = position + len(line)
        if end - starts[-1] > budget and position > starts[-1]:
            starts.append(position)
        while end - starts[-1] > 2 * budget:
            starts.append(_character_start(data, starts[-1] + budget))
        position = end
    return starts


class _Cutter:
    """Collects the start offsets of chunks during one walk over the tree."""

    def __init__(self, data: bytes, budget: int) -> None:
        self._data = data
        self._budget = budget
        self._starts: list[int] = []
        self._group: int | None = None  # start of the current group
        self._end = 0  # end of the current group
        self.always_split: set[int] = set()
        self._root = 0

    def walk(self, root: Node) -> list[int]:
        """Walk depth first, and return the start offsets.

        The stack is explicit, since hostile files nest deeper than Python recurses.
        """
        self._root = root.id
        stack = [iter(self._units(root))]
        owners = [root]
        while stack:
            unit = self._add(stack[-1])
            if unit is None:
                stack.pop()
                owners.pop()
                continue
            start, end, node = unit
            if node is not None and node.child_count:
                self._open(start, node.start_byte, owners[-1])
                stack.append(iter(self._units(node)))
                owners.append(node)
            else:
                self._flush()
                lines = cut_lines(self._data[start:end], self._budget)
                self._starts += [start + offset for offset in lines]
        self._flush()
        return self._starts

    def _units(self, node: Node) -> list[Unit]:
        """Return the children of a node, each with the comments and decorators above it.

        Text between children, as in a string with escapes, is a unit without a node.
        """
        units: list[Unit] = []
        lead: int | None = None
        last: Node | None = None
        at = node.start_byte
        for child in node.children:
            start, end = child.byte_range
            kind = child.type
            if start - at > _GAP:
                if lead is not None and last is not None:
                    units.append((lead, last.end_byte, last))
                lead = last = None
                units.append((at, start, None))
            at = end
            if kind.endswith(_LEADING) and end - start <= self._budget:
                if lead is None:
                    lead = start
                elif end - lead > self._budget and last is not None:
                    units.append((lead, last.end_byte, last))
                    lead = start
                last = child
                continue
            units.append((start if lead is None else lead, end, child))
            lead = last = None
            if kind in _ALWAYS_SPLIT:
                self.always_split.add(units[-1][0])
        if lead is not None and last is not None:
            units.append((lead, last.end_byte, last))
        if node.end_byte - at > _GAP:
            units.append((at, node.end_byte, None))
        return units

    def _add(self, units: Iterator[Unit]) -> Unit | None:
        """Group units up to the first that exceeds the budget; return that, or None."""
        budget, always_split = self._budget, self.always_split
        group, last = self._group, self._end
        large = None
        for unit in units:
            start, end, _ = unit
            if group is not None and start in always_split:
                self._starts.append(group)
                group = None
            if end - start > budget:
                large = unit
                break
            if group is not None and end - group > budget:
                self._starts.append(group)
                group = None
            if group is None:
                group = start
            last = end
        self._group, self._end = group, last
        return large

    def _open(self, start: int, node_start: int, owner: Node) -> None:
        """Descend into a node; a short group that is its header stays open."""
        inside = owner.id != self._root
        head = inside and self._group is not None and self._group >= owner.start_byte
        short = self._group is not None and self._end - self._group <= self._budget // 3
        if not (head and short):
            self._flush()
        if self._group is None and start < node_start:
            self._group, self._end = start, node_start

    def _flush(self) -> None:
        if self._group is not None:
            self._starts.append(self._group)
            self._group = None


def _on_lines(starts: list[int], data: bytes, budget: int) -> list[int]:
    """Move each start back to the start of its line, unless that is further than the budget."""
    moved = [0]
    for start in starts:
        line = data.rfind(b"\n", 0, start) + 1
        at = line if start - line <= budget else _character_start(data, start)
        if moved[-1] < at < len(data):  # a node may begin at the end of the text
            moved.append(at)
    return moved


def _merged(starts: list[int], always_split: set[int], data: bytes, budget: int) -> list[int]:
    """Merge chunks that are too small with the one before, if both fit into the budget."""
    ends = [*starts[1:], len(data)]
    kept = [starts[0]]
    small = budget // _SMALL
    for start, end in zip(starts[1:], ends[1:], strict=True):
        size = end - start
        fits = end - kept[-1] <= budget and start not in always_split
        wordless = size < small and not _WORD.search(data, start, end)
        if not wordless and not (fits and min(size, start - kept[-1]) < small):
            kept.append(start)
    return kept


def _character_start(data: bytes, offset: int) -> int:
    """Move an offset forward to the start of a UTF-8 character."""
    limit = min(offset + 3, len(data))
    while offset < limit and data[offset] & 0xC0 == 0x80:
        offset += 1
    return offset


def line_numbers(data: bytes) -> LinesOf:
    """Return a function from offsets in a text to their 1-based lines."""
    newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == 10)
    return lambda offsets: (np.searchsorted(newlines, offsets) + 1).tolist()


def as_chunks(
    starts: Sequence[int], data: bytes, definitions: Sequence[Definition]
) -> tuple[Chunk, ...]:
    """Return the chunks at some start offsets, with their lines and definitions.

    The lines exclude blank lines at both ends, and at the end those that only close blocks, which
    tell a reader of many results nothing.
    """
    ends = [*starts[1:], len(data)]
    firsts, lasts = [], []
    for start, end in zip(starts, ends, strict=True):
        text = data[start:end]
        code = len(text.lstrip())
        firsts.append(end - code if code else start)
        lasts.append(max(start + _content_end(text, firsts[-1] - start) - 1, start))
    lines_of = line_numbers(data)
    scopes, symbols = _assigned_definitions(firsts, ends, definitions)
    return tuple(map(Chunk, starts, ends, lines_of(firsts), lines_of(lasts), scopes, symbols))


def _content_end(text: bytes, first: int) -> int:
    """Return the end of the last line that is neither blank nor only closes blocks."""
    end = len(text.rstrip())
    while (line := text.rfind(b"\n", 0, end) + 1) > first and _CLOSING.fullmatch(text, line, end):
        end = line - 1
    return end


def _naming_definition(definitions: Sequence[Definition], first: int, end: int, scope: int) -> int:
    """Return the first definition in a chunk not of _DETAILS, else `scope`, else the first one."""
    at = first
    while at < len(definitions) and definitions[at].start < end:
        if definitions[at].kind not in _DETAILS:
            return at
        at += 1
    return first if at > first and scope < 0 else scope


def _assigned_definitions(
    firsts: list[int], ends: list[int], definitions: Sequence[Definition]
) -> tuple[list[int], list[int]]:
    """Return for each chunk the definition around its first byte, and the one that names it."""
    scopes, symbols = [], []
    upcoming = 0
    enclosing: list[int] = []
    for first, end in zip(firsts, ends, strict=True):
        while upcoming < len(definitions) and definitions[upcoming].start < first:
            enclosing.append(upcoming)
            upcoming += 1
        if enclosing:
            enclosing = [index for index in enclosing if definitions[index].end > first]
        scope = enclosing[-1] if enclosing else -1
        scopes.append(scope)
        symbols.append(_naming_definition(definitions, upcoming, end, scope))
    return scopes, symbols
