"""Transitive dependents of files: a breadth-first search along reversed edges, with reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import unique
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.graph.graph import Edge, Graph
    from gitsearch.graph.name_users import NameUsers
    from gitsearch.records import Import

# The kind of imports that re-export, and base names of files that re-export all their imports.
_REEXPORT = "export"
_REEXPORTING = frozenset({b"__init__.py", b"__init__.pyi"})
_WHOLE = "*"

# Separators of qualified names: Foo::bar, foo.bar, Foo#bar, foo->bar
_SEPARATORS = re.compile(r"::|->|[.#]")

# Kinds of imports that are reported by name; the others are reported as "import".
_SHOWN = frozenset({"dynamic", "export"})


# Returns True if a file re-exports an import.
IsReexport = Callable[["Graph", int, "Import"], bool]


def is_reexport(graph: Graph, file: int, imported: Import) -> bool:
    """Return True if the file re-exports the import."""
    name = graph.path(file).rpartition(b"/")[2]
    return imported.kind == _REEXPORT or name in _REEXPORTING


def passes_on(graph: Graph, file: int, kind: str) -> bool:
    """Return True if a file re-exports what it depends on by an import of a reported kind."""
    return kind == _REEXPORT or graph.path(file).rpartition(b"/")[2] in _REEXPORTING


class Names(NamedTuple):
    """The names of a file whose users are searched; no names: the whole file.

    used: the names that occur in a file that uses them; reexported: the names of which a
    re-exporting file imports one, for a member also its enclosing type.
    """

    used: frozenset[str] = frozenset()
    reexported: frozenset[str] = frozenset()


ALL = Names()


def names_of(symbol: str) -> Names:
    """Return the names of a definition with a qualified name."""
    parts = [part for part in _SEPARATORS.split(symbol) if part]
    return Names(frozenset(parts[-1:]), frozenset(parts))


def union_of(names: Sequence[Names]) -> Names:
    """Return the union of names; ALL if one of them is."""
    if any(not each.used for each in names):
        return ALL
    used, reexported = (frozenset[str]().union(*sets) for sets in zip(*names, strict=True))
    return Names(used, reexported)


class Dependents(NamedTuple):
    """Files that depend on targets, in columns: the next file on a shortest path, and its reason.

    The next file is a target, or an earlier entry of `files`; kinds and lines are those of the
    import; `certain` is True if no edge of the path is ambiguous.
    """

    files: list[int]
    following: list[int]
    kinds: list[str]
    lines: list[int]
    certain: list[bool]


def dependents(
    graph: Graph, targets: Mapping[int, Names], users: NameUsers | None, hops: int | None = None
) -> Dependents:
    """Return the files that depend on the targets, by distance, then path.

    targets: files, each with the names whose users are searched; hops: the maximum distance;
    users: None if all targets are whole files. Of
    the paths of one length a certain one is preferred, then the one whose next file comes first.
    """
    walk = _Walk(graph, sorted(targets))
    level = dict(targets)
    while level and (hops is None or hops > 0):
        hops = None if hops is None else hops - 1
        level = walk.step(level, users)
    files = np.concatenate([np.zeros(0, np.int64), *walk.order])
    edges = walk.edge[files]
    following = graph.arrays["edge_target"][edges].tolist()
    kinds, lines = _reasons(graph, edges)
    return Dependents(files.tolist(), following, kinds, lines, walk.certain[files].tolist())


class _Walk:
    """The state of the search: for each file the edge towards the targets, or -1."""

    def __init__(self, graph: Graph, targets: Sequence[int]) -> None:
        self._graph = graph
        self.edge = np.full(graph.files, -1, np.int64)
        self.certain = np.ones(graph.files, bool)
        self._seen = np.zeros(graph.files, bool)
        self._seen[targets] = True
        self.order: list[np.ndarray] = []

    def step(self, level: Mapping[int, Names], users: NameUsers | None) -> dict[int, Names]:
        """Search one level: returns the new files, each with the names whose users come next."""
        whole = [file for file, names in level.items() if not names.used]
        by_name: dict[int, list[Names]] = {}
        edges = [self._graph.in_edge_numbers(np.asarray(sorted(whole), np.int64))]
        for file in sorted(level.keys() - whole):
            into = list(self._graph.in_edges(file))
            for edge, names in _relevant(self._graph, into, level[file], users):
                edges.append(np.asarray([edge.number]))
                by_name.setdefault(edge.source, []).append(names)
        fresh = self._reach(np.concatenate(edges)).tolist()
        entire = set(self._graph.arrays["edge_source"][edges[0]].tolist())
        return {file: ALL if file in entire else union_of(by_name[file]) for file in fresh}

    def _reach(self, edges: np.ndarray) -> np.ndarray:
        """Store the best edge of each unvisited source; returns these files, ascending: int64."""
        arrays = self._graph.arrays
        edges = edges[~self._seen[arrays["edge_source"][edges]]]
        source, target = arrays["edge_source"][edges], arrays["edge_target"][edges]
        uncertain = (arrays["edge_ambiguous"][edges] != 0) | ~self.certain[target]
        # the least key is the best: certain edges first, then by target and import
        count = len(arrays["edge_source"])
        best = np.full(self._graph.files, 2 * count, np.int64)
        np.minimum.at(best, source, edges + count * uncertain)
        files = np.flatnonzero(best < 2 * count)
        self.edge[files] = best[files] % count
        self.certain[files] = best[files] < count
        self._seen[files] = True
        self.order.append(files)
        return files


def _reasons(graph: Graph, edges: np.ndarray) -> tuple[list[str], list[int]]:
    """Return the reported kinds and lines of edges; one without an import is a "reference"."""
    arrays = graph.arrays
    place = arrays["edge_place"][edges].astype(np.int64)
    imports = np.flatnonzero(place != USED)
    at = arrays["import_ends"][arrays["edge_source"][edges[imports]]] + place[imports]
    lines = np.ones(len(edges), np.int64)
    lines[imports] = arrays["import_line"][at]
    kinds = np.full(len(edges), USED, np.int64)
    kinds[imports] = arrays["import_kind"][at]
    words = {number: graph.table.word(number) for number in unique(kinds[imports]).tolist()}
    shown = {number: word if word in _SHOWN else "import" for number, word in words.items()}
    shown[USED] = "reference"
    return [shown[number] for number in kinds.tolist()], lines.tolist()


def using_edges(
    graph: Graph, file: int, names: Names, users: NameUsers, reexports: IsReexport = is_reexport
) -> list[Edge]:
    """Return the edges by which files use names of a file, also through re-exports."""
    using: dict[int, Edge] = {}
    seen = {file}
    todo = [file]
    while todo:
        into = list(graph.in_edges(todo.pop()))
        for edge, further in _relevant(graph, into, names, users, reexports):
            if further.used and edge.source not in seen:
                seen.add(edge.source)
                todo.append(edge.source)
            using[edge.number] = edge
    return list(using.values())


def _relevant(
    graph: Graph,
    edges: Sequence[Edge],
    names: Names,
    users: NameUsers | None,
    reexports: IsReexport = is_reexport,
) -> Iterator[tuple[Edge, Names]]:
    """Filter edges by use of `names`; yields each with the names of its source to search next."""
    if not names.used:
        yield from ((edge, ALL) for edge in edges)
        return
    assert users is not None, "targets with names need their users"
    using = users.among({edge.source for edge in edges}, names.used)
    for edge in edges:
        reexported = _reexported(graph, edge, reexports)
        if _WHOLE in reexported or names.reexported & reexported:
            yield edge, names
        elif edge.source in using:
            yield edge, ALL


def _reexported(graph: Graph, edge: Edge, reexports: IsReexport) -> set[str]:
    """Return the names that an import re-exports; "*": all of them."""
    if edge.place == USED:
        return set()
    imported = graph.row(edge.source).imports[edge.place]
    if not reexports(graph, edge.source, imported):
        return set()
    names = {part.split(" as ")[0].strip() for part in imported.names.split(",")}
    return names - {""} or {_WHOLE}
