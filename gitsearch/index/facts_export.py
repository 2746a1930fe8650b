"""The facts of the blobs of some trees, from the record, as lines of an exported index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import ends_of
from gitsearch.git import trees
from gitsearch.index.facts_writer import known
from gitsearch.index.file_selection import select_files
from gitsearch.index.segment_assembly import keys_of
from gitsearch.index.shared_facts import encoded
from gitsearch.index.shared_file import LONGEST
from gitsearch.records import Definition
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.fact_columns import BlobKey, Columns
    from gitsearch.index.view_store import ViewStore

# Blobs whose rows are in memory at once.
_BLOBS = 4096


def lines_of_trees(repo: Repo, store: ViewStore, ids: Sequence[str]) -> list[bytes]:
    """Return a line for each recorded blob of these trees, each blob once, in order of the paths.

    One that would be too long for a file is left out. Raises FileNotFoundError without a record,
    and as FactsDb.
    """
    keys: dict[BlobKey, None] = {}
    for tree in ids:
        selected = select_files(repo, trees.list_tree(repo, tree))
        keys.update(dict.fromkeys(keys_of(selected)))
    with FactsDb(store.folder / layout.RECORD) as record:
        lines = lines_of(record, list(keys)).values()
    return [line for line in lines if len(line) < LONGEST]


def lines_of(record: FactsDb, keys: Sequence[BlobKey]) -> dict[BlobKey, bytes]:
    """Return the lines of those of these blobs that are recorded, in their order."""
    recorded = known(record, keys).id.tolist()
    pairs = [pair for pair in zip(keys, recorded, strict=True) if pair[1] >= 0]
    lines: dict[BlobKey, bytes] = {}
    for start in range(0, len(pairs), _BLOBS):
        part = pairs[start : start + _BLOBS]
        lines.update(zip((key for key, _ in part), _lines(record, part), strict=True))
    return lines


def symbols_of(record: FactsDb, blobs: np.ndarray, positions: np.ndarray) -> Columns:
    """Return the rows of `symbol` of recorded blobs, by `position` and place in the text.

    blobs: their ids; positions: a number for each, which becomes a column.
    """
    return record.query(
        "select w.position, s.* from wanted w join symbol s on s.blob = w.blob"
        " order by w.position, s.ordinal",
        {"wanted": _wanted(blobs, positions)},
    )


def _wanted(blobs: np.ndarray, positions: np.ndarray) -> Columns:
    return {"blob": blobs.astype(np.uint32), "position": positions.astype(np.uint32)}


def _lines(record: FactsDb, pairs: Sequence[tuple[BlobKey, int]]) -> Iterator[bytes]:
    blobs, positions = np.asarray([blob for _, blob in pairs]), np.arange(len(pairs))
    chunks = record.query(
        'select w.position, c."end" - c.start as size from wanted w join chunk c'
        " on c.blob = w.blob order by w.position, c.id",
        {"wanted": _wanted(blobs, positions)},
    )
    symbols = symbols_of(record, blobs, positions)
    chunk_ends = ends_of(chunks["position"], len(pairs)).tolist()
    symbol_ends = ends_of(symbols["position"], len(pairs)).tolist()
    sizes = chunks["size"].tolist()
    definitions = definitions_of(symbols)
    for i, (key, _) in enumerate(pairs):
        own = definitions[symbol_ends[i] : symbol_ends[i + 1]]
        yield encoded(key, sizes[chunk_ends[i] : chunk_ends[i + 1]], own)


def definitions_of(symbols: Columns) -> list[Definition]:
    """Return the rows of symbols; their signatures and documentation are not recorded."""
    empty = [""] * len(symbols["name"])
    names = (symbols[name].tolist() for name in ("name", "qualified", "kind"))
    numbers = ("start", "end", "signature_end", "first_line", "last_line", "parent")
    places = (symbols[name].tolist() for name in numbers)
    return list(map(Definition, *names, empty, empty, *places))
