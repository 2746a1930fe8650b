"""Whether one piece of code is a copy of another, its names changed or a few statements edited.

Both are read as runs of lexemes in which each name says only how far back it stood last (Baker
1995), so that names renamed one for one are equal and others are not. What the two have in common
in the same order is the proof; that names are the same too makes it likelier.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from math import exp
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from gitsearch.features.lexemes import NAME, NUMBER, STRING, Lexemes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Lexemes of a run.
RUN = 6

# What is looked at of the other text at once, against the length of the new one.
_ROOM = 1.3

# Places of it that are looked at, and how many runs in common they have against the best.
_PLACES = 6
_NEARLY = 0.8

# Below this share of runs in common nothing more is looked at.
_LEAST = 0.35

# The weight of the shape, and the different runs of which it must consist to say two thirds of
# what it can say alone: chosen so that what is told of real commits has a shape above 0.8, and
# short code that has only its shape in common is not told at all (bench/duplicates).
_WEIGHT = 1.5
_TELLING = 50

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FREE = frozenset({NAME, NUMBER, STRING})


class CodeTokens:
    """Lexemes that are ready to be compared."""

    def __init__(self, found: Lexemes) -> None:
        self.found = found

    def __len__(self) -> int:
        return len(self.found.shapes)

    @cached_property
    def runs(self) -> np.ndarray:
        """One number for each run of `RUN` lexemes, equal where the runs are: uint64."""
        count = len(self) - RUN + 1
        if count <= 0:
            return np.zeros(0, np.uint64)
        shapes = np.fromiter(map(_number, self.found.shapes), np.uint64, len(self))
        back = self._back()
        mixed = np.zeros(count, np.uint64)
        with np.errstate(over="ignore"):
            for i in range(RUN):
                far = back[i : i + count]
                # a name that did not stand in this run before is new in it
                place = np.where(far <= i, far, 0).astype(np.uint64)
                mixed = (mixed ^ (shapes[i : i + count] + (place << np.uint64(33)))) * _FACTOR
                mixed ^= mixed >> np.uint64(29)
        return mixed

    def _back(self) -> np.ndarray:
        """How many lexemes ago each name stood last: int64, 0 for the first time."""
        last: dict[str, int] = {}
        back = np.zeros(len(self), np.int64)
        for i, (shape, text) in enumerate(zip(self.found.shapes, self.found.texts, strict=True)):
            if shape == NAME:
                back[i] = i - last.get(text, i)
                last[text] = i
        return back

    @cached_property
    def size(self) -> int:
        """How many different runs there are: tables and lists of the like have few."""
        return len(np.unique(self.runs))


@cache
def _number(shape: str) -> int:
    return crc32(shape.encode())


@dataclass(frozen=True, slots=True)
class Match:
    """Where the other code has it (lexemes, end excluded), and how alike the two are, in 0..1.

    shape: of both what the other has too, in the same order; names: of the names in common places,
    weighed by how rare they are, those that are the same; renamed: whether names that differ do so
    one for one; size: how much the shape says alone, by the number of different runs.
    """

    start: int
    end: int
    shape: float
    names: float
    renamed: float
    size: float

    @property
    def score(self) -> float:
        """All of it in one number: names need not be the same where the shape says enough."""
        names = self.size + (1 - self.size) * self.names
        return float(self.shape**_WEIGHT) * self.renamed * names


def match(new: CodeTokens, old: CodeTokens, weigh: Callable[[str], float]) -> Match | None:
    """The place in `old` that is most like `new`, or None where none is."""
    common = np.isin(old.runs, new.runs)
    if not len(new.runs) or common.sum() < _LEAST * len(new.runs):
        return None
    places = _dense(common, int(len(new.runs) * _ROOM) + RUN)
    found = [_aligned(new, old, start, end, weigh) for start, end in places]
    return max(found, key=lambda one: one.score)


def _dense(common: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Where most of some flags lie within so many, trimmed; then others that have nearly as many.

    What has siblings of the same shape beside it is told from them by its names alone.
    """
    left = common.copy()
    least = 0.0
    for _ in range(_PLACES):
        sums = np.concatenate([[0], np.cumsum(left)])
        ends = np.minimum(np.arange(len(left)) + size, len(left))
        counts = sums[ends] - sums[:-1]
        start = int(np.argmax(counts))
        if counts[start] < max(least, 1):
            return
        least = _NEARLY * counts[start]
        inside = np.flatnonzero(left[start : start + size])
        low, high = start + int(inside[0]), start + int(inside[-1]) + 1
        yield low, high
        left[low:high] = False


def _aligned(
    new: CodeTokens, old: CodeTokens, start: int, end: int, weigh: Callable[[str], float]
) -> Match:
    """What the new code and some runs of the old one have in common, in the same order."""
    matcher = SequenceMatcher(None, new.runs.tolist(), old.runs[start:end].tolist(), False)
    pairs: dict[int, int] = {}
    for block in matcher.get_matching_blocks():
        if block.size:
            for i in range(block.size + RUN - 1):
                pairs.setdefault(block.a + i, start + block.b + i)
    low, high = min(pairs.values()), max(pairs.values()) + 1
    of_new, of_old = len(pairs) / len(new), len(set(pairs.values())) / (high - low)
    names, renamed = _names(new, old, pairs, weigh)
    shape = 2 * of_new * of_old / (of_new + of_old)
    return Match(low, high, shape, names, renamed, 1 - exp(-new.size / _TELLING))


def _names(
    new: CodeTokens, old: CodeTokens, pairs: dict[int, int], weigh: Callable[[str], float]
) -> tuple[float, float]:
    """The share of the same names, by weight, and of names that are renamed one for one."""
    meant: dict[str, Counter[str]] = {}
    for i, j in pairs.items():
        if new.found.shapes[i] in _FREE:
            meant.setdefault(new.found.texts[i], Counter())[old.found.texts[j]] += 1
    total = same = 0.0
    placed = alike = 0
    for text, others in meant.items():
        weight = weigh(text)
        total += weight
        often = sum(others.values())
        same += weight * others[text] / often
        if text[0].isalpha() or text[0] == "_":
            placed += often
            alike += max(others.values())
    return (same / total if total else 1.0), (alike / placed if placed else 1.0)


# Different runs: fewer say too little, whatever they are, of a definition and of other lines.
_FEWEST, _FEWEST_LOOSE = 20, 40

# The share of different runs in what is more than a table.
_VARIETY = 0.2


def worthwhile(code: CodeTokens, *, named: bool) -> bool:
    """Whether there is enough in a unit for a likeness to mean anything."""
    return code.size >= (_FEWEST if named else _FEWEST_LOOSE) and (
        code.size >= _VARIETY * len(code)
    )
