"""The definition of a file that a name or a line means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.line_ranges import absent_lines, line_number
from gitsearch.errors import BadPath, nearest

if TYPE_CHECKING:
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment


def find_symbol(opened: OpenView, segment: Segment, file: int, asked: str) -> int | None:
    """The symbol row that a name, qualified or not, or a line means.

    None for a line outside of all definitions. Raises BadPath for a name or a line that the file
    lacks, and for a line of a file that is not searched.
    """
    rows = segment.symbols_of(file)
    if (line := line_number(asked)) is not None:
        count_lines(opened, segment, file, line)
        inside = [
            row for row in rows if segment.symbol(row).first <= line <= segment.symbol(row).last
        ]
        return inside[-1] if inside else None
    for row in rows:
        if asked in (segment.qualified(row), segment.name(row)):
            return row
    names = sorted({segment.name(row) for row in rows})
    shown = os.fsdecode(segment.path(file))
    raise BadPath(f"no symbol '{asked}' in '{shown}'", nearest(asked, names))


def count_lines(opened: OpenView, segment: Segment, file: int, line: int | None = None) -> int:
    """The number of lines of a file.

    Raises BadPath if it is not searched, or if it has no such line.
    """
    shown = os.fsdecode(segment.path(file))
    if reason := segment.reason(file):
        raise BadPath(f"'{shown}' is not searched: {reason}", "`git search status --skipped`")
    lines = opened.texts.lines(segment.oid(file))
    last = len(lines) - (not lines[-1])
    if line is not None and not 1 <= line <= last:
        raise absent_lines(shown, last, line, line)
    return last
