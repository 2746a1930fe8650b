"""Exact text in many repositories: the lines of each, in one order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.commands import repositories
from gitsearch.commands.exact_results import LineResults, MadeOnDemand
from gitsearch.commands.exact_search import MOST_IN_BUDGET, exact_search
from gitsearch.commands.pages import page_of
from gitsearch.index.session import settings_of
from gitsearch.reports.search import FileCount, Result, SearchReport
from gitsearch.settings import ALONE, LITERAL, MOST_SHOWN, RESULTS

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.index.session import Session
    from gitsearch.reports.search import Spans
    from gitsearch.settings import SearchRequest


def exact_search_in(session: Session, request: SearchRequest) -> SearchReport:
    """The lines that match: by score, or by path, and then by the name of their repository."""
    # all results of each: which of them a page has is known when they are in order
    each = replace(
        request,
        repositories=ALONE,
        shown=RESULTS,
        max_count=MOST_SHOWN,
        page=None,
        budget=None,
        max_lines=None if request.max_lines == 0 else request.max_lines,
    )

    def ask(one: Repository) -> SearchReport:
        at = one.at
        own = replace(each, at=at, cached=each.cached and at is None)
        return exact_search(one.session, own)

    answers = repositories.each(session, request.repositories, request.at, ask)
    names = [one.name for one, _ in answers.answers]
    reports = [report for _, report in answers.answers]
    results = _Merged(names, [report.results for report in reports])
    settings = settings_of(session.own_config)
    most = request.max_count or (settings.max_count if settings.max_count_is_set else None)
    most = most or (MOST_IN_BUDGET if request.budget else None)
    said = repositories.merged(answers)
    page, following = None, None
    if most is not None or request.page is not None:
        # each knows by its own digest what it was asked, and of which tree
        states = [
            (name, report.page and report.page.question)
            for name, report in zip(names, reports, strict=True)
        ]
        page = page_of(request, said["tree"], (), 0, most or 1, None, states)
        ranks = [*page.left, *range(page.before + 1, len(results) + 1)]
        shown = [rank for rank in ranks[:most] if rank <= len(results)]
        following = page.after(shown) if len(ranks) > len(shown) else None
        results = results.some([rank - 1 for rank in shown])
    spans = dict(zip(names, (report.spans for report in reports), strict=True))
    return SearchReport(
        text=request.text,
        mode=LITERAL,
        results=results,
        counts=results.counts(),
        words=(),
        respelt=(),
        page=page,
        more=following is not None,
        next=following,
        spans=_MergedSpans(spans) if request.highlighted else None,
        **said,
    )


class _Merged(MadeOnDemand[Result]):
    """Results of several repositories by score; each is made when it is asked for."""

    def __init__(
        self,
        names: Sequence[str],
        parts: Sequence[Sequence[Result]],
        order: Sequence[tuple[int, int, int]] | None = None,
    ) -> None:
        """order: repository, place and rank of each result; None: all of them by score."""
        self._names = names
        self._parts = parts
        self._order = self._by_score() if order is None else order

    def _by_score(self) -> list[tuple[int, int, int]]:
        places = [(i, place) for i, part in enumerate(self._parts) for place in range(len(part))]
        scores = [part.scores() for part in self._parts if isinstance(part, LineResults)]
        order = np.argsort(-np.concatenate([np.zeros(0), *scores]), kind="stable").tolist()
        return [(*places[number], rank) for rank, number in enumerate(order, 1)]

    def some(self, places: Sequence[int]) -> _Merged:
        """Return the results at some places, with their ranks."""
        return _Merged(self._names, self._parts, [self._order[place] for place in places])

    def counts(self) -> tuple[FileCount, ...]:
        """Return the files of the results, the best first, with how many of their lines match."""
        sizes: Counter[tuple[int, str]] = Counter()
        for part, place, _ in self._order:
            results = self._parts[part]
            assert isinstance(results, LineResults)
            path, lines = results.extent(place)
            sizes[part, path] += lines
        return tuple(
            FileCount(path, size, self._names[part]) for (part, path), size in sizes.items()
        )

    def __len__(self) -> int:
        return len(self._order)

    def made(self, place: int) -> Result:
        """Return the result at a place, with its rank and its repository."""
        part, own, rank = self._order[place]
        result = self._parts[part][own]
        legs: dict[str, int | None] = {"literal": rank}
        return result._replace(rank=rank, legs=legs, repository=self._names[part])


class _MergedSpans:
    """The matches of exact text within lines, by the repository and path of a file."""

    def __init__(self, spans: dict[str, Spans | None]) -> None:
        self._spans = spans

    def __call__(self, path: str, line: int) -> Sequence[tuple[int, int]]:
        """Return the byte offsets of starts and ends in a line of a file, `repository:path`."""
        for name, own in self._spans.items():
            if own is not None and path.startswith(f"{name}:"):
                return own(path[len(name) + 1 :], line)
        return ()
