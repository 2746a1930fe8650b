"""Ranked rows of trees as results, with their text from git."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.signatures import SIGNATURE, signature, signature_and_line
from gitsearch.reports.search import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.searched_trees import Place, SearchedTrees
    from gitsearch.index.view import ChunkRow, Segment
    from gitsearch.reports.search import Copy
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.settings import SearchRequest


class Hit(NamedTuple):
    """A ranked row that is shown: its rank, how sure it is, where else it stands."""

    rank: int
    ranked: Ranked
    confidence: str
    copies: tuple[Copy, ...]


class ShownResults:
    """Turns ranked rows into results with their text, which comes from git."""

    def __init__(self, trees: SearchedTrees, request: SearchRequest) -> None:
        self._trees = trees
        self._request = request
        # chunks were chosen by their lines, which have to be shown
        filters = (request.grep, request.changed, request.removed)
        self._by_lines = any(one is not None for one in filters)

    def of(self, hits: Sequence[Hit]) -> list[Result]:
        """Return the results, in the same order."""
        places = self._trees.places(hit.ranked.row for hit in hits)
        return [self._result(hit, place) for hit, place in zip(hits, places, strict=True)]

    def _result(self, hit: Hit, place: Place) -> Result:
        tree, segment, chunk, oid = place
        ranked = hit.ranked
        texts = tree.opened.texts
        data = texts[oid]
        lines = texts.lines(oid)
        if not lines[-1]:
            lines = lines[:-1]
        symbol = chunk.symbol
        if ranked.symbol is not None:
            # of several definitions in a chunk the one that was asked for
            symbol = ranked.symbol
            if not self._by_lines:
                chunk = from_definition(segment, chunk, symbol, lines)
        shown_first, shown_last = self._extent(segment, symbol, chunk)
        shown = [line.removesuffix("\r") for line in lines[shown_first - 1 : shown_last]]
        if self._request.max_lines is not None:
            shown = shown[: self._request.max_lines]
        context = None
        if chunk.scope >= 0:
            scope = segment.symbol(chunk.scope)
            if scope.first < shown_first:
                context = scope.first, signature(segment, chunk.scope, data)
        named, line = "", chunk.first
        if symbol >= 0:
            named, own = signature_and_line(segment, symbol, data)
            line = own if chunk.first <= own <= chunk.last else line
        return Result(
            rank=hit.rank,
            path=segment.path(chunk.file).decode("utf-8", "surrogateescape"),
            start=chunk.first,
            end=chunk.last,
            blob=oid,
            language=segment.language(chunk.file),
            kind=segment.kind(symbol) if symbol >= 0 else "text",
            symbol=segment.qualified(symbol) if symbol >= 0 else None,
            score=round(float(ranked.score), 6),
            legs=ranked.legs,
            confidence=hit.confidence,
            text="\n".join(shown),
            signature=named or _first_line(lines[chunk.first - 1 : chunk.last]),
            context=context,
            first_shown=shown_first,
            explain=ranked.factors,
            repository=tree.repository,
            copies=hit.copies,
            signature_line=line,
        )

    def _extent(self, segment: Segment, symbol: int, chunk: ChunkRow) -> tuple[int, int]:
        """The lines to show: the chunk, with context, or its whole definition."""
        before, after = self._request.context
        first, last = chunk.first, chunk.last
        if self._request.whole and symbol >= 0:
            whole = segment.symbol(symbol)
            first, last = min(first, whole.first), max(last, whole.last)
        return max(1, first - before), last + after


def from_definition(
    segment: Segment, chunk: ChunkRow, symbol: int, lines: Sequence[str]
) -> ChunkRow:
    """Return a chunk that ends within a definition from that one on, with as many lines of it.

    What is left out is what stands before the definition and its comment. lines: of the file.
    """
    own = segment.symbol(symbol)
    # of a damaged index no place need be one
    if not chunk.first < own.first <= chunk.last < own.last <= len(lines):
        return chunk
    rows = segment.symbols_of(chunk.file)
    ends = segment["symbol_last"][rows.start : rows.stop]
    first = max(chunk.first, int(ends[ends < own.first].max(initial=0)) + 1)
    while first < own.first and not lines[first - 1].strip():
        first += 1
    last = min(own.last, chunk.last + first - chunk.first)
    while last > chunk.last and not lines[last - 1].strip():
        last -= 1
    return chunk._replace(first=first, last=last)


def _first_line(lines: list[str]) -> str:
    return next((line.strip()[:SIGNATURE] for line in lines if line.strip()), "")
