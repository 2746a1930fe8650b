"""The answer of a ranked search, of trees in this process or of shards elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from gitsearch import trace
from gitsearch.commands.pages import count_of, new_files
from gitsearch.errors import BadReader
from gitsearch.reports.search import FileCount, NearMiss, SearchReport
from gitsearch.retrieval import engine, spelling
from gitsearch.retrieval.confidence import is_answered
from gitsearch.settings import FILES

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from gitsearch.reports.pages import Page
    from gitsearch.reports.search import (
        Coverage,
        Result,
        SearchedRepository,
        TreeName,
        UnsearchedRepository,
    )
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.retrieval.spelling import Vocabulary
    from gitsearch.settings import SearchRequest


# Where a ranking has too few results, as many times more candidates are ranked.
_DEEPER = 4

# One line of the warnings.
UNANSWERED = "nothing here seems to answer that: these are the nearest places"


class Source(Protocol):
    """The source of an answer: chunks that are ranked together, and facts about their trees."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of all trees."""

    @property
    def filters(self) -> Sequence[tuple[str, str]]:
        """The filters that are set, by name, and how each is asked for."""

    def most_read(self, query: Query) -> int:
        """Return how many of the best chunks are read again; 0 where none are."""

    def read(self, query: Query, options: engine.Options) -> list[Ranked]:
        """Return the best chunks in the order of the reader. Raises BadReader."""

    def search(
        self, query: Query, options: engine.Options, without: int | None = None
    ) -> list[Ranked]:
        """Return the best chunks; `without` is the number of a filter that is left out."""

    def identity(self, row: int) -> Hashable:
        """Return what rows that are one result have in common."""

    def results(
        self, query: Query, ranked: Sequence[Ranked], ranks: Sequence[int]
    ) -> list[Result]:
        """Return the results with these ranks, from 1, in order."""

    def page(self, request: SearchRequest) -> Page:
        """Return the page that is asked for."""

    @property
    def tree(self) -> TreeName:
        """The tree, or what several have in common."""

    @property
    def coverage(self) -> Coverage:
        """The files of all trees."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, a line each."""

    @property
    def searched(self) -> tuple[SearchedRepository, ...] | None:
        """The repositories, if there may be many."""

    @property
    def unsearched(self) -> tuple[UnsearchedRepository, ...]:
        """Those that were named and not searched."""


def answered(source: Source, request: SearchRequest, asked: Query, usual: int) -> SearchReport:
    """Return the best chunks for a query.

    usual: how many results are shown if no number is asked for.
    """
    parsed, respelt = spelling.respelt_by(source.vocabulary, asked)
    count = count_of(request, usual)
    page = source.page(request)
    options = engine.Options(
        mode=str(request.mode),
        count=page.before + count + 1,
        alpha=request.alpha,
        rerank=request.rerank,
        explain=request.explain,
    )
    ranked, is_read, said = _first(source, parsed, options)
    ranks = [*page.left, *range(page.before + 1, len(ranked) + 1)]
    with trace.stage("text"):
        results = source.results(parsed, ranked, ranks[:count])
        given = [rank for rank in page.given if rank <= len(ranked)]
        of_files = given and request.shown == FILES
        before = source.results(parsed, ranked, given) if of_files else ()
    misses = () if ranked else tuple(_near_misses(source, parsed, replace(options, count=count)))
    covered = source.coverage
    # what answers may be in files that are not looked at yet, or not here
    is_whole = not covered.pending and not covered.skipped.get("absent")
    if ranked and is_whole and not is_answered(parsed, ranked):
        said = (*said, UNANSWERED)
    sizes = Counter((result.path, result.repository) for result in results)
    counts = [FileCount(path, size, name) for (path, name), size in sizes.items()]
    more = len(ranks) > count
    return SearchReport(
        request.text,
        options.mode,
        source.tree,
        source.coverage,
        tuple(results),
        new_files(counts, before),
        parsed.words,
        respelt,
        (*source.warnings, *parsed.warnings, *said),
        "it has the form of a name" if parsed.symbol else "",
        page=page,
        more=more,
        next=page.after(ranks[:count]) if more else None,
        near_misses=misses,
        repositories=source.searched,
        unsearched=source.unsearched,
        read=is_read,
    )


def _near_misses(source: Source, parsed: Query, options: engine.Options) -> Iterator[NearMiss]:
    """The filters each of which alone left nothing, with what would be there without it."""
    for number, (option, shown) in enumerate(source.filters):
        count = len(source.search(parsed, options, number))
        if count:
            yield NearMiss(option, shown, count)


def _first(
    source: Source, query: Query, options: engine.Options
) -> tuple[list[Ranked], bool, tuple[str, ...]]:
    """The first results, if they are in the order of the reader, and why they are not."""
    count = options.count
    said: tuple[str, ...] = ()
    most = source.most_read(query)
    # as many as are looked at anyway, or some times as many, so that pages share a ranking
    ranked = max(most, engine.SUPPORT)
    while ranked < count:
        ranked *= 2
    options = replace(options, count=ranked)
    if most:
        try:
            hits = source.read(query, options)
            is_read = not hits or hits[0].read is not None
            return _continued(source, query, options, count, hits), is_read, said
        except BadReader as error:
            said = (f"{error.message}; the order is that without it: {error.hint}",)
    hits = source.search(query, options)
    return _continued(source, query, options, count, hits), False, said


def _continued(
    source: Source, query: Query, options: engine.Options, count: int, hits: Sequence[Ranked]
) -> list[Ranked]:
    """The results of a ranking, and those of deeper ones if they are too few.

    A deeper ranking has another order. So that the order does not depend on how many are asked
    for, what is new in it comes after all that was there. Of identical ones the first counts.
    """
    ranked: dict[Hashable, Ranked] = {}
    while True:
        for hit in hits:
            ranked.setdefault(source.identity(hit.row), hit)
        if len(ranked) >= count:
            return list(ranked.values())[:count]
        if len(hits) == options.count:
            options = replace(options, count=2 * options.count)
        elif len(hits) < engine.depth_of(options):
            # no leg has more
            return list(ranked.values())
        else:
            options = replace(options, deeper=_DEEPER * options.deeper)
        # what the reader would put first of these is there already
        further = source.search(query, options)
        hits = _below(next(reversed(ranked.values())), further, ranked, source)


def _below(
    last: Ranked, hits: Sequence[Ranked], ranked: Collection[Hashable], source: Source
) -> list[Ranked]:
    """The same results, those that are new with scores that are not above that of the last."""
    new = next((hit.score for hit in hits if source.identity(hit.row) not in ranked), 0.0)
    scale = last.score / new if new > last.score else 1.0
    return [replace(hit, score=hit.score * scale) for hit in hits]
