"""Symbols of a view as lines to show; signatures and docs come from the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.git import blobs
from gitsearch.reports.lookup import SymbolLine

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from gitsearch.git.repo import Repo
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment


def lines(
    repo: Repo, opened: OpenView, symbols: Sequence[tuple[Segment, int]]
) -> tuple[SymbolLine, ...]:
    """One line a symbol, in the given order."""
    known: dict[tuple[int, int], dict[str, np.ndarray]] = {}
    out = []
    for segment, i in symbols:
        file = int(segment["symbol_file"][i])
        place = (id(segment), file)
        if place not in known:
            known[place] = _definitions(repo, opened, segment, file)
        # symbols of a segment lie file by file, as its definitions do in the text
        ordinal = i - int(segment["symbol_file"].searchsorted(file))
        out.append(_line(segment, file, known[place], ordinal))
    return tuple(out)


def _line(segment: Segment, file: int, found: dict[str, np.ndarray], i: int) -> SymbolLine:
    depth, parent = 0, int(found["parent"][i])
    while parent >= 0:
        depth, parent = depth + 1, int(found["parent"][parent])
    return SymbolLine(
        path=segment.path(file).decode("utf-8", "surrogateescape"),
        line=int(found["first_line"][i]),
        end=int(found["last_line"][i]),
        kind=str(found["kind"][i]),
        name=str(found["name"][i]),
        qualified=str(found["qualified"][i]),
        signature=str(found["signature"][i]),
        doc=str(found["doc"][i]),
        language=str(segment.meta["languages"][int(segment["language"][file])]),
        depth=depth,
    )


def _definitions(
    repo: Repo, opened: OpenView, segment: Segment, file: int
) -> dict[str, np.ndarray]:
    """The definitions of a file in columns, in order."""
    from gitsearch.index.extraction_pool import extract_isolated
    from gitsearch.index.fact_columns import BlobKey

    oid = segment["oid"][file].tobytes().hex()
    data = opened.contents.get(oid)
    if data is None:
        data = blobs.read_one(repo, oid) or b""
    language = str(segment.meta["languages"][int(segment["language"][file])])
    return extract_isolated([(BlobKey(oid, language, forced=True), data)]).symbols
