"""Strongly connected components and cycles of a directed graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import ends_of
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.graph.graph import Graph

# Edges through which a shortest cycle is searched: one cycle is enough to show the problem.
_MAX_START_EDGES = 50

# The file that imports, and the file that is imported.
Edge = tuple[int, int]


def strong_components(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """Label each of `count` nodes with its strongly connected component: int64 (count).

    Components are numbered by their first node. The edges are two arrays of node numbers of equal
    length. The algorithm is Tarjan's ("Depth-First Search and Linear Graph Algorithms", 1972),
    without recursion: a chain of imports may be longer than Python's stack.
    """
    successors = targets[np.argsort(sources, kind="stable")].tolist()
    ends = ends_of(sources, count).tolist()
    label = [0] * count
    # The position in which a node was reached, from 1; 0: not yet; `finished`: it has its label.
    index = [0] * count
    reached, finished = 0, count + 1
    # The least index known to be reachable from each node of `path` but the last, which has `low`.
    lowest = [0] * (count + 1)
    unlabelled: list[int] = []
    # The search starts at a node of its own, numbered `count`, that has edges to all others.
    node, low, pending = count, finished, iter(range(count))
    path, iterators = [node], [pending]
    while True:
        for successor in pending:
            position = index[successor]
            if position == 0:
                lowest[node] = low
                node = successor
                reached += 1
                index[node] = low = reached
                unlabelled.append(node)
                pending = iter(successors[ends[node] : ends[node + 1]])
                path.append(node)
                iterators.append(pending)
                break
            if position < low:
                low = position
        else:
            path.pop()
            iterators.pop()
            if not path:
                return relabel_by_first(label)
            if low == index[node]:
                _close_component(node, unlabelled, label, index)
                low = finished
            node, pending = path[-1], iterators[-1]
            low = min(low, lowest[node])


def _close_component(root: int, unlabelled: list[int], label: list[int], index: list[int]) -> None:
    """Label the nodes above `root` on the stack, and `root` itself, with the number of `root`."""
    finished = len(index) + 1
    while True:
        node = unlabelled.pop()
        label[node] = root
        index[node] = finished
        if node == root:
            return


def relabel_by_first(labels: Iterable[int]) -> np.ndarray:
    """Renumber groups in the order in which they first occur: int64, one for each label.

    By a dictionary: np.unique imports numpy.ma the first time, which takes 7 ms.
    """
    number: dict[int, int] = {}
    return np.asarray([number.setdefault(label, len(number)) for label in labels], np.int64)


def cycle_labels(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """Label each of `count` nodes with its cycle: int64, numbered by first node, -1 for none.

    A cycle is a strongly connected component of more than one node.
    """
    component = strong_components(sources, targets, count)
    cyclic = np.bincount(component, minlength=1)[component] > 1
    labels = np.full(count, -1, np.int64)
    labels[cyclic] = relabel_by_first(component[cyclic].tolist())
    return labels


def certain_imports(graph: Graph) -> np.ndarray:
    """Return a mask, bool (edges), of the edges that are imports and not ambiguous."""
    arrays = graph.arrays
    mask: np.ndarray = (arrays["edge_place"] != USED) & (arrays["edge_ambiguous"] == 0)
    return mask


def shortest_cycle(
    members: Sequence[int], edges: Iterable[Edge], required: Iterable[Edge]
) -> list[int]:
    """Find the shortest cycle among `members` that contains an edge of `required`.

    The cycle begins with its lowest file number; of cycles of equal length the lexicographically
    first is returned. Returns an empty list if there is no cycle. Only the first 50 edges of
    `required` are tried.
    """
    successors: dict[int, list[int]] = {file: [] for file in members}
    for source, target in edges:
        successors[source].append(target)
    paths = (
        _shortest_path(successors, target, source)
        for source, target in sorted(required)[:_MAX_START_EDGES]
    )
    candidates = [_lowest_first(path) for path in paths if path]
    return min(candidates, key=lambda cycle: (len(cycle), cycle), default=[])


def _shortest_path(successors: Mapping[int, Sequence[int]], start: int, end: int) -> list[int]:
    """Breadth-first search; returns the path with both ends, or an empty list."""
    predecessor = {start: start}
    level = [start]
    while level and end not in predecessor:
        level = [
            target
            for file in level
            for target in sorted(successors[file])
            if predecessor.setdefault(target, file) == file and target != start
        ]
    if end not in predecessor:
        return []
    path = [end]
    while path[-1] != start:
        path.append(predecessor[path[-1]])
    return path[::-1]


def _lowest_first(cycle: Sequence[int]) -> list[int]:
    """Rotate a cycle so that it begins with its lowest number."""
    start = cycle.index(min(cycle))
    return [*cycle[start:], *cycle[:start]]


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
