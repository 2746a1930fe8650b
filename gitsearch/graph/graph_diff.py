"""Differences between the dependency graphs of two trees: edges, dependents, cycles."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.graph.cycles import certain_imports, cycles, shortest_cycle
from gitsearch.graph.dependents import ALL, dependents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.graph import Graph

Pair = tuple[bytes, bytes]


class GraphDiff:
    """The difference between an earlier and a later graph."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.old = old
        self.new = new

    @cached_property
    def _pairs(self) -> tuple[set[Pair], set[Pair]]:
        return set(_pairs(self.old)), set(_pairs(self.new))

    @property
    def added(self) -> list[Pair]:
        """The edges that only the later graph has, by source and target path."""
        old, new = self._pairs
        return sorted(new - old)

    @property
    def removed(self) -> list[Pair]:
        """The edges that only the earlier graph has, by source and target path."""
        old, new = self._pairs
        return sorted(old - new)

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
    """Return the distinct edges of unambiguous imports among `members`, in order."""
    source, target = graph.arrays["edge_source"], graph.arrays["edge_target"]
    inside = certain_imports(graph) & np.isin(source, members) & np.isin(target, members)
    return sorted(set(zip(source[inside].tolist(), target[inside].tolist(), strict=True)))


def _pairs(graph: Graph) -> Iterable[Pair]:
    sources, targets = (graph.arrays[name].tolist() for name in ("edge_source", "edge_target"))
    for source, target in zip(sources, targets, strict=True):
        yield graph.path(source), graph.path(target)


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    # every file counts as a user, whatever names it uses
    reached = dependents(graph, targets, lambda files, _: files)
    return {graph.path(file) for file in reached.files}
