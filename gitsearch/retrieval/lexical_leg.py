"""The lexical leg: exact BM25 over the chunks of all segments of a view, and over whole files.

Document frequencies, and the number and mean length of chunks, are those of the searched tree,
whatever the filters. All sums are of integers or in the order of the query's terms, so that scores
do not depend on the split of a view into segments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.retrieval import inflection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import View
    from gitsearch.retrieval.constants import Ranking

# Rows of one segment that contain a term (int64), and its frequency in each (float64).
_Postings = tuple[np.ndarray, np.ndarray]


def scores(view: View, terms: Sequence[str], ranking: Ranking) -> np.ndarray:
    """BM25 of every row: float64 (rows,), 0 where no term occurs or the row is not live."""
    return QueryTerms(view, terms, ranking).chunks()


class QueryTerms:
    """The terms of a query with their postings in a view, which are read once.

    expanded: inflected forms of a term count too, at the weight `Ranking.form`.
    """

    def __init__(
        self, view: View, terms: Sequence[str], ranking: Ranking, *, expanded: bool = False
    ) -> None:
        self._view = view
        self._ranking = ranking
        self._terms: list[list[tuple[float, list[_Postings]]]] = []
        for term in terms if view.count else ():
            forms = inflection.of(term) if expanded and ranking.form else []
            texts = [(1.0, term), *((ranking.form, form) for form in forms if form not in terms)]
            variants = [(weight, self._read(text)) for weight, text in texts]
            # most generated forms are no words
            self._terms.append(
                [(weight, lists) for weight, lists in variants if _frequency(lists)]
            )

    def _read(self, text: str) -> list[_Postings]:
        return [_live_postings(self._view, i, text) for i in range(len(self._view.segments))]

    def chunks(self) -> np.ndarray:
        """BM25 of every row, of a term and its forms the best: float64 (rows,)."""
        out = np.zeros(int(self._view.starts[-1]))
        best = np.zeros(len(out))
        for variants in self._terms:
            parts = [part for variant in variants for part in self._scored(*variant)]
            # each row is added once, whichever forms it contains
            for rows, gained in parts:
                best[rows] = np.maximum(best[rows], gained)
            for rows, _ in parts:
                out[rows] += best[rows]
                best[rows] = 0.0
        return out

    def _scored(self, weight: float, postings: list[_Postings]) -> list[_Postings]:
        """Rows of the view that contain a text, with its BM25 there, by segment."""
        view, ranking = self._view, self._ranking
        idf = weight * _idf(view.count, _frequency(postings))
        mean = view.total_length / view.count
        scored = []
        for segment, start, (rows, tf) in zip(view.segments, view.starts, postings, strict=False):
            if len(rows):
                gained = _saturated(tf, segment["length"][rows] / mean, ranking)
                scored.append((rows + start, idf * gained))
        return scored

    def files(self) -> np.ndarray:
        """BM25 of every file as one document, by file number: float64 (files,).

        A term and its forms are one term, whose frequency is the weighted sum of theirs.
        """
        lengths = self._view.file_lengths
        live = int(np.count_nonzero(lengths))
        relative = lengths * (live / max(self._view.total_length, 1))
        out = np.zeros(len(lengths))
        for variants in self._terms:
            tf = np.zeros(len(out))
            for weight, postings in variants:
                tf += weight * self._by_file(postings)
            containing = np.flatnonzero(tf)
            idf = _idf(live, len(containing))
            out[containing] += idf * _saturated(
                tf[containing], relative[containing], self._ranking
            )
        return out

    def _by_file(self, postings: list[_Postings]) -> np.ndarray:
        """Frequency of a text in each file: float64 (files,) of whole numbers."""
        counts = (
            np.bincount(segment["chunk_file"][rows], weights=tf, minlength=segment.files)
            for segment, (rows, tf) in zip(self._view.segments, postings, strict=True)
        )
        return np.concatenate(list(counts))


def _idf(count: int, frequency: int) -> float:
    # the variant that is never negative (Lucene, Lv and Zhai 2011)
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def _saturated(tf: np.ndarray, length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """Saturated term frequency of BM25; `length` is relative to the mean length."""
    norm = ranking.k1 * (1 - ranking.b + ranking.b * length)
    saturated: np.ndarray = tf * (ranking.k1 + 1) / (tf + norm)
    return saturated


def _frequency(postings: list[_Postings]) -> int:
    return sum(len(rows) for rows, _ in postings)


def frequency(view: View, term: str) -> int:
    """Return the number of live rows with a term in their text or path."""
    return _frequency([_live_postings(view, i, term) for i in range(len(view.segments))])


def occurs(view: View, term: str) -> bool:
    """Return True if a live row contains a term."""
    for i, segment in enumerate(view.segments):
        number = segment.term(term)
        start, end = (
            segment["posting_ends"][number : number + 2].tolist() if number >= 0 else (0, 0)
        )
        # where all rows are live, which is the usual case, no list need be read
        if (view.whole[i] and start < end) or len(_live_postings(view, i, term)[0]):
            return True
    return False


def _live_postings(view: View, i: int, term: str) -> _Postings:
    segment = view.segments[i]
    number = segment.term(term)
    if number < 0:
        return np.zeros(0, np.int64), np.zeros(0)
    rows, tf = segment.postings(number)
    if not view.whole[i]:
        live = view.live[rows + view.starts[i]]
        rows, tf = rows[live], tf[live]
    return rows, tf.astype(np.float64)
