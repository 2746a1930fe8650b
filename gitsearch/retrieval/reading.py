"""The order of the first results by what a sentence encoder reads in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.retrieval.engine import Ranked

# The first results that are read.
READ = 40

# What the encoder says of question and text is added so many times to the share that a result has
# of the best score. More is worth more at 50 lines, and less to files.
WEIGHT = 0.75

# Places of it that count: what is beyond differs from processor to processor.
_PLACES = 3

# The score of the best result that was not read, at most, relative to that of the last one read.
_LATER_SCALE = 0.99


def reordered(
    hits: Sequence[Ranked], nearness: np.ndarray, *, explain: bool = False, weight: float = WEIGHT
) -> list[Ranked]:
    """Return the results with those first that are near to the question; scores fall.

    nearness: float (read,), what the encoder says of the first results. `explain` adds what the
    score of each has of it.
    """
    first, later = hits[: len(nearness)], hits[len(nearness) :]
    gains = weight * np.round(np.maximum(nearness, 0.0), _PLACES)
    best = first[0].score
    sums = np.asarray([hit.score for hit in first]) / best + gains
    order = np.argsort(-sums, kind="stable")
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(-gains, kind="stable")] = np.arange(1, len(first) + 1)
    scale = best / sums[order[0]]
    read = [
        replace(
            first[i],
            score=float(sums[i] * scale),
            factors={**first[i].factors, "reader": float(gains[i] * scale)} if explain else {},
            read=int(ranks[i]),
        )
        for i in order.tolist()
    ]
    if later:
        scale = min(1.0, _LATER_SCALE * read[-1].score / later[0].score)
    return [*read, *(replace(hit, score=hit.score * scale) for hit in later)]
