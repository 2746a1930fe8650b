"""Filters: which rows may be ranked at all. They mask before ranking, never after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gitsearch.index.view import Segment, View

# What --content config covers besides configuration languages: data is not code either.
_CONTENTS = {"code": {"code"}, "docs": {"docs"}, "config": {"config", "data"}}


def by_file(
    view: View,
    *,
    languages: Collection[str] = (),
    content: str = "all",
    tests: str = "include",
    paths: Collection[bytes] | None = None,
) -> np.ndarray:
    """One bool a row: live rows of the files that all filters let through."""
    parts = []
    for segment in view.segments:
        allowed = np.ones(segment.files, bool)
        if languages or content != "all":
            allowed &= _spoken(segment, languages, content)[segment["language"]]
        if tests != "include":
            is_test = (segment["path_kind"] & path_kinds.TEST) > 0
            allowed &= is_test if tests == "only" else ~is_test
        if paths is not None:
            allowed &= _named(segment, paths)
        parts.append(np.repeat(allowed, segment.file_sizes))
    allowed_rows: np.ndarray = view.live & np.concatenate([np.zeros(0, bool), *parts])
    return allowed_rows


def _spoken(segment: Segment, languages: Collection[str], content: str) -> np.ndarray:
    """One bool a language number of the segment."""
    kinds = _CONTENTS.get(content)
    out = []
    for name in segment.meta["languages"]:
        row = LANGUAGES.get(name)
        kind = row.content if row else "docs"
        out.append((not languages or name in languages) and (kinds is None or kind in kinds))
    return np.asarray(out, bool)


def _named(segment: Segment, paths: Collection[bytes]) -> np.ndarray:
    return np.fromiter((segment.path(i) in paths for i in range(segment.files)), bool)


def by_lines(view: View, hits: Mapping[bytes, Sequence[int]]) -> np.ndarray:
    """One bool a row: chunks that hold one of these 1-based lines of these paths."""
    out = np.zeros(int(view.starts[-1]), bool)
    for path, numbers in hits.items():
        found = view.find(path)
        if found is None:
            continue
        segment, file = found
        offset = int(view.starts[view.segments.index(segment)])
        first, last = (int(i) for i in segment["file_chunk"][file : file + 2])
        wanted = np.asarray(sorted(numbers), np.int64)
        lows, highs = segment.line_spans(first, last)
        low = np.searchsorted(wanted, lows, side="left")
        high = np.searchsorted(wanted, highs, side="right")
        out[offset + first : offset + last] = high > low
    return out
