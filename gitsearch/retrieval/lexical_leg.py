"""The lexical leg: BM25 over chunks, exact over all segments of a view; and over whole files.

Document frequency, number and mean length of chunks are those of the tree that is asked, filters
or not. All sums run over whole numbers or in the order of the query's terms, so that scores do not
depend on how a view is split into segments.
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

# Rows of one segment that have a word, and how often: int64 and float64.
_Postings = tuple[np.ndarray, np.ndarray]


def scores(view: View, terms: Sequence[str], ranking: Ranking) -> np.ndarray:
    """BM25 of every row: float64 (rows), 0 where no term occurs or the row is not live."""
    return Words(view, terms, ranking).chunks()


class Words:
    """The terms of a query in a view, whose postings are read once.

    Widened, other forms of a term count, too, as much as `Ranking.form` says.
    """

    def __init__(
        self, view: View, terms: Sequence[str], ranking: Ranking, *, widened: bool = False
    ) -> None:
        self._view = view
        self._ranking = ranking
        self._terms: list[list[tuple[float, list[_Postings]]]] = []
        for term in terms if view.count else ():
            others = inflection.of(term) if widened and ranking.form else []
            texts = [(1.0, term), *((ranking.form, one) for one in others if one not in terms)]
            read = [(weight, self._read(text)) for weight, text in texts]
            # most forms of a word are none
            self._terms.append([one for one in read if _frequency(one[1])])

    def _read(self, text: str) -> list[_Postings]:
        return [_live_postings(self._view, i, text) for i in range(len(self._view.segments))]

    def chunks(self) -> np.ndarray:
        """BM25 of every row; of a term and its forms, a row has what is worth most there."""
        out = np.zeros(int(self._view.starts[-1]))
        best = np.zeros(len(out))
        for texts in self._terms:
            parts = [part for text in texts for part in self._scored(*text)]
            # each row once, whichever forms it has
            for rows, gained in parts:
                best[rows] = np.maximum(best[rows], gained)
            for rows, _ in parts:
                out[rows] += best[rows]
                best[rows] = 0.0
        return out

    def _scored(self, weight: float, found: list[_Postings]) -> list[_Postings]:
        """Rows of the view that have a text, and what it is worth there."""
        view, ranking = self._view, self._ranking
        idf = weight * _idf(view.count, _frequency(found))
        mean = view.total_length / view.count
        scored = []
        for segment, start, (rows, tf) in zip(view.segments, view.starts, found, strict=False):
            if len(rows):
                gained = _saturated(tf, segment["length"][rows] / mean, ranking)
                scored.append((rows + start, idf * gained))
        return scored

    def files(self) -> np.ndarray:
        """BM25 of every file as one text, by its number in the view: float64 (files).

        A term and its forms are one word there, said as often as all of them, weighed, are.
        """
        lengths = self._view.file_lengths
        live = int(np.count_nonzero(lengths))
        relative = lengths * (live / max(self._view.total_length, 1))
        out = np.zeros(len(lengths))
        for texts in self._terms:
            often = np.zeros(len(out))
            for weight, found in texts:
                often += weight * self._by_file(found)
            has = np.flatnonzero(often)
            idf = _idf(live, len(has))
            out[has] += idf * _saturated(often[has], relative[has], self._ranking)
        return out

    def _by_file(self, found: list[_Postings]) -> np.ndarray:
        """How often each file has a text: float64 (files), whole numbers."""
        counts = (
            np.bincount(segment["chunk_file"][rows], weights=tf, minlength=segment.files)
            for segment, (rows, tf) in zip(self._view.segments, found, strict=True)
        )
        return np.concatenate(list(counts))


def _idf(count: int, frequency: int) -> float:
    # the variant that is never negative (Lucene, Lv and Zhai 2011)
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))


def _saturated(tf: np.ndarray, length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """What so many occurrences are worth in texts of these lengths, as shares of the mean one."""
    norm = ranking.k1 * (1 - ranking.b + ranking.b * length)
    worth: np.ndarray = tf * (ranking.k1 + 1) / (tf + norm)
    return worth


def _frequency(found: list[_Postings]) -> int:
    return sum(len(rows) for rows, _ in found)


def frequency(view: View, term: str) -> int:
    """How many live rows have a term in their text or path."""
    return _frequency([_live_postings(view, i, term) for i in range(len(view.segments))])


def occurs(view: View, term: str) -> bool:
    """Whether a live row has a term."""
    for i, segment in enumerate(view.segments):
        number = segment.term(term)
        start, end = (
            segment["posting_ends"][number : number + 2].tolist() if number >= 0 else (0, 0)
        )
        # most often nothing is left out, and no list need be read
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
