"""Chunks that stand in several of many trees: the same lines of the same blob are one result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.reports.search import Copy
from gitsearch.retrieval.columns import Identity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import numpy as np

    from gitsearch.commands.searched_trees import SearchedTrees


class IdenticalCode:
    """Tells which rows of the view of many trees are the same; of one tree each is its own.

    mask: the rows that pass the filters: bool (rows,). fold: there are several trees.
    """

    def __init__(self, trees: SearchedTrees, mask: np.ndarray, *, fold: bool) -> None:
        self._trees = trees
        self._view = trees.view
        self._mask = mask
        self._folds = fold

    def identity(self, row: int) -> Hashable:
        """Return what equal rows have in common: their blob and where in it they begin."""
        return self._identity(row) if self._folds else row

    def _identity(self, row: int) -> Identity:
        segment, inside = self._view.locate(row)
        file = int(segment["chunk_file"][inside])
        return Identity(segment["oid"][file].tobytes(), int(segment["chunk_start"][inside]))

    def copies(self, row: int) -> tuple[Copy, ...]:
        """Return where else a row stands, by repository and path."""
        return tuple(sorted(self.each(self._identity(row), row))) if self._folds else ()

    def each(self, same: Identity, row: int | None) -> Iterator[Copy]:
        """Yield where rows with this code stand, but for one of them."""
        for number in self._view.files_of(same.blob):
            segment, file = self._view.file(number)
            low, high = segment["file_chunk"][file : file + 2].tolist()
            starts = segment["chunk_start"][low:high].tolist()
            other = int(self._view.file_ends[number])
            other += starts.index(same.start) if same.start in starts else 0
            if low < high and other != row and self._mask[other]:
                repository = self._trees.of_row(other).repository or ""
                yield Copy(repository, os.fsdecode(segment.path(file)))
