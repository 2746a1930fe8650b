"""Items of an answer of `context`: whole definitions with their text, signatures and lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.signatures import signature
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.reports.context import CODE, PLACE, SIGNATURE, USED, ContextItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment, View
    from gitsearch.retrieval.engine import Ranked


class Span(NamedTuple):
    """Lines of a file, both ends included, and the definition that they are, or -1."""

    segment: Segment
    file: int
    first: int
    last: int
    symbol: int = -1

    @property
    def path(self) -> bytes:
        """The path of the file."""
        return self.segment.path(self.file)

    @property
    def name(self) -> str | None:
        """The qualified name of the definition, if any."""
        return self.segment.qualified(self.symbol) if self.symbol >= 0 else None

    def has(self, other: Span) -> bool:
        """Return True if the lines of another span are among these."""
        same = self.segment is other.segment and self.file == other.file
        return same and self.first <= other.first and other.last <= self.last


class FoundUse(NamedTuple):
    """A line that uses a definition or imports a file, in the innermost definition around it."""

    span: Span
    text: str


def chunk_span(view: View, hit: Ranked) -> Span:
    """The lines of a search result, and the definition that it is or is part of."""
    segment, row = view.locate(hit.row)
    chunk = segment.chunk(row)
    symbol = chunk.symbol if hit.symbol is None else hit.symbol
    return Span(
        segment, chunk.file, chunk.first, chunk.last, symbol if symbol >= 0 else chunk.scope
    )


def definition_span(span: Span) -> Span:
    """The whole definition that a search result is part of.

    With all of the result where that has several: where it is more than twice as large.
    """
    if span.symbol < 0:
        return span
    whole = symbol_span(span.segment, span.symbol)
    if 2 * (whole.last - whole.first) >= span.last - span.first:
        return whole
    return whole._replace(first=min(span.first, whole.first), last=max(span.last, whole.last))


def symbol_span(segment: Segment, symbol: int) -> Span:
    """The lines of a definition."""
    own = segment.symbol(symbol)
    return Span(segment, own.file, own.first, own.last, symbol)


def file_span(segment: Segment, file: int) -> Span:
    """All lines of a file; one if it has no chunks."""
    end = int(segment["file_chunk"][file + 1])
    start = int(segment["file_chunk"][file])
    return Span(segment, file, 1, segment.chunk(end - 1).last if end > start else 1)


def enclosing(segment: Segment, file: int, first: int, last: int) -> int:
    """The innermost definition that starts above some lines and has them all, or -1."""
    found = -1
    for symbol in segment.symbols_of(file):
        own = segment.symbol(symbol)
        if own.first < first and last <= own.last:
            found = symbol
    return found


def outermost(span: Span) -> Iterator[Span]:
    """The functions and types within some lines that are in no other of these."""
    last = 0
    for symbol in span.segment.symbols_of(span.file):
        inner = symbol_span(span.segment, symbol)
        kind = span.segment.kind(symbol)
        own = kind in FUNCTIONS | TYPES and symbol != span.symbol
        if own and inner.first > last and span.has(inner):
            last = inner.last
            yield inner


class ItemMaker:
    """Makes items of the spans of an opened tree."""

    def __init__(self, opened: OpenView) -> None:
        self._texts = opened.texts

    def read(self, spans: Iterable[Span]) -> None:
        """Read the files of some spans at once."""
        self._texts.read(span.segment.oid(span.file) for span in spans)

    def text(self, span: Span) -> str:
        """The lines of a span, without blank ones at the end."""
        lines = self._texts.lines(span.segment.oid(span.file))
        shown = [line.removesuffix("\r") for line in lines[span.first - 1 : span.last]]
        while shown and not shown[-1].strip():
            shown.pop()
        return "\n".join(shown)

    def code(self, span: Span, kind: str, reason: str) -> ContextItem:
        """An item with all lines of a span, and the signature of what is around it."""
        around = enclosing(span.segment, span.file, span.first, span.last)
        within = None
        if around >= 0:
            within = span.segment.symbol(around).first, self.signature(span.segment, around)
        return ContextItem(
            kind,
            os.fsdecode(span.path),
            span.first,
            span.last,
            span.name,
            reason,
            CODE,
            self.text(span),
            within,
        )

    def location(self, span: Span, kind: str, reason: str) -> ContextItem:
        """An item without code: of a place or what it uses, the signature."""
        item = ContextItem(kind, os.fsdecode(span.path), span.first, span.last, span.name, reason)
        if span.symbol < 0 or kind not in (PLACE, USED):
            return item
        return item._replace(form=SIGNATURE, text=self.signature(span.segment, span.symbol))

    def signature(self, segment: Segment, symbol: int) -> str:
        """The signature of a definition, on one line."""
        return signature(segment, symbol, self._texts[segment.oid(segment.symbol(symbol).file)])
