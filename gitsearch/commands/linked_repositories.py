"""The graphs of several repositories with the packages that they import from each other."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from gitsearch.graph.graph_builder import project_of, source_of
from gitsearch.graph.linked_graphs import FileOf, LinkedGraphs
from gitsearch.graph.name_users import FileTexts, NameUsers
from gitsearch.reports.lookup import ImportedPackage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.linked_graphs import Link
    from gitsearch.graph.project import Project, Published


class LinkedRepositories:
    """Opened trees of repositories, each with its name; None for the only one."""

    def __init__(self, repositories: Sequence[tuple[str | None, CodeGraph]]) -> None:
        self.names = [name for name, _ in repositories]
        self.code_graphs = [code_graph for _, code_graph in repositories]
        self.links: list[Link] = []
        projects = [partial(_project, code_graph) for code_graph in self.code_graphs]
        self.linked = LinkedGraphs([one.graph for one in self.code_graphs], projects)

    @cached_property
    def graph(self) -> Graph:
        """The joint graph; all links must be there when it is first asked for."""
        return self.linked.joined(self.links)

    @cached_property
    def users(self) -> NameUsers:
        """The files of all repositories that use a name."""
        return NameUsers(self.graph, _Words(self), self.texts)

    @cached_property
    def texts(self) -> FileTexts:
        """The texts of all files."""
        return _Texts(self)

    def path(self, place: FileOf) -> str:
        """Return the path of a file in its repository."""
        return self.code_graphs[place.repository].path(place.file)

    def shown(self, number: int) -> str:
        """Return the path of a file of the joint graph, after its repository if there are many."""
        place = self.linked.place(number)
        name = self.names[place.repository]
        return self.path(place) if name is None else f"{name}:{self.path(place)}"

    def package(self, source: FileOf, target: int) -> ImportedPackage | None:
        """Return the package by which a file, or another of its repository, reaches a repository.

        None within one repository.
        """
        if source.repository == target:
            return None
        packages = self._packages
        package = packages.get((source, target)) or packages[source.repository, target]
        return ImportedPackage(package.name, package.manifest, self.names[target])

    @cached_property
    def _packages(self) -> dict[tuple[FileOf | int, int], Published]:
        """The package of the first link from each file, and from each repository, to another."""
        packages: dict[tuple[FileOf | int, int], Published] = {}
        for link in self.links:
            source, target = link.source, link.target.repository
            packages.setdefault((source, target), link.package)
            packages.setdefault((source.repository, target), link.package)
        return packages


def _project(code_graph: CodeGraph) -> Project:
    return project_of(code_graph.graph, source_of(code_graph.opened))


class _Words:
    """The words of all files."""

    def __init__(self, repositories: LinkedRepositories) -> None:
        self._repositories = repositories

    def paths_with(self, name: str) -> set[bytes]:
        """Return the joint paths of the files with the words of a name."""
        each = enumerate(self._repositories.code_graphs)
        joined_path = self._repositories.linked.joined_path
        return {joined_path(i, path) for i, one in each for path in one.words.paths_with(name)}


class _Texts(FileTexts):
    """The texts of the files of the joint graph, each from its repository."""

    def __init__(self, repositories: LinkedRepositories) -> None:
        self._repositories = repositories

    def read(self, files: Sequence[int]) -> dict[int, bytes]:
        """Return the contents of files by number; what a clone lacks is empty."""
        places = {file: self._repositories.linked.place(file) for file in files}
        texts: dict[FileOf, bytes] = {}
        for i, code_graph in enumerate(self._repositories.code_graphs):
            own = [place.file for place in places.values() if place.repository == i]
            read = code_graph.texts.read(own)
            texts.update((FileOf(i, file), text) for file, text in read.items())
        return {file: texts[place] for file, place in places.items()}
