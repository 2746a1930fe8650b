"""How likely it is that the file of a result is right: high, medium or low.

docs/ranking.md has the shares that were right, and where the weights come from.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query


class _Weights(NamedTuple):
    """Weights of the log-odds that the file of a result is right.

    support: of the natural logarithm of `Ranked.support`; leg: of each leg that ranks the result
    among its first ten; fit: of `Ranked.fit`. They were fitted by logistic regression to the first
    ten results of each question of bench/cases/questions.jsonl
    (bench/results/trials-2026-11-26-questions.md).
    """

    support: float
    leg: float
    fit: float
    constant: float

    def likelihood(self, result: Ranked) -> float:
        """Return how likely the file of a result is right, 0..1."""
        fit = _USUAL_FIT if result.fit is None else result.fit
        support = math.log(max(result.support, 1))
        odds = self.support * support + self.leg * _legs(result) + self.fit * fit + self.constant
        # 1 / (1 + exp(-odds)), of any number: that of a kept answer may be damaged
        return (1 + math.tanh(odds / 2)) / 2


_RANKED = _Weights(1.1, 0.6, 1.1, -4.7)
# of results that were read the legs say nothing more
_READ = _Weights(1.9, 0.0, 1.4, -5.5)

# How likely a result of high and of medium confidence is right, at least.
_HIGH = 0.6
_MEDIUM = 0.2

# A leg that ranks a result this high vouches for it; so does the reader, by what it read alone.
_FIRST = 10
# What stands for the fit in modes that have none: the mean over results that have one.
_USUAL_FIT = 0.9
# A question is answered if one of the first results has this fit: of 264 questions whose file was
# among the first ten 7 had none, of 344 about other repositories 186
# (bench/results/trials-2026-11-25.md).
_ANSWERED = 0.7
# Of more terms a chunk that answers has a small share: questions are shorter.
_LONGEST = 32


def confidence(query: Query, ranked: Sequence[Ranked], rank: int) -> str:
    """Return the confidence in the result at a 1-based rank of all of them."""
    result = ranked[rank - 1]
    if not is_answered(query, ranked):
        return "low"
    if rank == 1 and _is_named(query, result.legs):
        return "high"
    likelihood = (_RANKED if result.read is None else _READ).likelihood(result)
    if likelihood >= _HIGH:
        return "high"
    # a small file cannot have many of the first results, nor one that shares them with its copies
    vouching = _legs(result) + (result.read is not None and result.read <= _FIRST)
    return "medium" if likelihood >= _MEDIUM or vouching > (rank > 1) else "low"


def _legs(result: Ranked) -> int:
    """Return how many legs rank a result among their first ten."""
    return sum(place is not None and place <= _FIRST for place in result.legs.values())


def is_answered(query: Query, ranked: Sequence[Ranked]) -> bool:
    """Return False if the first results of a question have little to do with it."""
    if query.symbol or len(query.terms) > _LONGEST:
        return True
    return any(one.fit is None or one.fit >= _ANSWERED for one in ranked[:_FIRST])


def _is_named(query: Query, legs: dict[str, int | None]) -> bool:
    """Return True for a result that defines what a query of one name asks for."""
    place = legs["symbol"]
    return query.symbol and place is not None and place <= _FIRST
