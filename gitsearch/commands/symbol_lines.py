"""Symbols of a view as lines to show; signatures and docs come from the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.reports.lookup import SymbolLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment


def lines(opened: OpenView, symbols: Sequence[tuple[Segment, int]]) -> tuple[SymbolLine, ...]:
    """One line a symbol, in the given order."""
    definitions: dict[tuple[int, int], dict[str, np.ndarray]] = {}
    shown = []
    for segment, symbol in symbols:
        file = segment.symbol(symbol).file
        place = (id(segment), file)
        if place not in definitions:
            definitions[place] = _definitions(opened, segment, file)
        # symbols of a segment lie file by file, as its definitions do in the text
        ordinal = symbol - segment.symbols_of(file).start
        shown.append(_line(segment, file, definitions[place], ordinal))
    return tuple(shown)


def _line(segment: Segment, file: int, columns: dict[str, np.ndarray], i: int) -> SymbolLine:
    depth, parent = 0, int(columns["parent"][i])
    while parent >= 0:
        depth, parent = depth + 1, int(columns["parent"][parent])
    return SymbolLine(
        path=segment.path(file).decode("utf-8", "surrogateescape"),
        line=int(columns["first_line"][i]),
        end=int(columns["last_line"][i]),
        kind=str(columns["kind"][i]),
        name=str(columns["name"][i]),
        qualified=str(columns["qualified"][i]),
        signature=str(columns["signature"][i]),
        doc=str(columns["doc"][i]),
        language=segment.language(file),
        depth=depth,
    )


def _definitions(opened: OpenView, segment: Segment, file: int) -> dict[str, np.ndarray]:
    """The definitions of a file in columns, in order."""
    from gitsearch.index.extraction_pool import extract_isolated
    from gitsearch.index.fact_columns import BlobKey

    oid = segment.oid(file)
    blob = BlobKey(oid, segment.language(file), forced=True)
    return extract_isolated([(blob, opened.texts[oid])]).symbols
