"""What is new in a tree, as units that may be copies: definitions, and runs of lines beside them.

Left out is what everybody has: imports, tables, trivial bodies, generated and foreign files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import LANGUAGES
from gitsearch.retrieval.filters import by_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.index.view import Segment, View

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})

# Files in which nothing is written by hand, or not by the people of this repository.
FOREIGN = path_kinds.GENERATED | path_kinds.VENDORED | path_kinds.DECLARATIONS

# A definition is new when so much of its lines is.
_NEW = 0.6

# Lines of a run that is compared at once, and of a gap that does not end it.
_LONGEST = 60
_GAP = 1

# Lines that are gone back for the start of a definition.
_NEAR = 300

# A shorter definition is looked at only together with what is new around it.
_SHORTEST = 4

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s++\S++\s++import\b|use\s+[\w:\\]|\#\s*include\b|require\b|package\b|using\b"
    r"|const\s.*=\s*+require\(|export\s.*\sfrom\s|alias\b|open\s|mod\s+\w+;)"
)
_WORDY = re.compile(r"\w.*\w.*\w")


@dataclass(frozen=True, slots=True)
class ChangedUnit:
    """Lines of a file that are new together, and the definition that they are, if any."""

    path: bytes
    first: int
    last: int
    symbol: str | None


def allowed(view: View, tests: str) -> np.ndarray:
    """One bool a row: code that people of this repository have written."""
    parts = [np.zeros(0, bool)]
    for segment in view.segments:
        own = (segment["path_kind"] & FOREIGN) == 0
        parts.append(np.repeat(own, segment.file_sizes))
    rows: np.ndarray = np.concatenate(parts) & by_file(view, content="code", tests=tests)
    return rows


def written(segment: Segment, file: int, tests: str) -> bool:
    """Whether a file is code that people of this repository have written."""
    kind = int(segment["path_kind"][file])
    language = LANGUAGES.get(segment.meta["languages"][int(segment["language"][file])])
    if kind & FOREIGN or language is None or language.content != "code":
        return False
    return tests == "include" or bool(kind & path_kinds.TEST) == (tests == "only")


def units(
    view: View, path: bytes, lines: Sequence[str], fresh: frozenset[int], tests: str
) -> Iterator[ChangedUnit]:
    """The new units of a file with these lines, of which some are fresh (counted from one)."""
    place = view.find(path)
    if place is None or not written(*place, tests):
        return
    wordy = {i for i, line in enumerate(lines, 1) if _WORDY.search(line)}
    left = {i for i in fresh & wordy if not _IMPORT.match(lines[i - 1])}
    for first, last, symbol in definitions(*place):
        inside = [i for i in range(first, last + 1) if i in wordy]
        if len(inside) < _SHORTEST or sum(i in fresh for i in inside) < _NEW * len(inside):
            continue
        left.difference_update(range(first, last + 1))
        yield ChangedUnit(path, first, last, symbol)
    for first, last in _runs(sorted(left), wordy):
        if last - first >= _SHORTEST:
            yield ChangedUnit(path, first, last, None)


def definitions(segment: Segment, file: int) -> Iterator[tuple[int, int, str]]:
    """The functions of a file that lie in no other, by line."""
    low, high = np.searchsorted(segment["symbol_file"], [file, file + 1])
    end = 0
    for symbol in range(int(low), int(high)):
        if segment.kind(symbol) not in FUNCTIONS:
            continue
        first, last = int(segment["symbol_first"][symbol]), int(segment["symbol_last"][symbol])
        if first > end:
            end = last
            yield first, last, segment.qualified(symbol)


def _runs(lines: Sequence[int], wordy: set[int]) -> Iterator[tuple[int, int]]:
    """Lines that lie together, but for others that say nothing; long runs in parts."""
    start = 0
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else None
        together = following is not None and (
            sum(j in wordy for j in range(line + 1, following)) <= _GAP
        )
        if not together or line - lines[start] >= _LONGEST:
            yield lines[start], line
            start = i + 1


def start_before(segment: Segment, file: int, line: int) -> int:
    """The line at or before another one where a definition starts, if there is one near.

    Text that is cut there is not cut inside of a comment or a string.
    """
    low, high = np.searchsorted(segment["symbol_file"], [file, file + 1])
    starts = segment["symbol_first"][low:high].astype(np.int64)
    before = starts[(starts <= line) & (starts > line - _NEAR)]
    return int(before.max()) if len(before) else line


def symbol_at(segment: Segment, file: int, first: int, last: int) -> str | None:
    """The definition that some lines are or lie in: the innermost that has most of them."""
    found = None
    low, high = np.searchsorted(segment["symbol_file"], [file, file + 1])
    starts = segment["symbol_first"][low:high].astype(np.int64)
    ends = segment["symbol_last"][low:high].astype(np.int64)
    common = np.minimum(ends, last) - np.maximum(starts, first) + 1
    for at in np.flatnonzero(2 * common > last - first + 1).tolist():
        found = segment.qualified(int(low) + at)
    return found
