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
from difflib import SequenceMatcher
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
    matches = [_align(new, old, start, end, weight_of) for start, end in windows]
    return max(matches, key=lambda candidate: candidate.score)


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
) -> Match:
    """Align the new code with n-grams [start, end) of the old code, in order, and score it."""
    matcher = SequenceMatcher(None, new.ngrams.tolist(), old.ngrams[start:end].tolist(), False)
    pairs: dict[int, int] = {}
    for block in matcher.get_matching_blocks():
        if block.size:
            for i in range(block.size + NGRAM - 1):
                pairs.setdefault(block.a + i, start + block.b + i)
    low, high = min(pairs.values()), max(pairs.values()) + 1
    recall, precision = len(pairs) / len(new), len(set(pairs.values())) / (high - low)
    names, renamed = _compare_names(new, old, pairs, weight_of)
    shape = 2 * recall * precision / (recall + precision)
    return Match(low, high, shape, names, renamed, 1 - exp(-new.size / _SIZE_SCALE))


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
