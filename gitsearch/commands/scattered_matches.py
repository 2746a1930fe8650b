"""Exact text or a pattern of code in many shards: the answer of one process over all."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from gitsearch.commands import repositories, repository_answers
from gitsearch.commands.many_matches import ManyMatched, first_needed, merged
from gitsearch.commands.shard_matches import Wanted, matching_of
from gitsearch.commands.shards import of_one_state
from gitsearch.errors import SearchError, UsageError
from gitsearch.index.session import settings_of
from gitsearch.reports.search import UnsearchedRepository
from gitsearch.settings import LITERAL, RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.many_matches import MatchedRepository
    from gitsearch.commands.shard_matches import LineSpans, Made, Portion
    from gitsearch.commands.shards import Shards
    from gitsearch.index.session import Session
    from gitsearch.reports.search import Result, SearchReport
    from gitsearch.settings import SearchRequest

# Results that are asked of the shards together.
_TOGETHER = 1000


def scattered_matches(
    shards: Shards,
    unsearched: Sequence[UnsearchedRepository],
    session: Session,
    request: SearchRequest,
) -> SearchReport:
    """Return all matches in all shards, or those of a page.

    unsearched: repositories that are in no shard. Raises SearchError; where no number of results
    is asked for, also when further results are looked at.
    """
    return of_one_state(lambda: _answer(shards, unsearched, session, request))


def _answer(
    shards: Shards,
    unsearched: Sequence[UnsearchedRepository],
    session: Session,
    request: SearchRequest,
) -> SearchReport:
    matching = matching_of(request)
    count = first_needed(matching, request, settings_of(session.own_config))
    portions, lost = _portions(shards, request, count)
    every = [one for own in portions.values() for one in own]
    left_out = repository_answers.in_order(
        [*unsearched, *lost, *(out for one in every for out in one.unsearched)]
    )
    shard_of = {
        one.searched.repository: number
        for number, own in portions.items()
        for portion in own
        for one in portion.matched
    }
    matched = sorted(
        (one for portion in every for one in portion.matched),
        key=lambda one: one.searched.repository,
    )
    if not matched:
        misses = sorted((miss for one in every for miss in one.missed), key=lambda miss: miss[0])
        raise repositories.unanswered([error for _, error in misses], left_out)
    odd = tuple(repositories.oddities(sorted(odd for one in every for odd in one.oddities)))
    shown = _ShownResults(shards, request, matched, shard_of, all_kept=count is not None)
    many = ManyMatched(matched, left_out, odd)
    report = merged(session, request, matching, many, shown.made, _TOGETHER)
    if request.highlighted and request.mode == LITERAL:
        report = report._replace(spans=shown.spans)
    if request.shown != RESULTS:
        return report
    if count is not None:
        return report._replace(results=tuple(report.results))
    # while nothing is printed yet, the question can begin anew
    _ = report.results[:1]
    return report


def _portions(
    shards: Shards, request: SearchRequest, count: int | None
) -> tuple[dict[int, list[Portion]], list[UnsearchedRepository]]:
    """Return the answers of each shard, by its number, and those that do not come back.

    Raises what ends the whole question: of several the one of the first repository.
    """
    found: dict[int, list[Portion]] = {number: [] for number in range(len(shards))}
    lost: list[UnsearchedRepository] = []
    after = dict.fromkeys(found, "")
    while after:
        calls = [(i, "matches", (request, name, count)) for i, name in after.items()]
        answers = dict(zip(after, shards.call(calls), strict=True))
        after = {}
        for number, answer in answers.items():
            if isinstance(answer, UsageError):
                raise answer
            if isinstance(answer, SearchError):
                lost.append(UnsearchedRepository(f"shard {number}", answer.message))
                del found[number]
                continue
            found[number].append(answer)
            if answer.upto is not None and answer.refused is None:
                after[number] = answer.upto
    refused = [one.refused for own in found.values() for one in own if one.refused]
    if refused:
        raise min(refused, key=lambda one: one[0])[1]
    return found, lost


class _ShownResults:
    """Asks the shards for results.

    all_kept: so few are going to be shown that what is known of all of them is kept.
    """

    def __init__(
        self,
        shards: Shards,
        request: SearchRequest,
        matched: Sequence[MatchedRepository],
        shard_of: dict[str, int],
        *,
        all_kept: bool,
    ) -> None:
        self._shards = shards
        self._request = request
        self._matched = matched
        self._shard_of = shard_of
        self._all_kept = all_kept
        self._spans: LineSpans = {}

    def made(self, wanted: Sequence[tuple[int, int]]) -> list[Result]:
        """Return results, each by the number of its repository and its place there."""
        places: dict[int, list[int]] = defaultdict(list)
        for number, place in wanted:
            places[number].append(place)
        asked: dict[int, list[int]] = defaultdict(list)
        for number in places:
            asked[self._shard_of[self._matched[number].searched.repository]].append(number)
        calls = [
            (shard, "made", (self._request, [self._wanted(i, places[i]) for i in numbers]))
            for shard, numbers in asked.items()
        ]
        if not self._all_kept:
            self._spans = {}
        results: dict[tuple[int, int], Result] = {}
        for numbers, answer in zip(asked.values(), self._shards.call(calls), strict=True):
            if isinstance(answer, SearchError):
                raise answer
            self._take(numbers, places, answer, results)
        return [results[one] for one in wanted]

    def _wanted(self, number: int, places: Sequence[int]) -> Wanted:
        one = self._matched[number]
        return Wanted(one.searched.repository, one.question, one.order, tuple(places))

    def _take(
        self,
        numbers: Sequence[int],
        places: dict[int, list[int]],
        answer: Made,
        results: dict[tuple[int, int], Result],
    ) -> None:
        for number, own in zip(numbers, answer.results, strict=True):
            pairs = [(number, place) for place in places[number]]
            results.update(zip(pairs, own, strict=True))
        self._spans.update(answer.spans)

    def spans(self, path: str, line: int) -> Sequence[tuple[int, int]]:
        """Return where in a line of the results that were asked for last exact text matches."""
        return self._spans.get((path, line), ())
