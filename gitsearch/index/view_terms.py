"""Numbers of terms in all segments of a view, remembered from one query to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

# The most numbers that are remembered, of all terms and segments, and the most terms: a term takes
# 200 bytes beside its numbers.
_REMEMBERED = 1 << 19
_MOST_TERMS = 1 << 14


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
