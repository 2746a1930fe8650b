"""The words of descriptions of the chunks of one segment, apart from those of its text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import identifiers
from gitsearch.features.ragged import joined, narrowed, offsets

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
        text, ends = arrays["term_text"].tobytes(), arrays["term_ends"].tolist()
        self._terms = [text[a:b] for a, b in pairwise(ends)]
        self.described = described
        self.pending = pending
        self.digest = digest

    def postings(self, term: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that have a term, ascending, and how often each has it: int64."""
        wanted = term.encode("utf-8", "surrogateescape")
        number = bisect_left(self._terms, wanted)
        found = number < len(self._terms) and self._terms[number] == wanted
        low, high = self._arrays["row_ends"][number : number + 2].tolist() if found else (0, 0)
        columns = (self._arrays[name][low:high].astype(np.int64) for name in ("row", "often"))
        rows, often = columns
        return rows, often


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
