"""What a change does to the graph: edges, dependents, circles."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.backwards import ALL, dependents
from gitsearch.graph.circles import circles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.graph import Graph

Pair = tuple[bytes, bytes]


class Delta:
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
        """Files that import each other in a circle, in no circle together before."""
        before = [set(one) for one in _circles(self.old)]
        found = [one for one in _circles(self.new) if not any(set(one) <= old for old in before)]
        return sorted(found)


def _pairs(graph: Graph) -> Iterable[Pair]:
    sources, targets = (graph.arrays[name].tolist() for name in ("edge_source", "edge_target"))
    for source, target in zip(sources, targets, strict=True):
        yield graph.path(source), graph.path(target)


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    found = dependents(graph, targets, lambda files, _: files)
    return {graph.path(one.files[0]) for one in found}


def _circles(graph: Graph) -> list[list[bytes]]:
    return [[graph.path(file) for file in one] for one in circles(graph)]
