"""One question to the chunks of one view, which may be a shard of all that are ranked together.

What a ranking takes from all chunks are sums: `Statistics`. Each shard gives its own, and finds
its candidates with those of all. One view alone is a shard whose statistics are those of all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar, cast

import numpy as np

from gitsearch import trace
from gitsearch.index.view import View
from gitsearch.retrieval import dense_leg, file_links, lexical_leg, symbol_leg
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.query import Query

Made = TypeVar("Made")

# Rows of a view from which on its legs are asked at the same time: below it takes a few
# milliseconds.
_LARGE = 1 << 17

_NOTHING = np.zeros(0, np.int64), np.zeros(0)


class Asked(NamedTuple):
    """The question to the legs: the query, the mode, the constants.

    most: how many of the best rows of each leg are wanted, those that tie with the last included.
    """

    query: Query
    mode: str
    most: int
    ranking: Ranking


class Statistics(NamedTuple):
    """The statistics of all chunks that a ranking takes.

    products: how near the vectors of the chunks are, by their signs; None of a view alone.
    """

    terms: lexical_leg.TermStatistics
    names: symbol_leg.NameLevels
    products: dense_leg.Histogram | None

    @classmethod
    def joined(cls, parts: Sequence[Statistics]) -> Statistics:
        """Return those of several shards together."""
        products = [part.products for part in parts if part.products is not None]
        return cls(
            lexical_leg.TermStatistics.joined([part.terms for part in parts]),
            symbol_leg.NameLevels.joined([part.names for part in parts]),
            dense_leg.Histogram.joined(products) if products else None,
        )


class Legs(NamedTuple):
    """The findings of the legs: rows (int64) and scores (float64), and definitions by row."""

    lexical: tuple[np.ndarray, np.ndarray]
    dense: tuple[np.ndarray, np.ndarray]
    named: dict[int, symbol_leg.NamedDefinition]


class Shard:
    """The chunks of a view that `mask` (bool per row) allows, asked one question.

    alone: no other chunks are ranked together with these.
    """

    def __init__(self, view: View, mask: np.ndarray, asked: Asked, *, alone: bool = True) -> None:
        self._view = view
        self._mask = mask
        self._asked = asked
        self._alone = alone
        self._meaning = _Aside(view, self._nearest) if alone else None
        query, mode = asked.query, asked.mode
        with trace.stage("names"):
            wanted = mode in ("hybrid", "symbol")
            self._names = symbol_leg.NameMatches(view, query, mask) if wanted else None
        with trace.stage("words"):
            terms = query.terms if mode in ("hybrid", "lexical") else ()
            self.words = lexical_leg.QueryTerms(
                view, terms, asked.ranking, expanded=not query.symbol
            )

    @cached_property
    def statistics(self) -> Statistics:
        """Those of these chunks."""
        names = self._names.levels if self._names else symbol_leg.NO_NAMES
        scan = None if self._alone else self._scan
        products = scan.histogram() if scan else None
        return Statistics(self.words.statistics, names, products)

    def legs(self, total: Statistics) -> Legs:
        """Return what the legs find with the statistics of all chunks."""
        with trace.stage("words"):
            self.words.use(total.terms)
            by_words = self.words.leaders(self._mask, self._asked.most)
        with trace.stage("names"):
            named = self._names.scores(total.names) if self._names else {}
        by_meaning = self._meaning.result() if self._meaning else self._nearest_of(total)
        return Legs(by_words, by_meaning, named)

    # what is asked of the files and rows that are candidates

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """BM25 of files, each as one document, by ascending file numbers: float64 (numbers,)."""
        return self.words.files(numbers)

    def coverage(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that each of some ascending rows has, near words in part: float64."""
        return self.words.coverage(rows)

    def told(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that each of some ascending rows has, or forms of them: float64."""
        return self.words.told(rows)

    def linked(self, numbers: np.ndarray) -> np.ndarray:
        """Return the adjacency matrix of files by their numbers: bool (numbers, numbers)."""
        return file_links.adjacency(self._view, numbers)

    @property
    def _has_meaning(self) -> bool:
        return self._asked.mode in ("hybrid", "semantic")

    def _nearest(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of the dense leg with their scores; none in modes without it."""
        if not self._has_meaning:
            return _NOTHING
        view, asked = self._view, self._asked
        with trace.stage("meaning"):
            tokens = view.tokens(asked.query.parts)
            return dense_leg.scores(view, tokens, self._mask, asked.ranking, asked.most)

    @cached_property
    def _vector(self) -> np.ndarray:
        return dense_leg.vector_of(self._view, self._view.tokens(self._asked.query.parts))

    @cached_property
    def _scan(self) -> dense_leg.SignScan | None:
        if not self._has_meaning:
            return None
        return dense_leg.SignScan(self._view, self._vector, self._mask)

    def _nearest_of(self, total: Statistics) -> tuple[np.ndarray, np.ndarray]:
        """The same, among the chunks of several shards."""
        if self._scan is None or total.products is None:
            return _NOTHING
        asked = self._asked
        least = total.products.least(dense_leg.scanned(total.terms.chunks, asked.ranking))
        rows = self._scan.rows(least)
        return dense_leg.rescored(self._view, self._vector, rows, asked.ranking, asked.most)


class _Aside(Generic[Made]):
    """The result of a function: of a large view beside the rest of the work, else when asked for.

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
