"""The lexical leg: exact BM25 over the chunks of all segments of a view, and over whole files.

Document frequencies, and the number and mean length of chunks, are those of the searched tree,
whatever the filters. All sums are of integers or in the order of the query's terms, so that scores
do not depend on the split of a view into segments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gitsearch.index.view import View
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.query import inflected

# Rows of one segment that contain a term (int64), and its frequency in each (float64).
_Postings = tuple[np.ndarray, np.ndarray]

_NO_ROWS = np.zeros(0, np.int64)


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
        # of each term itself and its forms: the weight, the text, where it occurs
        self._terms: list[list[tuple[float, str, list[_Postings]]]] = []
        for term in terms if view.count else ():
            forms = inflected(term) if expanded and ranking.form else []
            texts = [(1.0, term), *((ranking.form, form) for form in forms if form not in terms)]
            variants = [(weight, text, _live_postings(view, text)) for weight, text in texts]
            # most generated forms are no words
            self._terms.append([variant for variant in variants if _frequency(variant[2])])

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

    def _scored(self, weight: float, text: str, postings: list[_Postings]) -> list[_Postings]:
        """Rows of the view that contain a text, with its BM25 there, by segment."""
        view, ranking = self._view, self._ranking
        chunks = _frequency(postings) + view.rest.term(text).places
        rarity = weight * idf(max(view.count + view.rest.chunks, chunks), chunks)
        mean = view.total_length / view.count
        scored = []
        for segment, start, (rows, tf) in zip(view.segments, view.starts, postings, strict=False):
            if len(rows):
                gained = _saturated(tf, segment["length"][rows] / mean, ranking)
                scored.append((rows + start, rarity * gained))
        return scored

    def files(self) -> np.ndarray:
        """BM25 of every file as one document, by file number: float64 (files,).

        A term and its forms are one term, whose frequency is the weighted sum of theirs.
        """
        lengths = self._view.file_lengths
        live, rest = int(np.count_nonzero(lengths)), self._view.rest
        relative = lengths * (live / max(self._view.total_length, 1))
        out = np.zeros(len(lengths))
        for variants in self._terms:
            tf = np.zeros(len(out))
            for weight, _, postings in variants:
                tf += weight * self._by_file(postings)
            containing = np.flatnonzero(tf)
            gained = _saturated(tf[containing], relative[containing], self._ranking)
            # files with several forms of a word count once here, more often among the rest
            elsewhere = max((rest.term(text).files for _, text, _ in variants), default=0)
            frequency = len(containing) + elsewhere
            out[containing] += idf(live + rest.files, frequency) * gained
        return out

    def _by_file(self, postings: list[_Postings]) -> np.ndarray:
        """Frequency of a text in each file: float64 (files,) of whole numbers."""
        counts = [
            np.bincount(segment["chunk_file"][rows], weights=tf, minlength=segment.files)
            for segment, (rows, tf) in zip(self._view.segments, postings, strict=True)
        ]
        return np.concatenate(counts)


def _saturated(tf: np.ndarray, length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """Saturated term frequency of BM25; `length` is relative to the mean length."""
    norm = ranking.k1 * (1 - ranking.b + ranking.b * length)
    return tf * (ranking.k1 + 1) / (tf + norm)


def _frequency(postings: list[_Postings]) -> int:
    return sum(len(rows) for rows, _ in postings)


def frequency(view: View, term: str) -> int:
    """Return the number of live rows with a term in their text or path."""
    return _frequency(_live_postings(view, term))


def occurs(view: View, term: str) -> bool:
    """Return True if a live row contains a term, or one of the files that a view lacks."""
    if view.rest.term(term).places:
        return True
    # where all rows are live, which is the usual case, no list need be read
    return any(
        whole and np.diff(segment["posting_ends"][number : number + 2]).any()
        for segment, whole in zip(view.segments, view.whole, strict=True)
        if (number := segment.term(term)) >= 0
    ) or bool(frequency(view, term))


def _live_postings(view: View, term: str) -> list[_Postings]:
    postings = []
    for segment, start, whole in zip(view.segments, view.starts, view.whole, strict=False):
        number = segment.term(term)
        rows, tf = segment.postings(number) if number >= 0 else (_NO_ROWS, _NO_ROWS)
        if not whole:
            live = view.live[rows + start]
            rows, tf = rows[live], tf[live]
        postings.append((rows, tf.astype(np.float64)))
    return postings
