"""The order of the first results by what a sentence encoder reads in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.retrieval.constants import Ranking
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query

# The first results that are read.
READ = 50

# What the encoder says of question and text is added so many times to this power of the share that
# a result has of the best score: the power keeps those that are far ahead, and lets the encoder
# decide between those that are far behind.
WEIGHT = 1.5
POWER = 3

# Places of it that count: what is beyond differs from processor to processor.
_PLACES = 3

# The best score of those that come after others, at most, relative to the last of these.
_LATER_SCALE = 0.99


def spread_of(query: Query, ranking: Ranking = DEFAULT) -> float:
    """Return what the gain of each further chunk of a file among the first results counts."""
    # several files have a part in the answer of a "how" question, as in stage 7
    return ranking.saturation_how if query.spread else 1.0


def reordered(
    hits: Sequence[Ranked],
    nearness: np.ndarray,
    files: np.ndarray,
    *,
    spread: float = 1.0,
    explain: bool = False,
    weight: float = WEIGHT,
) -> list[Ranked]:
    """Return the results with those first that are near to the question; scores fall.

    nearness: float (read,), what the encoder says of the first results; files: int64 (read,), the
    number of the file of each; spread: see `spread_of`. `explain` adds what the score of each has
    of it.
    """
    first, later = hits[: len(nearness)], hits[len(nearness) :]
    best = first[0].score
    shares = (np.asarray([hit.score for hit in first]) / best) ** POWER
    gains = weight * np.round(np.maximum(nearness, 0.0), _PLACES)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(-gains, kind="stable")] = np.arange(1, len(first) + 1)
    chosen = _chosen(shares, gains, files, spread)
    scale = best / sum(chosen[0][1:])
    read = [
        replace(
            first[i],
            score=float((share + gain) * scale),
            factors={**first[i].factors, "reader": float(gain * scale)} if explain else {},
            read=int(ranks[i]),
        )
        for i, share, gain in chosen
    ]
    if later:
        scale = _scale_below(read[-1].score, later[0].score)
    return [*read, *(replace(hit, score=hit.score * scale) for hit in later)]


def _chosen(
    shares: np.ndarray, gains: np.ndarray, files: np.ndarray, spread: float
) -> list[tuple[int, float, float]]:
    """Order positions by the sums of shares and gains, each returned with both; sums fall.

    Among the first results a gain counts `spread` times for each one of its file before it.
    """
    chosen: list[tuple[int, float, float]] = []
    left = np.ones(len(shares), bool)
    before = np.zeros(len(shares), np.int64)
    for _ in range(min(DEFAULT.first_results, len(shares))):
        own = gains * spread**before
        i = int(np.argmax(np.where(left, shares + own, -np.inf)))
        chosen.append((i, shares[i], own[i]))
        left[i] = False
        before += files == files[i]
    rest = np.flatnonzero(left)
    if len(rest):
        sums = (shares + gains)[rest]
        scale = _scale_below(sum(chosen[-1][1:]), sums.max())
        order = rest[np.argsort(-sums, kind="stable")].tolist()
        chosen += [(i, shares[i] * scale, gains[i] * scale) for i in order]
    return chosen


def _scale_below(last: float, following: float) -> float:
    """Return what scores are multiplied by, the best of which must not exceed another."""
    return min(1.0, _LATER_SCALE * last / following)
