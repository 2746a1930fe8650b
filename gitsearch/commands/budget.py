"""A hard ceiling on the tokens of an answer: whole results that fit, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import SmallBudget

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from gitsearch.reports.search import Result, SearchReport

# No result takes fewer tokens, in any form; and the rank of one that is left for the next page
# takes at most so many in the token of that.
_LEAST = _RANK = 4

# Results that do not fit into what is left are passed over in favour of smaller ones so often.
_MOST_SKIPPED = 8


def fitted(report: SearchReport, budget: int, text: Callable[[SearchReport], str]) -> SearchReport:
    """Return an answer with those of its results whose text fits into a budget of tokens.

    Results are taken in their order. What does not fit is left out, for the next page. `text`
    renders all that is printed of an answer. Raises SmallBudget if no result fits.
    """
    filling = _Filling(report, budget, text)
    while filling.add():
        pass
    return filling.page()


class _Filling:
    """Adds results to a page until none fits any more."""

    def __init__(
        self, report: SearchReport, budget: int, text: Callable[[SearchReport], str]
    ) -> None:
        self._report = report
        self._budget = budget
        self._text = text
        self._begin = report.results[0].rank if report.results else 1
        self._frame = self._tokens((), (self._begin,))
        self._costs: dict[int, int] = {}
        self._chosen: list[Result] = []
        self._passed: set[int] = set()  # the ranks of those

    def add(self) -> bool:
        """Add those results that surely fit beside the others; return False if none does.

        A result takes no more beside others than alone, often less: they share headings. So what
        is left is counted anew after each round.
        """
        left = self._budget - self._tokens(self._chosen, self._passed)
        before, skipped = len(self._chosen), 0
        for result in self._report.results:
            if left < _LEAST or skipped == _MOST_SKIPPED:
                break
            if result.rank in self._passed:
                continue
            cost = self._cost(result)
            if cost <= left:
                self._chosen.append(result)
                left -= cost
                self._passed.add(result.rank)
                continue
            left -= _RANK
            # one that is too large for any page of this size does not end the page
            skipped += cost <= self._budget - self._frame
        return len(self._chosen) > before

    def page(self) -> SearchReport:
        """Return the page; raises SmallBudget if there is no room for a result."""
        chosen, passed = self._chosen, self._passed
        while chosen and self._tokens(chosen, passed) > self._budget:
            passed.remove(chosen.pop().rank)
        if not chosen and (self._report.results or self._frame > self._budget):
            raise SmallBudget(
                f"no answer fits into a budget of {self._budget} tokens",
                f"--budget {self._enough()} is enough for this one",
            )
        return _page(self._report, chosen, passed)

    def _enough(self) -> int:
        """A budget in which the answer has a result, if there is any."""
        costs = [place * _RANK + self._cost(one) for place, one in enumerate(self._report.results)]
        return self._frame + _RANK + min(costs, default=0)

    def _cost(self, result: Result) -> int:
        rank = result.rank
        if rank not in self._costs:
            self._costs[rank] = self._tokens((result,), (self._begin,)) - self._frame
        return self._costs[rank]

    def _tokens(self, results: Sequence[Result], passed: Collection[int]) -> int:
        from gitsearch.features.token_count import count

        return count(self._text(_page(self._report, results, passed)))


def _page(report: SearchReport, chosen: Sequence[Result], passed: Collection[int]) -> SearchReport:
    """The answer with some of its results; later pages have those that were not passed."""
    more = report.more or len(passed) < len(report.results)
    files = {(result.repository, result.path) for result in chosen}
    return report._replace(
        results=tuple(sorted(chosen, key=lambda result: result.rank)),
        counts=tuple(file for file in report.counts if (file.repository, file.path) in files),
        left_out=len(report.results) - len(chosen),
        next=report.page.after(passed) if report.page and more else None,
    )
