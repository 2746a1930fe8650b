"""The dependency graph of one tree: files, their facts, and edges from imports and uses."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from gitsearch.features.ragged import ends_of, gather, headed, position
from gitsearch.graph.file_facts import FactRow, FactTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# The columns of edges and of unresolved imports.
EDGE = ("edge_source", "edge_target", "edge_place", "edge_ambiguous")
UNRESOLVED = ("unseen_file", "unseen_place", "unseen_reason")

# Takes the place of an import's number: the edge has no import, its source uses names of its
# target.
USED = -1


Node = TypeVar("Node")


class Edge(NamedTuple):
    """A dependency of one file on another; `place` is the number of the import, or USED."""

    number: int
    source: int
    target: int
    place: int
    ambiguous: bool


class UnresolvedImport(NamedTuple):
    """An import whose target cannot be determined, with the reason."""

    file: int
    place: int
    reason: str


class Graph:
    """The dependency graph of one tree, in arrays that may be memory-mapped.

    Files are numbered in the order of their paths; edges ascend by source, then target.

    arrays: those of a FactTable with one row per file; path_text, path_ends; oid; language (an
    index into meta["languages"]); searched (0 or 1); the columns EDGE and UNRESOLVED
    (unseen_reason is an index into meta["reasons"]).
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
        """Return the path of a file."""
        text, ends = self._paths
        return text[ends[file] : ends[file + 1]].tobytes()

    def file(self, path: bytes) -> int:
        """Return the number of the file with a path, or -1."""
        return position(range(self.files), path, self.path)

    def under(self, folder: bytes) -> range:
        """Return the numbers of the files in a folder and its subfolders."""
        start = folder + b"/" if folder else b""
        return headed(self.files, start, self.path)

    def oid(self, file: int) -> str:
        """The object id of a file's content."""
        found: bytes = self.arrays["oid"][file].tobytes()
        return found.hex()

    def language(self, file: int) -> str:
        """Return the name of the language of a file."""
        name: str = self.meta["languages"][int(self.arrays["language"][file])]
        return name

    def row(self, file: int) -> FactRow:
        """Return the facts of a file: its imports, used names and definitions."""
        return FactRow(self.table, file)

    @cached_property
    def _incoming(self) -> tuple[np.ndarray, np.ndarray]:
        """The edges sorted by target: offsets by target, and edge numbers."""
        target = self.arrays["edge_target"]
        return ends_of(target, self.files), np.argsort(target, kind="stable")

    def in_edge_numbers(self, files: np.ndarray) -> np.ndarray:
        """Return the numbers of the edges that lead to `files`: int64."""
        ends, order = self._incoming
        edges: np.ndarray = order[gather(ends[files], ends[files + 1] - ends[files])]
        return edges

    def in_edges(self, file: int) -> Iterator[Edge]:
        """Iterate over the edges to a file, by source."""
        yield from map(self.edge, self.in_edge_numbers(np.asarray([file])).tolist())

    def out_edges(self, file: int) -> Iterator[Edge]:
        """Iterate over the edges from a file, by target."""
        low, high = np.searchsorted(self.arrays["edge_source"], [file, file + 1])
        yield from map(self.edge, range(int(low), int(high)))

    def edge(self, number: int) -> Edge:
        """Return the edge with a number."""
        source, target, place, ambiguous = (int(self.arrays[name][number]) for name in EDGE)
        return Edge(number, source, target, place, bool(ambiguous))

    def line(self, file: int, place: int) -> int:
        """Return the line of an import of a file; 1 for USED, which has no import."""
        if place == USED:
            return 1
        start = int(self.arrays["import_ends"][file])
        return int(self.arrays["import_line"][start + place])

    def unresolved_imports(self) -> list[UnresolvedImport]:
        """Return the unresolved imports, by file and place."""
        rows = zip(*(self.arrays[name].tolist() for name in UNRESOLVED), strict=True)
        reasons = self.meta["reasons"]
        return [UnresolvedImport(file, place, reasons[reason]) for file, place, reason in rows]


def reachable(
    start: Iterable[Node], successors: Callable[[Node], Iterable[Node]]
) -> Iterator[Node]:
    """Iterate over `start` and all nodes reachable from it, each once, in breadth-first order.

    The successors of a node are requested after it was yielded.
    """
    queue = list(dict.fromkeys(start))
    visited = set(queue)
    for node in queue:
        yield node
        for successor in successors(node):
            if successor not in visited:
                visited.add(successor)
                queue.append(successor)
