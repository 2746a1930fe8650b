"""Filters: masks of the rows that may be ranked, applied before ranking, never after."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of, hint
from gitsearch.index.view import Segment, View
from gitsearch.records import LineRanges

# Contents of languages for each value of --content; "config" includes data, as data is not code.
_CONTENTS = {"code": {"code"}, "docs": {"docs"}, "config": {"config", "data"}}


def by_file(
    view: View,
    *,
    languages: Collection[str] = (),
    content: str = "all",
    tests: str = "include",
    paths: Collection[bytes] | None = None,
    excluded: int = 0,
) -> np.ndarray:
    """Mask of the live rows of files that pass all filters: bool (rows,).

    excluded: kinds of paths (extract.path_kinds) that do not pass.
    """
    parts = []
    for segment in view.segments:
        allowed = (segment["path_kind"] & excluded) == 0
        if languages or content != "all":
            allowed &= _language_mask(segment, languages, content)[segment["language"]]
        if tests != "include":
            is_test = (segment["path_kind"] & path_kinds.TEST) > 0
            allowed &= is_test if tests == "only" else ~is_test
        if paths is not None:
            named = (segment.path(i) in paths for i in range(segment.files))
            allowed &= np.fromiter(named, bool, segment.files)
        parts.append(np.repeat(allowed, segment.file_sizes))
    allowed_rows: np.ndarray = view.live & np.concatenate([np.zeros(0, bool), *parts])
    return allowed_rows


def passes(
    path: bytes, language: str, languages: Collection[str], content: str, tests: str
) -> bool:
    """Return True if a file of this path and language passes `by_file`, pathspecs aside."""
    if tests != "include" and path_kinds.is_test(path) != (tests == "only"):
        return False
    return passes_language(language, languages, content)


def may_pass(path: bytes, languages: Collection[str], content: str, tests: str) -> bool:
    """Return False if no file of this path passes `by_file`, whatever its content."""
    language = hint(path)
    # where the content decides, it is looked at later
    if language.startswith("?"):
        languages, content = (), "all"
    return passes(path, language, languages, content, tests)


def passes_language(language: str, languages: Collection[str], content: str) -> bool:
    """Return True if files of a language pass the filters by language and by content."""
    contents = _CONTENTS.get(content)
    return (not languages or language in languages) and (
        not contents or content_of(language) in contents
    )


def _language_mask(segment: Segment, languages: Collection[str], content: str) -> np.ndarray:
    """Mask of the segment's language numbers that pass the filters: bool (languages,)."""
    names = segment.meta["languages"]
    return np.asarray([passes_language(name, languages, content) for name in names], bool)


def by_lines(view: View, hits: Mapping[bytes, Sequence[int]]) -> np.ndarray:
    """Mask of the chunks with one of the given 1-based lines, by path: bool (rows,).

    A line that is not shown with any chunk belongs to the one before it.
    """
    ranges = {path: [(line, line) for line in sorted(lines)] for path, lines in hits.items()}
    return _overlapping(view, ranges, Segment.line_spans)


def by_ranges(view: View, ranges: LineRanges) -> np.ndarray:
    """Mask of the chunks that are shown with a line of the given ranges: bool (rows,)."""
    return _overlapping(view, ranges, Segment.shown_lines)


def _overlapping(
    view: View,
    ranges: LineRanges,
    spans: Callable[[Segment, int, int], tuple[np.ndarray, np.ndarray]],
) -> np.ndarray:
    mask = np.zeros(int(view.starts[-1]), bool)
    for path, own in ranges.items():
        location = view.find(path)
        if location is None:
            continue
        segment, file = location
        offset = int(view.starts[view.segments.index(segment)])
        first, last = segment["file_chunk"][file : file + 2].tolist()
        starts, ends = np.asarray(own, np.int64).reshape(-1, 2).T
        lows, highs = spans(segment, first, last)
        over = np.searchsorted(ends, lows, side="left")
        mask[offset + first : offset + last] = np.searchsorted(starts, highs, side="right") > over
    return mask
