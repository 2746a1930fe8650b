"""The dense leg: a scan of sign bits, then exact cosines of chunks, files and paths.

The scan compares the query, quantized to four bits a dimension, with the signs of each chunk's
vector. It works in integers, and so do the products of the second step, so ties and scores do not
depend on the layout of rows.
"""

from __future__ import annotations

import numpy as np

from gitsearch.features.embedding import (
    QUERY_STEPS,
    SINGLE,
    group_sums,
    query_vector,
    scales,
    sign_codes,
)
from gitsearch.index.view import View
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.fusion import highest

# Quantization steps on each side of zero of the scanned query, hence 4 bits: the overlap with the
# exact top 50 is .99 at 800 candidates, as with a float query.
_SCAN_STEPS = 7

# Chunks that are scanned at once, so that intermediate arrays stay in the processor's cache.
_BLOCK = 1 << 14


def scores(
    view: View, tokens: list[int], mask: np.ndarray, ranking: Ranking
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (int64) and scores (float64) of the nearest chunks that `mask` allows.

    tokens: ids of the model's tokens in the query.
    """
    query = query_vector(view.model.rows(tokens).astype(np.int64).sum(axis=0))
    if not query.any() or not mask.any():
        return np.zeros(0, np.int64), np.zeros(0)
    rows = scan(view, query, mask, ranking.scan + int(ranking.scan_share * view.count))
    vectors = view.vectors(rows)
    files, where = np.unique(view.files(rows), return_inverse=True)
    paths = np.maximum(0.0, cosine(view.path_vectors(files), query) - ranking.path_gate)
    share = ranking.file_share
    of_file = share * cosine(group_sums(vectors, where), query) + ranking.path_weight * paths
    return rows, (1 - share) * cosine(vectors, query) + of_file[where]


def scan(view: View, query: np.ndarray, mask: np.ndarray, count: int) -> np.ndarray:
    """Return the `count` allowed rows that are nearest by their sign bits, and ties with the last.

    They are int64, and ascend.
    """
    rows = np.flatnonzero(mask)
    if len(rows) <= count:
        return rows
    products = _sign_products(view, query)
    best: np.ndarray = rows[highest(products if mask.all() else products[rows], count)]
    return best


def cosine(rows: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Cosine of integer vectors (rows, dims) and a quantized query (dims,): float64 (rows,)."""
    # sums of integers that this type holds exactly, so the order of addition does not matter
    steps = rows.dtype == np.int8 and rows.shape[1] <= SINGLE
    values = rows.astype(np.float32 if steps else np.float64)
    whole = (values @ query.astype(values.dtype)).astype(np.float64)
    return whole * (scales(values) / QUERY_STEPS)


def _sign_products(view: View, query: np.ndarray) -> np.ndarray:
    """Dot product of the query and the sign bits of every row: int16 or int32 (rows,)."""
    largest = int(np.abs(query).max())
    coarse = np.rint(query * (_SCAN_STEPS / largest)).astype(np.int64) + _SCAN_STEPS + 1  # 1 .. 15
    # one row for each bit of the steps, laid out like the sign codes
    planes = sign_codes(coarse >> np.arange(4)[:, None] & 1).T
    kind = np.int16 if len(query) << 4 < 1 << 15 else np.int32
    out = np.zeros(int(view.starts[-1]), kind)
    for segment, start in zip(view.segments, view.starts.tolist(), strict=False):
        code, ones = segment["code"], segment["ones"]
        for low in range(0, segment.chunks, _BLOCK):
            part = code[:, low : low + _BLOCK]
            total: np.ndarray = ones[low : low + _BLOCK].astype(kind)
            total *= -(_SCAN_STEPS + 1)
            for bit, plane in enumerate(planes):
                for word, column in zip(plane, part, strict=True):
                    total += np.bitwise_count(column & word).astype(kind) << bit
            out[start + low : start + low + len(total)] = total
    return out
