"""Differences between the dependency graphs of two trees: edges, dependents, cycles, exports."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.graph.components import cycle_labels
from gitsearch.graph.dependents import ALL, dependents, names_of, using_edges
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.graph.file_versions import FileVersion
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_users import NameUsers
    from gitsearch.records import TreeChange, TreeEntry

# Edges through which a shortest cycle is searched: one cycle is enough to show the problem.
_MAX_START_EDGES = 50

# The numbers of the ends of an edge, and their paths.
_Edge = tuple[int, int]
_Pair = tuple[bytes, bytes]


class GraphDiff:
    """The difference between an earlier and a later graph."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.old = old
        self.new = new

    def edges(self) -> tuple[list[_Pair], list[_Pair]]:
        """Return the added and the removed edges, as sorted paths of source and target."""
        # most edges are in both graphs: the paths of those alone are looked up that are not
        numbers: dict[bytes, int] = {}
        before, after = (_numbered(graph, numbers) for graph in (self.old, self.new))
        paths = list(numbers)
        added, removed = (
            sorted((paths[source], paths[target]) for source, target in edges.tolist())
            for edges in (_beyond(after, before), _beyond(before, after))
        )
        return added, removed

    def dependents(self, targets: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Return the added and the removed transitive dependents of `targets`, as sorted paths."""
        paths = list(targets)
        before, after = (_dependents(graph, paths) for graph in (self.old, self.new))
        return sorted(after - before), sorted(before - after)

    @cached_property
    def cycles(self) -> list[list[bytes]]:
        """A shortest cycle of each set of files that form a cycle only in the later graph."""
        old, new = self.old, self.new
        before = [{old.path(file) for file in members} for members in cycles(old)]
        added = []
        for members in cycles(new):
            paths = {new.path(file) for file in members}
            if not any(paths <= known for known in before):
                added.append([new.path(file) for file in self._new_cycle(members)])
        return sorted(added)

    def _new_cycle(self, members: list[int]) -> list[int]:
        """Return the shortest cycle of `members` with an edge that only the later graph has."""
        edges = _among(self.new, members)
        paths = {file: self.new.path(file) for file in members}
        earlier = [file for path in paths.values() if (file := self.old.file(path)) >= 0]
        known = {
            (self.old.path(source), self.old.path(target))
            for source, target in _among(self.old, sorted(earlier))
        }
        added = [edge for edge in edges if (paths[edge[0]], paths[edge[1]]) not in known]
        return shortest_cycle(members, edges, added) or shortest_cycle(members, edges, edges)


def _among(graph: Graph, members: list[int]) -> list[tuple[int, int]]:
    source, target = graph.arrays["edge_source"], graph.arrays["edge_target"]
    inside = certain_imports(graph) & np.isin(source, members) & np.isin(target, members)
    return sorted(set(zip(source[inside].tolist(), target[inside].tolist(), strict=True)))


def _numbered(graph: Graph, numbers: dict[bytes, int]) -> np.ndarray:
    """The ends of the edges of a graph, by numbers of paths, to which its own are added."""
    own = [numbers.setdefault(graph.path(file), len(numbers)) for file in range(graph.files)]
    ends = np.stack([graph.arrays["edge_source"], graph.arrays["edge_target"]], axis=1)
    found: np.ndarray = np.asarray(own, np.int64)[ends]
    return found


def _beyond(edges: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The distinct edges that are not among others: int64 (edges, 2)."""
    largest = 1 + max(edges.max(initial=0), others.max(initial=0))
    keys, known = (each[:, 0] * largest + each[:, 1] for each in (edges, others))
    return np.stack(np.divmod(np.setdiff1d(keys, known), largest), axis=1)


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    reached = dependents(graph, targets, None)
    return {graph.path(file) for file in reached.files}


def certain_imports(graph: Graph) -> np.ndarray:
    """Return a mask, bool (edges), of the edges that are imports and not ambiguous."""
    arrays = graph.arrays
    mask: np.ndarray = (arrays["edge_place"] != USED) & (arrays["edge_ambiguous"] == 0)
    return mask


def shortest_cycle(
    members: Sequence[int], edges: Iterable[_Edge], required: Iterable[_Edge]
) -> list[int]:
    """Find the shortest cycle among `members` that contains an edge of `required`.

    The cycle begins with its lowest file number; of cycles of equal length the lexicographically
    first is returned. Returns an empty list if there is no cycle. Only the first 50 edges of
    `required` are tried.
    """
    successors: dict[int, list[int]] = {file: [] for file in members}
    for source, target in edges:
        successors[source].append(target)
    candidates = []
    for source, target in sorted(required)[:_MAX_START_EDGES]:
        if path := _shortest_path(successors, target, source):
            start = path.index(min(path))
            candidates.append([*path[start:], *path[:start]])
    return min(candidates, key=lambda cycle: (len(cycle), cycle), default=[])


def _shortest_path(successors: Mapping[int, Sequence[int]], start: int, end: int) -> list[int]:
    """Breadth-first search; returns the path with both ends, or an empty list."""
    predecessor = {start: start}
    queue = [start]
    for file in queue:
        if end in predecessor:
            break
        for target in sorted(successors[file]):
            if target not in predecessor:
                predecessor[target] = file
                queue.append(target)
    if end not in predecessor:
        return []
    path = [end]
    while path[-1] != start:
        path.append(predecessor[path[-1]])
    return path[::-1]


def cycles(graph: Graph) -> list[list[int]]:
    """Return the sets of files that import each other, directly or not, by certain imports.

    Each set is a strongly connected component of more than one file, in ascending order of file
    numbers; sets are in the order of their first files.
    """
    mask = certain_imports(graph)
    sources, targets = graph.arrays["edge_source"][mask], graph.arrays["edge_target"][mask]
    label = cycle_labels(sources, targets, graph.files)
    members: dict[int, list[int]] = {}
    for file in np.flatnonzero(label >= 0).tolist():
        members.setdefault(int(label[file]), []).append(file)
    return list(members.values())


class ExportChange(NamedTuple):
    """A definition that is removed (`after` is empty) or has another signature.

    users: files of the later graph that use its name, each with the first line that has it.
    """

    path: bytes
    symbol: str
    before: str
    after: str
    users: tuple[tuple[int, int], ...]


def changed_exports(
    versions: Mapping[TreeEntry, FileVersion],
    changes: Sequence[TreeChange],
    old: Graph,
    new: Graph,
    users: NameUsers,
) -> list[ExportChange]:
    """Return the definitions that changes remove or give another signature, by path and name.

    A definition whose name begins with an underscore is left out unless it is used.
    """
    lost = []
    for change in changes:
        sides = [versions.get(one) if one else None for one in (change.old, change.new)]
        before, after = (side.exports if side else {} for side in sides)
        for symbol in sorted(before):
            now = after.get(symbol, set())
            if not before[symbol] <= now:
                was, is_now = (" ".join(sorted(texts)) for texts in (before[symbol], now))
                lost.append(ExportChange(change.path, symbol, was, is_now, ()))
    # the syntax trees of all files with one of the names are looked at together
    written = {pair for export in lost for pair in _users(old, new, export, users)}
    code_users = users.in_code(written)
    changed = [
        export._replace(
            users=tuple(
                (file, code_users.first_line(file, name))
                for file, name in _users(old, new, export, code_users)
            )
        )
        for export in lost
    ]
    return [
        export
        for export in changed
        if export.users or not export.symbol.rpartition(".")[2].startswith("_")
    ]


def _users(
    old: Graph, new: Graph, export: ExportChange, users: NameUsers
) -> tuple[tuple[int, str], ...]:
    """Return the users of a name of a file, each with the name.

    For a removed file these are the files that imported it and still contain the name.
    """
    names = names_of(export.symbol)
    file = new.file(export.path)
    if file >= 0:
        using = {edge.source for edge in using_edges(new, file, names, users)}
    else:
        importing = {
            new.file(old.path(edge.source)) for edge in old.in_edges(old.file(export.path))
        }
        using = users.among(importing - {-1}, names.used)
    (name,) = names.used
    return tuple((user, name) for user in sorted(using))
