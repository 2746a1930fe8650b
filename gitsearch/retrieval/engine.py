"""One query over one view: legs, fusion, reranking, the choice among chunks of one file."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.retrieval import dense_leg, fusion, lexical_leg, rerank, symbol_leg
from gitsearch.retrieval.constants import DEFAULT, Ranking

if TYPE_CHECKING:
    from gitsearch.index.view import View
    from gitsearch.retrieval.query import Query

# Where scores go on after the first results, as a share of the last of those.
_LATER = 0.99


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result: its row in the view, its score, 1-based ranks per leg, what the stages did.

    symbol: the definition in its segment that the query names there, if any.
    """

    row: int
    score: float
    legs: dict[str, int | None]
    factors: dict[str, float]
    symbol: int | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """How to rank: mode, number of results, weight of the dense leg (None: by the query)."""

    mode: str = "hybrid"
    count: int = 10
    alpha: float | None = None
    rerank: bool = True
    explain: bool = False
    ranking: Ranking = field(default=DEFAULT)


class Candidates(NamedTuple):
    """What the legs have found: rows of each in order, what is named, the words of the query."""

    legs: dict[str, np.ndarray]
    named: dict[int, symbol_leg.NamedDefinition]
    words: lexical_leg.Words


def search(view: View, query: Query, mask: np.ndarray, options: Options) -> list[Ranked]:
    """The best chunks of those that `mask` (bool per row) allows, in order."""
    return ranked(view, query, gather(view, query, mask, options), options)


def gather(view: View, query: Query, mask: np.ndarray, options: Options) -> Candidates:
    """What the legs find; of the ranking only what shapes a leg matters."""
    ranking = options.ranking
    with trace.stage("names"):
        wanted = options.mode in ("hybrid", "symbol")
        named = symbol_leg.scores(view, query, mask) if wanted else {}
    with trace.stage("words"):
        asked = query.terms if options.mode in ("hybrid", "lexical") else ()
        words = lexical_leg.Words(view, asked, ranking, widened=not query.symbol)
        said = words.chunks()
        rows = np.flatnonzero((said > 0) & mask)
        by_words = _taken(view, query, rows, said[rows], options)
    by_meaning = np.zeros(0, np.int64)
    if options.mode in ("hybrid", "semantic"):
        with trace.stage("meaning"):
            rows, close = dense_leg.scores(view, view.tokens(query.parts), mask, ranking)
            trace.count("chunks rescored", len(rows))
            if options.mode == "hybrid" and not len(by_words) and not named:
                # no word of the query occurs: only what is really near is an answer
                rows, close = rows[close >= ranking.floor], close[close >= ranking.floor]
            by_meaning = _taken(view, query, rows, close, options)
    rows = np.asarray(sorted(named), np.int64)
    values = np.asarray([named[row].score for row in rows.tolist()])
    by_name = fusion.top(view, rows, values, _depth(options))
    legs = {"lexical": by_words, "dense": by_meaning, "symbol": by_name}
    return Candidates(legs, named, words)


def _depth(options: Options) -> int:
    return max(options.ranking.depth, options.ranking.depth_factor * options.count)


def _taken(
    view: View, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> np.ndarray:
    """The best of a leg: as many of the program as are asked for, and what stands among them.

    Tests and documents that are lowered afterwards must not be all that there is to choose from.
    """
    depth = _depth(options)
    best = fusion.top(view, rows, scores, depth * options.ranking.reach)
    if len(best) <= depth:
        return best
    files, file_of = np.unique(view.files(best), return_inverse=True)
    places = map(view.file, files.tolist())
    program = ~np.asarray([rerank.lowered(query, *place) for place in places])[file_of]
    enough = np.searchsorted(np.cumsum(program), depth) + 1
    return best[:enough]


def ranked(view: View, query: Query, found: Candidates, options: Options) -> list[Ranked]:
    """The best of what the legs have found, in order."""
    ranking = options.ranking
    factors: rerank.Factors | None = {} if options.explain else None
    with trace.stage("ranking"):
        weights = _weights(query, options)
        legs = {name: (rows, weights[name]) for name, rows in found.legs.items()}
        fused = fusion.fuse(legs, found.named, ranking, _depth(options))
        scores = fused.scores
        if options.rerank:
            scores = rerank.rerank(view, query, fused, found.words, ranking, factors)
        chosen = _choose(view, query, fused.rows, scores, options)
    return [
        Ranked(
            row,
            score,
            {name: ranks.get(row) for name, ranks in fused.ranks.items()},
            (factors or {}).get(row, {}),
            found.named[row].symbol if row in found.named else None,
        )
        for row, score in chosen
    ]


def _weights(query: Query, options: Options) -> dict[str, float]:
    """What the vote of each leg counts; one that is asked for alone needs none against others."""
    if options.mode != "hybrid":
        return {"lexical": 1.0, "dense": 1.0, "symbol": 1.0}
    ranking = options.ranking
    alpha = options.alpha
    if alpha is None:
        alpha = ranking.alpha_symbol if query.symbol else ranking.alpha_prose
    named = ranking.names_symbol if query.symbol else ranking.names_prose
    return {"lexical": 1 - alpha, "dense": alpha, "symbol": named}


def _choose(
    view: View, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> list[tuple[int, float]]:
    """The best results, each further chunk of a file weighed down (reranking stage 7)."""
    tie = np.empty(len(rows), np.int64)
    tie[fusion.order(view, rows, np.zeros(len(rows)))] = np.arange(len(rows))
    choice = _Choice(scores, tie.tolist(), view.files(rows).tolist())
    ranking = options.ranking
    # how to use it is said in one place, mostly: that is no question for an explanation
    explained = query.how and not query.use
    saturation = ranking.saturation_how if explained else ranking.saturation
    first = min(options.count, ranking.first_results)
    found = choice.next(first, saturation if options.rerank else 1.0)
    later = choice.next(options.count - first, ranking.saturation_later if options.rerank else 1.0)
    scale = 1.0
    if later and later[0] < found[-1]:
        # what is weighed down less must not look better than what stands above it
        scale = _LATER * found[-1][0] / later[0][0]
    every = [*found, *((negative * scale, place, at) for negative, place, at in later)]
    return [(int(rows[at]), -negative) for negative, _, at in every]


class _Choice:
    """Candidates in order of what their scores are when those of their file before them count."""

    def __init__(self, scores: np.ndarray, tie: list[int], files: list[int]) -> None:
        self._scores: list[float] = scores.tolist()
        self._tie = tie
        self._files = files
        self._left = set(range(len(files)))
        # chunks that were taken, by file
        self._seen: dict[int, int] = {}

    def next(self, count: int, factor: float) -> list[tuple[float, int, int]]:
        """The best `count` of what is left: -score, place among equals, position.

        The score is times `factor` for each chunk of the file that was taken before.
        """
        heap = [self._weighed(at, factor) for at in self._left]
        heapq.heapify(heap)
        chosen: list[tuple[float, int, int]] = []
        while heap and len(chosen) < count:
            best = heapq.heappop(heap)
            now = self._weighed(best[-1], factor)
            if now != best:
                heapq.heappush(heap, now)
                continue
            file = self._files[best[-1]]
            self._left.discard(best[-1])
            self._seen[file] = self._seen.get(file, 0) + 1
            chosen.append(best)
        return chosen

    def _weighed(self, at: int, factor: float) -> tuple[float, int, int]:
        weight = factor ** self._seen.get(self._files[at], 0)
        return -self._scores[at] * weight, self._tie[at], at
