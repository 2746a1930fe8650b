"""The lexical leg: BM25 over chunks, exact over all segments of a view.

Document frequency, number and mean length of chunks are those of the tree that is asked, filters
or not. All sums run over whole numbers or in the order of the query's terms, so that scores do not
depend on how a view is split into segments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.retrieval import forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.corpus.view import View
    from gitsearch.retrieval.constants import Ranking


def scores(
    view: View, terms: Sequence[str], ranking: Ranking, *, widened: bool = False
) -> np.ndarray:
    """BM25 of every row: float64 (rows), 0 where no term occurs or the row is not live.

    Widened, a row in which another form of a term counts for more than the term has that instead.
    """
    out = np.zeros(int(view.starts[-1]))
    if not view.count:
        return out
    best = np.zeros(len(out))
    for term in terms:
        parts = _scored(view, term, 1.0, ranking)
        others = forms.of(term) if widened and ranking.form else []
        others = [form for form in others if form not in terms]
        parts += [part for form in others for part in _scored(view, form, ranking.form, ranking)]
        # each row once, whichever forms it has
        for rows, gained in parts:
            best[rows] = np.maximum(best[rows], gained)
        for rows, _ in parts:
            out[rows] += best[rows]
            best[rows] = 0.0
    return out


def _scored(
    view: View, term: str, weight: float, ranking: Ranking
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows of each segment that have a term, and what it is worth there."""
    found = [_live_postings(view, i, term) for i in range(len(view.segments))]
    frequency = sum(len(rows) for rows, _ in found)
    # the variant that is never negative (Lucene, Lv and Zhai 2011)
    idf = weight * math.log(1 + (view.count - frequency + 0.5) / (frequency + 0.5))
    mean = view.total_length / view.count
    scored = []
    for segment, start, (rows, tf) in zip(view.segments, view.starts, found, strict=False):
        if len(rows):
            norm = ranking.k1 * (1 - ranking.b + ranking.b * segment["length"][rows] / mean)
            scored.append((rows + start, idf * tf * (ranking.k1 + 1) / (tf + norm)))
    return scored


def _live_postings(view: View, i: int, term: str) -> tuple[np.ndarray, np.ndarray]:
    segment = view.segments[i]
    number = segment.term(term)
    if number < 0:
        return np.zeros(0, np.int64), np.zeros(0)
    rows, tf = segment.postings(number)
    if not view.whole[i]:
        live = view.live[rows + view.starts[i]]
        rows, tf = rows[live], tf[live]
    return rows, tf.astype(np.float64)
