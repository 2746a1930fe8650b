"""The facts of blobs that the record holds, terms counted anew from the text of their chunks.

The record knows where chunks begin and what is defined; the words lie in git, and counting them
is as fast as reading postings would be (no text is parsed). So no word is stored twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features.embedding import sign_codes
from gitsearch.features.ragged import ends_of
from gitsearch.git import blobs as git_blobs
from gitsearch.git_conventions import is_object_id
from gitsearch.index import extraction_pool
from gitsearch.index.fact_columns import Cut, counted
from gitsearch.index.segment_input import (
    CHUNK,
    SYMBOL,
    Dictionary,
    SegmentFacts,
    concatenated,
    frequencies,
)
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.features.term_counts import TermCounts
    from gitsearch.git.repo import Repo
    from gitsearch.index.fact_columns import Columns, Counted
    from gitsearch.store.facts_db import FactsDb

# Rows of the vector file that are read at once when sign bits are taken.
_BLOCK = 16384


@dataclass(frozen=True, slots=True)
class _Held:
    """What the record holds of some blobs, in their order.

    chunk_ends, symbol_ends: runs of the rows of chunks and symbols, one a blob.
    """

    blobs: Columns
    chunk_ends: np.ndarray
    chunks: Columns
    symbol_ends: np.ndarray
    symbols: Columns

    def inside(self, first: int, upto: int) -> tuple[slice, slice]:
        """The chunks and the symbols of the blobs from `first` to before `upto`."""
        return (
            slice(int(self.chunk_ends[first]), int(self.chunk_ends[upto])),
            slice(int(self.symbol_ends[first]), int(self.symbol_ends[upto])),
        )

    def counted(self, repo: Repo) -> Iterator[Counted]:
        """The terms of all chunks, those of some blobs at a time."""
        yield from extraction_pool.mapped(counted, self._cut(repo), int(self.blobs["size"].sum()))

    def _cut(self, repo: Repo) -> Iterator[list[Cut]]:
        """The blobs with their chunks, in batches for the workers."""
        batch: list[Cut] = []
        size = 0
        for i, (_, data) in enumerate(git_blobs.read_blobs(repo, self.blobs["oid"].tolist())):
            chunks, symbols = self.inside(i, i + 1)
            ranges = (self.chunks[name][chunks].tolist() for name in ("start", "end", "scope"))
            names = (self.symbols[name][symbols].tolist() for name in ("name", "parent"))
            batch.append(Cut(data, *ranges, *names))
            size += len(data or b"")
            if size >= extraction_pool.BATCH_BYTES or len(batch) >= extraction_pool.BATCH_FILES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def load_facts(
    record: FactsDb,
    repo: Repo,
    ids: np.ndarray,
    rows: np.ndarray,
    dictionary: Dictionary,
) -> tuple[SegmentFacts, np.ndarray]:
    """Facts of these blob ids (distinct, at least one), in their order.

    `rows` is the mapped vector file. One bool a blob says whose text git does not have any more:
    their chunks have no words.
    """
    held = _held(record, ids)
    chunk_ids = held.chunks["id"]
    if len(chunk_ids) and int(chunk_ids.max()) >= len(rows):
        raise Damaged(layout.RECORD, "has a chunk without a vector")
    code = _codes(rows, chunk_ids.astype(np.int64))
    parts = []
    absent = np.zeros(len(ids), bool)
    blob = 0
    for counts in held.counted(repo):
        upto = blob + len(counts.present)
        chunks, symbols = held.inside(blob, upto)
        absent[blob:upto] = ~counts.present
        numbers = dictionary.numbers(counts.terms.terms)
        parts.append(
            SegmentFacts(
                held.chunk_ends[blob : upto + 1] - held.chunk_ends[blob],
                {name: held.chunks[name][chunks] for name in CHUNK},
                counts.terms.indptr,
                numbers[counts.terms.term],
                *frequencies(counts.terms),
                held.symbol_ends[blob : upto + 1] - held.symbol_ends[blob],
                {name: held.symbols[name][symbols] for name in SYMBOL},
                code[:, chunks],
                row=chunk_ids[chunks],
            )
        )
        blob = upto
    return concatenated(parts), absent


def recounted(record: FactsDb, repo: Repo) -> Iterator[tuple[TermCounts, np.ndarray]]:
    """The terms of all chunks of the record, in their order, some at a time.

    With the ids of the blobs among them whose text git does not have any more.
    """
    ids = record.query("select id from blob where chunks > 0 order by id")["id"].astype(np.int64)
    if not len(ids):
        return
    at = 0
    for one in _held(record, ids).counted(repo):
        yield one.terms, ids[at : at + len(one.present)][~one.present]
        at += len(one.present)


def _held(record: FactsDb, ids: np.ndarray) -> _Held:
    """Rows of the tables blob, chunk and symbol, in the order of the blobs."""
    wanted = {"blob": ids.astype(np.uint32), "position": np.arange(len(ids), dtype=np.uint32)}
    tables = {"wanted": wanted}
    blobs = record.query(
        "select b.oid, b.size from wanted w join blob b on b.id = w.blob order by w.position",
        tables,
    )
    chunks = record.query(
        'select w.position, c.id, c.start, c."end", c.first_line, c.last_line, c.scope, c.symbol'
        " from wanted w join chunk c on c.blob = w.blob order by w.position, c.id",
        tables,
    )
    symbols = record.query(
        "select w.position, s.name, s.qualified, s.kind, s.start, s.signature_end,"
        " s.first_line, s.last_line, s.parent"
        " from wanted w join symbol s on s.blob = w.blob order by w.position, s.ordinal",
        tables,
    )
    if len(blobs["oid"]) != len(ids):
        raise Damaged(layout.RECORD, "has two rows of one blob")
    chunk_ends, symbol_ends = (
        ends_of(table.pop("position"), len(ids)) for table in (chunks, symbols)
    )
    held = _Held(blobs, chunk_ends, chunks, symbol_ends, symbols)
    _check(held)
    return held


def _check(held: _Held) -> None:
    """Raise Damaged where a number does not refer to what it should, or an id is none.

    A record that was checked whole has no such rows, but it is not read again after each change.
    """
    # git is asked for them line by line
    if not all(map(is_object_id, held.blobs["oid"])):
        raise Damaged(layout.RECORD, "has a row of the table blob that is of no object")
    # how many symbols the blob of a chunk has, and the place of a symbol in its blob
    symbols = np.repeat(np.diff(held.symbol_ends), np.diff(held.chunk_ends))
    place = np.arange(held.symbol_ends[-1]) - np.repeat(
        held.symbol_ends[:-1], np.diff(held.symbol_ends)
    )
    for column, of, most in (
        ("scope", held.chunks, symbols),
        ("symbol", held.chunks, symbols),
        ("parent", held.symbols, place),
    ):
        values = of[column].astype(np.int64)
        if ((values < -1) | (values >= most)).any():
            raise Damaged(layout.RECORD, f"has a {column} that is no definition around it")
    for low, high, of in (
        ("start", "end", held.chunks),
        ("first_line", "last_line", held.chunks),
        ("first_line", "last_line", held.symbols),
    ):
        if (of[low] > of[high]).any():
            raise Damaged(layout.RECORD, f"has a {low} behind the {high}")
    chunks = np.diff(held.chunk_ends)
    before = np.concatenate([[0], held.chunks["end"][:-1]])
    before[held.chunk_ends[:-1][chunks > 0]] = 0
    if (held.chunks["start"] != before).any() or (
        np.diff(held.symbol_ends)[chunks == 0] > 0
    ).any():
        raise Damaged(layout.RECORD, "has chunks that are not all of their blob")


def _codes(rows: np.ndarray, ids: np.ndarray) -> np.ndarray:
    parts = [
        sign_codes(rows[ids[start : start + _BLOCK]]["vector"])
        for start in range(0, max(len(ids), 1), _BLOCK)
    ]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
