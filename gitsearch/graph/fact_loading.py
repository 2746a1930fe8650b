"""Load the facts of files: from the record where it has them, else by extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.file_facts import RUNS
from gitsearch.index.fact_columns import BlobKey, extract_columns
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gitsearch.git.repo import Repo
    from gitsearch.graph.file_facts import Fresh
    from gitsearch.index.fact_columns import Columns, FactColumns

_IMPORT = (
    "select w.row, i.specifier as import_specifier, i.kind as import_kind,"
    " i.names as import_names, i.line as import_line"
    " from found w join import i on i.blob = w.blob"
    " order by w.row, i.line, i.specifier, i.kind, i.names"
)
_NAME = (
    "select distinct w.row, r.name from found w join reference r on r.blob = w.blob"
    " order by w.row, r.name"
)
_DEFINITION = (
    "select w.row, s.qualified as definition, s.kind as definition_kind"
    " from found w join symbol s on s.blob = w.blob"
    f" where s.parent < 0 or s.kind in ({', '.join(map(repr, sorted(PLACES)))})"
    " order by w.row, s.ordinal"
)
_QUERIES = {"import": _IMPORT, "name": _NAME, "definition": _DEFINITION}

# Extracting fewer bytes of contents in memory takes less time than opening the record.
_MIN_RECORD_BYTES = 128 << 10


class WantedFile(NamedTuple):
    """A file whose facts are wanted: the object id of its content, and its language."""

    oid: str
    language: str


def load_facts(
    repo: Repo,
    folder: Path,
    wanted: Sequence[WantedFile],
    contents: Mapping[str, bytes],
) -> Fresh:
    """Return the facts of files by row, the position in `wanted`.

    `contents` holds the contents that git does not store, by object id. A missing, busy or damaged
    record is not an error: everything is extracted then.
    """
    rows = np.arange(len(wanted))
    parts: list[Fresh] = []
    known = np.zeros(len(wanted), bool)
    unread = any(file.oid not in contents for file in wanted)
    if unread or sum(len(contents[file.oid]) for file in wanted) >= _MIN_RECORD_BYTES:
        try:
            with FactsDb(folder / layout.RECORD) as record:
                parts.append(_recorded(record, wanted, known))
        except (FileNotFoundError, Busy, Damaged, Unwritable):
            known[:] = False
            parts = []
    missing = rows[~known].tolist()
    if missing:
        parts += _extracted(repo, wanted, missing, contents)
    parts = parts or [_facts_by_row(extract_columns([]))]
    return {run: _concatenated([part[run] for part in parts]) for run in _QUERIES}


def _recorded(record: FactsDb, wanted: Sequence[WantedFile], known: np.ndarray) -> Fresh:
    """Return the facts of the files that the record has, and set their flags in `known`."""
    asked = {
        "row": np.arange(len(wanted), dtype=np.uint32),
        "oid": _texts([file.oid for file in wanted]),
        "language": _texts([file.language for file in wanted]),
    }
    blob_of_row = record.query(
        "select w.row, min(b.id) as blob from asked w join blob b"
        " on b.oid = w.oid and b.language = w.language and b.skip = '' group by w.row",
        {"asked": asked},
    )
    known[blob_of_row["row"]] = True
    return {run: record.query(sql, {"found": blob_of_row}) for run, sql in _QUERIES.items()}


def _extracted(
    repo: Repo, wanted: Sequence[WantedFile], rows: Sequence[int], contents: Mapping[str, bytes]
) -> list[Fresh]:
    """Extract the facts of the files in `rows`; files without content are left out."""
    from gitsearch.index.extraction_pool import extracted

    stored = [wanted[row].oid for row in rows if wanted[row].oid not in contents]
    data = {**dict(blobs.read_blobs(repo, list(dict.fromkeys(stored)))), **contents}
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
    names, symbols = extracted.references, extracted.symbols
    values = [extracted.imports[name].tolist() for name in ("line", "specifier", "kind", "names")]
    imports = sorted(zip(rows[extracted.imports["blob"]].tolist(), *values, strict=True))
    row, line, *texts = zip(*imports, strict=True) if imports else [()] * 5
    distinct = sorted({*zip(rows[names["blob"]].tolist(), names["name"].tolist(), strict=True)})
    kept = (symbols["parent"] < 0) | np.isin(symbols["kind"].astype(str), sorted(PLACES))
    return {
        "import": {
            "row": np.asarray(row, np.int64),
            **dict(zip(RUNS["import"], map(_texts, texts), strict=False)),
            "import_line": np.asarray(line, np.int64),
        },
        "name": {
            "row": np.asarray([row for row, _ in distinct], np.int64),
            "name": _texts([name for _, name in distinct]),
        },
        "definition": {
            "row": rows[symbols["blob"]][kept],
            "definition": symbols["qualified"][kept],
            "definition_kind": symbols["kind"][kept],
        },
    }


def _concatenated(parts: Sequence[Columns]) -> Columns:
    """Concatenate columns, with rows in ascending order."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(joined["row"], kind="stable")
    return {name: values[order] for name, values in joined.items()}


def _texts(values: Sequence[str]) -> np.ndarray:
    """Convert strings to an array of objects."""
    out = np.empty(len(values), object)
    out[:] = values
    return out
