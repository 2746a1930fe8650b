"""The words of descriptions of the chunks of one segment, apart from those of its text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import identifiers
from gitsearch.features.ragged import joined, narrowed, offsets, position

if TYPE_CHECKING:
    from collections.abc import Mapping


class DescribedWords:
    """Terms of descriptions, with the chunk rows of a segment that have them.

    described: how many chunks have words; pending: how many a command will be asked about;
    digest: changes with the words.
    """

    def __init__(
        self,
        arrays: Mapping[str, np.ndarray],
        described: int = 0,
        pending: int = 0,
        digest: str = "",
    ) -> None:
        self._arrays = arrays
        # a binary search asks often: plain memory answers in a third of the time of an array
        self._text, self._ends = arrays["term_text"].data, arrays["term_ends"].data
        self.described = described
        self.pending = pending
        self.digest = digest

    def postings(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that have a term, ascending, and how often each has it: int64."""
        wanted = term.encode("utf-8", "surrogateescape")
        number = position(range(len(self._ends) - 1), wanted, self._term)
        low, high = self._arrays["row_ends"][number : number + 2] if number >= 0 else (0, 0)
        rows, often = (self._arrays[name][low:high].astype(np.int64) for name in ("row", "often"))
        return rows, often

    def _term(self, number: int) -> bytes:
        return self._text[self._ends[number] : self._ends[number + 1]].tobytes()


def arrays_of(lines: Mapping[int, str]) -> dict[str, np.ndarray]:
    """Return the arrays of descriptions by the row of their chunk."""
    rows: dict[str, list[tuple[int, int]]] = {}
    for row in sorted(lines):
        words = identifiers.identifiers(lines[row])
        terms = (term for word in words for kind in identifiers.terms(word) for term in kind)
        for term, often in Counter(terms).items():
            rows.setdefault(term, []).append((row, often))
    # code points are in the same order as their UTF-8 bytes
    every = sorted(rows)
    pairs = [pair for term in every for pair in rows[term]]
    text, ends = joined([term.encode() for term in every])
    return {
        "term_text": text,
        "term_ends": narrowed(ends),
        "row_ends": narrowed(offsets([len(rows[term]) for term in every])),
        "row": narrowed(np.asarray([row for row, _ in pairs], np.int64)),
        "often": narrowed(np.asarray([often for _, often in pairs], np.int64)),
    }
