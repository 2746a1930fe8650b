"""Chunks that stand in several of many trees: the same lines of the same blob are one result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.index.view import oid_heads
from gitsearch.reports.search import Copy

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from gitsearch.commands.searched_trees import SearchedTrees
    from gitsearch.index.view import Segment


class IdenticalCode:
    """Tells which rows of the view of many trees are the same; of one tree each is its own.

    mask: the rows that pass the filters: bool (rows,).
    """

    def __init__(self, trees: SearchedTrees, mask: np.ndarray) -> None:
        self._trees = trees
        self._view = trees.view
        self._mask = mask
        self._folds = len(trees.trees) > 1

    def identity(self, row: int) -> Hashable:
        """Return what equal rows have in common: their blob and where in it they begin."""
        if not self._folds:
            return row
        segment, inside = self._view.locate(row)
        file = int(segment["chunk_file"][inside])
        return segment["oid"][file].tobytes(), int(segment["chunk_start"][inside])

    def copies(self, row: int) -> tuple[Copy, ...]:
        """Return where else a row stands, by repository and path."""
        if not self._folds:
            return ()
        segment, inside = self._view.locate(row)
        oid = segment["oid"][int(segment["chunk_file"][inside])]
        start = int(segment["chunk_start"][inside])
        return tuple(sorted(self._each(row, oid, start)))

    def _each(self, row: int, oid: np.ndarray, start: int) -> Iterator[Copy]:
        first_rows = self._view.starts.tolist()
        for i, segment in enumerate(self._view.segments):
            for file in _files(segment, oid):
                low, high = segment["file_chunk"][file : file + 2].tolist()
                starts = segment["chunk_start"][low:high].tolist()
                other = first_rows[i] + low + (starts.index(start) if start in starts else 0)
                if low < high and other != row and self._mask[other]:
                    repository = self._trees.of_row(other).repository or ""
                    yield Copy(repository, os.fsdecode(segment.path(file)))


def _files(segment: Segment, oid: np.ndarray) -> list[int]:
    """Return the files of a segment with a blob."""
    oids = segment["oid"]
    if not segment.files or oids.shape[1] != len(oid):
        return []
    files = np.flatnonzero(segment.oid_heads == oid_heads(oid[None])[0])
    if not len(files):
        return []
    found: list[int] = files[(oids[files] == oid).all(axis=1)].tolist()
    return found
