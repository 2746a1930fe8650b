"""Numbers of terms in all segments of a view, remembered from one query to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

# The most numbers that are remembered, of all terms and segments.
_REMEMBERED = 1 << 19


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
        new = {text for text in texts if text not in self._known}
        if (len(self._known) + len(new)) * len(self._segments) > _REMEMBERED:
            self._known.clear()
            new = set(texts)
        if new:
            # those that are near to each other are found near to each other
            ordered = sorted(new)
            found = np.asarray([segment.sought(ordered) for segment in self._segments], np.int64)
            self._known.update(zip(ordered, np.ascontiguousarray(found.T), strict=True))
        out = np.empty((len(texts), len(self._segments)), np.int64)
        for i, text in enumerate(texts):
            out[i] = self._known[text]
        return out
