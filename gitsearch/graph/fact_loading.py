"""Load the facts of files: from the record where it has them, else by extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.graph import RUNS
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gitsearch.git.repo import Repo
    from gitsearch.graph.graph import Fresh
    from gitsearch.index.fact_columns import FactColumns

_QUERIES = {
    "import": (
        "select m.row, i.specifier as import_specifier, i.kind as import_kind,"
        " i.names as import_names, i.line as import_line"
        " from matched m join import i on i.blob = m.blob"
        " order by m.row, i.line, i.specifier, i.kind, i.names"
    ),
    "name": (
        "select distinct m.row, r.name from matched m join reference r on r.blob = m.blob"
        " order by m.row, r.name"
    ),
    "definition": (
        "select m.row, s.qualified as definition, s.kind as definition_kind"
        " from matched m join symbol s on s.blob = m.blob"
        f" where s.parent < 0 or s.kind in ({', '.join(map(repr, sorted(PLACES)))})"
        " order by m.row, s.ordinal"
    ),
}

# Extracting fewer bytes of contents in memory takes less time than opening the record.
_MIN_RECORD_BYTES = 128 << 10


class Node(NamedTuple):
    """A tracked file; `searched` is True if its content is indexed."""

    path: bytes
    oid: str
    language: str
    searched: bool


class FactSource(NamedTuple):
    """Sources of facts: the record in `folder`, git, and `contents` that git does not store."""

    repo: Repo
    folder: Path
    contents: Mapping[str, bytes]


def load_facts(source: FactSource, wanted: Sequence[Node]) -> Fresh:
    """Return the facts of files by row, the position in `wanted`.

    A missing, busy or damaged record is not an error: everything is extracted then.
    """
    parts: list[Fresh] = []
    known = np.zeros(len(wanted), bool)
    contents = source.contents
    in_memory = all(file.oid in contents for file in wanted)
    if not in_memory or sum(len(contents[file.oid]) for file in wanted) >= _MIN_RECORD_BYTES:
        try:
            with FactsDb(source.folder / layout.RECORD) as record:
                rows, recorded = _recorded(record, wanted)
        except (FileNotFoundError, Busy, Damaged, Unwritable):
            pass
        else:
            known[rows] = True
            parts.append(recorded)
    missing = np.flatnonzero(~known).tolist()
    if missing:
        parts += _extracted(source, wanted, missing)
    parts = parts or [_facts_by_row(extract_columns([]))]
    facts: Fresh = {}
    for run in RUNS:
        columns = {
            name: np.concatenate([part[run][name] for part in parts]) for name in parts[0][run]
        }
        order = np.argsort(columns["row"], kind="stable")
        facts[run] = {name: values[order] for name, values in columns.items()}
    return facts


def _recorded(record: FactsDb, wanted: Sequence[Node]) -> tuple[np.ndarray, Fresh]:
    """Return the rows of the files that the record has, and their facts."""
    keys = {
        "row": np.arange(len(wanted), dtype=np.uint32),
        "oid": np.asarray([file.oid for file in wanted], object),
        "language": np.asarray([file.language for file in wanted], object),
    }
    matched = record.query(
        "select w.row, min(b.id) as blob from wanted w join blob b"
        " on b.oid = w.oid and b.language = w.language and b.skip = '' group by w.row",
        {"wanted": keys},
    )
    facts = {run: record.query(sql, {"matched": matched}) for run, sql in _QUERIES.items()}
    return matched["row"], facts


def _extracted(source: FactSource, wanted: Sequence[Node], rows: Sequence[int]) -> list[Fresh]:
    """Extract the facts of the files in `rows`; files without content are left out."""
    from gitsearch.index.extraction_pool import extracted

    stored = dict.fromkeys(wanted[row].oid for row in rows)
    stored_oids = [oid for oid in stored if oid not in source.contents]
    data = {**dict(blobs.read_blobs(source.repo, stored_oids)), **source.contents}
    batch = []
    for row in rows:
        text = data.get(wanted[row].oid)
        if text is not None:
            # the row takes the place of the object id: several files may have the same content
            batch.append((BlobKey(str(row), wanted[row].language, forced=True), text))
    size = sum(len(text) for _, text in batch)
    return [_facts_by_row(fact_columns) for fact_columns in extracted(batch, size)]


def _facts_by_row(extracted: FactColumns) -> Fresh:
    """Convert extracted columns, whose keys hold rows in place of object ids."""
    rows = np.asarray([int(key.oid) for key in extracted.keys], np.int64)
    imports, names, symbols = extracted.imports, extracted.references, extracted.symbols
    values = [imports[name].tolist() for name in ("line", "specifier", "kind", "names")]
    ordered = sorted(zip(rows[imports["blob"]].tolist(), *values, strict=True))
    row, line, *texts = zip(*ordered, strict=True) if ordered else [()] * 5
    distinct = sorted({*zip(rows[names["blob"]].tolist(), names["name"].tolist(), strict=True)})
    kept = (symbols["parent"] < 0) | np.isin(symbols["kind"].astype(str), sorted(PLACES))
    return {
        "import": {
            "row": np.asarray(row, np.int64),
            **{
                column: np.asarray(values, object)
                for column, values in zip(RUNS["import"], texts, strict=False)
            },
            "import_line": np.asarray(line, np.int64),
        },
        "name": {
            "row": np.asarray([row for row, _ in distinct], np.int64),
            "name": np.asarray([name for _, name in distinct], object),
        },
        "definition": {
            "row": rows[symbols["blob"]][kept],
            "definition": symbols["qualified"][kept],
            "definition_kind": symbols["kind"][kept],
        },
    }
