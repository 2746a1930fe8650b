"""`git search QUERY`: rank the chunks of a tree."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.identical_code import IdenticalCode
from gitsearch.commands.pages import count_of, page_of
from gitsearch.commands.searched_trees import ChosenTrees, SearchedTrees
from gitsearch.commands.signatures import SIGNATURE, signature
from gitsearch.errors import BadReader
from gitsearch.reports.search import FileCount, NearMiss, Result, SearchReport
from gitsearch.retrieval.confidence import confidence
from gitsearch.settings import AUTO, HYBRID, LITERAL, STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import numpy as np

    from gitsearch.commands.reader import Reader
    from gitsearch.commands.searched_trees import Place
    from gitsearch.index.session import Session
    from gitsearch.index.view import ChunkRow, Segment
    from gitsearch.reports.pages import Page
    from gitsearch.retrieval import engine
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest, Settings

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
    mode, reason, advice = request.mode or _settings(session, request).mode, "", ""
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


def _settings(session: Session, request: SearchRequest) -> Settings:
    """The settings of the repository, or of the folder that asks many."""
    if not request.of_many:
        return session.settings
    from gitsearch.index.session import settings_of

    return settings_of(session.own_config)


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
        from gitsearch.commands.reader import reader_for
        from gitsearch.retrieval import engine, query, spelling

    asked = query.parse(request.text)
    trees = chosen.open(asked)
    parsed, respelt = spelling.respelt(trees.view, asked)
    mask = trees.mask()
    only = trees.only
    settings = _settings(session, request)
    count = count_of(request, settings.max_count)
    page = _page(request, trees, count)
    reader = reader_for(request, settings.reader, trees, parsed, lasting=session.is_lasting)
    options = engine.Options(
        mode=str(request.mode),
        count=page.first,
        alpha=request.alpha,
        rerank=request.rerank,
        explain=request.explain,
    )
    identical = IdenticalCode(trees, mask)
    ranking = _Ranking(request, trees, parsed, mask, options, identical)
    ranked, unread = ranking.first_read(page.before + count + 1, reader)
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
        (*trees.warnings, *parsed.warnings, *unread),
        "it has the form of a name" if parsed.symbol else "",
        page=page,
        more=more,
        next=page.after(ranks[:count]) if more else None,
        near_misses=misses,
        repositories=trees.searched,
        unsearched=trees.unsearched,
        read=reader is not None and not unread,
    )
    return report if only is None else only.filters.told(report)


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
        request: SearchRequest,
        trees: SearchedTrees,
        query: Query,
        mask: np.ndarray,
        options: engine.Options,
        identical: IdenticalCode,
    ) -> None:
        self._request = request
        self._trees = trees
        self._query = query
        self._mask = mask
        self._options = options
        self._identity = identical.identity

    def first_read(
        self, count: int, reader: Reader | None
    ) -> tuple[list[Ranked], tuple[str, ...]]:
        """Return the first results in the order of the reader, or why it cannot read them.

        The last of them may be another one if more are asked for.
        """
        if reader is None:
            return self._first(count, self._options.count, None), ()
        try:
            return self._first(count, max(self._options.count, reader.most), reader), ()
        except BadReader as error:
            said = f"{error.message}; the order is that without it: {error.hint}"
        return self._first(count, self._options.count, None), (said,)

    def _first(self, count: int, ranked_for: int, reader: Reader | None) -> list[Ranked]:
        options = replace(self._options, count=ranked_for, beyond=1)
        hits = self._hits(options, reader)
        ranked: dict[Hashable, Ranked] = {}
        while True:
            for hit in hits[: options.count]:
                ranked.setdefault(self._identity(hit.row), hit)
            if len(hits) <= options.count or len(ranked) >= count:
                return list(ranked.values())[:count]
            if len(ranked) + 1 == count and self._identity(hits[-1].row) not in ranked:
                return [*ranked.values(), hits[-1]]
            options = replace(options, count=2 * options.count)
            # what the reader would put first of these is there already
            hits = self._hits(options, None)

    def _hits(self, options: engine.Options, reader: Reader | None) -> list[Ranked]:
        from gitsearch.commands.answer_cache import AnswerCache
        from gitsearch.retrieval import engine

        only, cache = self._trees.only, None
        if only is not None:
            read = "" if reader is None else reader.fingerprint
            cache = AnswerCache(self._request, only.opened, read)
        hits = cache.load(options) if cache else None
        if hits is None:
            search = partial(engine.search, self._trees.view, self._query, self._mask, options)
            hits = search() if reader is None else reader.ordered(search)
            if cache:
                cache.keep(options, hits)
        return hits


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
        places = self._trees.places(hit.row for hit in hits)
        return [
            self._result(rank, hit, place, confidence(self._trees.view, self._query, ranked, rank))
            for rank, hit, place in zip(ranks, hits, places, strict=True)
        ]

    def _result(self, rank: int, hit: Ranked, place: Place, sure: str) -> Result:
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
