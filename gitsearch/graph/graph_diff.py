"""What a change does to the graph: edges, dependents, circles."""

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
    """Two graphs, the earlier and the later one."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.old = old
        self.new = new

    @cached_property
    def _pairs(self) -> tuple[set[Pair], set[Pair]]:
        return set(_pairs(self.old)), set(_pairs(self.new))

    @property
    def added(self) -> list[Pair]:
        """Edges that only the later graph has, by source and target."""
        old, new = self._pairs
        return sorted(new - old)

    @property
    def removed(self) -> list[Pair]:
        """Edges that only the earlier graph has."""
        old, new = self._pairs
        return sorted(old - new)

    def dependents(self, targets: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """The files that depend on some files only since, and those that do so no more."""
        paths = list(targets)
        before, after = (_dependents(graph, paths) for graph in (self.old, self.new))
        return sorted(after - before), sorted(before - after)

    @cached_property
    def cycles(self) -> list[list[bytes]]:
        """A way around of each set of files that now import each other and did not before."""
        old, new = self.old, self.new
        before = [{old.path(file) for file in one} for one in cycles(old)]
        found = []
        for one in cycles(new):
            paths = {new.path(file) for file in one}
            if not any(paths <= known for known in before):
                found.append([new.path(file) for file in self._around(one)])
        return sorted(found)

    def _around(self, members: list[int]) -> list[int]:
        """The shortest way around of some files that only the later graph has."""
        edges = _among(self.new, members)
        paths = {file: self.new.path(file) for file in members}
        there = {path: file for path in paths.values() if (file := self.old.file(path)) >= 0}
        known = {
            (self.old.path(source), self.old.path(target))
            for source, target in _among(self.old, sorted(there.values()))
        }
        fresh = [(a, b) for a, b in edges if (paths[a], paths[b]) not in known]
        return shortest_cycle(members, edges, fresh) or shortest_cycle(members, edges, edges)


def _among(graph: Graph, members: list[int]) -> list[tuple[int, int]]:
    """The certain imports among some files."""
    source, target = graph.arrays["edge_source"], graph.arrays["edge_target"]
    inside = certain_imports(graph) & np.isin(source, members) & np.isin(target, members)
    return sorted(set(zip(source[inside].tolist(), target[inside].tolist(), strict=True)))


def _pairs(graph: Graph) -> Iterable[Pair]:
    sources, targets = (graph.arrays[name].tolist() for name in ("edge_source", "edge_target"))
    for source, target in zip(sources, targets, strict=True):
        yield graph.path(source), graph.path(target)


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    found = dependents(graph, targets, lambda files, _: files)
    return {graph.path(file) for file in found.files}
