"""How likely it is that the file of a result is right: high, medium or low.

docs/ranking.md has the shares that were right, by rank and leg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.retrieval.columns import FileNumbers
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query

# A leg that ranks a result this high vouches for it; so does the reader, by what it read alone.
_SURE_RANK = 10
# The first result stands apart if the best one of any other file has at most this share of its
# score: of 679 questions its file was right in .88 then, with .8 in .75 (bench/confidence).
_APART = 0.75
# A question is answered if one of the first results has this fit: of 264 questions whose file was
# among the first ten 7 had none, of 344 about other repositories 186
# (bench/results/trials-2026-11-25.md).
_ANSWERED = 0.7
# Of more terms a chunk that answers has a small share: questions are shorter.
_LONGEST = 32


def confidence(view: FileNumbers, query: Query, ranked: Sequence[Ranked], rank: int) -> str:
    """Return the confidence in the result at a 1-based rank of all of them."""
    if not is_answered(query, ranked):
        return "low"
    legs = ranked[rank - 1].legs
    sure = sum(place is not None and place <= _SURE_RANK for place in legs.values())
    if rank == 1 and (_is_named(query, legs) or (sure > 1 and _stands_apart(view, ranked))):
        return "high"
    read = ranked[rank - 1].read
    sure += read is not None and read <= _SURE_RANK
    # of 679 questions what one of them has after the first result was right in .16
    return "medium" if sure > (rank > 1) else "low"


def is_answered(query: Query, ranked: Sequence[Ranked]) -> bool:
    """Return False if the first results of a question have little to do with it."""
    if query.symbol or len(query.terms) > _LONGEST:
        return True
    return any(one.fit is None or one.fit >= _ANSWERED for one in ranked[:_SURE_RANK])


def _is_named(query: Query, legs: dict[str, int | None]) -> bool:
    """Return True for a result that defines what a query of one name asks for."""
    place = legs["symbol"]
    return query.symbol and place is not None and place <= _SURE_RANK


def _stands_apart(view: FileNumbers, ranked: Sequence[Ranked]) -> bool:
    files = view.files(np.asarray([hit.row for hit in ranked], np.int64)).tolist()
    scores = [hit.score for hit in ranked]
    # what comes after the last of them has no higher score
    others = (score for score, file in zip(scores, files, strict=True) if file != files[0])
    return len(ranked) == 1 or next(others, scores[-1]) <= _APART * scores[0]
