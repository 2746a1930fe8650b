"""Pages of an answer: a token names the question and the results that the pages before gave."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

# The most results that are left out by one page for the next.
MOST_LEFT = 200


class Page(NamedTuple):
    """Where a page of an answer begins; results are known by their ranks, from 1.

    before: the highest rank of the pages before; left: the ranks up to there that no page has had.
    """

    question: str
    before: int = 0
    left: tuple[int, ...] = ()

    @property
    def given(self) -> list[int]:
        """The ranks of the results of the pages before."""
        left = frozenset(self.left)
        return [rank for rank in range(1, self.before + 1) if rank not in left]

    def after(self, passed: Collection[int]) -> str:
        """Return the token for the page after one that gave, or passed over, these ranks."""
        before = max((self.before, *passed))
        ranks = (*self.left, *range(self.before + 1, before + 1))
        left = [rank for rank in ranks if rank not in passed][:MOST_LEFT]
        return "-".join([self.question, *map(str, (before, *left))])
