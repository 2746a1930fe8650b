"""One query over one view: legs, fusion, reranking, and selection with file saturation."""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np

from gitsearch import trace
from gitsearch.index.view import View
from gitsearch.retrieval import dense_leg, fusion, lexical_leg, rerank, symbol_leg
from gitsearch.retrieval.constants import DEFAULT, Ranking
from gitsearch.retrieval.query import Query

Made = TypeVar("Made")

# Rows of a view from which on its legs are asked at the same time: below it takes a few
# milliseconds.
_LARGE = 1 << 17

# The score of the best later result, at most, relative to that of the last of the first results.
_LATER_SCALE = 0.99


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result: its row in the view, its score, its 1-based rank per leg, gains per stage.

    symbol: the definition in its segment that the query names there, if any.
    """

    row: int
    score: float
    legs: dict[str, int | None]
    factors: dict[str, float]
    symbol: int | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a search: mode, number of results, weight of the dense leg (None: by query).

    beyond: how many more results are returned after these, which do not depend on it.
    """

    mode: str = "hybrid"
    count: int = 10
    beyond: int = 0
    alpha: float | None = None
    rerank: bool = True
    explain: bool = False
    ranking: Ranking = field(default=DEFAULT)


class Candidates(NamedTuple):
    """Results of the legs: rows per leg in order, named definitions by row, the query's terms."""

    legs: dict[str, np.ndarray]
    named: dict[int, symbol_leg.NamedDefinition]
    words: lexical_leg.QueryTerms


def search(view: View, query: Query, mask: np.ndarray, options: Options) -> list[Ranked]:
    """Return the best chunks that `mask` (bool per row) allows, the best first."""
    return ranked(view, query, gather(view, query, mask, options), options)


def gather(view: View, query: Query, mask: np.ndarray, options: Options) -> Candidates:
    """Run the legs; of the constants only those of the legs matter here."""
    ranking = options.ranking
    most = _depth(options) * ranking.reach
    meaning = _Aside(view, lambda: _nearest(view, query, mask, options, most))
    with trace.stage("names"):
        wanted = options.mode in ("hybrid", "symbol")
        named = symbol_leg.scores(view, query, mask) if wanted else {}
    with trace.stage("words"):
        asked = query.terms if options.mode in ("hybrid", "lexical") else ()
        words = lexical_leg.QueryTerms(view, asked, ranking, expanded=not query.symbol)
        by_words = _leading(view, query, *words.leaders(mask, most), options)
    rows, cosines = meaning.result()
    if options.mode == "hybrid" and not len(by_words) and not named:
        # no word of the query occurs, so the nearest chunk may be near by chance only
        near = cosines >= ranking.floor
        rows, cosines = rows[near], cosines[near]
    by_meaning = _leading(view, query, rows, cosines, options)
    rows = np.asarray(sorted(named), np.int64)
    values = np.asarray([named[row].score for row in rows.tolist()])
    by_name = fusion.top(view, rows, values, _depth(options))
    legs = {"lexical": by_words, "dense": by_meaning, "symbol": by_name}
    return Candidates(legs, named, words)


def _nearest(
    view: View, query: Query, mask: np.ndarray, options: Options, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the dense leg with their scores; none in modes without it."""
    if options.mode not in ("hybrid", "semantic"):
        return np.zeros(0, np.int64), np.zeros(0)
    with trace.stage("meaning"):
        return dense_leg.scores(view, view.tokens(query.parts), mask, options.ranking, most)


class _Aside(Generic[Made]):
    """What a function makes: of a large view beside the rest of the work, else when asked for.

    numpy computes in several threads at once.
    """

    def __init__(self, view: View, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: Made | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        if int(view.starts[-1]) >= _LARGE:
            # the thread must not wait for this one, should it be interrupted
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        try:
            self._made = self._make()
        except BaseException as error:  # noqa: BLE001  raised where the result is asked for
            self._error = error

    def result(self) -> Made:
        """Return what was made; raises what its making raised."""
        if self._thread is None:
            return self._make()
        self._thread.join()
        if self._error is not None:
            raise self._error
        return cast("Made", self._made)


def _depth(options: Options) -> int:
    return max(options.ranking.depth, options.ranking.depth_factor * options.count)


def _leading(
    view: View, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> np.ndarray:
    """The best rows of a leg, up to the one that completes the requested number of code rows.

    Tests and documents, which the reranking penalizes, do not count: they must not be the only
    candidates.
    """
    depth = _depth(options)
    best = fusion.top(view, rows, scores, depth * options.ranking.reach)
    if len(best) <= depth:
        return best
    files, file_of = np.unique(view.files(best), return_inverse=True)
    locations = map(view.file, files.tolist())
    penalized = [rerank.is_penalized(query, *location) for location in locations]
    code = ~np.asarray(penalized)[file_of]
    end = np.searchsorted(np.cumsum(code), depth) + 1
    return best[:end]


def ranked(view: View, query: Query, candidates: Candidates, options: Options) -> list[Ranked]:
    """Fuse, rerank and select the candidates of the legs; the best first."""
    ranking = options.ranking
    factors: rerank.Factors | None = {} if options.explain else None
    with trace.stage("ranking"):
        weights = _weights(query, options)
        legs = {name: (rows, weights[name]) for name, rows in candidates.legs.items()}
        fused = fusion.fuse(legs, candidates.named, ranking, _depth(options))
        scores = fused.scores
        if options.rerank:
            scores = rerank.rerank(view, query, fused, candidates.words, ranking, factors)
        chosen = _select(view, query, fused.rows, scores, options)
    return [
        Ranked(
            row,
            score,
            {name: ranks.get(row) for name, ranks in fused.ranks.items()},
            (factors or {}).get(row, {}),
            candidates.named[row].symbol if row in candidates.named else None,
        )
        for row, score in chosen
    ]


def _weights(query: Query, options: Options) -> dict[str, float]:
    if options.mode != "hybrid":
        return {"lexical": 1.0, "dense": 1.0, "symbol": 1.0}
    ranking = options.ranking
    alpha = options.alpha
    if alpha is None:
        alpha = ranking.alpha_symbol if query.symbol else ranking.alpha_prose
    named = ranking.names_symbol if query.symbol else ranking.names_prose
    return {"lexical": 1 - alpha, "dense": alpha, "symbol": named}


def _select(
    view: View, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> list[tuple[int, float]]:
    """Select the best (row, score), penalizing further chunks of a file (reranking stage 7)."""
    tie = np.empty(len(rows), np.int64)
    tie[fusion.order(view, rows, np.zeros(len(rows)))] = np.arange(len(rows))
    selection = _GreedySelection(scores, tie.tolist(), view.files(rows).tolist())
    ranking = options.ranking
    # a question of use is mostly answered in one place, even if it begins with "how"
    spread = query.how and not query.use
    saturation = ranking.saturation_how if spread else ranking.saturation
    saturations = (saturation, ranking.saturation_later) if options.rerank else (1.0, 1.0)
    first_count = min(options.count, ranking.first_results)
    counts = (first_count, options.count - first_count + options.beyond)
    first, later = map(selection.next, counts, saturations)
    scale = 1.0
    if later and later[0] < first[-1]:
        # later results are penalized less: scaled, so that scores keep falling
        scale = _LATER_SCALE * first[-1][0] / later[0][0]
    selected = [*first, *((negative * scale, rank, i) for negative, rank, i in later)]
    return [(int(rows[i]), -negative) for negative, _, i in selected]


class _GreedySelection:
    def __init__(self, scores: np.ndarray, tie: list[int], files: list[int]) -> None:
        self._scores: list[float] = scores.tolist()
        self._tie = tie
        self._files = files
        self._remaining = set(range(len(files)))
        # number of selected chunks by file
        self._selected: Counter[int] = Counter()

    def next(self, count: int, factor: float) -> list[tuple[float, int, int]]:
        """Select the best `count` remaining candidates: (-score, rank among ties, position).

        A score is multiplied by `factor` for each chunk of its file that was selected before.
        """
        heap = [self._penalized(i, factor) for i in self._remaining]
        heapq.heapify(heap)
        chosen: list[tuple[float, int, int]] = []
        while heap and len(chosen) < count:
            best = heapq.heappop(heap)
            current = self._penalized(best[-1], factor)
            if current != best:
                heapq.heappush(heap, current)
                continue
            self._remaining.discard(best[-1])
            self._selected[self._files[best[-1]]] += 1
            chosen.append(best)
        return chosen

    def _penalized(self, i: int, factor: float) -> tuple[float, int, int]:
        weight = factor ** self._selected[self._files[i]]
        return -self._scores[i] * weight, self._tie[i], i
