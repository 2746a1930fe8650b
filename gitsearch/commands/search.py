"""`git search QUERY`: rank the chunks of a tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.commands.identical_code import IdenticalCode
from gitsearch.commands.pages import count_of, page_of
from gitsearch.commands.searched_trees import ChosenTrees, SearchedTree, SearchedTrees
from gitsearch.commands.signatures import SIGNATURE, signature
from gitsearch.reports.search import FileCount, NearMiss, Result, SearchReport
from gitsearch.retrieval.confidence import confidence
from gitsearch.settings import AUTO, HYBRID, LITERAL, STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import numpy as np

    from gitsearch.commands.answer_cache import AnswerCache
    from gitsearch.index.session import Session
    from gitsearch.index.view import ChunkRow, Segment, View
    from gitsearch.reports.pages import Page
    from gitsearch.retrieval import engine
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest

# A query without any of these is neither a pattern nor in quotes.
_SIGNS = frozenset("$\"'`\\[(.|^*+")


def load() -> None:
    """Load what a ranked search needs, in a process that has nothing else to do yet."""
    from gitsearch.commands import file_candidates
    from gitsearch.index import open_view, view_store
    from gitsearch.retrieval import engine, filters, query, spelling

    del engine, file_candidates, filters, open_view, query, spelling, view_store


def search(session: Session, request: SearchRequest) -> SearchReport:
    """What a query finds, in the mode that is asked for or that its form asks for.

    Raises SearchError.
    """
    mode, reason, advice = request.mode or _usual_mode(session, request), "", ""
    if mode == AUTO:
        mode, text, reason, advice = _detected(request.text)
        request = replace(request, text=text)
    request = replace(request, mode=mode)
    if mode == LITERAL and request.of_many:
        from gitsearch.commands.many_exact import exact_search_in as answer
    elif mode == STRUCTURAL and request.of_many:
        from gitsearch.commands.many_structural import structural_search_in as answer
    elif mode == LITERAL:
        from gitsearch.commands.exact_search import exact_search as answer
    elif mode == STRUCTURAL:
        from gitsearch.commands.structural_search import structural_search as answer
    else:
        answer = _ranked_search
    report = answer(session, request)
    if reason and mode == LITERAL and not report.counts:
        advice = "no line has this text; without the quotes it is searched for by meaning"
    warnings = (*report.warnings, advice) if advice else report.warnings
    return report._replace(reason=reason or report.reason, warnings=warnings)


def _usual_mode(session: Session, request: SearchRequest) -> str:
    """The mode of the settings: those of the repository, or of the folder that asks many."""
    if not request.of_many:
        return session.settings.mode
    from gitsearch.index.session import settings_of

    return settings_of(session.own_config).mode


def _detected(text: str) -> tuple[str, str, str, str]:
    """The mode for a query, its text in that mode, the reason, and advice if it is doubtful."""
    if _SIGNS.isdisjoint(text):
        return HYBRID, text, "", ""
    from gitsearch.retrieval import query_mode

    return query_mode.detect(text)


def _ranked_search(session: Session, request: SearchRequest) -> SearchReport:
    """The best chunks for a query."""
    chosen = ChosenTrees(session, request)
    with trace.stage("imports"):  # beside git, which looks for edited files
        from gitsearch.commands.answer_cache import AnswerCache
        from gitsearch.retrieval import engine, query, spelling

    asked = query.parse(request.text)
    trees = chosen.open(asked)
    parsed, respelt = spelling.respelt(trees.view, asked)
    mask = trees.mask()
    only = trees.only
    count = count_of(request, _most(session, only))
    page = _page(request, trees, count)
    options = engine.Options(
        mode=str(request.mode),
        count=page.first,
        alpha=request.alpha,
        rerank=request.rerank,
        explain=request.explain,
    )
    cache = AnswerCache(request, only.opened) if only is not None else None
    identical = IdenticalCode(trees, mask)
    ranking = _Ranking(trees.view, parsed, mask, options, cache, identical)
    ranked = ranking.first(page.before + count + 1)
    ranks = [*page.left, *range(page.before + 1, len(ranked) + 1)]
    with trace.stage("text"):
        results = _Shown(trees, request, parsed, identical).results(ranked, ranks[:count])
    misses = () if ranked else tuple(_near_misses(trees, parsed, options))
    counts = Counter((result.path, result.repository) for result in results)
    more = len(ranks) > count
    report = SearchReport(
        request.text,
        options.mode,
        trees.tree,
        trees.coverage,
        tuple(results),
        tuple(FileCount(path, size, name) for (path, name), size in counts.items()),
        parsed.words,
        respelt,
        (*trees.warnings, *parsed.warnings),
        "it has the form of a name" if parsed.symbol else "",
        page=page,
        more=more,
        next=page.after(ranks[:count]) if more else None,
        near_misses=misses,
        repositories=trees.searched,
        unsearched=trees.unsearched,
    )
    return report if only is None else only.filters.told(report)


def _most(session: Session, only: SearchedTree | None) -> int:
    """How many results are shown if no number is asked for."""
    if only is not None:
        return session.settings.max_count
    from gitsearch.index.session import settings_of

    return settings_of(session.own_config).max_count


def _page(request: SearchRequest, trees: SearchedTrees, count: int) -> Page:
    opened = trees.trees[0].opened
    if len(trees.trees) > 1:
        return page_of(
            request, trees.tree, (), trees.coverage.pending, count, None, trees.states()
        )
    lines = trees.trees[0].filters.lines
    return page_of(request, opened.tree, opened.dirty, trees.coverage.pending, count, lines)


def _near_misses(
    trees: SearchedTrees, parsed: Query, options: engine.Options
) -> Iterator[NearMiss]:
    """The filters each of which alone left nothing, with what would be there without it."""
    from gitsearch.retrieval import engine

    for option, shown, mask in trees.without_each():
        count = len(engine.search(trees.view, parsed, mask, options))
        if count:
            yield NearMiss(option, shown, count)


class _Ranking:
    """The results of a query in an order that does not depend on how many are asked for.

    The order that the engine gives does, a little. So there come as many as a first page was
    ranked for, then those of a ranking twice as long that are not among them, and so on. Of
    identical ones the first counts.
    """

    def __init__(
        self,
        view: View,
        query: Query,
        mask: np.ndarray,
        options: engine.Options,
        cache: AnswerCache | None,
        identical: IdenticalCode,
    ) -> None:
        self._identity = identical.identity
        self._view = view
        self._query = query
        self._mask = mask
        self._options = options
        self._cache = cache

    def first(self, count: int) -> list[Ranked]:
        """Return the first results, as many as there are up to a number.

        The last of them may be another one if more are asked for.
        """
        options = replace(self._options, beyond=1)
        ranked: dict[Hashable, Ranked] = {}
        while True:
            hits = self._hits(options)
            for hit in hits[: options.count]:
                ranked.setdefault(self._identity(hit.row), hit)
            if len(hits) <= options.count or len(ranked) >= count:
                return list(ranked.values())[:count]
            if len(ranked) + 1 == count and self._identity(hits[-1].row) not in ranked:
                return [*ranked.values(), hits[-1]]
            options = replace(options, count=2 * options.count)

    def _hits(self, options: engine.Options) -> list[Ranked]:
        from gitsearch.retrieval import engine

        hits = self._cache.load(options) if self._cache else None
        if hits is None:
            hits = engine.search(self._view, self._query, self._mask, options)
            if self._cache:
                self._cache.keep(options, hits)
        return hits


class _Place(NamedTuple):
    """The place of a ranked row: its tree, its segment, the chunk in it, the blob of its file."""

    tree: SearchedTree
    segment: Segment
    chunk: ChunkRow
    oid: str

    @classmethod
    def of(cls, trees: SearchedTrees, row: int) -> _Place:
        segment, inside = trees.view.locate(row)
        chunk = segment.chunk(inside)
        return cls(trees.of_row(row), segment, chunk, segment.oid(chunk.file))


class _Shown:
    """Turns ranked rows into results with their text, which comes from git."""

    def __init__(
        self,
        trees: SearchedTrees,
        request: SearchRequest,
        query: Query,
        identical: IdenticalCode,
    ) -> None:
        self._identical = identical
        self._query = query
        self._trees = trees
        self._request = request

    def results(self, ranked: Sequence[Ranked], ranks: Sequence[int]) -> list[Result]:
        """The results with these ranks, from 1, in order."""
        hits = [ranked[rank - 1] for rank in ranks]
        places = [_Place.of(self._trees, hit.row) for hit in hits]
        self._read(places)
        return [
            self._result(rank, hit, place, confidence(self._trees.view, self._query, ranked, rank))
            for rank, hit, place in zip(ranks, hits, places, strict=True)
        ]

    def _read(self, places: Sequence[_Place]) -> None:
        """Read the texts of each repository at once, and those of several at the same time."""
        caches = {id(place.tree): place.tree.opened.texts for place in places}

        def read(tree: int) -> None:
            caches[tree].read(place.oid for place in places if id(place.tree) == tree)

        if len(caches) < 2:
            for tree in caches:
                read(tree)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(caches)) as pool:
            list(pool.map(read, caches))

    def _result(self, rank: int, hit: Ranked, place: _Place, sure: str) -> Result:
        tree, segment, chunk, oid = place
        texts = tree.opened.texts
        # of several definitions in a chunk the one that was asked for
        symbol = chunk.symbol if hit.symbol is None else hit.symbol
        shown_first, shown_last = self._extent(segment, symbol, chunk)
        data = texts[oid]
        lines = texts.lines(oid)
        if not lines[-1]:
            lines = lines[:-1]
        shown = [line.removesuffix("\r") for line in lines[shown_first - 1 : shown_last]]
        if self._request.max_lines is not None:
            shown = shown[: self._request.max_lines]
        context = None
        if chunk.scope >= 0:
            scope = segment.symbol(chunk.scope)
            if scope.first < shown_first:
                context = scope.first, signature(segment, chunk.scope, data)
        named = signature(segment, symbol, data) if symbol >= 0 else ""
        return Result(
            rank=rank,
            path=segment.path(chunk.file).decode("utf-8", "surrogateescape"),
            start=chunk.first,
            end=chunk.last,
            blob=oid,
            language=segment.language(chunk.file),
            kind=segment.kind(symbol) if symbol >= 0 else "text",
            symbol=segment.qualified(symbol) if symbol >= 0 else None,
            score=round(float(hit.score), 6),
            legs=hit.legs,
            confidence=sure,
            text="\n".join(shown),
            signature=named or _first_line(lines[chunk.first - 1 : chunk.last]),
            context=context,
            first_shown=shown_first,
            explain=hit.factors,
            repository=tree.repository,
            copies=self._identical.copies(hit.row),
        )

    def _extent(self, segment: Segment, symbol: int, chunk: ChunkRow) -> tuple[int, int]:
        """The lines to show: the chunk, with context, or its whole definition."""
        before, after = self._request.context
        first, last = chunk.first, chunk.last
        if self._request.whole and symbol >= 0:
            whole = segment.symbol(symbol)
            first, last = min(first, whole.first), max(last, whole.last)
        return max(1, first - before), last + after


def _first_line(lines: list[str]) -> str:
    return next((line.strip()[:SIGNATURE] for line in lines if line.strip()), "")
