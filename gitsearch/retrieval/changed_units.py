"""Added code of a tree, cut into units for clone detection: functions and runs of lines.

Code that every program has is left out: imports, tables, trivial bodies, generated and vendored
files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of
from gitsearch.extract.symbol_kinds import FUNCTIONS
from gitsearch.index.view import Segment, View
from gitsearch.retrieval.filters import by_file

# Kinds of files that are generated, or written by the people of another repository.
_NOT_HANDWRITTEN = path_kinds.GENERATED | path_kinds.VENDORED | path_kinds.DECLARATIONS

# A function is new if at least this share of its substantive lines was added.
_MIN_NEW_SHARE = 0.6

# The longest run of lines that makes one unit, and the longest gap of old lines within a run.
_MAX_RUN_LINES = 60
_MAX_GAP_LINES = 1

# How many lines before a line its definition is looked for.
_MAX_LOOKBACK_LINES = 300

# A shorter function is compared only as part of a run with the added lines around it.
_MIN_LINES = 4

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s++\S++\s++import\b|use\s+[\w:\\]|\#\s*include\b|require\b|package\b|using\b"
    r"|const\s.*=\s*+require\(|export\s.*\sfrom\s|alias\b|open\s|mod\s+\w+;)"
)
_SUBSTANTIVE = re.compile(r"\w.*\w.*\w")


@dataclass(frozen=True, slots=True)
class ChangedUnit:
    """A range of added lines (1-based, inclusive), and the function it is; None for a run."""

    path: bytes
    first: int
    last: int
    symbol: str | None


def handwritten_rows(view: View, tests: str) -> np.ndarray:
    """Mask of the rows with code that was written by hand in this repository: bool (rows,)."""
    return by_file(view, content="code", tests=tests, excluded=_NOT_HANDWRITTEN)


def is_handwritten(segment: Segment, file: int, tests: str) -> bool:
    """Return True if a file is code that was written by hand in this repository."""
    kind = int(segment["path_kind"][file])
    if kind & _NOT_HANDWRITTEN or content_of(segment.language(file)) != "code":
        return False
    return tests == "include" or bool(kind & path_kinds.TEST) == (tests == "only")


def units(
    view: View, path: bytes, lines: Sequence[str], added: frozenset[int], tests: str
) -> Iterator[ChangedUnit]:
    """Yield the new units of a file, given its lines and the 1-based numbers of added ones."""
    location = view.find(path)
    if location is None or not is_handwritten(*location, tests):
        return
    substantive = {i for i, line in enumerate(lines, 1) if _SUBSTANTIVE.search(line)}
    remaining = {i for i in added & substantive if not _IMPORT.match(lines[i - 1])}
    for first, last, symbol in outermost_functions(*location):
        body = [i for i in range(first, last + 1) if i in substantive]
        if len(body) < _MIN_LINES or sum(i in added for i in body) < _MIN_NEW_SHARE * len(body):
            continue
        remaining.difference_update(range(first, last + 1))
        yield ChangedUnit(path, first, last, symbol)
    for first, last in _runs(sorted(remaining), substantive):
        if last - first >= _MIN_LINES:
            yield ChangedUnit(path, first, last, None)


def outermost_functions(segment: Segment, file: int) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, qualified name) of functions that no other one encloses."""
    end = 0
    for symbol in segment.symbols_of(file):
        if segment.kind(symbol) not in FUNCTIONS:
            continue
        first, last = int(segment["symbol_first"][symbol]), int(segment["symbol_last"][symbol])
        if first > end:
            end = last
            yield first, last, segment.qualified(symbol)


def _runs(lines: Sequence[int], substantive: set[int]) -> Iterator[tuple[int, int]]:
    """Group ascending line numbers into runs with small gaps; long runs are split.

    Blank lines and lines of punctuation do not count towards a gap.
    """
    start = 0
    for i, line in enumerate(lines):
        following = lines[i + 1] if i + 1 < len(lines) else None
        continues = following is not None and (
            sum(j in substantive for j in range(line + 1, following)) <= _MAX_GAP_LINES
        )
        if not continues or line - lines[start] >= _MAX_RUN_LINES:
            yield lines[start], line
            start = i + 1


def start_before(segment: Segment, file: int, line: int) -> int:
    """Return the line of the closest definition that starts at or before a line, else the line.

    Text that is cut at the start of a definition is not cut inside a comment or a string.
    """
    symbols = np.asarray(segment.symbols_of(file), np.int64)
    starts = segment["symbol_first"][symbols].astype(np.int64)
    before = starts[(starts <= line) & (starts > line - _MAX_LOOKBACK_LINES)]
    return int(before.max()) if len(before) else line


def symbol_at(segment: Segment, file: int, first: int, last: int) -> str | None:
    """Return the name of the innermost definition that holds most of some lines, or None."""
    symbols = np.asarray(segment.symbols_of(file), np.int64)
    starts, ends = (
        segment[f"symbol_{end}"][symbols].astype(np.int64) for end in ("first", "last")
    )
    overlap = np.minimum(ends, last) - np.maximum(starts, first) + 1
    holding = symbols[2 * overlap > last - first + 1].tolist()
    return segment.qualified(holding[-1]) if holding else None
