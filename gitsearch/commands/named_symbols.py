"""The definition of a file that a name or a line means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.line_ranges import line_number
from gitsearch.errors import BadPath, nearest

if TYPE_CHECKING:
    from gitsearch.index.view import Segment


def find_symbol(segment: Segment, file: int, asked: str) -> int | None:
    """The symbol row that a name, qualified or not, or a line means.

    None for a line outside of all definitions. Raises BadPath for a name that the file lacks.
    """
    rows = segment.symbols_of(file)
    if (line := line_number(asked)) is not None:
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
