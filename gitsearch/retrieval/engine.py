"""One query over one view: legs, fusion, reranking, the choice among chunks of one file."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.retrieval import dense, fuse, lexical, names, rerank
from gitsearch.retrieval.constants import DEFAULT, Ranking

if TYPE_CHECKING:
    from gitsearch.corpus.view import View
    from gitsearch.retrieval.query import Query


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result: its row in the view, its score, 1-based ranks per leg, what the stages did."""

    row: int
    score: float
    legs: dict[str, int | None]
    factors: dict[str, float]


@dataclass(frozen=True, slots=True)
class Options:
    """How to rank: mode, number of results, weight of the dense leg (None: by the query)."""

    mode: str = "hybrid"
    count: int = 10
    alpha: float | None = None
    rerank: bool = True
    explain: bool = False
    ranking: Ranking = field(default=DEFAULT)


def search(view: View, query: Query, mask: np.ndarray, options: Options) -> list[Ranked]:
    """The best chunks of those that `mask` (bool per row) allows, in order."""
    ranking = options.ranking
    wanted = options.mode in ("hybrid", "symbol")
    with trace.stage("names"):
        named = names.scores(view, query, mask) if wanted else {}
    legs = _legs(view, query, mask, options, named)
    legs["symbol"] = _symbol_leg(view, query, named, options)
    factors: rerank.Factors | None = {} if options.explain else None
    with trace.stage("ranking"):
        fused = fuse.fuse(legs, named, ranking)
        scores = fused.scores
        if options.rerank:
            scores = rerank.rerank(view, query, fused, ranking, factors)
        chosen = _choose(view, fused.rows, scores, options)
    return [
        Ranked(
            row,
            score,
            {name: ranks.get(row) for name, ranks in fused.ranks.items()},
            (factors or {}).get(row, {}),
        )
        for row, score in chosen
    ]


def _depth(options: Options) -> int:
    return max(options.ranking.depth, options.ranking.depth_factor * options.count)


def _legs(
    view: View, query: Query, mask: np.ndarray, options: Options, named: dict[int, float]
) -> dict[str, tuple[np.ndarray, float]]:
    """Rows of the lexical and the dense leg in order, with their weights.

    `named` is what the names leg has found. A query of which no word occurs in the tree is
    answered by near vectors alone, and then only by those that are really near.
    """
    ranking = options.ranking
    depth = _depth(options)
    alpha = options.alpha
    if alpha is None:
        alpha = ranking.alpha_symbol if query.symbol else ranking.alpha_prose
    # a leg that is asked for alone needs no weight against others
    sparse, close_by = (1 - alpha, alpha) if options.mode == "hybrid" else (1.0, 1.0)
    nothing = np.zeros(0, np.int64)
    legs = {"lexical": (nothing, sparse), "dense": (nothing, close_by)}
    if options.mode in ("hybrid", "lexical"):
        with trace.stage("words"):
            scores = lexical.scores(view, query.terms, ranking)
            rows = np.flatnonzero((scores > 0) & mask)
            legs["lexical"] = (fuse.top(view, rows, scores[rows], depth), sparse)
    if options.mode in ("hybrid", "semantic"):
        with trace.stage("meaning"):
            rows, close = dense.scores(view, view.tokens(query.parts), mask, ranking)
            trace.count("chunks rescored", len(rows))
            if options.mode == "hybrid" and not len(legs["lexical"][0]) and not named:
                rows, close = rows[close >= ranking.floor], close[close >= ranking.floor]
            legs["dense"] = (fuse.top(view, rows, close, depth), close_by)
    return legs


def _symbol_leg(
    view: View, query: Query, named: dict[int, float], options: Options
) -> tuple[np.ndarray, float]:
    """Rows of the names leg in order, with its weight."""
    rows = np.asarray(sorted(named), np.int64)
    values = np.asarray([named[row] for row in rows.tolist()])
    ranking = options.ranking
    weight = ranking.names_symbol if query.symbol else ranking.names_prose
    weight = weight if options.mode == "hybrid" else 1.0
    return fuse.top(view, rows, values, _depth(options)), weight


def _choose(
    view: View, rows: np.ndarray, scores: np.ndarray, options: Options
) -> list[tuple[int, float]]:
    """The best results, each further chunk of a file weighed down (reranking stage 6)."""
    tie = np.empty(len(rows), np.int64)
    tie[fuse.order(view, rows, np.zeros(len(rows)))] = np.arange(len(rows))
    saturation = options.ranking.saturation if options.rerank else 1.0
    files = view.files(rows)
    seen: dict[int, int] = {}
    heap = [(-score, tie[at], at, 0) for at, score in enumerate(scores.tolist())]
    heapq.heapify(heap)
    chosen: list[tuple[int, float]] = []
    while heap and len(chosen) < options.count:
        negative, place, at, weighed = heapq.heappop(heap)
        file = int(files[at])
        times = seen.get(file, 0)
        if times > weighed and saturation < 1.0:
            heapq.heappush(heap, (-scores[at] * saturation**times, place, at, times))
            continue
        seen[file] = times + 1
        chosen.append((int(rows[at]), -negative))
    return chosen
