"""Patterns of code in many repositories: the matches of each, in one order."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from gitsearch.commands import repositories
from gitsearch.commands.pages import count_of, page_of
from gitsearch.commands.pattern_files import file_rank
from gitsearch.commands.structural_search import MOST_MATCHES, structural_search
from gitsearch.reports.search import FileCount, Result, SearchReport
from gitsearch.settings import ALONE, MAX_COUNT

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.index.session import Session
    from gitsearch.settings import SearchRequest


def structural_search_in(session: Session, request: SearchRequest) -> SearchReport:
    """The matches in all repositories, in the order of those of one, then by repository.

    A repository in whose languages the text is no pattern is left out, and said.
    """
    most = count_of(request, MAX_COUNT if request.budget else MOST_MATCHES)
    # the first of all are among the first of each; a page begins behind some of them
    each = replace(request, repositories=ALONE, max_count=MOST_MATCHES, page=None, budget=None)

    def ask(one: Repository) -> SearchReport:
        own = replace(each, at=one.at, cached=each.cached and one.at is None)
        return structural_search(one.session, own)

    answers = repositories.each(session, request.repositories, request.at, ask)
    found = [
        (file_rank(os.fsencode(result.path)), result.start, one.name, number, result)
        for one, report in answers.answers
        for number, result in enumerate(report.results)
    ]
    found.sort(key=lambda match: match[:4])
    said = repositories.merged(answers)
    states = [(one.name, report.page and report.page.question) for one, report in answers.answers]
    page = page_of(request, said["tree"], (), said["coverage"].pending, most, None, states)
    ranks = [*page.left, *range(page.before + 1, len(found) + 1)]
    ranks = [rank for rank in ranks if rank <= len(found)]
    results = [_placed(rank, *found[rank - 1][2:]) for rank in ranks[:most]]
    more = len(ranks) > most
    counts = Counter((result.path, result.repository) for result in results)
    words = {word for _, report in answers.answers for word in report.words}
    return SearchReport(
        text=request.text,
        mode=str(request.mode),
        results=tuple(results),
        counts=tuple(FileCount(path, size, name) for (path, name), size in counts.items()),
        words=tuple(sorted(words)),
        respelt=(),
        page=page,
        more=more,
        next=page.after(ranks[:most]) if more else None,
        **said,
    )


def _placed(rank: int, repository: str, _: int, result: Result) -> Result:
    return result._replace(rank=rank, repository=repository)
