"""Facts in exported tables, read as the lines of an exported index: both are checked alike.

docs/format.md, "Exported tables", is normative. What follows from the text without a parser
(terms, vectors, lines) is not taken from the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import BadShare
from gitsearch.features.ragged import ends_of
from gitsearch.git_conventions import is_object_id
from gitsearch.index import facts_import
from gitsearch.index.fact_columns import BlobKey
from gitsearch.index.facts_export import definitions_of
from gitsearch.index.shared_facts import encoded
from gitsearch.index.versions import EXPORT_VERSION, EXTRACT_VERSION
from gitsearch.store.parquet_files import ParquetFolder, repositories_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitsearch.index.facts_import import SharedIndex
    from gitsearch.index.session import Session
    from gitsearch.records import Definition

    Columns = dict[str, np.ndarray]

_VERSION = {"version": "INTEGER"}
_TYPES = {
    "repositories": {"extract": "INTEGER", "tree": "VARCHAR"},
    "files": {
        "file": "INTEGER",
        "path": "VARCHAR",
        "blob": "VARCHAR",
        "hint": "VARCHAR",
        "forced": "BOOLEAN",
    },
    "chunks": {"file": "INTEGER", "start": "BIGINT", "end": "BIGINT"},
    "definitions": {
        "definition": "INTEGER",
        "file": "INTEGER",
        "name": "VARCHAR",
        "qualified": "VARCHAR",
        "kind": "VARCHAR",
        "start": "BIGINT",
        "end": "BIGINT",
        "signature_end": "BIGINT",
        "parent": "INTEGER",
    },
}
_NULLABLE = {"parent": -1}

# Repositories that a message names.
_NAMED = 5

# Above all numbers of a line.
_MOST = 1 << 31


def read(session: Session, folder: Path, name: str) -> SharedIndex:
    """Read and check the tables of a repository; facts of blobs that are not here are left out.

    name: of the folder, for messages. The repository is the one whose name is the end of this
    clone's path, or the only one. Raises BadShare.
    """
    known = repositories_in(folder, "repositories")
    if not known:
        raise BadShare(f"'{name}' is no folder of git search export --parquet")
    top = str(session.repo.top)
    own = [one for one in known if top.endswith(f"/{one}")]
    if not own and len(known) > 1:
        shown = ", ".join(f"'{one}'" for one in known[:_NAMED])
        raise BadShare(f"'{name}' has no tables of '{session.repo.top.name}', but of: {shown}")
    tables = _Tables(ParquetFolder(folder, max(own or known, key=len)), name)
    index = facts_import.selected(session, tables.lines(), tables.damaged)
    for key in index.facts.lines:
        if tables.ends[key] > index.sizes[key.oid]:
            raise tables.damaged(
                f"'{tables.paths[key]}' has a chunk or definition outside of its "
                f"{index.sizes[key.oid]:,} bytes"
            )
    return index._replace(name=name, bytes=tables.size, trees=(tables.tree,))


class _Tables:
    """The tables of one repository.

    tree: id of the tree; paths: of each blob that of the first file with it; ends: the byte after
    its last chunk or definition.
    """

    def __init__(self, folder: ParquetFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self.paths: dict[BlobKey, str] = {}
        self.ends: dict[BlobKey, int] = {}
        self.size = folder.size(_TYPES)
        self.tree = self._checked_tree()

    def damaged(self, reason: str) -> BadShare:
        """Return the error for tables that are not as they were written."""
        return BadShare(f"the tables in '{self._name}' are damaged: {reason}")

    def _read(self, table: str) -> Columns:
        return self._folder.read(table, _TYPES[table], _NULLABLE)

    def _checked_tree(self) -> str:
        """Check the versions; returns the id of the tree."""
        versions = self._folder.read("repositories", _VERSION, {})["version"].tolist()
        if len(versions) == 1 and versions[0] != EXPORT_VERSION:
            raise BadShare(
                f"the tables in '{self._name}' are of version {versions[0]}, this program reads "
                f"{EXPORT_VERSION}"
            )
        about = self._read("repositories")
        trees, extracts = about["tree"].tolist(), about["extract"].tolist()
        if len(trees) != 1 or not is_object_id(trees[0]):
            raise self.damaged("they are not of one tree")
        if extracts[0] != EXTRACT_VERSION:
            raise BadShare(
                f"the tables in '{self._name}' were written by a version of git search that cuts "
                f"and finds otherwise: extraction {extracts[0]}, that of this version is "
                f"{EXTRACT_VERSION}"
            )
        return str(trees[0])

    def lines(self) -> Iterator[bytes]:
        """Yield a line for each blob with facts, in order of its first path."""
        files, chunks, definitions = map(self._read, ("files", "chunks", "definitions"))
        count = len(files["file"])
        if not np.array_equal(files["file"], np.arange(count)):
            raise self.damaged("files are not numbered from 0")
        chunk_ends = self._ends(chunks, count, "chunks").tolist()
        definition_ends = self._ends(definitions, count, "definitions")
        self._check_cuts(chunks)
        sizes = (chunks["end"] - chunks["start"]).tolist()
        rows = self._definitions(definitions, definition_ends)
        bounds = definition_ends.tolist()
        columns = (files[name].tolist() for name in ("path", "blob", "hint", "forced"))
        for i, (path, *key_columns) in enumerate(zip(*columns, strict=True)):
            if not _is_path(path):
                raise self.damaged(f"{path!r} is no path in a tree")
            key = BlobKey(*key_columns)
            # without a hint a file was skipped for its path
            if key.hint and key not in self.paths:
                cut = sizes[chunk_ends[i] : chunk_ends[i + 1]]
                found = rows[bounds[i] : bounds[i + 1]]
                self.paths[key] = path
                self.ends[key] = max([sum(cut), *(one.end for one in found)])
                yield encoded(key, cut, found)

    def _definitions(self, columns: Columns, ends: np.ndarray) -> list[Definition]:
        """Return the definitions; ends: the offsets of those of each file."""
        numbers = np.arange(len(columns["file"]))
        if not np.array_equal(columns["definition"], numbers):
            raise self.damaged("definitions are not numbered from 0")
        # enclosing definitions are counted from the first one of their file
        first, parents = ends[columns["file"]], columns["parent"]
        inside = (parents == -1) | ((parents >= first) & (parents < numbers))
        if not inside.all():
            raise self.damaged("a definition is enclosed by none of its file before it")
        nothing = np.zeros(len(numbers), np.int64)
        relative = np.where(parents == -1, -1, parents - first)
        more = {"first_line": nothing, "last_line": nothing, "parent": relative}
        return definitions_of({**columns, **more})

    def _ends(self, rows: Columns, count: int, name: str) -> np.ndarray:
        """Return the offsets of the rows of each file: int64 (count + 1,)."""
        files = rows["file"]
        bounds = (rows[column] for column in ("start", "end"))
        inside = all(np.all((values >= 0) & (values < _MOST)) for values in bounds)
        if not inside or np.any(rows["end"] < rows["start"]):
            raise self.damaged(f"{name} have bounds that are none")
        if len(files) and (files[0] < 0 or files[-1] >= count or np.any(np.diff(files) < 0)):
            raise self.damaged(f"{name} are not in order of their files")
        return ends_of(files, count)

    def _check_cuts(self, chunks: Columns) -> None:
        """Raise BadShare unless each chunk begins where the one before it ends."""
        files, starts = chunks["file"], chunks["start"]
        before = np.append(0, chunks["end"])[: len(files)]
        same = np.diff(files, prepend=-1) == 0
        if np.any(starts != np.where(same, before, 0)):
            raise self.damaged("chunks do not follow each other")


def _is_path(path: str) -> bool:
    """Return True if a tree can have this path."""
    parts = path.split("/")
    return "\0" not in path and not any(part in ("", ".", "..") for part in parts)
