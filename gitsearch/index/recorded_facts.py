"""Facts of blobs from the record, with terms counted anew from the text of their chunks.

The record knows where chunks begin and what is defined; the words lie in git, and counting them
is as fast as reading postings would be (no text is parsed). So no word is stored twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features.embedding import sign_codes, unpacked
from gitsearch.features.ragged import ends_of
from gitsearch.git import blobs as git_blobs
from gitsearch.git_conventions import is_object_id
from gitsearch.index import child_processes, extraction_pool
from gitsearch.index.fact_columns import CHUNK, Columns, Cut, counted
from gitsearch.index.segment_input import (
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
    from gitsearch.store.facts_db import FactsDb

# Rows of the vector file that are read at once when sign bits are taken.
_BLOCK = 16384


@dataclass(frozen=True, slots=True)
class _Held:
    """Rows of the record about some blobs, in their order.

    chunk_ends, symbol_ends: runs of the rows of chunks and symbols, one a blob.
    """

    blobs: Columns
    chunk_ends: np.ndarray
    chunks: Columns
    symbol_ends: np.ndarray
    symbols: Columns

    def inside(self, first: int, upto: int) -> tuple[slice, slice]:
        """Return the rows of chunks and of symbols of the blobs from `first` to before `upto`."""
        return (
            slice(int(self.chunk_ends[first]), int(self.chunk_ends[upto])),
            slice(int(self.symbol_ends[first]), int(self.symbol_ends[upto])),
        )

    def counted(self, repo: Repo) -> Iterator[tuple[TermCounts, np.ndarray]]:
        """Yield what `counted` returns for some blobs at a time."""
        batches = extraction_pool.batches(self._cut(repo))
        if self.blobs["size"].sum() < extraction_pool.ALONE_BYTES:
            return map(counted, batches)
        return child_processes.parallel(counted, counted, batches)

    def _cut(self, repo: Repo) -> Iterator[tuple[Cut, bytes | None]]:
        for i, (_, data) in enumerate(git_blobs.read_blobs(repo, self.blobs["oid"].tolist())):
            chunks, symbols = self.inside(i, i + 1)
            ranges = (self.chunks[name][chunks].tolist() for name in ("start", "end", "scope"))
            names = (self.symbols[name][symbols].tolist() for name in ("name", "parent"))
            yield Cut(*ranges, *names), data


def load_facts(
    record: FactsDb, repo: Repo, ids: np.ndarray, rows: np.ndarray, dictionary: Dictionary
) -> tuple[SegmentFacts, np.ndarray]:
    """Return the facts of blob ids (distinct, at least one), in their order.

    `rows` is the mapped vector file. The second result, bool (blobs), is true where git does not
    have the text of a blob any more: its chunks have no words.
    """
    held = _held(record, ids)
    chunk_ids = held.chunks["id"]
    if len(chunk_ids) and int(chunk_ids.max()) >= len(rows):
        raise Damaged(layout.RECORD, "has a chunk without a vector")
    code = _codes(rows, chunk_ids.astype(np.int64))
    parts = []
    absent = np.zeros(len(ids), bool)
    blob = 0
    for counts, lost in held.counted(repo):
        upto = blob + len(lost)
        chunks, symbols = held.inside(blob, upto)
        absent[blob:upto] = lost
        numbers = dictionary.numbers(counts.terms)
        parts.append(
            SegmentFacts(
                held.chunk_ends[blob : upto + 1] - held.chunk_ends[blob],
                {name: held.chunks[name][chunks] for name in CHUNK},
                counts.indptr,
                numbers[counts.term],
                *frequencies(counts),
                counts.unlisted_ends,
                counts.unlisted,
                held.symbol_ends[blob : upto + 1] - held.symbol_ends[blob],
                {name: held.symbols[name][symbols] for name in SYMBOL},
                code[:, chunks],
                row=chunk_ids[chunks],
            )
        )
        blob = upto
    return concatenated(parts), absent


def recounted(record: FactsDb, repo: Repo) -> Iterator[tuple[TermCounts, np.ndarray]]:
    """Yield the terms of all chunks of the record in their order, those of some blobs at a time.

    With them the ids of the blobs whose text git does not have any more: int64.
    """
    ids = record.query("select id from blob where chunks > 0 order by id")["id"].astype(np.int64)
    if not len(ids):
        return
    for counts, lost in _held(record, ids).counted(repo):
        yield counts, ids[: len(lost)][lost]
        ids = ids[len(lost) :]


def _held(record: FactsDb, ids: np.ndarray) -> _Held:
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
    """Raise Damaged for a number that is out of its range, or an id that is none.

    A record that was checked whole has no such rows, but it is not read again after each change.
    """
    # git is asked for them line by line
    if not all(map(is_object_id, held.blobs["oid"])):
        raise Damaged(layout.RECORD, "has a row of the table blob that is of no object")
    chunks, symbols = np.diff(held.chunk_ends), np.diff(held.symbol_ends)
    # how many symbols the blob of a chunk has, and the place of a symbol in its blob
    most = np.repeat(symbols, chunks)
    place = np.arange(held.symbol_ends[-1]) - np.repeat(held.symbol_ends[:-1], symbols)
    for column, table, limit in (
        ("scope", held.chunks, most),
        ("symbol", held.chunks, most),
        ("parent", held.symbols, place),
    ):
        values = table[column].astype(np.int64)
        if ((values < -1) | (values >= limit)).any():
            raise Damaged(layout.RECORD, f"has a {column} that is no definition around it")
    for low, high, table in (
        ("start", "end", held.chunks),
        ("first_line", "last_line", held.chunks),
        ("first_line", "last_line", held.symbols),
    ):
        if (table[low] > table[high]).any():
            raise Damaged(layout.RECORD, f"has a {low} behind the {high}")
    before = np.concatenate([[0], held.chunks["end"][:-1]])
    before[held.chunk_ends[:-1][chunks > 0]] = 0
    if (held.chunks["start"] != before).any() or symbols[chunks == 0].any():
        raise Damaged(layout.RECORD, "has chunks that are not all of their blob")


def _codes(rows: np.ndarray, ids: np.ndarray) -> np.ndarray:
    parts = [
        sign_codes(unpacked(rows[ids[start : start + _BLOCK]]["vector"]))
        for start in range(0, max(len(ids), 1), _BLOCK)
    ]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
