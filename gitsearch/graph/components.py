"""Strongly connected components of a graph, and its communities with names and layers.

The only use of igraph.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.features.ragged import ends_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A component is named after the deepest folder that holds more than this share of its files: a
# few files elsewhere do not make it a component of the whole repository.
_MAJORITY = 0.6
# Without such a folder it is named after this many top-level folders at most, each with at least
# this share of its files.
_MAX_TOP_FOLDERS = 2
_MIN_SHARE = 0.2

_SEED = 42

ROLES = ("entry", "hub", "leaf", "peripheral")
# A hub is among this share of files with the most imports, and with the most importers,
_HUB_SHARE = 0.1
# and has at least this many of both.
_MIN_HUB_DEGREE = 3


def components(
    paths: Sequence[bytes], rank: np.ndarray, sources: np.ndarray, targets: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Group files into components; returns the arrays and the meta.

    paths and rank: one per file; sources and targets: the edges between files.

    component: int64 per file, the largest component first, -1 for a file without edges; layer:
    int64 per component, 0 if it depends on no other; link_from, link_to, link_count: int64 per
    dependency between two components, with the number of edges. meta["names"] holds the unique
    names of the components.
    """
    label = _labels(sources, targets, len(paths))
    count = int(label.max(initial=-1)) + 1
    members = [np.flatnonzero(label == number).tolist() for number in range(count)]
    # a file with an edge has a component
    start, end = label[sources], label[targets]
    between = start != end
    keys, edge_counts = np.unique(
        start[between] * max(count, 1) + end[between], return_counts=True
    )
    link_from, link_to = np.divmod(keys, max(count, 1))
    arrays = {
        "component": label,
        "layer": _layers(link_from, link_to, count),
        "link_from": link_from,
        "link_to": link_to,
        "link_count": edge_counts,
    }
    return arrays, {"names": _names(paths, rank, members)}


def _labels(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """Label each file with its component, by descending size, then first file; -1: no edges."""
    ends = np.sort(np.stack([sources, targets], axis=1).astype(np.int64), axis=1)
    pairs, weights = np.unique(ends, axis=0, return_counts=True)
    linked = np.unique(pairs)
    inside = np.searchsorted(linked, pairs)
    label = np.full(count, -1, np.int64)
    if len(linked) == 0:
        return label
    cluster = clusters(list(map(tuple, inside.tolist())), weights.tolist(), len(linked))
    by_size = np.argsort(-np.bincount(cluster), kind="stable")
    label[linked] = np.argsort(by_size)[cluster]
    return label


def clusters(pairs: Sequence[tuple[int, int]], weights: Sequence[int], count: int) -> np.ndarray:
    """Label each of `count` nodes with its community: int64 (count), numbered by first node.

    The Leiden algorithm (Traag, Waltman and van Eck, "From Louvain to Leiden", 2019) maximises the
    modularity of the undirected weighted pairs until no node moves. The random numbers are the
    same at each call, so equal arguments give equal communities.
    """
    import random  # noqa: TID251 - igraph draws from it, from a fixed seed

    import igraph

    graph = igraph.Graph(n=count, edges=pairs)
    # igraph draws from the module `random` by default, which other code may seed or use
    igraph.set_random_number_generator(random.Random(_SEED))
    try:
        partition = graph.community_leiden("modularity", weights=weights, n_iterations=-1)
    finally:
        igraph.set_random_number_generator(random)
    return relabel_by_first(partition.membership)


def _layers(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """Return the length of the longest path of dependencies from each component, or its cycle."""
    condensed = strong_components(sources, targets, count)
    ends = condensed[sources], condensed[targets]
    between = ends[0] != ends[1]
    layer = np.zeros(int(condensed.max(initial=-1)) + 1, np.int64)
    # the condensed graph is acyclic, so each round settles paths that are one edge longer, and no
    # path is longer than there are nodes
    for _ in range(len(layer)):
        higher = layer.copy()
        np.maximum.at(higher, ends[0][between], layer[ends[1][between]] + 1)
        if (higher == layer).all():
            break
        layer = higher
    layers: np.ndarray = layer[condensed]
    return layers


def _names(paths: Sequence[bytes], rank: np.ndarray, members: list[list[int]]) -> list[str]:
    """Name components by folder; several of one folder also by their file of the highest rank."""
    folders = [_folder([paths[file] for file in files]) for files in members]
    shared = Counter(folders)
    names: list[str] = []
    for folder, files in zip(folders, members, strict=True):
        top = paths[min(files, key=lambda file: (-rank[file], paths[file]))]
        stem = top.rpartition(b"/")[2].partition(b".")[0].decode("utf-8", "replace")
        name = f"{folder} ({stem})" if shared[folder] > 1 else folder
        taken = sum(known == name or known.startswith(f"{name} #") for known in names)
        names.append(f"{name} #{taken + 1}" if taken else name)
    return names


def _folder(paths: list[bytes]) -> str:
    """Return the deepest folder with most of the files, else the top-level folders with most."""
    counts = Counter[bytes]()
    for path in paths:
        parts = path.split(b"/")
        counts.update(b"/".join(parts[:depth]) for depth in range(1, len(parts)))
    folders = [folder for folder, count in counts.items() if count > _MAJORITY * len(paths)]
    if not folders:
        tops = Counter(path.partition(b"/")[0] if b"/" in path else b"." for path in paths)
        largest = sorted(tops, key=lambda top: (-tops[top], top))[:_MAX_TOP_FOLDERS]
        kept = [top for top in largest if tops[top] >= _MIN_SHARE * len(paths)]
        return " + ".join(top.decode("utf-8", "replace") for top in kept)
    return max(folders, key=lambda folder: folder.count(b"/")).decode("utf-8", "replace")


def roles(into: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Classify files by in-degree and out-degree; returns indexes into ROLES: int64.

    entry: imports others, and none imports it; leaf: is imported, and imports none; hub: many
    import it and it imports many; peripheral: all others.
    """
    role = np.full(len(into), ROLES.index("peripheral"), np.int64)
    role[(into >= _hub_threshold(into)) & (out >= _hub_threshold(out))] = ROLES.index("hub")
    role[(into == 0) & (out > 0)] = ROLES.index("entry")
    role[(into > 0) & (out == 0)] = ROLES.index("leaf")
    return role


def _hub_threshold(degrees: np.ndarray) -> int:
    """Return the least degree of the tenth of files with the most edges, of those with edges."""
    some = np.sort(degrees[degrees > 0])
    if len(some) == 0:
        return _MIN_HUB_DEGREE
    return max(_MIN_HUB_DEGREE, int(some[int((1 - _HUB_SHARE) * len(some))]))


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
                member = -1
                while member != node:
                    member = unlabelled.pop()
                    label[member] = node
                    index[member] = finished
                low = finished
            node, pending = path[-1], iterators[-1]
            low = min(low, lowest[node])


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
