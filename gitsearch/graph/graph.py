"""The graph of one tree: its files, what they say of each other, and which depends on which."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.features.ragged import ends_of, gather, headed, position
from gitsearch.graph.file_facts import FactRow, FactTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The columns of edges and of what is unseen.
EDGE = ("edge_source", "edge_target", "edge_place", "edge_ambiguous")
UNSEEN = ("unseen_file", "unseen_place", "unseen_reason")

# Instead of the number of an import: no import says it, the file uses names of the other's.
USED = -1


class Edge(NamedTuple):
    """One file depends on another; `place` numbers the import that says so, or is USED."""

    number: int
    source: int
    target: int
    place: int
    ambiguous: bool


class UnresolvedImport(NamedTuple):
    """An import of which cannot be said where it leads."""

    file: int
    place: int
    reason: str


class Graph:
    """Files are numbered in the order of their paths; edges ascend by source, then target.

    arrays: those of a Table with one row a file; path_text, path_ends; oid; language (a number in
    meta["languages"]); searched (0 or 1); EDGE; UNSEEN (unseen_reason is a number in
    meta["reasons"]).
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], meta: dict[str, Any]) -> None:
        self.arrays = arrays
        self.meta = meta
        self.table = FactTable(arrays)
        self.files = len(arrays["path_ends"]) - 1

    @cached_property
    def _paths(self) -> tuple[memoryview, memoryview]:
        return self.arrays["path_text"].data, self.arrays["path_ends"].data

    def path(self, file: int) -> bytes:
        """The path of a file."""
        text, ends = self._paths
        return text[ends[file] : ends[file + 1]].tobytes()

    def file(self, path: bytes) -> int:
        """The number of a path, or -1."""
        return position(range(self.files), path, self.path)

    def under(self, folder: bytes) -> range:
        """The files in a folder and below it."""
        start = folder + b"/" if folder else b""
        return headed(self.files, start, self.path)

    def oid(self, file: int) -> str:
        """The object id of a file's content."""
        found: bytes = self.arrays["oid"][file].tobytes()
        return found.hex()

    def language(self, file: int) -> str:
        """The language of a file."""
        found: str = self.meta["languages"][int(self.arrays["language"][file])]
        return found

    def row(self, file: int) -> FactRow:
        """What a file says."""
        return FactRow(self.table, file)

    @cached_property
    def _back(self) -> tuple[np.ndarray, np.ndarray]:
        target = self.arrays["edge_target"]
        return ends_of(target, self.files), np.argsort(target, kind="stable")

    def back(self, files: np.ndarray) -> np.ndarray:
        """The numbers of the edges to some files."""
        ends, order = self._back
        found: np.ndarray = order[gather(ends[files], ends[files + 1] - ends[files])]
        return found

    def into(self, file: int) -> Iterator[Edge]:
        """The edges to a file, by source."""
        yield from map(self.edge, self.back(np.asarray([file])).tolist())

    def out_of(self, file: int) -> Iterator[Edge]:
        """The edges from a file, by target."""
        low, high = np.searchsorted(self.arrays["edge_source"], [file, file + 1])
        for i in range(int(low), int(high)):
            yield self.edge(i)

    def edge(self, i: int) -> Edge:
        """The edge of a number."""
        source, target, place, ambiguous = (int(self.arrays[name][i]) for name in EDGE)
        return Edge(i, source, target, place, bool(ambiguous))

    def line(self, file: int, place: int) -> int:
        """The line of an import of a file; 1 where no import says it."""
        if place == USED:
            return 1
        start = int(self.arrays["import_ends"][file])
        return int(self.arrays["import_line"][start + place])

    def blind(self) -> list[UnresolvedImport]:
        """All imports of which cannot be said where they lead, by file and place."""
        rows = zip(*(self.arrays[name].tolist() for name in UNSEEN), strict=True)
        reasons = self.meta["reasons"]
        return [UnresolvedImport(file, place, reasons[i]) for file, place, i in rows]
