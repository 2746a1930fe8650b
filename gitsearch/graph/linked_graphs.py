"""The graphs of several repositories, linked by the packages that they publish and import."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import joined, offsets
from gitsearch.graph.graph import EDGE, RUNS, SAID, USED, Graph
from gitsearch.graph.project import RESOLVER_OF, resolver_class

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gitsearch.graph.project import Project, Published, Resolver
    from gitsearch.records import Import

# Names of an import that mean all that a package declares.
_WILDCARDS = frozenset({"*", "_"})

# The column of imports that holds no words.
_LINE = "import_line"

# Digits of the number of a repository, which is the first folder of its paths where several are
# one graph. It is no name that code could import.
_DIGITS = 4


class FileOf(NamedTuple):
    """A file of one of several repositories, by their numbers."""

    repository: int
    file: int


class Link(NamedTuple):
    """An import of a package of another repository; place: its number in the source.

    ambiguous: several of the repositories publish the package.
    """

    source: FileOf
    target: FileOf
    place: int
    ambiguous: bool
    package: Published


class LinkedGraphs:
    """The graphs of some repositories; projects: return what resolution sees of each."""

    def __init__(self, graphs: Sequence[Graph], projects: Sequence[Callable[[], Project]]) -> None:
        self.graphs = graphs
        self._publishers = [_Publisher(project) for project in projects]
        self._imports: dict[int, _Imports] = {}
        self.starts = offsets([graph.files for graph in graphs])

    def links(
        self, source: int, targets: Sequence[int], files: Collection[int] | None = None
    ) -> Iterator[Link]:
        """Yield the links from one repository to others, by file and place; files: only theirs."""
        others = [target for target in targets if target != source]
        if not others:
            return
        if source not in self._imports:
            self._imports[source] = _Imports(self.graphs[source])
        imports = self._imports[source]
        elsewhere = [i for i in range(len(self.graphs)) if i != source and i not in others]
        packages: dict[int, tuple[dict[int, Published], bool]] = {}
        for file, place, kind in imports.outside(files):
            if kind not in packages:
                resolver = RESOLVER_OF[self.graphs[source].language(file)]
                asked = (resolver, *imports.imported(file, place))
                found = self._published(others, *asked)
                twice = len(found) > 1 or bool(found and self._published(elsewhere, *asked))
                packages[kind] = found, twice
            found, twice = packages[kind]
            for target, package in found.items():
                for number in package.files:
                    yield Link(FileOf(source, file), FileOf(target, number), place, twice, package)

    def _published(
        self, repositories: Iterable[int], resolver: str, imported: Import, names: frozenset[str]
    ) -> dict[int, Published]:
        """Return the package that an import names in each repository that publishes one."""
        publishers = ((i, self._publishers[i].resolver(resolver)) for i in repositories)
        found = ((i, publisher.published(imported, names)) for i, publisher in publishers)
        return {i: package for i, package in found if package is not None}

    def number(self, place: FileOf) -> int:
        """Return the number of a file in the joined graph."""
        return int(self.starts[place.repository]) + place.file

    def place(self, number: int) -> FileOf:
        """Return the file with a number in the joined graph."""
        repository = int(np.searchsorted(self.starts, number, side="right")) - 1
        return FileOf(repository, number - int(self.starts[repository]))

    def joined_path(self, repository: int, path: bytes) -> bytes:
        """Return the path in the joined graph of a path of a repository."""
        return path if len(self.graphs) == 1 else b"%0*d/%s" % (_DIGITS, repository, path)

    def joined(self, links: Iterable[Link]) -> Graph:
        """Return the graph of all repositories, with links as edges; of one it is that itself.

        It has no object ids, and not the imports whose targets cannot be determined.
        """
        graphs = self.graphs
        if len(graphs) == 1:
            return graphs[0]
        paths = [
            self.joined_path(i, graph.path(file))
            for i, graph in enumerate(graphs)
            for file in range(graph.files)
        ]
        words = offsets([graph.table.words for graph in graphs])
        unmoved = np.zeros_like(words)
        languages = sorted({name for graph in graphs for name in graph.meta["languages"]})
        number = {name: i for i, name in enumerate(languages)}
        arrays = dict(zip(("path_text", "path_ends"), joined(paths), strict=True))
        arrays["language"] = np.concatenate(
            [
                np.asarray([number[name] for name in graph.meta["languages"]], np.int64)[
                    graph.arrays["language"].astype(np.int64)
                ]
                for graph in graphs
            ]
        )
        arrays["word_text"] = np.concatenate([graph.table["word_text"] for graph in graphs])
        arrays["word_ends"] = self._ends("word_ends")
        for run, columns in RUNS.items():
            arrays[f"{run}_ends"] = self._ends(f"{run}_ends")
            for column in columns:
                arrays[column] = self._shifted(column, unmoved if column == _LINE else words)
        return Graph(arrays | self._edges(links), {"languages": languages})

    def _shifted(self, name: str, shifts: np.ndarray) -> np.ndarray:
        """Return an array of all graphs, with a number added to the values of each: int64."""
        pairs = zip(self.graphs, shifts.tolist(), strict=False)
        return np.concatenate(
            [graph.arrays[name].astype(np.int64) + shift for graph, shift in pairs]
        )

    def _ends(self, name: str) -> np.ndarray:
        """Return the offsets of the runs of all graphs."""
        ends = [graph.arrays[name].astype(np.int64) for graph in self.graphs]
        return offsets(np.concatenate([np.diff(own) for own in ends]))

    def _edges(self, links: Iterable[Link]) -> dict[str, np.ndarray]:
        """Return the edges of all graphs and the links, in order."""
        rows = [
            (self.number(link.source), self.number(link.target), link.place, link.ambiguous)
            for link in links
        ]
        added = np.asarray(rows, np.int64).reshape(-1, len(EDGE))
        unmoved = np.zeros_like(self.starts)
        moved = (self.starts, self.starts, unmoved, unmoved)
        columns = [
            np.concatenate([self._shifted(name, shifts), added[:, i]])
            for i, (name, shifts) in enumerate(zip(EDGE, moved, strict=True))
        ]
        source, target, place, ambiguous = columns
        order = np.lexsort((place.astype(np.uint64), ambiguous, target, source))
        return {name: column[order] for name, column in zip(EDGE, columns, strict=True)}


class _Imports:
    """The imports of a graph that lead to none of its files, by file and place.

    Those of one kind, a number, name the same in another repository.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        arrays = graph.arrays
        ends = arrays["import_ends"].astype(np.int64)
        outside = np.ones(int(ends[-1]), bool)
        imported = arrays["edge_place"] != USED
        source, place = (arrays[name][imported] for name in ("edge_source", "edge_place"))
        outside[ends[source] + place] = False
        file = np.repeat(np.arange(graph.files), np.diff(ends))
        language = arrays["language"].astype(np.int64)[file]
        known = [name in RESOLVER_OF for name in graph.meta["languages"]]
        (rows,) = np.nonzero(outside & np.asarray(known, bool)[language])
        self._files = file[rows]
        self._places = rows - ends[self._files]
        names = arrays["import_names"][rows]
        wild = [number for number in np.unique(names) if graph.table.word(number) in _WILDCARDS]
        # a wildcard means the names that its file refers to
        own = np.where(np.isin(names, wild), self._files, -1)
        columns = [language[rows], *(arrays[name][rows].astype(np.int64) for name in SAID), own]
        _, kinds = np.unique(np.stack(columns), axis=1, return_inverse=True)
        self._kinds = kinds.ravel()

    def outside(self, files: Collection[int] | None) -> Iterator[tuple[int, int, int]]:
        """Iterate over file, place and kind of the imports of some files (None: of all)."""
        rows = slice(None) if files is None else np.isin(self._files, list(files))
        columns = (self._files, self._places, self._kinds)
        yield from zip(*(column[rows].tolist() for column in columns), strict=True)

    def imported(self, file: int, place: int) -> tuple[Import, frozenset[str]]:
        """Return an import, and the names that its file refers to."""
        row = self._graph.row(file)
        return row.imports[place], row.names


class _Publisher:
    """The resolvers of one repository, made when they are asked."""

    def __init__(self, project: Callable[[], Project]) -> None:
        self._make = project
        self._resolvers: dict[str, Resolver] = {}

    @cached_property
    def _project(self) -> Project:
        return self._make()

    def resolver(self, name: str) -> Resolver:
        if name not in self._resolvers:
            self._resolvers[name] = resolver_class(name)(self._project)
        return self._resolvers[name]
