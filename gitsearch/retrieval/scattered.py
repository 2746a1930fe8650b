"""One question to several shards: their statistics are summed, their candidates ranked as one.

`ask` calls a method of the shard of each, whatever is between them, and returns what they answer,
in their order. The ranking itself is that of `engine`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from gitsearch.features.ragged import offsets
from gitsearch.index.view import Segment
from gitsearch.retrieval import engine, lexical_leg
from gitsearch.retrieval.columns import Identity, SegmentColumns
from gitsearch.retrieval.numbered import Columns, Found, Placed
from gitsearch.retrieval.query import Query
from gitsearch.retrieval.shard import Statistics
from gitsearch.retrieval.spelling import Near

One = TypeVar("One")


class Ask(Protocol):
    """Calls a method of every shard."""

    def __call__(self, method: str, *arguments: Any) -> list[Any]:
        """Return the answers of the shards, in order."""


class ScatteredVocabulary:
    """The vocabulary of several shards."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def occurring(self, terms: Sequence[str]) -> set[str]:
        """Return those of some terms that a chunk has, or a file that is read later."""
        return set().union(*self._ask("occurring", terms)) if terms else set()

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return the number of chunks with each of some terms."""
        return [sum(each) for each in zip(*self._ask("frequencies", terms), strict=True)]

    def near(self, text: str) -> dict[str, Near]:
        """Return the terms at one edit from a text that chunks have."""
        near: dict[str, Near] = {}
        for part in self._ask("near", text):
            for other, own in part.items():
                known = near.get(other, Near(0, None, named=False))
                firsts = [first for first in (known.first, own.first) if first is not None]
                near[other] = Near(
                    known.frequency + own.frequency,
                    min(firsts, default=None),
                    known.named or own.named,
                )
        return near

    def has_name(self, parts: Sequence[str]) -> bool:
        """Return True if the name of a definition has all of some words."""
        return any(self._ask("has_name", parts))

    def has_prefix(self, folded: str) -> bool:
        """Return True if the name of a definition, or a word of one, has this prefix."""
        return any(self._ask("has_prefix", folded))

    def is_token(self, word: str) -> bool:
        """Return True if a word is one token of the model, which all shards share."""
        return bool(self._ask("is_token", word)[0])


class ScatteredRanking:
    """The rankings of one question over several shards; rows are numbered among those of all."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._identity_of: dict[int, Identity] = {}

    def search(
        self, query: Query, options: engine.Options, without: int | None = None
    ) -> list[engine.Ranked]:
        """Return the best chunks, the best first.

        without: the number of the filter that is left out, if any.
        """
        asked = query, options, without
        total = Statistics.joined(self._ask("statistics", *asked))
        found: list[Found] = self._ask("found", *asked, total)
        depth = engine.depth_of(options)
        most = depth * options.ranking.reach
        by_meaning = Placed.joined([part.dense for part in found], most)
        legs = engine.merged(
            options,
            Placed.joined([part.lexical for part in found], most),
            by_meaning,
            Placed.joined([part.symbol for part in found], depth).rows,
            is_named=any(part.is_named for part in found),
        )
        rows = np.unique(np.concatenate(list(legs.values())))
        if not len(rows):
            return []
        columns = _Joined(self._ask("columns", *asked, total, rows))
        self._note(columns)

        def linked(files: np.ndarray) -> np.ndarray:
            parts = self._ask("linked", *asked, columns.files[files])
            either: np.ndarray = np.logical_or.reduce(parts)
            return either

        terms = query.terms if options.mode in ("hybrid", "lexical") else ()
        forms = lexical_leg.forms_of(terms, options.ranking, expanded=not query.symbol)
        by_words = lexical_leg.file_scores(columns.counts, forms, total.terms, options.ranking)
        evidence = _Evidence(by_words, columns.coverage, columns.told, linked)
        named = {row: one for part in found for row, one in part.named.items()}
        place = {row: i for i, row in enumerate(rows.tolist())}
        candidates = engine.Candidates(
            {name: np.searchsorted(rows, own) for name, own in legs.items()},
            {place[row]: one for row, one in named.items() if row in place},
            evidence,
            {place[row]: one for row, one in by_meaning.by_row().items() if row in place},
            total.terms.known(forms),
        )
        view = SegmentColumns(columns.segment)
        hits = engine.ranked(view, query, candidates, options)
        numbers = rows.tolist()
        return [replace(hit, row=numbers[hit.row]) for hit in hits]

    def _note(self, columns: _Joined) -> None:
        for row, place, start in zip(
            columns.rows.tolist(),
            columns.segment["chunk_file"].tolist(),
            columns.segment["chunk_start"].tolist(),
            strict=True,
        ):
            self._identity_of[row] = Identity(columns.contents[place], start)

    def identity(self, row: int) -> Identity:
        """Return what a row that was ranked has in common with others."""
        return self._identity_of[row]


class _Evidence(NamedTuple):
    """The evidence on candidates: asked of the shards beforehand, or when it is needed."""

    by_words: np.ndarray
    covered: np.ndarray
    having: np.ndarray
    linked: Callable[[np.ndarray], np.ndarray]

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """BM25 of files, each as one document: float64 (numbers,)."""
        scores: np.ndarray = self.by_words[numbers]
        return scores

    def coverage(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that rows have, near words in part: float64 (rows,)."""
        shares: np.ndarray = self.covered[rows]
        return shares

    def told(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that rows have, or forms of them: float64 (rows,)."""
        shares: np.ndarray = self.having[rows]
        return shares


class _Joined:
    """The columns of the candidates of all shards, as a segment: rows and files in their order."""

    def __init__(self, parts: Sequence[Columns]) -> None:
        files = np.concatenate([part.files.numbers for part in parts])
        order = np.argsort(files)
        places = order.tolist()
        self.files = files[order]
        paths = _chosen([part.files.paths for part in parts], places)
        self.contents = _chosen([part.files.contents for part in parts], places)
        languages = _chosen([part.files.languages for part in parts], places)
        known = sorted(set(languages))
        counts = [part.files.counts for part in parts]
        self.counts = lexical_leg.FileCounts(
            np.concatenate([own.times for own in counts], axis=1)[:, order],
            np.concatenate([own.lengths for own in counts])[order],
            tuple(sum(each) for each in zip(*(own.containing for own in counts), strict=True)),
        )
        rows = np.concatenate([part.rows.numbers for part in parts])
        by_row = np.argsort(rows)
        self.rows = rows[by_row]
        self.coverage = np.concatenate([part.rows.coverage for part in parts])[by_row]
        self.told = np.concatenate([part.rows.told for part in parts])[by_row]
        of_rows = np.concatenate([part.rows.files for part in parts])[by_row]
        self.segment = Segment(
            {
                "path_text": np.frombuffer(b"".join(paths), np.uint8),
                "path_ends": offsets([len(path) for path in paths]),
                "path_kind": np.concatenate([part.files.kinds for part in parts])[order],
                "language": np.asarray([known.index(one) for one in languages], np.int64),
                "chunk_file": np.searchsorted(self.files, of_rows),
                "chunk_start": np.concatenate([part.rows.starts for part in parts])[by_row],
                "chunk_symbol": _definitions(parts)[by_row],
                "vector": np.concatenate([part.rows.vectors for part in parts])[by_row],
            },
            {"files": len(paths), "chunks": len(rows), "languages": known},
        )


def _chosen(parts: Sequence[Sequence[One]], places: Sequence[int]) -> list[One]:
    every = [one for part in parts for one in part]
    return [every[place] for place in places]


def _definitions(parts: Sequence[Columns]) -> np.ndarray:
    """Numbers of the definitions of rows, of which two shards share none: int64, -1 for none."""
    own = [part.rows.definitions for part in parts]
    most = max((int(column.max(initial=-1)) for column in own), default=-1) + 1
    numbered = [np.where(column < 0, -1, column + i * most) for i, column in enumerate(own)]
    return np.concatenate(numbered)
