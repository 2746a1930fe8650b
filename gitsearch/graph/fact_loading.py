"""The facts of some files for a table: from the record where it has them, else by extraction."""

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

# Contents at hand of fewer bytes are extracted sooner than the record is opened.
_MUCH = bytes(128 << 10)


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
    """The facts of files by row; `contents` holds what git does not store, by object id."""
    rows = np.arange(len(wanted))
    parts: list[Fresh] = []
    known = np.zeros(len(wanted), bool)
    if sum(len(contents.get(one.oid, _MUCH)) for one in wanted) >= len(_MUCH):
        try:
            with FactsDb(folder / layout.RECORD) as record:
                parts.append(_recorded(record, wanted, known))
        except (FileNotFoundError, Busy, Damaged, Unwritable):
            known[:] = False
            parts = []
    missing = rows[~known].tolist()
    if missing:
        parts += _extracted(repo, wanted, missing, contents)
    parts = parts or [_harvested(extract_columns([]))]
    return {run: _together([part[run] for part in parts]) for run in _QUERIES}


def _recorded(record: FactsDb, wanted: Sequence[WantedFile], known: np.ndarray) -> Fresh:
    """What the record knows of these contents in these languages; marks them."""
    asked = {
        "row": np.arange(len(wanted), dtype=np.uint32),
        "oid": _texts([one.oid for one in wanted]),
        "language": _texts([one.language for one in wanted]),
    }
    at = record.query(
        "select w.row, min(b.id) as blob from asked w join blob b"
        " on b.oid = w.oid and b.language = w.language and b.skip = '' group by w.row",
        {"asked": asked},
    )
    known[at["row"]] = True
    return {run: record.query(sql, {"found": at}) for run, sql in _QUERIES.items()}


def _extracted(
    repo: Repo, wanted: Sequence[WantedFile], rows: Sequence[int], contents: Mapping[str, bytes]
) -> list[Fresh]:
    from gitsearch.index.extraction_pool import extracted

    stored = [wanted[row].oid for row in rows if wanted[row].oid not in contents]
    data = {**dict(blobs.read_blobs(repo, list(dict.fromkeys(stored)))), **contents}
    batch = []
    for row in rows:
        text = data.get(wanted[row].oid)
        if text is not None:
            # the row stands in for the content, of which several files may have the same
            batch.append((BlobKey(str(row), wanted[row].language, forced=True), text))
    size = sum(len(text) for _, text in batch)
    return [_harvested(one) for one in extracted(batch, size)]


def _harvested(one: FactColumns) -> Fresh:
    rows = np.asarray([int(key.oid) for key in one.keys], np.int64)
    names, symbols = one.references, one.symbols
    said = [one.imports[name].tolist() for name in ("line", "specifier", "kind", "names")]
    imports = sorted(zip(rows[one.imports["blob"]].tolist(), *said, strict=True))
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


def _together(parts: Sequence[Columns]) -> Columns:
    """Parts as one, rows ascending."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(joined["row"], kind="stable")
    return {name: values[order] for name, values in joined.items()}


def _texts(values: Sequence[str]) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out
