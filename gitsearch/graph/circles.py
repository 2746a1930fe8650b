"""Circles of a directed graph: what reaches itself again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from gitsearch.graph.graph import Graph


def strong(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
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


def circles(graph: Graph) -> list[list[int]]:
    """Files that import each other, directly or not, by certain imports alone."""
    arrays = graph.arrays
    sure = (arrays["edge_place"] != USED) & (arrays["edge_ambiguous"] == 0)
    label = strong(arrays["edge_source"][sure], arrays["edge_target"][sure], graph.files)
    sizes = np.bincount(label, minlength=1)
    found: dict[int, list[int]] = {}
    for file in np.flatnonzero(sizes[label] > 1).tolist():
        found.setdefault(int(label[file]), []).append(file)
    return list(found.values())
