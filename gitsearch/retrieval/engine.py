"""One query over one view: legs, fusion, reranking, and selection with file saturation."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.index.view import View
from gitsearch.retrieval import fusion, rerank, symbol_leg
from gitsearch.retrieval.columns import ChunkColumns
from gitsearch.retrieval.constants import DEFAULT, Ranking
from gitsearch.retrieval.query import Query
from gitsearch.retrieval.shard import Asked, Shard

# The score of the best later result, at most, relative to that of the last of the first results.
_LATER_SCALE = 0.99

# Results from the top that are counted by file for `Ranked.support`.
SUPPORT = 40


@dataclass(frozen=True, slots=True)
class Ranked:
    """One result: its row in the view, its score, its 1-based rank per leg, gains per stage.

    symbol: the definition in its segment that the query names there, if any; fit: the share of the
    query's terms, by their rarity, that are in the chunk, plus the score of the dense leg where
    that has it among its best; None in modes without either; support: how many of the first
    `SUPPORT` results, before a reader orders them, are of its file; read: its 1-based rank among
    the results that a reader read.
    """

    row: int
    score: float
    legs: dict[str, int | None]
    factors: dict[str, float]
    symbol: int | None = None
    fit: float | None = None
    support: int = 0
    read: int | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a search: mode, most results, weight of the dense leg (None: by query).

    deeper: as many times more candidates come from each leg. Results do not depend on `count`.
    """

    mode: str = "hybrid"
    count: int = 10
    deeper: int = 1
    alpha: float | None = None
    rerank: bool = True
    explain: bool = False
    ranking: Ranking = field(default=DEFAULT)


class Candidates(NamedTuple):
    """Results of the legs: rows per leg in order, named definitions by row, evidence on them.

    near: the scores of the best rows of the dense leg; known: the share of the query's terms, by
    their rarity, that occur anywhere.
    """

    legs: dict[str, np.ndarray]
    named: dict[int, symbol_leg.NamedDefinition]
    evidence: rerank.Evidence
    near: dict[int, float]
    known: float


class Leading(NamedTuple):
    """The best rows of a leg in order (int64), their scores, and which are penalized (bool).

    Tests and documents are, which the reranking penalizes.
    """

    rows: np.ndarray
    scores: np.ndarray
    penalized: np.ndarray

    def by_row(self) -> dict[int, float]:
        """Return the scores by row."""
        return dict(zip(self.rows.tolist(), self.scores.tolist(), strict=True))


def search(view: View, query: Query, mask: np.ndarray, options: Options) -> list[Ranked]:
    """Return the best chunks that `mask` (bool per row) allows, the best first."""
    return ranked(view, query, gather(view, query, mask, options), options)


def gather(view: View, query: Query, mask: np.ndarray, options: Options) -> Candidates:
    """Run the legs; of the constants only those of the legs matter here."""
    shard = Shard(view, mask, asked(query, options))
    found = shard.legs(shard.statistics)
    by_words, by_meaning = (
        leading(view, query, rows, scores, options)
        for rows, scores in (found.lexical, found.dense)
    )
    by_name = named_rows(view, found.named, options).rows
    legs = merged(options, by_words, by_meaning, by_name, is_named=bool(found.named))
    return Candidates(legs, found.named, shard, by_meaning.by_row(), shard.words.known)


def asked(query: Query, options: Options) -> Asked:
    """What the legs are asked, for some options."""
    ranking = options.ranking
    return Asked(query, options.mode, depth_of(options) * ranking.reach, ranking)


def depth_of(options: Options) -> int:
    """How many rows of a leg count as evidence, at least."""
    return options.ranking.depth * options.deeper


def leading(
    view: View, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> Leading:
    """The best rows of a leg, as many as may be candidates."""
    best = fusion.best(view, rows, scores, depth_of(options) * options.ranking.reach)
    files, file_of = np.unique(view.files(rows[best]), return_inverse=True)
    locations = map(view.file, files.tolist())
    penalized = [rerank.is_penalized(query, *location) for location in locations]
    return Leading(rows[best], scores[best], np.asarray(penalized, bool)[file_of])


def named_rows(
    view: View, named: dict[int, symbol_leg.NamedDefinition], options: Options
) -> Leading:
    """The best rows of the leg of names."""
    rows = np.asarray(sorted(named), np.int64)
    values = np.asarray([named[row].score for row in rows.tolist()])
    best = fusion.best(view, rows, values, depth_of(options))
    return Leading(rows[best], values[best], np.zeros(len(best), bool))


def merged(
    options: Options,
    by_words: Leading,
    by_meaning: Leading,
    by_name: np.ndarray,
    *,
    is_named: bool,
) -> dict[str, np.ndarray]:
    """Return the candidates of each leg: rows in order."""
    if options.mode == "hybrid" and not len(by_words.rows) and not is_named:
        # no word of the query occurs, so the nearest chunk may be near by chance only
        near = by_meaning.scores >= options.ranking.floor
        by_meaning = Leading(*(column[near] for column in by_meaning))
    return {
        "lexical": _with_code(by_words, options),
        "dense": _with_code(by_meaning, options),
        "symbol": by_name,
    }


def _with_code(leg: Leading, options: Options) -> np.ndarray:
    """The rows up to the one that completes the requested number of code rows.

    What is penalized does not count: it must not be all of the candidates.
    """
    end = np.searchsorted(np.cumsum(~leg.penalized), depth_of(options)) + 1
    return leg.rows[:end] if len(leg.rows) > depth_of(options) else leg.rows


def ranked(
    view: ChunkColumns, query: Query, candidates: Candidates, options: Options
) -> list[Ranked]:
    """Fuse, rerank and select the candidates of the legs; the best first."""
    ranking = options.ranking
    factors: rerank.Factors | None = {} if options.explain else None
    with trace.stage("ranking"):
        weights = _weights(query, options)
        legs = {name: (rows, weights[name]) for name, rows in candidates.legs.items()}
        fused = fusion.fuse(legs, candidates.named, ranking, depth_of(options))
        scores = fused.scores
        if options.rerank:
            scores = rerank.rerank(view, query, fused, candidates.evidence, ranking, factors)
        selected = _select(view, query, fused.rows, scores, options)
        chosen = selected[: options.count]
        fits = _fits(candidates, [row for row, _ in chosen], options)
        files = view.files(np.asarray([row for row, _ in selected], np.int64)).tolist()
        support = Counter(files[:SUPPORT])
    return [
        Ranked(
            row,
            score,
            {name: ranks.get(row) for name, ranks in fused.ranks.items()},
            (factors or {}).get(row, {}),
            candidates.named[row].symbol if row in candidates.named else None,
            fits.get(row),
            support[file],
        )
        for (row, score), file in zip(chosen, files, strict=False)
    ]


def _fits(candidates: Candidates, rows: list[int], options: Options) -> dict[int, float]:
    """Return the fit of rows, in the mode that has both legs."""
    if options.mode != "hybrid":
        return {}
    ascending = sorted(rows)
    told = candidates.evidence.told(np.asarray(ascending, np.int64)).tolist()
    return {
        row: candidates.known * share + candidates.near.get(row, 0.0)
        for row, share in zip(ascending, told, strict=True)
    }


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
    view: ChunkColumns, query: Query, rows: np.ndarray, scores: np.ndarray, options: Options
) -> list[tuple[int, float]]:
    """Select the best (row, score), penalizing further chunks of a file, and twins (stage 7).

    There are `SUPPORT` at least, if there are so many.
    """
    tie = np.empty(len(rows), np.int64)
    tie[fusion.order(view, rows, np.zeros(len(rows)))] = np.arange(len(rows))
    ranking = options.ranking
    # a name is asked for wherever it is; without vectors in the ranking none are read
    folds = options.rerank and options.mode == "hybrid" and not query.symbol and ranking.twin < 1
    files = view.files(rows)
    twins = _Twins(view.vectors(rows), files, ranking) if folds else None
    selection = _GreedySelection(scores, tie.tolist(), files.tolist(), twins)
    saturation = ranking.saturation_how if query.spread else ranking.saturation
    saturations = (saturation, ranking.saturation_later) if options.rerank else (1.0, 1.0)
    counts = (ranking.first_results, max(options.count, SUPPORT) - ranking.first_results)
    first, later = map(selection.next, counts, saturations)
    scale = 1.0
    if later and later[0] < first[-1]:
        # later results are penalized less: scaled, so that scores keep falling
        scale = _LATER_SCALE * first[-1][0] / later[0][0]
    selected = [*first, *((negative * scale, rank, i) for negative, rank, i in later)]
    return [(int(rows[i]), -negative) for negative, _, i in selected]


class _Twins:
    """Tells rows that are nearly the same as one of another file that was chosen before.

    vectors: int8 (rows, dims), in half steps; files: int64 (rows,).
    """

    def __init__(self, vectors: np.ndarray, files: np.ndarray, ranking: Ranking) -> None:
        # of whole numbers so small sums of products are exact in single precision
        self._vectors = vectors.astype(np.float32)
        self._squares = np.square(self._vectors).sum(axis=1, dtype=np.float64)
        self._files = files
        self._least = ranking.twin_cosine**2
        self.factor = ranking.twin
        # rows in the order in which they were chosen, copied to lie side by side
        self._count = 0
        self._chosen = np.empty_like(self._vectors)
        self._chosen_squares = np.empty_like(self._squares)
        self._chosen_files = np.empty_like(files)
        # how many of them a row was compared with
        self._compared: Counter[int] = Counter()

    def choose(self, i: int) -> None:
        """Compare with this row from now on."""
        self._chosen[self._count] = self._vectors[i]
        self._chosen_squares[self._count] = self._squares[i]
        self._chosen_files[self._count] = self._files[i]
        self._count += 1

    def has(self, i: int) -> bool:
        """Return True if a row is a twin of one that was chosen since it was asked about."""
        new = slice(self._compared[i], self._count)
        self._compared[i] = self._count
        products = (self._chosen[new] @ self._vectors[i]).astype(np.float64)
        alike = products * products >= self._least * self._chosen_squares[new] * self._squares[i]
        elsewhere = self._chosen_files[new] != self._files[i]
        return bool((alike & (products > 0) & elsewhere).any())


class _GreedySelection:
    def __init__(
        self, scores: np.ndarray, tie: list[int], files: list[int], twins: _Twins | None
    ) -> None:
        self._scores: list[float] = scores.tolist()
        self._tie = tie
        self._files = files
        self._twins = twins
        self._remaining = set(range(len(files)))
        # number of selected chunks by file
        self._selected: Counter[int] = Counter()
        # the factor of twins of what was selected
        self._folded: dict[int, float] = {}

    def next(self, count: int, factor: float) -> list[tuple[float, int, int]]:
        """Select the best `count` remaining candidates: (-score, rank among ties, position).

        A score is multiplied by `factor` for each chunk of its file that was selected before, and
        once if a twin in another file was.
        """
        heap = [self._penalized(i, factor) for i in self._remaining]
        heapq.heapify(heap)
        chosen: list[tuple[float, int, int]] = []
        while heap and len(chosen) < count:
            best = heapq.heappop(heap)
            self._fold(best[-1])
            current = self._penalized(best[-1], factor)
            if current != best:
                heapq.heappush(heap, current)
                continue
            self._remaining.discard(best[-1])
            self._selected[self._files[best[-1]]] += 1
            if self._twins is not None:
                self._twins.choose(best[-1])
            chosen.append(best)
        return chosen

    def _fold(self, i: int) -> None:
        if self._twins is not None and i not in self._folded and self._twins.has(i):
            self._folded[i] = self._twins.factor

    def _penalized(self, i: int, factor: float) -> tuple[float, int, int]:
        weight = factor ** self._selected[self._files[i]] * self._folded.get(i, 1.0)
        return -self._scores[i] * weight, self._tie[i], i
