"""The arrays and the meta of segments, as docs/format.md has them, and checks of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features.ragged import ends_of
from gitsearch.index import postings
from gitsearch.index.view import Layer, removals
from gitsearch.store import layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.store.sections import Sections

SEGMENT: Arrays = {
    "path_text": Array("uint8", "bytes", sorted_by="path_ends"),
    "path_ends": Array("uint", "F + 1", cuts="path_text"),
    "oid": Array("uint8", "F x H"),
    "language": Array("uint", "F", below="languages"),
    "reason": Array("uint", "F", below="reasons"),
    "path_kind": Array("uint", "F"),
    "file_chunk": Array("uint", "F + 1", cuts="C"),
    "term_text": Array("uint8", "bytes", text="term_ends", sorted_by="term_ends"),
    "term_ends": Array("uint", "T + 1", cuts="term_text"),
    "token_ends": Array("uint", "T + 1", cuts="token"),
    "token": Array("uint", "Q", below="tokens"),
    "posting_ends": Array("uint", "T + 1", ascends=True),
    "posting_tf": Array("uint8", "bytes"),
    "posting_step": Array("uint8", "bytes"),
    "posting_step_ends": Array("uint", "T + 1", cuts="posting_step"),
    "path_term": Array("uint", "U", below="T", ascends=True),
    "path_term_ends": Array("uint", "U + 1", cuts="path_term_file"),
    "path_term_file": Array("uint", "V", below="F"),
    "path_term_tf": Array("uint", "V"),
    "length": Array("uint", "C"),
    "file_length": Array("uint", "F"),
    "unlisted_text": Array("uint8", "bytes"),
    "unlisted_ends": Array("uint", "F + 1", cuts="unlisted_text"),
    "symbol_text": Array("uint8", "bytes"),
    "symbol_ends": Array("uint", "S + 1", cuts="symbol_text"),
    "symbol_name_size": Array("uint", "S"),
    "symbol_kind": Array("uint", "S", below="K"),
    "kind_text": Array("uint8", "bytes", text="kind_ends"),
    "kind_ends": Array("uint", "K + 1", cuts="kind_text"),
    "symbol_file": Array("uint", "S", below="F", ascends=True),
    "symbol_first": Array("uint", "S"),
    "symbol_last": Array("uint", "S"),
    "symbol_start": Array("uint", "S"),
    "symbol_body": Array("uint", "S"),
    "symbol_chunk": Array("uint", "S", below="C"),
    "symbol_term": Array("int", "S", below="T"),
    "name_ends": Array("uint", "T + 1", cuts="name_symbol"),
    "name_symbol": Array("uint", "N", below="S"),
    "chunk_file": Array("uint", "C", below="F", ascends=True),
    "chunk_start": Array("uint", "C"),
    "chunk_size": Array("uint", "C"),
    "chunk_first_line": Array("uint", "C"),
    "chunk_more_lines": Array("uint", "C"),
    "chunk_scope": Array("int", "C", below="S"),
    "chunk_symbol": Array("int", "C", below="S"),
    "code": Array("uint64", "W x C"),
    "path_vector": Array("int8", "F x D"),
}
# The vectors of chunks: rows of the vector file, or in the segment itself.
ROW: Arrays = {"row": Array("uint", "C", below="rows")}
INLINE: Arrays = {"vector": Array("int8", "C x D")}
# The rows that a delta or an overlay removes from the segments below.
REMOVED: Arrays = {
    "removed": Array("uint32", "R"),
    "removed_ends": Array("int64", "L + 1", cuts="removed"),
}

META = {"files": "number", "chunks": "number", "length": "number"} | {
    "languages": "list",
    "reasons": "list",
}
EDITS_META = META | {"base": "null"}
VIEW_META = META | {"tree": "tree", "base": "tree?", "vectors": "text", "rows": "number"}

_OID_BYTES = (20, 32)


def check_view_meta(file: Sections, tree: str) -> None:
    """Raise Damaged unless the meta is that of a view of this tree."""
    check_meta(file.meta, VIEW_META, file.name)
    if file.meta["tree"] != tree:
        raise Damaged(file.name, f"is of the tree {file.meta['tree']}")
    if not layout.is_vectors(file.meta["vectors"]):
        raise Damaged(file.name, "names no vector file")


def check_view(file: Sections, model: Model) -> None:
    """Raise Damaged unless the arrays of a view fit its meta, each other, and the model."""
    removed = REMOVED if file.meta["base"] is not None else {}
    _check(file, removed | (INLINE if "vector" in file else ROW), model, file.meta["rows"])


def check_edits(file: Sections, model: Model) -> None:
    """Raise Damaged unless a file holds an overlay whose vectors are of the model."""
    check_meta(file.meta, EDITS_META, file.name)
    _check(file, REMOVED | INLINE, model, 0)


def check_removals(file: Sections, below: Sequence[Layer]) -> None:
    """Raise Damaged if a file removes rows that the segments below do not have."""
    removed = removals(file)
    sizes = [segment.files for segment, _ in below]
    fits = (not len(rows) or rows.max() < size for rows, size in zip(removed, sizes, strict=False))
    if len(removed) != len(sizes) or not all(fits):
        raise Damaged(file.name, "takes files from other segments than those below")


def _check(file: Sections, more: Arrays, model: Model, rows: int) -> None:
    meta = file.meta
    if meta["reasons"][:1] != [""]:
        raise Damaged(file.name, "the first of meta 'reasons' is not empty")
    sizes = {"F": meta["files"], "C": meta["chunks"], "D": model.dims, "W": -(-model.dims // 64)}
    sizes |= {name: len(meta[name]) for name in ("languages", "reasons")}
    known = check_arrays(file, SEGMENT | more, {**sizes, "tokens": model.count, "rows": rows})
    if known["H"] not in _OID_BYTES:
        raise Damaged(file.name, f"section 'oid' has ids of {known['H']} bytes")
    if not np.array_equal(ends_of(file["chunk_file"], known["F"]), file["file_chunk"]):
        raise Damaged(file.name, "section 'chunk_file' contradicts 'file_chunk'")
    if int(file["length"].sum(dtype=np.int64)) != meta["length"]:
        raise Damaged(file.name, "section 'length' contradicts meta 'length'")
    if not postings.sound(file.arrays, known["C"]):
        raise Damaged(file.name, "section 'posting_step' holds no postings")
