"""The definitions of a file that a name or some lines mean."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.line_ranges import absent_lines, line_range
from gitsearch.errors import BadPath, nearest
from gitsearch.extract.symbol_kinds import PLACES

if TYPE_CHECKING:
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment


def find_symbols(opened: OpenView, segment: Segment, file: int, asked: str) -> list[int]:
    """The symbol rows that a name, qualified or not, a line or a range of lines means.

    None for lines outside of all definitions. Raises BadPath for a name or lines that the file
    lacks, and for lines of a file that is not searched.
    """
    if (lines := line_range(asked)) is None:
        return [find_symbol(segment, file, asked)]
    count_lines(opened, segment, file, lines)
    return _at_lines(segment, file, *lines)


def find_symbol(segment: Segment, file: int, name: str) -> int:
    """The symbol row of a name, qualified or not; raises BadPath for one that the file lacks."""
    rows = segment.symbols_of(file)
    for row in rows:
        if name in (segment.qualified(row), segment.name(row)):
            return row
    names = sorted({segment.name(row) for row in rows})
    shown = os.fsdecode(segment.path(file))
    raise BadPath(f"no symbol '{name}' in '{shown}'", nearest(name, names))


def _at_lines(segment: Segment, file: int, first: int, last: int) -> list[int]:
    """The innermost definition at the first line, and those that begin after it has ended.

    Of a type or namespace that begins before only the members that begin in the lines, if any.
    """
    around = None
    begun: list[int] = []
    end = 0
    for row in segment.symbols_of(file):
        symbol = segment.symbol(row)
        if symbol.first <= first <= symbol.last:
            around = row
        if first <= symbol.first <= last and symbol.first > end:
            begun.append(row)
            end = symbol.last
    if around is None:
        return begun
    own = segment.symbol(around)
    if begun and own.first < first and segment.kind(around) in PLACES:
        return begun
    return [around, *(row for row in begun if segment.symbol(row).first > own.last)]


def count_lines(
    opened: OpenView, segment: Segment, file: int, lines: tuple[int, int] | None = None
) -> int:
    """The number of lines of a file.

    Raises BadPath if it is not searched, or if it has none of the lines, the first one first.
    """
    shown = os.fsdecode(segment.path(file))
    if reason := segment.reason(file):
        raise BadPath(f"'{shown}' is not searched: {reason}", "`git search status --skipped`")
    texts = opened.texts.lines(segment.oid(file))
    count = len(texts) - (not texts[-1])
    if lines is not None and not 1 <= lines[0] <= count:
        raise absent_lines(shown, count, *lines)
    return count
