"""Compile the view of a tree from the record: facts of its blobs, gathered in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus.segment import Facts, ends_of
from gitsearch.features.vectors import sign_codes

if TYPE_CHECKING:
    from gitsearch.store.record import Record

# Rows of the vector file that are read at once when sign bits are taken.
_BLOCK = 16384

# Above this share of the record a scan of everything is cheaper than a join.
_MOST = 0.5


def load_facts(record: Record, blobs: np.ndarray, rows: np.ndarray) -> Facts:
    """Facts of these blob ids (distinct), in their order; `rows` is the mapped vector file."""
    count = len(blobs)
    wanted = {"blob": blobs.astype(np.uint32), "position": np.arange(count, dtype=np.uint32)}
    tables = {"wanted": wanted}
    chunks = record.query(
        'select w.position, c.id, c.start, c."end", c.first_line, c.last_line, c.scope, c.symbol'
        " from wanted w join chunk c on c.blob = w.blob order by w.position, c.id",
        tables,
    )
    symbols = record.query(
        'select w.position, s.name, s.qualified, s.kind, s.start, s."end", s.signature_end,'
        " s.first_line, s.last_line, s.parent"
        " from wanted w join symbol s on s.blob = w.blob order by w.position, s.ordinal",
        tables,
    )
    ids = chunks["id"].astype(np.int64)
    indptr, term, tf = _postings(record, ids)
    used, local = np.unique(term, return_inverse=True)
    terms, token_ends, token = _spelling(record, used)
    return Facts(
        ends_of(chunks["position"], count),
        chunks,
        indptr,
        local.astype(np.uint32),
        tf,
        terms,
        token_ends,
        token,
        ends_of(symbols["position"], count),
        symbols,
        _codes(rows, ids),
        row=ids.astype(np.uint32),
    )


def _postings(record: Record, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """CSR of the postings of these chunk ids: offsets, term ids, frequencies."""
    if not len(ids):
        return np.zeros(1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.uint16)
    low, high = int(ids.min()), int(ids.max())
    position = np.full(high - low + 1, -1, np.int64)
    position[ids - low] = np.arange(len(ids))
    select = f"select p.chunk, p.term, p.tf from posting p where p.chunk between {low} and {high}"
    if len(ids) < _MOST * (high - low + 1):
        select += " and p.chunk in (select id from chosen)"
    found = record.query(select, {"chosen": {"id": ids.astype(np.uint32)}})
    owner = position[found["chunk"].astype(np.int64) - low]
    order = np.argsort(owner, kind="stable")
    order = order[owner[order] >= 0]
    indptr = ends_of(owner[order], len(ids))
    return indptr, found["term"][order], found["tf"][order]


def _spelling(record: Record, terms: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Texts of ascending term ids, and the CSR of their token ids."""
    tables = {"wanted": {"id": terms.astype(np.uint32)}}
    texts = record.query(
        "select t.text from wanted w join term t on t.id = w.id order by t.id", tables
    )["text"].tolist()
    found = record.query(
        "select k.term, k.token from wanted w join token k on k.term = w.id"
        " order by k.term, k.token",
        tables,
    )
    owner = np.searchsorted(terms, found["term"])
    return texts, ends_of(owner, len(terms)), found["token"]


def _codes(rows: np.ndarray, ids: np.ndarray) -> np.ndarray:
    parts = [
        sign_codes(rows[ids[start : start + _BLOCK]]["vector"])
        for start in range(0, len(ids), _BLOCK)
    ]
    if not parts:
        words = -(-rows.dtype["vector"].shape[0] // 64)
        return np.zeros((words, 0), np.uint64)
    return np.ascontiguousarray(np.concatenate(parts, axis=1))
