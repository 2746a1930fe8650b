"""The facts of blobs that the record holds, terms counted anew from the text of their chunks.

The record knows where chunks begin and what is defined; the words lie in git, and counting them
is as fast as reading postings would be (no text is parsed). So no word is stored twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus import workers
from gitsearch.corpus.gathered import CHUNK, SYMBOL, Dictionary, Facts, concatenated, frequencies
from gitsearch.corpus.harvest import Cut, counted
from gitsearch.features.runs import ends_of
from gitsearch.features.vectors import sign_codes, unpacked
from gitsearch.git import blobs as git_blobs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.corpus.harvest import Columns
    from gitsearch.features.counting import TermCounts
    from gitsearch.git.repo import Repo
    from gitsearch.store.record import Record

# Rows of the vector file that are read at once when sign bits are taken.
_BLOCK = 16384


def load_facts(
    record: Record,
    repo: Repo,
    ids: np.ndarray,
    rows: np.ndarray,
    dims: int,
    dictionary: Dictionary,
) -> tuple[Facts, np.ndarray]:
    """Facts of these blob ids (distinct, at least one), in their order.

    `rows` is the mapped vector file. One bool a blob says whose text git does not have any more:
    their chunks have no words.
    """
    blobs, chunks, symbols = _columns(record, ids)
    count = len(ids)
    chunk_ends = ends_of(chunks.pop("position"), count)
    symbol_ends = ends_of(symbols.pop("position"), count)
    parents = symbols.pop("parent")
    chunk_ids = chunks.pop("id")
    code = _codes(rows, chunk_ids.astype(np.int64), dims)
    cut = _cut(repo, blobs["oid"].tolist(), chunk_ends, chunks, symbol_ends, symbols, parents)
    parts = []
    absent = np.zeros(count, bool)
    blob = 0
    for counts in workers.mapped(counted, cut, int(blobs["size"].sum())):
        upto = blob + len(counts.present)
        inside = slice(int(chunk_ends[blob]), int(chunk_ends[upto]))
        named = slice(int(symbol_ends[blob]), int(symbol_ends[upto]))
        absent[blob:upto] = ~counts.present
        numbers = dictionary.numbers(counts.terms.terms)
        parts.append(
            Facts(
                chunk_ends[blob : upto + 1] - chunk_ends[blob],
                {name: chunks[name][inside] for name in CHUNK},
                counts.terms.indptr,
                numbers[counts.terms.term],
                *frequencies(counts.terms),
                symbol_ends[blob : upto + 1] - symbol_ends[blob],
                {name: symbols[name][named] for name in SYMBOL},
                code[:, inside],
                row=chunk_ids[inside],
            )
        )
        blob = upto
    return concatenated(parts), absent


def recounted(record: Record, repo: Repo) -> Iterator[tuple[TermCounts, np.ndarray]]:
    """The terms of all chunks of the record, in their order, some at a time.

    With the ids of the blobs among them whose text git does not have any more.
    """
    ids = record.query("select id from blob where chunks > 0 order by id")["id"].astype(np.int64)
    if not len(ids):
        return
    blobs, chunks, symbols = _columns(record, ids)
    chunk_ends = ends_of(chunks["position"], len(ids))
    symbol_ends = ends_of(symbols["position"], len(ids))
    cut = _cut(
        repo, blobs["oid"].tolist(), chunk_ends, chunks, symbol_ends, symbols, symbols["parent"]
    )
    at = 0
    for one in workers.mapped(counted, cut, int(blobs["size"].sum())):
        yield one.terms, ids[at : at + len(one.present)][~one.present]
        at += len(one.present)


def _columns(record: Record, ids: np.ndarray) -> tuple[Columns, Columns, Columns]:
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
    return blobs, chunks, symbols


def _cut(
    repo: Repo,
    oids: Sequence[str],
    chunk_ends: np.ndarray,
    chunks: Columns,
    symbol_ends: np.ndarray,
    symbols: Columns,
    parents: np.ndarray,
) -> Iterator[list[Cut]]:
    """The blobs with their chunks, in batches for the workers."""
    batch: list[Cut] = []
    size = 0
    for i, (_, data) in enumerate(git_blobs.read_blobs(repo, oids)):
        inside = slice(int(chunk_ends[i]), int(chunk_ends[i + 1]))
        named = slice(int(symbol_ends[i]), int(symbol_ends[i + 1]))
        batch.append(
            Cut(
                data,
                chunks["start"][inside].tolist(),
                chunks["end"][inside].tolist(),
                chunks["scope"][inside].tolist(),
                symbols["name"][named].tolist(),
                parents[named].tolist(),
            )
        )
        size += len(data or b"")
        if size >= workers.BATCH_BYTES or len(batch) >= workers.BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _codes(rows: np.ndarray, ids: np.ndarray, dims: int) -> np.ndarray:
    parts = [
        sign_codes(unpacked(rows[ids[start : start + _BLOCK]]["vector"], dims))
        for start in range(0, max(len(ids), 1), _BLOCK)
    ]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
