"""Numbers and occurrences of terms in all segments of a view, kept for the next query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Where a term occurs, in parts: rows (int64), and how often each has it.
_Parts = list[tuple[np.ndarray, np.ndarray]]

# The most numbers that are remembered, of all terms and segments, and the most terms: a term takes
# 200 bytes beside its numbers.
_REMEMBERED = 1 << 19
_MOST_TERMS = 1 << 14

# The most rows that are remembered, 12 bytes each at most, and how many a term counts at least, so
# that there are few of them.
_MOST_ROWS = 1 << 21
_LEAST_ROWS = 1 << 11


class Terms(Protocol):
    """The terms of a segment."""

    def sought(self, texts: Sequence[str], /) -> list[int]:
        """Return the numbers of some terms, -1 for those that are none."""


class TermNumbers:
    """The numbers of terms in each of some segments; those that were looked up are remembered."""

    def __init__(self, segments: Sequence[Terms]) -> None:
        self._segments = segments
        self._known: dict[str, np.ndarray] = {}

    def of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the number of each term in each segment, or -1: int64 (texts, segments)."""
        # legs run in threads: none of them takes what another one is about to read
        known = self._known
        new = {text for text in texts if text not in known}
        count = len(known) + len(new)
        if count > _MOST_TERMS or count * len(self._segments) > _REMEMBERED:
            known = self._known = {}
            new = set(texts)
        if new:
            # those that are near to each other are found near to each other
            ordered = sorted(new)
            found = np.asarray([segment.sought(ordered) for segment in self._segments], np.int64)
            known.update(zip(ordered, np.ascontiguousarray(found.T), strict=True))
        out = np.empty((len(texts), len(self._segments)), np.int64)
        for i, text in enumerate(texts):
            out[i] = known[text]
        return out


class TermOccurrences:
    """The occurrences of the terms that were asked for last.

    A question that is being typed has the words of the one before, and one more.
    """

    def __init__(self) -> None:
        # those that were asked for last come first
        self._known: dict[str, _Parts] = {}

    def of(
        self, texts: Sequence[str], find: Callable[[Sequence[str]], list[_Parts]]
    ) -> list[_Parts]:
        """Return the parts of each text, those that are not remembered as `find` finds them.

        Nobody writes to them.
        """
        # as numbers: what another thread is about to read is not taken from it
        known = self._known
        found = {text: known[text] for text in texts if text in known}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, find(new), strict=True))
        self._known = _first(found | known)
        return [found[text] for text in texts]


def _first(known: dict[str, _Parts]) -> dict[str, _Parts]:
    """The first of some terms that have at most so many rows together."""
    left, kept = _MOST_ROWS, {}
    for text, parts in known.items():
        size = max(_LEAST_ROWS, sum(len(rows) for rows, _ in parts))
        if size <= left:
            left -= size
            kept[text] = [(_alone(rows), _alone(often)) for rows, often in parts]
    return kept


def _alone(numbers: np.ndarray) -> np.ndarray:
    """Return numbers that keep no other array in memory, as a part of one does."""
    return numbers if numbers.base is None else numbers.copy()
