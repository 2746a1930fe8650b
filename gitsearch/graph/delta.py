"""What a change does to the graph: edges, dependents, circles, imports that lead nowhere now."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.backwards import ALL, dependents
from gitsearch.graph.circles import circles
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.graph import Graph
    from gitsearch.records import Import

Pair = tuple[bytes, bytes]


class Dangling(NamedTuple):
    """An import that led to a file which is gone, and leads nowhere now."""

    path: bytes
    line: int
    specifier: str
    target: bytes


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

    @cached_property
    def dangling(self) -> list[Dangling]:
        """Imports that are still written and led to files which are gone."""
        found = []
        for target in range(self.old.files):
            gone = self.old.path(target)
            if self.new.file(gone) >= 0:
                continue
            for edge in self.old.into(target):
                if edge.place == USED or edge.ambiguous:
                    continue
                source = self.new.file(self.old.path(edge.source))
                said = self.old.row(edge.source).imports[edge.place]
                place = self._place(source, said) if source >= 0 else -1
                if place >= 0 and not self._leads(edge.source, edge.place, source, place, gone):
                    line = self.new.line(source, place)
                    found.append(Dangling(self.new.path(source), line, said.specifier, gone))
        return sorted(set(found))

    def _place(self, source: int, said: Import) -> int:
        """Where a file of the later graph says the same, or -1."""
        for place, one in enumerate(self.new.row(source).imports):
            if (one.specifier, one.kind, one.names) == (said.specifier, said.kind, said.names):
                return place
        return -1

    def _leads(self, before: int, at: int, source: int, place: int, gone: bytes) -> bool:
        """Whether an import leads to something that stands in for the file that is gone."""
        if any(one.file == source and one.place == place for one in self.new.blind()):
            return True
        known = {self.old.path(e.target) for e in self.old.out_of(before) if e.place == at}
        now = [edge.target for edge in self.new.out_of(source) if edge.place == place]
        fresh = [target for target in now if self.new.path(target) not in known]
        name = gone.rpartition(b"/")[2].partition(b".")[0].decode("utf-8", "surrogateescape")
        names = self.new.row(source).imports[place].names
        if name not in {part.split(" as ")[0].strip() for part in names.split(",")}:
            return bool(fresh)
        # a module of a package was imported by its name: now the package itself must have one
        return any(name in _offered(self.new, target) for target in fresh)


def _offered(graph: Graph, file: int) -> set[str]:
    """The names that a file defines or imports."""
    row = graph.row(file)
    names = {qualified for qualified, _ in row.definitions}
    for one in row.imports:
        names.update(part.split(" as ")[-1].strip() for part in one.names.split(","))
    return names


def _pairs(graph: Graph) -> Iterable[Pair]:
    sources, targets = (graph.arrays[name].tolist() for name in ("edge_source", "edge_target"))
    for source, target in zip(sources, targets, strict=True):
        yield graph.path(source), graph.path(target)


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    found = dependents(graph, targets, lambda files, _: files)
    return {graph.path(file) for file in found.files}


def _circles(graph: Graph) -> list[list[bytes]]:
    return [[graph.path(file) for file in one] for one in circles(graph)]
