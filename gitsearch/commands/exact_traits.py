"""What the order of matching lines depends on, for each file with such lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of, hint
from gitsearch.features.identifiers import compound
from gitsearch.retrieval.line_ranking import FileTraits, kind_of
from gitsearch.retrieval.required_words import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.stored_view import StoredView
    from gitsearch.index.view import Segment
    from gitsearch.retrieval.required_words import Requirement

# Of more files all paths of the view are read once, instead of a search for each.
_MANY = 200


def traits(
    paths: Sequence[bytes], counts: np.ndarray, required: Requirement, stored: StoredView | None
) -> FileTraits:
    """Return the traits of files, by their paths and how many lines of each match."""
    kinds, lines = np.zeros(len(paths), np.int64), np.zeros(len(paths), np.int64)
    segment_of, row_of = places(paths, stored)
    if stored is not None:
        for number, segment in enumerate(stored.segments):
            at = np.flatnonzero(segment_of == number)
            kinds[at], lines[at] = _stored(segment, row_of[at])
    for place in np.flatnonzero(segment_of < 0).tolist():
        path = paths[place]
        kinds[place] = kind_of(path_kinds.noise(path), content_of(hint(path)))
    words = {run.text.encode() for run in runs_of(required)}
    named = np.fromiter((_is_named(path, words) for path in paths), bool, len(paths))
    return FileTraits(kinds, named, lines, counts)


def places(paths: Sequence[bytes], stored: StoredView | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of the segment of each path, and its file there; -1 where it has none."""
    segment_of = np.full(len(paths), -1, np.int64)
    row_of = np.full(len(paths), -1, np.int64)
    if stored is None:
        return segment_of, row_of
    if len(paths) <= _MANY:
        for number, path in enumerate(paths):
            segment_of[number], row_of[number] = stored.find(path) or (-1, -1)
        return segment_of, row_of
    for number, (segment, live) in enumerate(zip(stored.segments, stored.live, strict=True)):
        rows = {path: row for row, path in enumerate(segment.paths())}
        found = np.fromiter((rows.get(path, -1) for path in paths), np.int64, len(paths))
        own = (found >= 0) & np.append(live, False)[found]
        segment_of[own], row_of[own] = number, found[own]
    return segment_of, row_of


def _stored(segment: Segment, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the kinds of files of a segment, and the numbers of their lines as far as known."""
    contents = np.asarray([content_of(name) for name in segment.meta["languages"]])
    content = contents[segment["language"][rows]]
    kinds = segment["path_kind"][rows]
    pairs = list(zip(kinds.tolist(), content.tolist(), strict=True))
    known = {pair: kind_of(*pair) for pair in set(pairs)}
    found = [known[pair] for pair in pairs]
    chunks = segment["file_chunk"].astype(np.int64)
    last = chunks[rows + 1] - 1
    read = last >= chunks[rows]
    lines = np.zeros(len(rows), np.int64)
    lines[read] = segment["chunk_first_line"][last[read]].astype(np.int64)
    lines[read] += segment["chunk_more_lines"][last[read]]
    return np.asarray(found, np.int64), lines


def _is_named(path: bytes, words: set[bytes]) -> bool:
    name = path.rpartition(b"/")[2].lower()
    if any(word in name for word in words):
        return True
    if b"_" not in name:
        return False
    folded = compound(name.decode("utf-8", "replace")).encode()
    return any(word in folded for word in words)
