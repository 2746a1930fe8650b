"""A hard ceiling on the tokens of an answer: whole results that fit, the best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import SmallBudget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.reports.search import Result, SearchReport

# No result takes fewer tokens, in any form.
_LEAST = 4


def fitted(report: SearchReport, budget: int, text: Callable[[SearchReport], str]) -> SearchReport:
    """Return an answer with those of its results whose text fits into a budget of tokens.

    Results are taken in their order. What does not fit is left out, for the next page if it fits
    into a page at all. `text` renders all that is printed of an answer. Raises SmallBudget if an
    answer without results does not fit.
    """
    from gitsearch.features.token_count import count

    def tokens(results: Sequence[Result], passed: Sequence[int]) -> int:
        return count(text(_page(report, results, passed)))

    frame = tokens((), ())
    if frame > budget:
        raise SmallBudget(
            f"an answer without results takes {frame} tokens already", f"--budget {2 * frame}"
        )
    chosen: list[Result] = []
    passed: list[int] = []
    left = budget - frame
    for result in report.results:
        if left < _LEAST:
            break
        # beside others a result takes no more than alone: they share its heading
        cost = tokens((result,), (result.rank,)) - frame
        if cost <= left:
            chosen.append(result)
            left -= cost
        elif cost <= budget - frame:
            continue
        passed.append(result.rank)
    while tokens(chosen, passed) > budget:
        passed.remove(chosen.pop().rank)
    return _page(report, chosen, passed)


def _page(report: SearchReport, chosen: Sequence[Result], passed: Sequence[int]) -> SearchReport:
    """The answer with some of its results; later pages have those that were not passed."""
    more = report.more or len(passed) < len(report.results)
    paths = {result.path for result in chosen}
    return report._replace(
        results=tuple(chosen),
        counts=tuple(entry for entry in report.counts if entry[0] in paths),
        left_out=len(report.results) - len(chosen),
        next=report.page.after(passed) if report.page and more else None,
    )
