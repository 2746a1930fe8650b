"""Circles of a directed graph: what reaches itself again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.graph.graph import Graph

# Imports through which a way around is looked for: one is enough to show what is wrong.
_TRIED = 50

# The file that imports, and the one that is imported.
Edge = tuple[int, int]


def strong_components(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """The strongly connected component of each of `count` nodes: int64, numbered by first node."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(len(sources), np.int8), (sources, targets)), (count, count))
    _, label = connected_components(matrix, connection="strong")
    return by_first(label)


def by_first(labels: np.ndarray) -> np.ndarray:
    """The same groups, numbered in the order in which they first occur: int64."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    found: np.ndarray = number[which]
    return found


def without_ambiguous(graph: Graph) -> np.ndarray:
    """A mask of the edges that certainly are imports."""
    arrays = graph.arrays
    found: np.ndarray = (arrays["edge_place"] != USED) & (arrays["edge_ambiguous"] == 0)
    return found


def shortest(members: Sequence[int], edges: Iterable[Edge], fresh: Iterable[Edge]) -> list[int]:
    """The shortest way around by certain imports among some files that goes through a fresh one.

    Begins with the file that comes first; of ways of one length the first is taken. Empty if there
    is none.
    """
    ahead: dict[int, list[int]] = {file: [] for file in members}
    for source, target in edges:
        ahead[source].append(target)
    ways = [_way(ahead, target, source) for source, target in sorted(fresh)[:_TRIED]]
    closed = [_from_first(way) for way in ways if way]
    return min(closed, key=lambda way: (len(way), way), default=[])


def _way(ahead: Mapping[int, Sequence[int]], start: int, end: int) -> list[int]:
    """The files of the shortest way, both ends included; empty if there is none."""
    came = {start: start}
    level = [start]
    while level and end not in came:
        level = [
            target
            for file in level
            for target in sorted(ahead[file])
            if came.setdefault(target, file) == file and target != start
        ]
    if end not in came:
        return []
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]


def _from_first(way: Sequence[int]) -> list[int]:
    at = way.index(min(way))
    return [*way[at:], *way[:at]]


def cycles(graph: Graph) -> list[list[int]]:
    """Files that import each other, directly or not, by certain imports alone."""
    arrays = graph.arrays
    sure = without_ambiguous(graph)
    label = strong_components(
        arrays["edge_source"][sure], arrays["edge_target"][sure], graph.files
    )
    sizes = np.bincount(label, minlength=1)
    found: dict[int, list[int]] = {}
    for file in np.flatnonzero(sizes[label] > 1).tolist():
        found.setdefault(int(label[file]), []).append(file)
    return list(found.values())
