"""The index of a tree as tables for other programs, as docs/format.md has them."""

from __future__ import annotations

from functools import cached_property
from itertools import compress, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import __version__
from gitsearch.errors import Damaged
from gitsearch.extract import path_kinds
from gitsearch.features.ragged import ends_of
from gitsearch.git import trees
from gitsearch.git.commit_records import newest_commits, read_commits
from gitsearch.graph.graph import USED
from gitsearch.index import postings
from gitsearch.index.facts_export import symbols_of
from gitsearch.index.facts_writer import known
from gitsearch.index.file_selection import select_files
from gitsearch.index.versions import EXPORT_VERSION, EXTRACT_VERSION
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb
from gitsearch.store.parquet_files import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitsearch.git.commit_records import CommitRecord
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment

    Columns = dict[str, np.ndarray]

# Files of which the texts are in memory at once.
_FILES = 512


class ExportedTable(NamedTuple):
    """A table: the query over the columns `data`, and over `words` (id, text) if there are any."""

    name: str
    data: Columns
    query: str = EVERYTHING
    words: Columns | None = None


class TreeTables:
    """The tables of one opened tree. Files are numbered by path, chunks and definitions by place.

    text: with the texts of chunks.
    """

    def __init__(self, opened: OpenView, graph: Callable[[], Graph], *, text: bool) -> None:
        self._opened = opened
        self._view = opened.view
        self._graph = graph
        self._text = text
        located = [
            (segment.path(row), i, row)
            for i, (segment, live) in enumerate(self._view.live_segments)
            for row in np.flatnonzero(live).tolist()
        ]
        located.sort()
        self._paths = [path for path, _, _ in located]
        self._files = [(self._view.segments[i], row) for _, i, row in located]
        # of each segment the number of each of its files, -1 for those that are not of the tree
        self._numbers = [np.full(segment.files, -1) for segment in self._view.segments]
        for number, (_, i, row) in enumerate(located):
            self._numbers[i][row] = number

    def each(self) -> Iterator[ExportedTable]:
        """Yield the tables, one after the other."""
        yield self._repositories()
        yield self._file_table()
        yield self._chunk_table()
        yield self._terms()
        yield self._vectors()
        yield self._definitions()
        yield self._commits()
        graph = self._graph()
        numbers = {path: number for number, path in enumerate(self._paths)}
        own = np.asarray([numbers.get(graph.path(file), -1) for file in range(graph.files)])
        yield _uses(graph, own)
        yield _edges(graph, own)

    def _repositories(self) -> ExportedTable:
        tree = self._opened.tree
        return ExportedTable(
            "repositories",
            {
                "version": np.asarray([EXPORT_VERSION], np.int32),
                "extract": np.asarray([EXTRACT_VERSION], np.int32),
                "program": _texts([__version__]),
                "rev": _texts([tree.rev]),
                "commit": _texts([tree.commit or ""]),
                "tree": _texts([tree.tree or ""]),
                "model": _texts([self._opened.session.store.fingerprint]),
                "dimensions": np.asarray([self._view.model.dims], np.int32),
            },
        )

    def _file_table(self) -> ExportedTable:
        files = self._files
        kinds = np.asarray([int(segment["path_kind"][row]) for segment, row in files], np.int64)
        keys, _ = self._recorded
        return ExportedTable(
            "files",
            {
                "file": np.arange(len(files), dtype=np.int32),
                "path": _texts(path.decode("utf-8", "replace") for path in self._paths),
                "blob": _texts(segment.oid(row) for segment, row in files),
                "language": _texts(segment.language(row) for segment, row in files),
                "skipped": _texts(segment.reason(row) for segment, row in files),
                "hint": _texts(key.hint if key else "" for key in keys),
                "forced": np.asarray([bool(key and key.forced) for key in keys], bool),
                "test": (kinds & path_kinds.TEST) > 0,
            },
        )

    # ------------------------------------------------------------ chunks

    @cached_property
    def _rows(self) -> np.ndarray:
        """The rows of the view in order of file and place: int64 (chunks of the tree,)."""
        files = self._per_row("chunk_file", self._numbers)
        rows = np.flatnonzero(files >= 0)
        starts = self._view.column("chunk_start", rows)
        return rows[np.lexsort((starts, files[rows]))]

    @cached_property
    def _chunk_of_row(self) -> np.ndarray:
        """The number of the chunk of each row of the view, -1 for others: int64 (rows,)."""
        numbers = np.full(int(self._view.starts[-1]), -1)
        numbers[self._rows] = np.arange(len(self._rows))
        return numbers

    def _per_row(self, column: str, numbers: Sequence[np.ndarray]) -> np.ndarray:
        """Return `numbers` at the values of a column of chunks, by segment: int64 (rows,)."""
        pairs = zip(self._view.segments, numbers, strict=True)
        return _joined([own[segment[column]] for segment, own in pairs])

    def _chunk_table(self) -> ExportedTable:
        view, rows = self._view, self._rows
        starts, first = view.column("chunk_start", rows), view.column("chunk_first_line", rows)
        # -1, for none, is the last of each run
        symbols = [np.append(own, -1) for own in self._symbol_numbers]
        columns: Columns = {
            "chunk": np.arange(len(rows), dtype=np.int32),
            "file": self._per_row("chunk_file", self._numbers)[rows].astype(np.int32),
            "start": starts,
            "end": starts + view.column("chunk_size", rows),
            "first_line": first.astype(np.int32),
            "last_line": (first + view.column("chunk_more_lines", rows)).astype(np.int32),
            "terms": view.column("length", rows),
            "definition": self._per_row("chunk_symbol", symbols)[rows].astype(np.int32),
        }
        query = "select * replace (nullif(definition, -1) as definition) from data"
        if self._text:
            columns["text"] = _texts(self._chunk_texts(columns))
        return ExportedTable("chunks", columns, query)

    def _chunk_texts(self, columns: Columns) -> Iterator[str]:
        ends = np.searchsorted(columns["file"], np.arange(len(self._files) + 1)).tolist()
        places = list(zip(columns["start"].tolist(), columns["end"].tolist(), strict=True))
        for low in range(0, len(self._files), _FILES):
            part = range(low, min(low + _FILES, len(self._files)))
            oids = [segment.oid(row) for segment, row in (self._files[file] for file in part)]
            has_chunks = (ends[file] < ends[file + 1] for file in part)
            texts = self._opened.texts.read(compress(oids, has_chunks))
            for oid, file in zip(oids, part, strict=True):
                for start, end in places[ends[file] : ends[file + 1]]:
                    yield texts[oid][start:end].decode("utf-8", "replace")

    def _terms(self) -> ExportedTable:
        chunks: list[np.ndarray] = []
        terms: list[np.ndarray] = []
        counts: list[np.ndarray] = []
        texts: list[str] = []
        for segment, start in zip(self._view.segments, self._view.starts.tolist(), strict=False):
            count = len(segment["term_ends"]) - 1
            term, row = postings.rows_of(segment.arrays, np.arange(count), segment.chunks)
            # their frequencies are in order of terms
            order = np.argsort(term, kind="stable")
            pairs = segment["posting_tf"]
            often = np.stack([pairs & postings.MOST, pairs >> 4], axis=1).ravel()[: len(term)]
            chunk = self._chunk_of_row[row[order] + start]
            live = chunk >= 0
            chunks.append(chunk[live])
            counts.append(often[live])
            terms.append(term[order][live] + len(texts))
            texts += _term_texts(segment)
        data: Columns = {
            "chunk": _joined(chunks).astype(np.int32),
            "word": _joined(terms).astype(np.int32),
            "count": _joined(counts).astype(np.uint8),
        }
        query = (
            "select chunk, text as term, count from data join words on id = word"
            " order by chunk, term"
        )
        return ExportedTable("terms", data, query, _words(texts))

    def _vectors(self) -> ExportedTable:
        vectors = self._view.vectors(self._rows)
        names = [f"v{i}" for i in range(vectors.shape[1])]
        data: Columns = {"chunk": np.arange(len(vectors), dtype=np.int32)}
        data.update(zip(names, np.ascontiguousarray(vectors.T), strict=True))
        query = f"select chunk, array_value({', '.join(names)}) as vector from data"
        return ExportedTable("vectors", data, query)

    def _commits(self) -> ExportedTable:
        """The newest commits that are reached, as many as `history` searches."""
        session, commit = self._opened.session, self._opened.tree.commit
        if commit is None:
            return _commit_table([])
        ids = newest_commits(session.repo, commit, session.settings.history_depth)
        records = read_commits(session.repo, ids)
        return _commit_table([records[one] for one in ids if one in records])

    # ------------------------------------------------------------ definitions

    @cached_property
    def _symbol_numbers(self) -> list[np.ndarray]:
        """Of each segment the number of each of its definitions, -1 for others: int64."""
        files = [
            own[segment["symbol_file"]]
            for segment, own in zip(self._view.segments, self._numbers, strict=True)
        ]
        every = _joined(files)
        order = np.argsort(every, kind="stable")
        order = order[every[order] >= 0]
        numbers = np.full(len(every), -1)
        numbers[order] = np.arange(len(order))
        return np.split(numbers, np.cumsum(list(map(len, files)))[:-1])

    @cached_property
    def _recorded(self) -> tuple[list[BlobKey | None], Columns]:
        """The key of each file's facts, None without facts; and all definitions.

        Definitions are rows of the record in order of `position`, the file, and place.
        """
        session, tree = self._opened.session, str(self._opened.tree.tree)
        selected = select_files(session.repo, trees.list_tree(session.repo, tree))
        keys = {file.path: file.key for file in selected}
        wanted = [keys[path] for path in self._paths]
        reasons = [segment.reason(row) for segment, row in self._files]
        with FactsDb(session.store.folder / layout.RECORD) as record:
            found = known(record, wanted)
            # skipped by its path here, a blob may be searched elsewhere
            own = (found.id >= 0) & (np.asarray(found.skip) == np.asarray(reasons))
            (files,) = np.nonzero(own)
            rows = symbols_of(record, found.id[files], files)
        if len(rows["position"]) != sum(int((own >= 0).sum()) for own in self._symbol_numbers):
            raise Damaged(layout.RECORD, "has other definitions than the view")
        return [key if one else None for key, one in zip(wanted, own, strict=True)], rows

    def _definitions(self) -> ExportedTable:
        _, rows = self._recorded
        files, parents = rows["position"], rows["parent"].astype(np.int64)
        first = ends_of(files, len(self._files))[:-1][files]
        data: Columns = {
            "definition": np.arange(len(files), dtype=np.int32),
            "file": files.astype(np.int32),
            "name": _texts(rows["name"].tolist()),
            "qualified": _texts(rows["qualified"].tolist()),
            "kind": _texts(rows["kind"].tolist()),
            "start": rows["start"].astype(np.int64),
            "end": rows["end"].astype(np.int64),
            "signature_end": rows["signature_end"].astype(np.int64),
            "first_line": rows["first_line"].astype(np.int32),
            "last_line": rows["last_line"].astype(np.int32),
            "parent": np.where(parents < 0, -1, first + parents).astype(np.int32),
        }
        return ExportedTable(
            "definitions", data, "select * replace (nullif(parent, -1) as parent) from data"
        )


def _commit_table(records: Sequence[CommitRecord]) -> ExportedTable:
    """The commits, in their order."""
    return ExportedTable(
        "commits",
        {
            "commit": _texts([one.oid for one in records]),
            "parents": _texts([" ".join(one.parents) for one in records]),
            "author": _texts([one.author for one in records]),
            "date": _texts([one.date for one in records]),
            "subject": _texts([one.subject for one in records]),
            "message": _texts([one.message for one in records]),
        },
        "select row_number() over () - 1 as place, * from data",
    )


def _uses(graph: Graph, own: np.ndarray) -> ExportedTable:
    """The distinct names that each file uses; own: the numbers of the files of the graph."""
    table = graph.table
    ends = table["name_ends"].astype(np.int64)
    files = np.repeat(own, ends[1:] - ends[:-1])
    names, which = np.unique(table["name"], return_inverse=True)
    data = {"file": files.astype(np.int32), "word": which.astype(np.int32)}
    query = "select file, text as name from data join words on id = word order by file, name"
    return ExportedTable("uses", data, query, _words(map(table.word, names.tolist())))


def _edges(graph: Graph, own: np.ndarray) -> ExportedTable:
    """Return the edges between files, by imports and by the use of names."""
    sources, targets, places, ambiguous = (
        graph.arrays[name]
        for name in ("edge_source", "edge_target", "edge_place", "edge_ambiguous")
    )
    starts = graph.arrays["import_ends"].astype(np.int64)[sources]
    at = np.where(places == USED, 0, starts + places)
    used = places == USED
    lines = np.append(graph.arrays["import_line"], 0)[np.where(used, -1, at)]
    data = {
        "source": own[sources].astype(np.int32),
        "target": own[targets].astype(np.int32),
        "line": lines.astype(np.int32),
        "ambiguous": ambiguous.astype(bool),
    }
    query = (
        "select source, target, if(line = 0, 'use', 'import') as kind,"
        " nullif(line, 0) as line, ambiguous from data"
    )
    return ExportedTable("edges", data, query)


def _texts(values: Iterator[str] | Sequence[str]) -> np.ndarray:
    """Texts as a column, with what is no Unicode replaced."""
    encoded = (value.encode("utf-8", "surrogateescape") for value in values)
    return np.asarray([value.decode("utf-8", "replace") for value in encoded], object)


def _words(texts: Iterator[str] | Sequence[str]) -> Columns:
    column = _texts(texts)
    return {"id": np.arange(len(column), dtype=np.int32), "text": column}


def _term_texts(segment: Segment) -> list[str]:
    whole, ends = segment["term_text"].tobytes(), segment["term_ends"].tolist()
    return [whole[a:b].decode() for a, b in pairwise(ends)]


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int64), *parts])
