"""A shard whose rows and files are numbered among those of all shards, and what it sends.

With the same numbers as in one view of everything, ties are settled in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gitsearch.index.view import View
from gitsearch.retrieval import engine, symbol_leg
from gitsearch.retrieval.lexical_leg import FileCounts
from gitsearch.retrieval.query import Query
from gitsearch.retrieval.shard import Shard, Statistics


class Placed(NamedTuple):
    """The best rows of a leg, with the path of each.

    Rows with the same score are in the order of paths, and those of one path in their own order.
    """

    leading: engine.Leading
    paths: list[bytes]

    @classmethod
    def joined(cls, parts: Sequence[Placed], count: int) -> engine.Leading:
        """Return the best `count` rows of several shards, in order."""
        rows, scores, penalized = (
            np.concatenate(columns)
            for columns in zip(*(part.leading for part in parts), strict=True)
        )
        paths = [path for part in parts for path in part.paths]
        rank = {path: i for i, path in enumerate(sorted(set(paths)))}
        ranks = np.asarray([rank[path] for path in paths], np.int64)
        order = np.lexsort((rows, ranks, -scores))[:count]
        return engine.Leading(rows[order], scores[order], penalized[order])


class Found(NamedTuple):
    """The findings of the legs of a shard: `named` are the definitions in these rows."""

    lexical: Placed
    dense: Placed
    symbol: Placed
    named: dict[int, symbol_leg.NamedDefinition]
    is_named: bool


class FileColumns(NamedTuple):
    """Files of candidates, by ascending numbers: int64; kinds are those of paths, int64."""

    numbers: np.ndarray
    paths: list[bytes]
    contents: list[bytes]
    kinds: np.ndarray
    languages: list[str]
    counts: FileCounts


class RowColumns(NamedTuple):
    """Candidates, by ascending numbers: their files, first bytes, definitions (-1: none).

    definitions: numbers that tell those of one shard apart: int64. coverage, told: shares of the
    terms, float64. vectors: in half steps, int8 (rows, dims).
    """

    numbers: np.ndarray
    files: np.ndarray
    starts: np.ndarray
    definitions: np.ndarray
    coverage: np.ndarray
    told: np.ndarray
    vectors: np.ndarray


class Columns(NamedTuple):
    """The columns of the candidates of a shard that reranking reads."""

    rows: RowColumns
    files: FileColumns


class Numbering:
    """The numbers of the rows and files of a view among those of all shards.

    first_rows, first_files: those of the first row and the first file of each tree of the view.
    """

    def __init__(self, view: View, first_rows: Sequence[int], first_files: Sequence[int]) -> None:
        trees = view.repositories or (0,) * len(view.segments)
        self._rows = _Shifts(view.starts.tolist(), trees, first_rows)
        self._files = _Shifts(view.file_starts, trees, first_files)

    def rows(self, own: np.ndarray) -> np.ndarray:
        """Return the numbers of rows of the view."""
        return self._rows.outside(own)

    def files(self, own: np.ndarray) -> np.ndarray:
        """Return the numbers of files of the view."""
        return self._files.outside(own)

    def own_rows(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the view among these, and their places."""
        return self._rows.inside(numbers)

    def own_files(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the files of the view among these, and their places."""
        return self._files.inside(numbers)


class _Shifts:
    """Adds to the numbers of a segment the same number; those of all segments ascend."""

    def __init__(self, starts: Sequence[int], trees: Sequence[int], first: Sequence[int]) -> None:
        self._starts = np.asarray(starts, np.int64)
        begun: dict[int, int] = {}
        for tree, start in zip(trees, starts, strict=False):
            begun.setdefault(tree, start)
        self._shift = np.asarray([first[tree] - begun[tree] for tree in trees], np.int64)
        self._outside = self._starts[:-1] + self._shift

    def outside(self, own: np.ndarray) -> np.ndarray:
        segment = np.searchsorted(self._starts, own, side="right") - 1
        numbers: np.ndarray = own + self._shift[segment]
        return numbers

    def inside(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        segment = np.searchsorted(self._outside, numbers, side="right") - 1
        places = np.flatnonzero(segment >= 0)
        own = numbers[places] - self._shift[segment[places]]
        held = own < self._starts[segment[places] + 1]
        return own[held], places[held]


class NumberedShard:
    """The chunks of a view that `mask` allows, asked one question together with other shards."""

    def __init__(
        self,
        view: View,
        mask: np.ndarray,
        query: Query,
        options: engine.Options,
        numbering: Numbering,
    ) -> None:
        self._view = view
        self._query = query
        self._options = options
        self._numbering = numbering
        self._shard = Shard(view, mask, engine.asked(query, options), alone=False)

    def statistics(self) -> Statistics:
        """Return those of these chunks, as they can be sent."""
        return Statistics.joined([self._shard.statistics])

    def found(self, total: Statistics) -> Found:
        """Return what the legs find with the statistics of all chunks."""
        view, query, options = self._view, self._query, self._options
        legs = self._shard.legs(total)
        leading = [
            engine.leading(view, query, *legs.lexical, options),
            engine.leading(view, query, *legs.dense, options),
            engine.named_rows(view, legs.named, options),
        ]
        rows = np.unique(np.concatenate([leg.rows for leg in leading]))
        numbers = self._numbering.rows(rows)
        named = {
            number: legs.named[row]
            for row, number in zip(rows.tolist(), numbers.tolist(), strict=True)
            if row in legs.named
        }
        by_words, by_meaning, by_name = map(self._placed, leading)
        return Found(by_words, by_meaning, by_name, named, bool(legs.named))

    def _placed(self, leg: engine.Leading) -> Placed:
        view = self._view
        files = map(view.file, view.files(leg.rows).tolist())
        paths = [segment.path(file) for segment, file in files]
        numbered = leg._replace(rows=self._numbering.rows(leg.rows))
        return Placed(numbered, paths)

    def columns(self, total: Statistics, numbers: np.ndarray) -> Columns:
        """Return what reranking reads of those of some rows, ascending, that are of this shard."""
        view, words = self._view, self._shard.words
        words.use(total.terms)
        rows, _ = self._numbering.own_rows(numbers)
        of_rows = view.files(rows)
        files = np.unique(of_rows)
        located = list(map(view.file, files.tolist()))
        symbols = view.column("chunk_symbol", rows)
        segments = np.searchsorted(view.starts, rows, side="right")
        definitions = np.where(symbols < 0, -1, symbols * len(view.starts) + segments)
        return Columns(
            RowColumns(
                self._numbering.rows(rows),
                self._numbering.files(of_rows),
                view.column("chunk_start", rows),
                definitions,
                words.coverage(rows),
                words.told(rows),
                view.vectors(rows),
            ),
            FileColumns(
                self._numbering.files(files),
                [segment.path(file) for segment, file in located],
                [segment["oid"][file].tobytes() for segment, file in located],
                np.asarray([segment["path_kind"][file] for segment, file in located], np.int64),
                [segment.language(file) for segment, file in located],
                words.in_files(files),
            ),
        )

    def linked(self, numbers: np.ndarray) -> np.ndarray:
        """Return the adjacency matrix of files of all shards: False but for those of this one."""
        files, places = self._numbering.own_files(numbers)
        out = np.zeros((len(numbers), len(numbers)), bool)
        if len(files):
            out[np.ix_(places, places)] = self._shard.linked(files)
        return out
