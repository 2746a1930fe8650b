"""Ranks of each leg, and one score from them: reciprocal rank fusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gitsearch.index.view import View
    from gitsearch.retrieval.constants import Ranking
    from gitsearch.retrieval.symbol_leg import NamedDefinition


@dataclass(frozen=True, slots=True)
class Fused:
    """Candidates: rows (int64), fused scores (float64), 1-based ranks per leg, what is named.

    evident: bool a row, whether a leg has it among as many as it was asked for.
    """

    rows: np.ndarray
    scores: np.ndarray
    evident: np.ndarray
    ranks: dict[str, dict[int, int]]
    named: dict[int, NamedDefinition]


def order(view: View, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Positions of the rows by (-score, path, first byte): the one order of results."""
    starts = view.column("chunk_start", rows)
    numbers, where = np.unique(view.files(rows), return_inverse=True)
    paths = [segment.path(file) for segment, file in map(view.file, numbers.tolist())]
    rank = np.empty(len(paths), np.int64)
    rank[sorted(range(len(paths)), key=paths.__getitem__)] = np.arange(len(paths))
    return np.lexsort((starts, rank[where], -scores))


def top(view: View, rows: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    """The best `count` rows in order; ties at the end are settled by path and position."""
    if len(rows) > count:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        kept = scores >= least
        rows, scores = rows[kept], scores[kept]
    best: np.ndarray = rows[order(view, rows, scores)][:count]
    return best


def fuse(
    legs: dict[str, tuple[np.ndarray, float]],
    named: dict[int, NamedDefinition],
    ranking: Ranking,
    depth: int,
) -> Fused:
    """Weighted RRF of legs given as (rows in order, weight), of which `depth` were asked for."""
    total: dict[int, float] = {}
    ranks: dict[str, dict[int, int]] = {}
    for name, (rows, weight) in legs.items():
        ranks[name] = {row: i + 1 for i, row in enumerate(rows.tolist())}
        for row, rank in ranks[name].items():
            total[row] = total.get(row, 0.0) + weight / (ranking.rrf_k + rank)
    rows = np.asarray(sorted(total), np.int64)
    near = {row for found, _ in legs.values() for row in found[:depth].tolist()}
    evident = np.asarray([row in near for row in rows.tolist()], bool)
    return Fused(rows, np.asarray([total[row] for row in rows.tolist()]), evident, ranks, named)
