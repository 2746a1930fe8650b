"""Exact text and patterns of code in one shard: whole repositories that are asked one by one.

As in `shard_answers`, all that a round depends on is in its arguments. What repositories have
answered is kept for the next rounds of the question, and asked of them again where it is not.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands import repositories
from gitsearch.commands.many_exact import EXACT
from gitsearch.commands.many_matches import MatchedRepository, first_of, question_of
from gitsearch.commands.many_structural import STRUCTURAL
from gitsearch.commands.repositories import FINAL, Asked
from gitsearch.commands.shards import Stale
from gitsearch.errors import SearchError
from gitsearch.settings import LITERAL, OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from gitsearch.commands.many_matches import Matching
    from gitsearch.commands.repositories import Oddity, Repositories, Repository
    from gitsearch.index.session import Session
    from gitsearch.reports.search import Result, SearchReport, UnsearchedRepository
    from gitsearch.settings import SearchRequest

# Seconds after which the repositories that are left are asked in the next round: a round is
# bounded, however many repositories a shard has, and so is what it goes on with if nobody waits.
_SECONDS = 20.0

# Questions whose answers are kept. Those of exact text may be large.
_QUESTIONS = 2

# Byte offsets of starts and ends in lines, by the path of a file, `repository:path`, and the line.
LineSpans = dict[tuple[str, int], tuple[tuple[int, int], ...]]


class Portion(NamedTuple):
    """The answers of some repositories of a shard, in the order of their names.

    missed: the names and errors of those without what others may have, see `Asked`. refused: what
    ends the whole question, and the name of the repository. upto: the name of the last repository
    that was asked; None if no other one follows.
    """

    matched: tuple[MatchedRepository, ...]
    unsearched: tuple[UnsearchedRepository, ...]
    oddities: tuple[Oddity, ...]
    missed: tuple[tuple[str, SearchError], ...]
    refused: tuple[str, SearchError] | None
    upto: str | None


class Wanted(NamedTuple):
    """Results of a repository, by their places among its own.

    question, order: see MatchedRepository.
    """

    repository: str
    question: str
    order: str
    places: tuple[int, ...]


class Made(NamedTuple):
    """Results, those of each repository together, and where in their lines exact text matches."""

    results: tuple[tuple[Result, ...], ...]
    spans: LineSpans


def matching_of(request: SearchRequest) -> Matching:
    """Return the mode of a request for all matches."""
    return EXACT if request.mode == LITERAL else STRUCTURAL


class ShardMatches:
    """Looks for matches in the repositories of a shard, by their folders and names."""

    def __init__(self, names: Mapping[Path, str], session: Callable[[], Session]) -> None:
        """session: opens one of a question."""
        self._names = names
        self._session = session
        self._kept: OrderedDict[SearchRequest, _Question] = OrderedDict()

    def portion(self, request: SearchRequest, after: str, count: int | None) -> Portion:
        """Ask the repositories behind the one named `after` for their matches, for a while.

        count: how many of the first matches are returned; None for all.
        """
        if not after:
            self._kept.pop(request, None)  # of an earlier time
        return self._question(request).portion(after, count)

    def made(self, request: SearchRequest, wanted: Sequence[Wanted]) -> Made:
        """Return some results. Raises Stale if a repository is not what it was."""
        return self._question(request).made(wanted)

    def _question(self, request: SearchRequest) -> _Question:
        question = self._kept.get(request)
        if question is None:
            found = repositories.known(self._session(), self._names)
            question = self._kept[request] = _Question(request, found)
        self._kept.move_to_end(request)
        if len(self._kept) > _QUESTIONS:
            self._kept.popitem(last=False)
        return question


class _Question:
    """The repositories of one question, and the answers of those with matches that count."""

    def __init__(self, request: SearchRequest, found: Repositories) -> None:
        self._request = replace(request, refresh=OFF)
        self._matching = matching_of(request)
        self._found = found
        self._reports: dict[str, tuple[SearchReport, str]] = {}

    def portion(self, after: str, count: int | None) -> Portion:
        ends = monotonic() + _SECONDS
        asked = self._asked()
        refused, upto = None, None
        for one in self._found.found:
            if one.name <= after:
                continue
            if upto is not None and monotonic() > ends:
                break
            upto = one.name
            try:
                asked.ask(one)
            except FINAL as error:
                refused = one.name, error
                break
        else:
            upto = None
        first = not after
        return Portion(
            self._matched(asked, count),
            (*(self._found.unsearched if first else ()), *asked.unsearched),
            tuple(map(repositories.oddity, self._found.found)) if first else (),
            tuple((one.name, error) for one, error in asked.missed),
            refused,
            upto,
        )

    def made(self, wanted: Sequence[Wanted]) -> Made:
        results: list[tuple[Result, ...]] = []
        spans: LineSpans = {}
        for one in wanted:
            report, order = self._report(one.repository)
            # with another index they have other places
            if (question_of(report), order) != (one.question, one.order):
                raise Stale("a repository was updated while it was searched")
            found = (report.results[place] for place in one.places)
            # a mapping that cannot be written cannot be sent either
            own = tuple(result._replace(explain=dict(result.explain)) for result in found)
            results.append(own)
            if self._request.highlighted and report.spans:
                for result in own:
                    for line in range(result.start, result.end + 1):
                        path = f"{one.repository}:{result.path}"
                        spans[path, line] = tuple(report.spans(result.path, line))
        for repository in self._found.found:
            repository.session.repo.end_idle()
        return Made(tuple(results), spans)

    def _asked(self) -> Asked[SearchReport]:
        def ask(one: Repository) -> SearchReport:
            return self._matching.ask(one, self._request)

        return Asked(self._request.at, ask)

    def _report(self, name: str) -> tuple[SearchReport, str]:
        """The answer of a repository and the order of its matches; asked again if not kept."""
        if name not in self._reports:
            asked = self._asked()
            for one in self._found.found:
                if one.name == name:
                    asked.ask(one)
            if not asked.answers:
                raise Stale("a repository cannot be searched any more")
            report = asked.answers[0][1]
            self._reports[name] = report, self._matching.columns(report).order()
        return self._reports[name]

    def _matched(
        self, asked: Asked[SearchReport], count: int | None
    ) -> tuple[MatchedRepository, ...]:
        every = [self._matching.columns(report) for _, report in asked.answers]
        parts = every if count is None else first_of(self._matching, every, count)
        matched: list[MatchedRepository] = []
        for (one, report), own, first in zip(asked.answers, every, parts, strict=True):
            order = own.order() if first.paths else ""
            if first.paths:
                self._reports[one.name] = report, order
            matched.append(MatchedRepository.of(one, report, first)._replace(order=order))
        return tuple(matched)
