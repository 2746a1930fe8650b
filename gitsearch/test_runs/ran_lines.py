"""The lines of a file that a test ran, and bounds of what is read."""

from __future__ import annotations

from typing import NamedTuple

from gitsearch.errors import BadCoverage

# The highest number of a line, and the most entries of a file of data.
MOST_LINES = 1 << 20
MOST_ENTRIES = 1 << 22


class RanLines(NamedTuple):
    """The lines of a file that a test ran, as bits: bit n stands for line n.

    test: its name as the runner says it, "" where the data names none; path: as recorded.
    """

    test: str
    path: str
    lines: int


def damaged(reason: str) -> BadCoverage:
    """Return the error for data that is not what it seems to be; the reader adds its name."""
    return BadCoverage(reason, "record it anew")


def bit(line: int) -> int:
    """Return the bit of a line; raises BadCoverage for what is no line."""
    if not 0 <= line <= MOST_LINES:
        raise damaged(f"it has a line {line}")
    return 1 << line
