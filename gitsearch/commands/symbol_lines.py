"""Symbols of a view as lines to show; signatures and docs come from the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.reports.lookup import SymbolLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment
    from gitsearch.records import Definition

# The object id and the language of a file.
_Content = tuple[str, str]


def lines(opened: OpenView, symbols: Sequence[tuple[Segment, int]]) -> tuple[SymbolLine, ...]:
    """One line a symbol, in the given order."""
    files = [segment.symbol(symbol).file for segment, symbol in symbols]
    contents = [
        (segment.oid(file), segment.language(file))
        for (segment, _), file in zip(symbols, files, strict=True)
    ]
    definitions = _definitions(opened, dict.fromkeys(contents))
    shown = []
    for (segment, symbol), file, content in zip(symbols, files, contents, strict=True):
        # symbols of a segment lie file by file, as its definitions do in the text
        ordinal = symbol - segment.symbols_of(file).start
        own = definitions[content]
        if ordinal < len(own):
            shown.append(_line(segment, file, own, ordinal))
        else:
            shown.append(_without_text(segment, symbol))
    return tuple(shown)


def _line(segment: Segment, file: int, own: Sequence[Definition], i: int) -> SymbolLine:
    definition = own[i]
    depth, parent = 0, definition.parent
    while parent >= 0:
        depth, parent = depth + 1, own[parent].parent
    return SymbolLine(
        path=segment.path(file).decode("utf-8", "surrogateescape"),
        line=definition.first_line,
        end=definition.last_line,
        kind=definition.kind,
        name=definition.name,
        qualified=definition.qualified,
        signature=definition.signature,
        doc=definition.doc,
        language=segment.language(file),
        depth=depth,
    )


def _without_text(segment: Segment, number: int) -> SymbolLine:
    """A symbol as the view has it, of a file that is not here or cannot be parsed now."""
    symbol = segment.symbol(number)
    return SymbolLine(
        path=segment.path(symbol.file).decode("utf-8", "surrogateescape"),
        line=symbol.first,
        end=symbol.last,
        kind=segment.kind(number),
        name=segment.name(number),
        qualified=segment.qualified(number),
        signature="",
        doc="",
        language=segment.language(symbol.file),
        depth=0,
    )


def _definitions(
    opened: OpenView, contents: Iterable[_Content]
) -> dict[_Content, tuple[Definition, ...]]:
    """The definitions of contents, extracted together, in order."""
    # parsers are loaded only where something must be parsed
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey, defined

    wanted = list(contents)
    texts = opened.texts.read(oid for oid, _ in wanted)
    batch = [(BlobKey(oid, language, forced=True), texts[oid]) for oid, language in wanted]
    found = each(defined, batch, sum(len(text) for _, text in batch))
    return {content: own or () for content, own in zip(wanted, found, strict=True)}
