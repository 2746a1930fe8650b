"""Vectors of chunks: of the lines of a file, and how near chunks are to a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.features.embedding import QUERY_STEPS, SINGLE, query_vector, scales

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Segment, View

# Vectors that are compared at once, so that intermediate arrays stay in the processor's cache.
_VECTORS = 1 << 10

# Quantization steps of 1.0 in a sum of unit vectors.
_STEPS = 1 << 20

# The end of every file, in lines.
_END = 1 << 40


def cosine(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Cosine of integer vectors (rows, dims) and a quantized query (dims,): float64 (rows,)."""
    # sums of integers that this type holds exactly, so the order of addition does not matter
    steps = rows.dtype == np.int8 and rows.shape[1] <= SINGLE
    kind: np.dtype[Any] = np.dtype(np.float32 if steps else np.float64)
    target = query.astype(kind)
    out = np.empty(len(rows))
    for low in range(0, len(rows), _VECTORS):
        values = rows[low : low + _VECTORS].astype(kind)
        whole = (values @ target).astype(np.float64)
        out[low : low + len(values)] = whole * (scales(values) / QUERY_STEPS)
    return out


def vector_of(view: View, rows: np.ndarray) -> np.ndarray | None:
    """Return the sum of the vectors of chunks as a quantized unit vector, None of nothing."""
    vectors = view.vectors(rows)
    # integers, so that their sum does not depend on the order of the rows
    whole = np.rint(vectors * (scales(vectors) * _STEPS)[:, None]).astype(np.int64)
    summed = whole.sum(axis=0)
    return query_vector(summed) if summed.any() else None


def rows_of_lines(
    view: View, segment: Segment, file: int, first: int = 1, last: int = _END
) -> np.ndarray:
    """Return the rows of the chunks of a file that have some of these lines: int64."""
    offset = int(view.starts[view.segments.index(segment)])
    low, high = (int(i) for i in segment["file_chunk"][file : file + 2])
    starts, ends = segment.line_spans(low, high)
    return np.flatnonzero((starts <= last) & (ends >= first)) + low + offset


def likeness(
    view: View, targets: Sequence[np.ndarray], files: Sequence[tuple[Segment, int]]
) -> list[np.ndarray]:
    """Return the cosine of each target and the nearest chunk of each file: float64 (files,), >= 0.

    targets: quantized vectors. All files have chunks, which are read once.
    """
    runs = [rows_of_lines(view, *file) for file in files]
    starts = np.cumsum([0, *(len(run) for run in runs[:-1])])
    vectors = view.vectors(np.concatenate(runs))
    each = (np.maximum.reduceat(cosine(vectors, target), starts) for target in targets)
    return [np.maximum(nearest, 0.0) for nearest in each]
