"""The dense leg: a scan of sign bits, then exact cosines of chunks, files and paths.

The scan compares the query, quantized to two bits a dimension, with the signs of each chunk's
vector. It works in integers, and so do the products of the second step, so ties and scores do not
depend on the layout of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.features.embedding import group_sums, query_vector, sign_codes
from gitsearch.features.ragged import numbered
from gitsearch.index.view import View
from gitsearch.retrieval.chunk_vectors import cosine
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.fusion import highest

# The weight of a large component of the scanned query, and 1 of the others: the best steps of two
# bits for normally distributed values are 3.3 to 1 (J. Max, Quantizing for Minimum Distortion).
_LARGE_WEIGHT = 3

# Chunks that are scanned at once, so that intermediate arrays stay in the processor's cache.
_BLOCK = 1 << 16

# More than sums of a few numbers up to 1 can differ by their order.
_ROUNDING = 1e-9


def scores(
    view: View, tokens: list[int], mask: np.ndarray, ranking: Ranking, count: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (int64) and scores (float64) of the nearest chunks that `mask` allows.

    tokens: ids of the model's tokens in the query. count: only rows that can be among so many
    best ones are scored and returned, with those that tie with the last.
    """
    query = vector_of(view, tokens)
    if not query.any() or not mask.any():
        return np.zeros(0, np.int64), np.zeros(0)
    rows = scan(view, query, mask, scanned(view.count, ranking))
    return rescored(view, query, rows, ranking, count)


def vector_of(view: View, tokens: list[int]) -> np.ndarray:
    """Return the quantized vector of the model's tokens: integers (dims,)."""
    return query_vector(view.model.rows(tokens).astype(np.int64).sum(axis=0))


def scanned(chunks: int, ranking: Ranking) -> int:
    """Return how many of some chunks are rescored, those that tie with the last aside."""
    return ranking.scan + int(ranking.scan_share * chunks)


def rescored(
    view: View, query: np.ndarray, rows: np.ndarray, ranking: Ranking, count: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a scan with their scores; of many only those that `count` asks for."""
    trace.count("chunks rescored", len(rows))
    vectors = view.vectors(rows)
    own = cosine(vectors, query)
    files, where = numbered(view.files(rows))
    paths = np.maximum(0.0, cosine(view.path_vectors(files), query) - ranking.path_gate)
    share = ranking.file_share
    known = (1 - share) * own + (ranking.path_weight * paths)[where]
    kept = np.arange(len(rows)) if count is None else _leaders(known, share, count)
    # the sum over a file takes all of its chunks among the scanned ones
    of_kept = np.zeros(len(files), bool)
    of_kept[where[kept]] = True
    summed = np.flatnonzero(of_kept[where])
    position = np.cumsum(of_kept) - 1
    sums = cosine(group_sums(vectors[summed], position[where[summed]]), query)
    of_file = share * sums + ranking.path_weight * paths[of_kept]
    return rows[kept], (1 - share) * own[kept] + of_file[position[where[kept]]]


def _leaders(known: np.ndarray, share: float, count: int) -> np.ndarray:
    """Positions of scores that can be among the `count` best: int64, ascending.

    known: each score but for `share` times a cosine, which is from -1 to 1.
    """
    if len(known) <= count:
        return np.arange(len(known))
    least = np.partition(known, len(known) - count)[len(known) - count]
    return np.flatnonzero(known >= least - 2 * share - _ROUNDING)


def scan(view: View, query: np.ndarray, mask: np.ndarray, count: int) -> np.ndarray:
    """Return the `count` allowed rows that are nearest by their sign bits, and ties with the last.

    They are int64, and ascend.
    """
    allowed = int(np.count_nonzero(mask))
    if allowed <= count:
        return np.flatnonzero(mask)
    products = _sign_products(view, query)
    if allowed == len(mask):
        return highest(products, count)
    # no other product is lower; if it is the lowest of the highest, all are among these
    products[~mask] = 0
    rows = highest(products, count)
    found: np.ndarray = rows[mask[rows]]
    return found


class Histogram(NamedTuple):
    """How many rows have each product: those from `lowest` on, int64 (products,)."""

    lowest: int
    counts: np.ndarray

    @classmethod
    def joined(cls, parts: Sequence[Histogram]) -> Histogram:
        """Return that of several sets of rows together."""
        parts = [part for part in parts if len(part.counts)]
        lowest = min((part.lowest for part in parts), default=0)
        end = max((part.lowest + len(part.counts) for part in parts), default=0)
        counts = np.zeros(end - lowest, np.int64)
        for part in parts:
            counts[part.lowest - lowest :][: len(part.counts)] += part.counts
        return cls(lowest, counts)

    def least(self, count: int) -> int:
        """Return the product from which on there are `count` rows, or the lowest one."""
        from_above = self.counts[::-1].cumsum()
        below = int(np.searchsorted(from_above, count))
        return self.lowest + max(len(self.counts) - 1 - below, 0)


class SignScan:
    """The rows of a view that `mask` allows, with their products: a part of a larger scan."""

    def __init__(self, view: View, query: np.ndarray, mask: np.ndarray) -> None:
        self._rows = np.flatnonzero(mask) if query.any() else np.zeros(0, np.int64)
        products = (
            _sign_products(view, query) if len(self._rows) else np.zeros(len(mask), np.uint8)
        )
        self._products = products[self._rows].astype(np.int64)

    def histogram(self) -> Histogram:
        """Return how many rows have each product."""
        if not len(self._rows):
            return Histogram(0, np.zeros(0, np.int64))
        lowest = int(self._products.min())
        return Histogram(lowest, np.bincount(self._products - lowest))

    def rows(self, least: int) -> np.ndarray:
        """Return the rows with at least this product: int64, ascending."""
        return self._rows[self._products >= least]


def _sign_products(view: View, query: np.ndarray) -> np.ndarray:
    """Compare the signs of every row with those of the query: uint8, or uint16 if need be (rows,).

    A product is the sum of the weights of the components whose signs are equal: _LARGE_WEIGHT
    where that of the query is above their root mean square, and 1 for the others.
    """
    squares = query * query
    large = squares * len(query) > squares.sum()
    largest = len(query) + (_LARGE_WEIGHT - 1) * int(np.count_nonzero(large))
    out = np.empty(int(view.starts[-1]), np.uint8 if largest < 1 << 8 else np.uint16)
    # by words, as the codes of rows are laid out
    planes = list(sign_codes(np.asarray([query < 0, large])))
    memory = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint8)
    for segment, start in zip(view.segments, view.starts.tolist(), strict=False):
        for low in range(0, segment.chunks, _BLOCK):
            codes = segment["code"][:, low : low + _BLOCK]
            _write_products(codes, planes, memory, out[start + low :][: codes.shape[1]])
    return out


def _write_products(
    codes: np.ndarray,
    planes: Sequence[np.ndarray],
    memory: tuple[np.ndarray, np.ndarray],
    out: np.ndarray,
) -> None:
    """Write the products of codes, uint64 (words, rows), to `out` (rows,).

    planes: for each word the bits where the query is below 0, and where it is large. memory: for
    values on the way, which would take longer to allocate.
    """
    equal, bits = (own[: len(out)] for own in memory)
    out[:] = 0
    for code, (negative, large) in zip(codes, planes, strict=True):
        # a bit is set where code and query have the same sign, as none is beyond the dimensions
        np.bitwise_xor(code, negative, out=equal)
        np.bitwise_count(equal, out=bits)
        out += bits
        np.bitwise_and(equal, large, out=equal)
        np.bitwise_count(equal, out=bits)
        for _ in range(_LARGE_WEIGHT - 1):
            out += bits
