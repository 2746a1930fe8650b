"""The components of a code base: groups of files, their names, what they need, their layers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.graph.clusters import clusters
from gitsearch.graph.cycles import strong_components

if TYPE_CHECKING:
    from collections.abc import Sequence

# A component is named after the deepest folder with more than so much of it: a few files that
# lie elsewhere do not make it one of the whole repository.
_MOST = 0.6
# Where there is none, after at most so many folders at the top, each with at least so much of it.
_TOPS = 2
_LEAST = 0.2

ROLES = ("entry", "hub", "leaf", "peripheral")
# A hub is among this share of files with the most imports, and with the most importers,
_BUSY = 0.1
# and has at least so many of both.
_MANY = 3


def components(
    paths: Sequence[bytes], rank: np.ndarray, sources: np.ndarray, targets: np.ndarray
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays and meta of the components of these files.

    component: that of each file, the largest first, -1 of a file that no other hangs together
    with; layer: that of each component, 0 needing none; link_from, link_to, link_count: which
    needs which, by how many edges. meta["names"] are unique.
    """
    label = _labels(sources, targets, len(paths))
    count = int(label.max(initial=-1)) + 1
    members = [np.flatnonzero(label == i).tolist() for i in range(count)]
    ends = label[sources], label[targets]
    between = (ends[0] != ends[1]) & (ends[0] >= 0) & (ends[1] >= 0)
    keys, often = np.unique(
        ends[0][between] * max(count, 1) + ends[1][between], return_counts=True
    )
    link_from, link_to = np.divmod(keys, max(count, 1))
    arrays = {
        "component": label,
        "layer": _layers(link_from, link_to, count),
        "link_from": link_from,
        "link_to": link_to,
        "link_count": often,
    }
    return arrays, {"names": _names(paths, rank, members)}


def _labels(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """The component of each file by size, then first file; -1 of a file without edges."""
    ends = np.sort(np.stack([sources, targets], axis=1).astype(np.int64), axis=1)
    pairs, weights = np.unique(ends, axis=0, return_counts=True)
    linked = np.unique(pairs)
    inside = np.searchsorted(linked, pairs)
    label = np.full(count, -1, np.int64)
    if len(linked) == 0:
        return label
    found = clusters(list(map(tuple, inside.tolist())), weights.tolist(), len(linked))
    order = np.argsort(-np.bincount(found), kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    label[linked] = place[found]
    return label


def _layers(sources: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """The layer of each component: the longest way down from it. Those in a circle share one."""
    knot = strong_components(sources, targets, count)
    ends = knot[sources], knot[targets]
    own = ends[0] != ends[1]
    layer = np.zeros(int(knot.max(initial=-1)) + 1, np.int64)
    # no way is longer than there are knots, and without circles each round settles one more step
    for _ in range(len(layer)):
        higher = layer.copy()
        np.maximum.at(higher, ends[0][own], layer[ends[1][own]] + 1)
        if (higher == layer).all():
            break
        layer = higher
    found: np.ndarray = layer[knot]
    return found


def _names(paths: Sequence[bytes], rank: np.ndarray, members: list[list[int]]) -> list[str]:
    """A name for each: its folder; those in one folder also by their file of the highest rank."""
    folders = [_folder([paths[i] for i in own]) for own in members]
    shared = Counter(folders)
    names: list[str] = []
    for folder, own in zip(folders, members, strict=True):
        top = paths[min(own, key=lambda i: (-rank[i], paths[i]))]
        stem = top.rpartition(b"/")[2].partition(b".")[0].decode("utf-8", "replace")
        name = f"{folder} ({stem})" if shared[folder] > 1 else folder
        taken = sum(one == name or one.startswith(f"{name} #") for one in names)
        names.append(f"{name} #{taken + 1}" if taken else name)
    return names


def _folder(paths: list[bytes]) -> str:
    """The deepest folder that holds most of some files; without one, the top folders with most."""
    counts = Counter[bytes]()
    for path in paths:
        parts = path.split(b"/")
        counts.update(b"/".join(parts[:i]) for i in range(1, len(parts)))
    found = [folder for folder, often in counts.items() if often > _MOST * len(paths)]
    if not found:
        tops = Counter(path.partition(b"/")[0] if b"/" in path else b"." for path in paths)
        found = sorted(tops, key=lambda top: (-tops[top], top))[:_TOPS]
        found = [top for top in found if tops[top] >= _LEAST * len(paths)]
        return " + ".join(top.decode("utf-8", "replace") for top in found)
    return max(found, key=lambda one: one.count(b"/")).decode("utf-8", "replace")


def roles(into: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Which of ROLES files have that so many import and that import so many, as its number.

    entry: it imports others, and none imports it; leaf: it is imported, and imports none; hub:
    many import it and it imports many; peripheral: all others.
    """
    found = np.full(len(into), ROLES.index("peripheral"), np.int64)
    found[(into >= _many(into)) & (out >= _many(out))] = ROLES.index("hub")
    found[(into == 0) & (out > 0)] = ROLES.index("entry")
    found[(into > 0) & (out == 0)] = ROLES.index("leaf")
    return found


def _many(degrees: np.ndarray) -> int:
    """From how many on a file is among the tenth with the most; files without any do not count."""
    some = np.sort(degrees[degrees > 0])
    return max(_MANY, int(some[int((1 - _BUSY) * len(some))])) if len(some) else _MANY
