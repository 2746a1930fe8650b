"""What the order of matching lines depends on, for each file with such lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of, hint
from gitsearch.retrieval.line_ranking import FileTraits, kind_of
from gitsearch.retrieval.required_words import runs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.exact_contents import Contents
    from gitsearch.commands.exact_files import FilesToSearch
    from gitsearch.index.stored_view import FilePlaces
    from gitsearch.index.view import Segment
    from gitsearch.retrieval.required_words import Requirement


# Files that are in no view are read for the number of their lines, if there are no more.
_MOST_READ = 50


def traits(
    files: FilesToSearch,
    places: FilePlaces,
    contents: Contents,
    counts: np.ndarray,
    required: Requirement,
) -> FileTraits:
    """Return the traits of files, of which some numbers of lines match."""
    paths = places.paths
    kinds, lines = np.zeros(len(paths), np.int64), np.zeros(len(paths), np.int64)
    segment_of, row_of = places.found
    for number, segment in enumerate(places.stored.segments if places.stored else ()):
        at = np.flatnonzero(segment_of == number)
        kinds[at], lines[at] = _stored(segment, row_of[at])
    others = np.flatnonzero(segment_of < 0).tolist()
    for place in others:
        path = paths[place]
        kinds[place] = kind_of(path_kinds.noise(path), content_of(hint(path)))
        if len(others) <= _MOST_READ and not files.reasons.get(path):
            lines[place] = contents.data(path).removesuffix(b"\n").count(b"\n") + 1
    words = {run.text.encode() for run in runs_of(required)}
    return FileTraits(kinds, _named(paths, words), lines, counts)


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


def _named(paths: Sequence[bytes], words: set[bytes]) -> np.ndarray:
    """Return a mask of the files whose names have one of the words, case and underscores aside."""
    names = [path.rpartition(b"/")[2] for path in paths]
    text = b"\0".join(names).lower().replace(b"_", b"")
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == 0)
    named = np.zeros(len(paths), bool)
    for word in words:
        places = [match.start() for match in re.finditer(re.escape(word), text)]
        named[np.searchsorted(ends, places)] = True
    return named
