"""Reciprocal rank fusion of the legs, and the total order of results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gitsearch.features.ragged import numbered
from gitsearch.retrieval.columns import ChunkColumns
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.symbol_leg import NamedDefinition

# The highest of so many values are found by way of a sample, of one in so many of them; so many
# more of the sample are taken than should be enough.
_SAMPLED = 1 << 16
_EVERY = 64
_MORE = 64


@dataclass(frozen=True, slots=True)
class Fused:
    """Candidates: rows (int64), fused scores (float64), 1-based ranks by leg and row.

    evident: bool (rows,), True if a leg ranks the row within the requested depth; named: the
    definition that the query names, by row.
    """

    rows: np.ndarray
    scores: np.ndarray
    evident: np.ndarray
    ranks: dict[str, dict[int, int]]
    named: dict[int, NamedDefinition]


def order(view: ChunkColumns, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Positions of the rows sorted by (-score, path, first byte): the total order of results."""
    starts = view.column("chunk_start", rows)
    numbers, where = numbered(view.files(rows))
    paths = [segment.path(file) for segment, file in map(view.file, numbers.tolist())]
    rank = np.empty(len(paths), np.int64)
    rank[sorted(range(len(paths)), key=paths.__getitem__)] = np.arange(len(paths))
    return np.lexsort((starts, rank[where], -scores))


def highest(values: np.ndarray, count: int) -> np.ndarray:
    """Positions of the `count` highest values and all ties with the last: int64, ascending."""
    if len(values) <= count:
        return np.arange(len(values))
    if len(values) > _SAMPLED:
        # where a share of a sample, and some more, begins, most likely few others of all are above
        sample = values[::_EVERY]
        place = max(len(sample) - len(sample) * count // len(values) * 5 // 4 - _MORE, 0)
        begin = np.partition(sample, place)[place]
        above = np.flatnonzero(values > begin)
        if len(above) >= count:
            own: np.ndarray = above[_highest(values[above], count)]
            return own
        above = np.flatnonzero(values >= begin)
        if len(above) >= count:
            # the last of them is one of those that tie with where the share begins
            return above
    return _highest(values, count)


def _highest(values: np.ndarray, count: int) -> np.ndarray:
    least = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero(values >= least)


def best(view: ChunkColumns, rows: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """Positions of the best `count` rows in order; ties are settled by path and position."""
    kept = highest(scores, count)
    first: np.ndarray = kept[order(view, rows[kept], scores[kept])][:count]
    return first


def top(view: ChunkColumns, rows: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """Return the best `count` rows in order, as `best` does."""
    chosen: np.ndarray = rows[best(view, rows, scores, count)]
    return chosen


def fuse(
    legs: dict[str, tuple[np.ndarray, float]],
    named: dict[int, NamedDefinition],
    ranking: Ranking,
    depth: int,
) -> Fused:
    """Weighted reciprocal rank fusion of legs, each (rows in order, weight).

    depth: how many rows of a leg count as evidence.
    """
    total: dict[int, float] = {}
    ranks: dict[str, dict[int, int]] = {}
    for name, (rows, weight) in legs.items():
        ranks[name] = {row: i + 1 for i, row in enumerate(rows.tolist())}
        for row, rank in ranks[name].items():
            total[row] = total.get(row, 0.0) + weight / (ranking.rrf_k + rank)
    rows = np.asarray(sorted(total), np.int64)
    leading = {row for ordered, _ in legs.values() for row in ordered[:depth].tolist()}
    evident = np.asarray([row in leading for row in rows.tolist()], bool)
    return Fused(rows, np.asarray([total[row] for row in rows.tolist()]), evident, ranks, named)
