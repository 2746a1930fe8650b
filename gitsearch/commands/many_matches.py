"""Matches in many repositories as one answer: exact text, or a pattern of code."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands import repositories, repository_answers
from gitsearch.commands.match_columns import MadeOnDemand, Matches
from gitsearch.commands.pages import new_files, page_of, passed_by
from gitsearch.index.session import settings_of
from gitsearch.reports.search import FileCount, Result, SearchedRepository, SearchReport
from gitsearch.settings import ALONE, ANY, FILES, LITERAL, RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.repositories import Repository
    from gitsearch.index.session import Session
    from gitsearch.reports.search import Spans, UnsearchedRepository
    from gitsearch.settings import SearchRequest, Settings

    # Makes the results of some matches, each the number of its repository and its place there.
    Maker = Callable[[Sequence[tuple[int, int]]], Sequence[Result]]


class Matching(NamedTuple):
    """A mode whose answer is all matches.

    search: the answer of one repository. each: what one of many is asked. columns: its matches.
    order: the rows of the matches of several, given in the order of their repositories, in the
    order of the answer. most: how many are shown; None for all.
    """

    search: Callable[[Session, SearchRequest], SearchReport]
    each: Callable[[SearchRequest], SearchRequest]
    columns: Callable[[SearchReport], Matches]
    order: Callable[[Sequence[Matches]], np.ndarray]
    most: Callable[[SearchRequest, Settings], int | None]

    def ask(self, one: Repository, request: SearchRequest) -> SearchReport:
        """Return all matches in one of many repositories.

        Which of them a page has is known when those of all are in order.
        """
        own = replace(
            self.each(one.question(request)),
            repositories=ALONE,
            shown=RESULTS,
            page=None,
            budget=None,
        )
        return self.search(one.session, own)


class MatchedRepository(NamedTuple):
    """The answer of one of many repositories: what is said of it, and its matches.

    words: those that were looked for. doubts: why it may have no match, which is not said where
    others have one. question: a digest of what it was asked, and of which tree.
    order: a digest of all its matches in their order, if a shard has to make their results.
    """

    searched: SearchedRepository
    warnings: tuple[str, ...]
    words: tuple[str, ...]
    question: str
    matches: Matches
    order: str = ""
    doubts: tuple[str, ...] = ()

    @classmethod
    def of(cls, one: Repository, report: SearchReport, matches: Matches) -> MatchedRepository:
        """Return that of a report."""
        searched = repositories.searched(one, report)
        said = tuple(warning for warning in report.warnings if warning not in report.doubts)
        question = question_of(report)
        return cls(searched, said, report.words, question, matches, doubts=report.doubts)


class ManyMatched(NamedTuple):
    """The answers of many repositories, in the order of their names.

    unsearched, said: those that did not answer, and what is odd, a line each.
    """

    matched: Sequence[MatchedRepository]
    unsearched: tuple[UnsearchedRepository, ...]
    said: tuple[str, ...]


def question_of(report: SearchReport) -> str:
    """Return the digest of what one of many repositories was asked, and of which tree."""
    return report.page.question if report.page else ""


def search_in(session: Session, request: SearchRequest, matching: Matching) -> SearchReport:
    """The matches in all repositories, in one order. Raises SearchError."""
    passed_by(request.page)  # what is no token is refused before anything else, as by shards
    answers = repositories.each(
        session, request.repositories, request.at, lambda one: matching.ask(one, request)
    )
    reports = [report for _, report in answers.answers]
    matched = [
        MatchedRepository.of(one, report, matching.columns(report))
        for one, report in answers.answers
    ]
    many = ManyMatched(matched, answers.unsearched, answers.said)

    def made(wanted: Sequence[tuple[int, int]]) -> list[Result]:
        return [reports[number].results[place] for number, place in wanted]

    report = merged(session, request, matching, many, made)
    if not (request.highlighted and request.mode == LITERAL):
        return report
    spans = {one.searched.repository: own.spans for one, own in zip(matched, reports, strict=True)}
    return report._replace(spans=_Spans(spans))


def first_needed(matching: Matching, request: SearchRequest, settings: Settings) -> int | None:
    """Return how many of the first matches are needed: those up to the end of a page and one more.

    None for all of them. Raises BadContinuation.
    """
    passed = passed_by(request.page)
    most = 0 if request.shown == ANY else matching.most(request, settings)
    return None if most is None else passed + most + 1


def first_of(matching: Matching, parts: Sequence[Matches], count: int) -> list[Matches]:
    """Return of some matches those that are among the first of them all."""
    part, row = _rows(parts)
    first = np.sort(matching.order(parts)[:count])
    ends = pairwise(np.searchsorted(part[first], np.arange(len(parts) + 1)).tolist())
    return [one.some(row[first[a:b]]) for one, (a, b) in zip(parts, ends, strict=True)]


def merged(
    session: Session,
    request: SearchRequest,
    matching: Matching,
    many: ManyMatched,
    made: Maker,
    together: int = 1,
) -> SearchReport:
    """Return the answer of all repositories.

    many: has at least the first matches of all that are needed, see `first_needed`. made, of
    `together` results at once, is called when one of them is asked for. Raises BadContinuation.
    """
    matched = many.matched
    most = matching.most(request, settings_of(session.own_config))
    order = matching.order([one.matches for one in matched])
    said = [(one.searched, one.warnings + (() if len(order) else one.doubts)) for one in matched]
    fields = repository_answers.merged(said, many.unsearched, many.said)
    page, ranks = None, np.arange(1, len(order) + 1)
    earlier = ranks[:0]
    if most is not None or request.page is not None:
        # each knows by its own digest what it was asked, and of which tree
        states = [(one.searched.repository, one.question) for one in matched]
        page = page_of(request, fields["tree"], (), 0, None, states)
        if request.shown == FILES:
            earlier = ranks[np.isin(ranks, page.given)]
        ranks = np.append(np.asarray(page.left, np.int64), ranks[page.before :])
        ranks = ranks[ranks <= len(order)]
    shown = ranks[:most]
    results = _Merged(matched, made, order[shown - 1], shown, together)
    before = _Merged(matched, made, order[earlier - 1], earlier, together)
    more = len(ranks) > len(shown)
    return SearchReport(
        text=request.text,
        mode=str(request.mode),
        results=results,
        counts=new_files(results.counts(), before.counts()),
        words=tuple(sorted({word for one in matched for word in one.words})),
        respelt=(),
        page=page,
        more=more,
        next=page.after(shown.tolist()) if page and more else None,
        **fields,
    )


def _rows(parts: Sequence[Matches]) -> tuple[np.ndarray, np.ndarray]:
    """The number of the part of each match, and its row there: int64 (matches)."""
    sizes = np.asarray([len(one.place) for one in parts], np.int64)
    part = np.repeat(np.arange(len(parts)), sizes)
    return part, np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


class _Merged(MadeOnDemand[Result]):
    """Results of several repositories, made when they are asked for, `together` at a time."""

    def __init__(
        self,
        matched: Sequence[MatchedRepository],
        made: Maker,
        rows: np.ndarray,
        ranks: np.ndarray,
        together: int,
    ) -> None:
        """rows: of the matches of all repositories, in the order of the answer."""
        self._matched = matched
        self._maker = made
        self._ranks = ranks
        self._together = together
        part, row = _rows([one.matches for one in matched])
        self._part, self._row = part[rows], row[rows]
        self._first = 0
        self._made: Sequence[Result] = ()

    def __len__(self) -> int:
        return len(self._ranks)

    def counts(self) -> tuple[FileCount, ...]:
        """Return the files of the results, the first first, with how many of their matches."""
        sizes: Counter[tuple[int, str]] = Counter()
        for part, row in zip(self._part.tolist(), self._row.tolist(), strict=True):
            matches = self._matched[part].matches
            sizes[part, matches.paths[matches.file[row]]] += int(matches.counted[row])
        return tuple(
            FileCount(path, size, self._matched[part].searched.repository)
            for (part, path), size in sizes.items()
        )

    def made(self, place: int) -> Result:
        """Return the result at a place, with its rank and its repository."""
        if not self._first <= place < self._first + len(self._made):
            self._first = place - place % self._together
            self._made = self._maker(self._wanted(self._first, self._first + self._together))
        result, rank = self._made[place - self._first], int(self._ranks[place])
        name = self._matched[int(self._part[place])].searched.repository
        legs: dict[str, int | None] = dict.fromkeys(result.legs, rank)
        return result._replace(rank=rank, legs=legs, repository=name)

    def _wanted(self, first: int, upto: int) -> list[tuple[int, int]]:
        pairs = zip(self._part[first:upto].tolist(), self._row[first:upto].tolist(), strict=True)
        return [(part, int(self._matched[part].matches.place[row])) for part, row in pairs]


class _Spans:
    """The matches of exact text within lines, by the repository and path of a file."""

    def __init__(self, spans: dict[str, Spans | None]) -> None:
        self._spans = spans

    def __call__(self, path: str, line: int) -> Sequence[tuple[int, int]]:
        """Return the byte offsets of starts and ends in a line of a file, `repository:path`."""
        for name, own in self._spans.items():
            if own is not None and path.startswith(f"{name}:"):
                return own(path[len(name) + 1 :], line)
        return ()
