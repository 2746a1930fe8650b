"""The columns of chunks that fusion and reranking read: where they are, what they belong to.

A view says it of all of its rows; candidates that come from several indexes bring theirs along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from gitsearch.features.ragged import offsets

if TYPE_CHECKING:
    from gitsearch.index.view import Segment


class Identity(NamedTuple):
    """The identity of rows with the same code: their blob, and where in it they begin."""

    blob: bytes
    start: int


class ChunkColumns(Protocol):
    """Rows and files by their numbers, as `View` has them."""

    @property
    def starts(self) -> np.ndarray:
        """The first row number of each segment, and the total: int64 (segments + 1)."""

    def column(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Return values of a per-chunk array of whole numbers for many rows: int64."""

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return vectors of rows in half steps: int8 (rows, dims)."""

    def files(self, rows: np.ndarray) -> np.ndarray:
        """Return the file number of each row: int64."""

    def file(self, number: int) -> tuple[Segment, int]:
        """Return the segment of a file number and the file row within it."""

    def locate(self, row: int) -> tuple[Segment, int]:
        """Return the segment of a row and the row within it."""


class SegmentColumns:
    """The rows of one segment, which need not have all arrays of an index."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self.starts: np.ndarray = offsets([segment.chunks])

    def column(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Return values of a per-chunk array of whole numbers for many rows: int64."""
        values: np.ndarray = self._segment[name][rows].astype(np.int64)
        return values

    def files(self, rows: np.ndarray) -> np.ndarray:
        """Return the file number of each row: int64."""
        return self.column("chunk_file", rows)

    def vectors(self, rows: np.ndarray) -> np.ndarray:
        """Return vectors of rows in half steps: int8 (rows, dims)."""
        return self._segment.vectors(rows)

    def file(self, number: int) -> tuple[Segment, int]:
        """Return the segment of a file number and the file row within it."""
        return self._segment, number

    def locate(self, row: int) -> tuple[Segment, int]:
        """Return the segment of a row and the row within it."""
        return self._segment, row
