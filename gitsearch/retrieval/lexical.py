"""The lexical leg: BM25 over chunks, exact over all segments of a view.

Document frequency, number and mean length of chunks are those of the tree that is asked, filters
or not. All sums run over whole numbers or in the order of the query's terms, so that scores do not
depend on how a view is split into segments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.corpus.view import View
    from gitsearch.retrieval.constants import Ranking


def scores(view: View, terms: Sequence[str], ranking: Ranking) -> np.ndarray:
    """BM25 of every row: float64 (rows), 0 where no term occurs or the row is not live."""
    out = np.zeros(int(view.starts[-1]))
    if not view.count:
        return out
    mean = view.total_length / view.count
    for term in terms:
        found = [_live_postings(view, i, term) for i in range(len(view.segments))]
        frequency = sum(len(rows) for rows, _ in found)
        if not frequency:
            continue
        # the variant that is never negative (Lucene, Lv and Zhai 2011)
        idf = math.log(1 + (view.count - frequency + 0.5) / (frequency + 0.5))
        for i, (rows, tf) in enumerate(found):
            if not len(rows):
                continue
            length = view.segments[i]["length"][rows]
            norm = ranking.k1 * (1 - ranking.b + ranking.b * length / mean)
            out[rows + view.starts[i]] += idf * tf * (ranking.k1 + 1) / (tf + norm)
    return out


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
