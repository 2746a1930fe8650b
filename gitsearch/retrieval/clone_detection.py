"""Clone detection: tells copies with renamed identifiers or a few edited statements.

Code is compared as n-grams of lexemes in which each name is replaced by the distance to its
previous occurrence (parameterized matching, Baker 1995), so that code is equal under consistent
renaming only. The evidence is the n-grams that both have in the same order; equal names raise the
score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import exp
from zlib import crc32

import numpy as np

from gitsearch.features.lexemes import NAME, NUMBER, STRING, Lexemes

# Lexemes of an n-gram.
NGRAM = 6

# Length of the window of the other text that is compared, relative to the new code.
_WINDOW_FACTOR = 1.3

# How many windows are compared, and the least number of common n-grams of one, relative to the
# window before.
_MAX_WINDOWS = 6
_MIN_RELATIVE_OVERLAP = 0.8

# A pair with a smaller share of common n-grams is not aligned.
_MIN_COMMON_SHARE = 0.35

# The exponent of the shape in the score, and the number of distinct n-grams at which the shape
# counts two thirds of what it can count without equal names: chosen so that copies reported of
# real commits have a shape above 0.8, and short code that has only its shape in common is not
# reported at all (bench/duplicates).
_SHAPE_EXPONENT = 1.5
_SIZE_SCALE = 50

# The most pairs of equal n-grams of two pieces of code, which take 40 bytes each, and how often
# one is looked at, all in all.
_MOST_PAIRS = 2_000_000
_MOST_LOOKED = 100_000_000

_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_RENAMABLE = frozenset({NAME, NUMBER, STRING})


class CodeTokens:
    """The lexemes of a piece of code, with the n-grams by which it is compared."""

    def __init__(self, lexemes: Lexemes) -> None:
        self.lexemes = lexemes

    def __len__(self) -> int:
        return len(self.lexemes.shapes)

    @cached_property
    def ngrams(self) -> np.ndarray:
        """Hash of each n-gram of `NGRAM` lexemes, renaming ignored: uint64 (n-grams,)."""
        count = len(self) - NGRAM + 1
        if count <= 0:
            return np.zeros(0, np.uint64)
        shapes = np.fromiter(map(_hashed, self.lexemes.shapes), np.uint64, len(self))
        distances = self._distances()
        mixed = np.zeros(count, np.uint64)
        with np.errstate(over="ignore"):
            for i in range(NGRAM):
                distance = distances[i : i + count]
                # a name whose previous occurrence is before this n-gram counts as new in it
                within = np.where(distance <= i, distance, 0).astype(np.uint64)
                lexeme = shapes[i : i + count] + (within << np.uint64(33))
                mixed = (mixed ^ lexeme) * _HASH_MULTIPLIER
                mixed ^= mixed >> np.uint64(29)
        return mixed

    def _distances(self) -> np.ndarray:
        """Distance of each name to its previous occurrence, in lexemes; 0 without one: int64."""
        last: dict[str, int] = {}
        distances = np.zeros(len(self), np.int64)
        for i, text in enumerate(self.lexemes.texts):
            if self.lexemes.shapes[i] == NAME:
                distances[i] = i - last.get(text, i)
                last[text] = i
        return distances

    @cached_property
    def size(self) -> int:
        """Number of distinct n-grams; tables and repetitive lists have few."""
        return len(np.unique(self.ngrams))


@cache
def _hashed(shape: str) -> int:
    return crc32(shape.encode())


@dataclass(frozen=True, slots=True)
class Match:
    """A range of the other code (lexemes, end excluded) and its similarities, each in 0..1.

    shape: F1 of the aligned lexemes; names: share of aligned names that are equal, weighted by
    rarity; renamed: share of names that are renamed one for one; size: evidence of the shape
    without equal names, by the number of distinct n-grams.
    """

    start: int
    end: int
    shape: float
    names: float
    renamed: float
    size: float

    @property
    def score(self) -> float:
        """Combined similarity, 0..1; equal names count less the larger the code is."""
        names = self.size + (1 - self.size) * self.names
        return float(self.shape**_SHAPE_EXPONENT) * self.renamed * names


def match(new: CodeTokens, old: CodeTokens, weight_of: Callable[[str], float]) -> Match | None:
    """Return the range of `old` that is most similar to `new`; None if too little is common.

    weight_of: the rarity of a name or literal, 0..1.
    """
    common = np.isin(old.ngrams, new.ngrams)
    if not len(new.ngrams) or common.sum() < _MIN_COMMON_SHARE * len(new.ngrams):
        return None
    windows = _densest_windows(common, int(len(new.ngrams) * _WINDOW_FACTOR) + NGRAM)
    aligned = [_align(new, old, start, end, weight_of) for start, end in windows]
    matches = [one for one in aligned if one is not None]
    return max(matches, key=lambda candidate: candidate.score, default=None)


def _densest_windows(common: np.ndarray, size: int) -> Iterator[tuple[int, int]]:
    """Yield the window of at most `size` n-grams with the most common ones, then further ones.

    Windows are trimmed to their first and last common n-gram. Several are needed because code
    among siblings of the same shape can be told from them by its names alone.
    """
    left = common.copy()
    least = 0.0
    for _ in range(_MAX_WINDOWS):
        sums = np.concatenate([[0], np.cumsum(left)])
        ends = np.minimum(np.arange(len(left)) + size, len(left))
        counts = sums[ends] - sums[:-1]
        start = int(np.argmax(counts))
        if counts[start] < max(least, 1):
            return
        least = _MIN_RELATIVE_OVERLAP * counts[start]
        inside = np.flatnonzero(left[start : start + size])
        low, high = start + int(inside[0]), start + int(inside[-1]) + 1
        yield low, high
        left[low:high] = False


def _align(
    new: CodeTokens, old: CodeTokens, start: int, end: int, weight_of: Callable[[str], float]
) -> Match | None:
    """Align the new code with n-grams [start, end) of the old code, in order, and score it."""
    pairs: dict[int, int] = {}
    for at, where, size in matching_blocks(new.ngrams, old.ngrams[start:end]):
        for i in range(size + NGRAM - 1):
            pairs.setdefault(at + i, start + where + i)
    if not pairs:
        return None
    low, high = min(pairs.values()), max(pairs.values()) + 1
    recall, precision = len(pairs) / len(new), len(set(pairs.values())) / (high - low)
    names, renamed = _compare_names(new, old, pairs, weight_of)
    shape = 2 * recall * precision / (recall + precision)
    return Match(low, high, shape, names, renamed, 1 - exp(-new.size / _SIZE_SCALE))


def matching_blocks(new: np.ndarray, old: np.ndarray) -> list[tuple[int, int, int]]:
    """Return the blocks that two sequences have in common: places in `new` and `old`, and length.

    The longest one, and then those on either side of it (Ratcliff and Obershelp 1988, as `difflib`
    does); of those of one length the first in `new`, and then in `old`. In order of their places.
    Of very repetitive code not all of what is repeated is looked at.
    """
    at, where = _equal_pairs(new, old)
    length = _run_lengths(at, where)
    blocks: list[tuple[int, int, int]] = []
    todo = [(0, len(new), 0, len(old))]
    looked = 0
    while todo and looked < _MOST_LOOKED:
        low, high, left, right = todo.pop()
        first, last = np.searchsorted(at, (low, high)).tolist()
        looked += last - first
        inside = (where[first:last] >= left) & (where[first:last] < right)
        found = first + np.flatnonzero(inside)
        if not len(found):
            continue
        room = np.minimum(at[found] - low, where[found] - left) + 1
        sizes = np.minimum(length[found], room)
        best = int(sizes.argmax())
        size = int(sizes[best])
        end, until = int(at[found[best]]) + 1, int(where[found[best]]) + 1
        blocks.append((end - size, until - size, size))
        todo += [(low, end - size, left, until - size), (end, high, until, right)]
    return sorted(blocks)


def _equal_pairs(new: np.ndarray, old: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places in `new` and in `old` of equal elements, ascending: int64 each."""
    order = np.argsort(old, kind="stable")
    begin = np.searchsorted(old[order], new, "left")
    counts = np.searchsorted(old[order], new, "right") - begin
    if counts.sum() > _MOST_PAIRS:
        counts = np.minimum(counts, max(_MOST_PAIRS // len(new), 1))
    ends = np.cumsum(counts)
    at = np.repeat(np.arange(len(new)), counts)
    where = order[np.arange(len(at)) - (ends - counts - begin)[at]]
    return at, where


def _run_lengths(at: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Return how many pairs of equal elements, one behind the other, end with each pair: int64."""
    by_shift = np.lexsort((at, where - at))
    shift, place = (where - at)[by_shift], at[by_shift]
    begins = np.ones(len(at), bool)
    begins[1:] = (shift[1:] != shift[:-1]) | (place[1:] != place[:-1] + 1)
    numbers = np.arange(len(at))
    length = np.empty(len(at), np.int64)
    length[by_shift] = numbers - np.maximum.accumulate(np.where(begins, numbers, 0)) + 1
    return length


def _compare_names(
    new: CodeTokens, old: CodeTokens, pairs: dict[int, int], weight_of: Callable[[str], float]
) -> tuple[float, float]:
    """Return the weighted share of equal names, and the share of names renamed one for one."""
    counterparts: dict[str, Counter[str]] = {}
    for i, j in pairs.items():
        if new.lexemes.shapes[i] in _RENAMABLE:
            counterparts.setdefault(new.lexemes.texts[i], Counter())[old.lexemes.texts[j]] += 1
    total = same = 0.0
    names = consistent = 0
    for text, others in counterparts.items():
        weight = weight_of(text)
        total += weight
        count = sum(others.values())
        same += weight * others[text] / count
        if text[0].isalpha() or text[0] == "_":
            names += count
            consistent += max(others.values())
    return (same / total if total else 1.0), (consistent / names if names else 1.0)


# The least number of distinct n-grams that is evidence of copying, of a definition and of a run
# of other lines.
_MIN_DISTINCT, _MIN_DISTINCT_UNNAMED = 20, 40

# The least share of distinct n-grams; a table has fewer.
_MIN_DISTINCT_SHARE = 0.2


def worthwhile(code: CodeTokens, *, named: bool) -> bool:
    """Return True if a unit is large and varied enough for a similarity to be evidence."""
    return code.size >= (_MIN_DISTINCT if named else _MIN_DISTINCT_UNNAMED) and (
        code.size >= _MIN_DISTINCT_SHARE * len(code)
    )
