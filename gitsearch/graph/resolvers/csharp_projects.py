"""The MSBuild and Unity projects that C# files belong to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import Resolution
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    nearest,
    relative_path_in_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project

_PROJECTS = (".csproj", ".shproj", ".asmdef")
# Settings that apply to every project below their folder.
SHARED_SETTINGS = frozenset({"Directory.Build.props", "Directory.Build.targets"})
_ITEM = re.compile(
    r"""<(ProjectReference|Using|Compile|Import)\s[^<>]{0,500}?\b"""
    r"""(Include|Remove|Project)\s*=\s*["']([^"']{1,500})["']"""
)
_VARIABLE = re.compile(r"\$\((?:MSBuildThisFileDirectory|MSBuildProjectDirectory)\)/?")


class ProjectItems(NamedTuple):
    """The items of the project files of a folder.

    references: folders of referenced projects; links and removed: files or folders that it
    compiles or excludes; usings: namespaces that are opened in all of its files.
    """

    references: list[str]
    links: list[str]
    removed: list[str]
    usings: list[str]


class CompilationGroups(NamedTuple):
    """Several files that declare one name, by the projects that compile them.

    without_project: the resolution for a file that is in no project; ambiguous: for a file whose
    project references none of them.
    """

    candidates: Sequence[int]
    by_project: dict[str, list[int]]
    without_project: Resolution
    ambiguous: Resolution


class MsbuildProjects:
    """The projects that each file belongs to, and the projects that these reference."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._items: dict[str, ProjectItems] = {}
        self._linked: dict[str, set[str]] = {}
        self._removed: dict[str, set[str]] = {}
        # By the identity of the list of candidates, which the value keeps alive.
        self._groups: dict[int, CompilationGroups] = {}
        self._projects_of_folder: dict[str, frozenset[str]] = {}
        self._references: dict[str, frozenset[str]] = {}
        projects = [path for path in project.paths if path.endswith(_PROJECTS)]
        by_name = {path.rpartition("/")[2]: path for path in projects}
        # All settings files that were read.
        self.files: set[str] = set()
        for path in projects:
            folder = folder_of(path)
            items = self._items.setdefault(folder, ProjectItems([], [], [], []))
            todo = [path, *self._shared_settings(folder)]
            for settings in todo:
                todo += sorted(set(self._read(settings, items, by_name)).difference(todo))
            self.files.update(todo)
            for table, paths in ((self._linked, items.links), (self._removed, items.removed)):
                for item in paths:
                    table.setdefault(item, set()).add(folder)

    def choose(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Choose among several files that declare a name for a file that uses it.

        The choice is all that are compiled with the file, being parts of one type; else those in
        projects that its projects reference.
        """
        same_project = self.compiled_with(file, candidates)
        if same_project:
            return Resolution(same_project)
        groups = self._groups[id(candidates)]
        projects = self.projects_of(self._project.paths[file])
        references = frozenset().union(*(self._all_references(project) for project in projects))
        referenced = _files_in(groups.by_project, references)
        if not referenced:
            return groups.ambiguous if projects else groups.without_project
        units = {self.compilation_units(self._project.paths[other]) for other in referenced}
        return Resolution(referenced) if len(units) == 1 else Resolution(ambiguous=referenced)

    def compiled_with(self, file: int, candidates: Sequence[int]) -> tuple[int, ...]:
        """Return those of some files that are compiled with another file."""
        if id(candidates) not in self._groups:
            self._groups[id(candidates)] = self._group(candidates)
        units = self.compilation_units(self._project.paths[file])
        return _files_in(self._groups[id(candidates)].by_project, units)

    def _group(self, candidates: Sequence[int]) -> CompilationGroups:
        by_project: dict[str, list[int]] = {}
        units = [self.compilation_units(self._project.paths[file]) for file in candidates]
        for file, projects in zip(candidates, units, strict=True):
            for project in projects:
                by_project.setdefault(project, []).append(file)
        ambiguous = Resolution(ambiguous=tuple(candidates))
        without_project = Resolution(tuple(candidates)) if len(set(units)) == 1 else ambiguous
        return CompilationGroups(candidates, by_project, without_project, ambiguous)

    def projects_of(self, path: str) -> frozenset[str]:
        """Return the folders of the projects that a file belongs to."""
        folder = folder_of(path)
        if folder not in self._projects_of_folder:
            nearest_project = nearest(folder, self._items)
            folders = set() if nearest_project is None else {nearest_project}
            for ancestor in reversed([*enclosing_folders(folder)]):
                folders |= self._linked.get(ancestor, set())
                folders -= self._removed.get(ancestor, set())
            self._projects_of_folder[folder] = frozenset(folders)
        projects = self._projects_of_folder[folder]
        if path in self._linked or path in self._removed:
            projects = (projects | self._linked.get(path, set())) - self._removed.get(path, set())
        return projects

    def compilation_units(self, path: str) -> frozenset[str]:
        """Return the projects of a file; for a file without one, its folder with a slash."""
        return self.projects_of(path) or frozenset((folder_of(path) + "/",))

    def usings(self, path: str) -> Iterator[str]:
        """Yield the namespaces that the projects of a file open in all of their files."""
        for project in sorted(self.projects_of(path)):
            yield from self._items[project].usings

    def _all_references(self, project: str) -> frozenset[str]:
        """Return the folders of the projects that a project references, transitively."""
        if project not in self._references:
            references: set[str] = set()
            todo = [project]
            while todo:
                for other in self._items[todo.pop()].references:
                    if other not in references:
                        references.add(other)
                        todo.append(other)
            self._references[project] = frozenset(references)
        return self._references[project]

    def _shared_settings(self, folder: str) -> Iterator[str]:
        """Yield the paths of the shared settings that would apply to a project in a folder."""
        for ancestor in enclosing_folders(folder):
            for name in sorted(SHARED_SETTINGS):
                yield joined(ancestor, name)

    def _read(self, path: str, items: ProjectItems, by_name: dict[str, str]) -> Iterator[str]:
        """Add the items of a project file to `items`; yield the project files that it imports."""
        folder = folder_of(path)
        for kind, attribute, value in _ITEM.findall(self._project.text(path) or ""):
            if kind == "Using":
                items.usings.append(value)
                continue
            for part in value.split(";"):
                target = _project_path(folder, part)
                if kind == "ProjectReference":
                    referenced = target if target in self._project.number else ""
                    referenced = referenced or by_name.get(target.rpartition("/")[2], "")
                    if referenced.endswith(_PROJECTS):
                        items.references.append(folder_of(referenced))
                elif kind == "Compile" and target:
                    (items.removed if attribute == "Remove" else items.links).append(target)
                elif kind == "Import" and target in self._project.number:
                    yield target


def _project_path(folder: str, value: str) -> str:
    """Return a path in a project file as a path in the tree; "" if it is outside.

    A path with a wildcard is cut to the folder before the wildcard.
    """
    value = _VARIABLE.sub("", value.strip().replace("\\", "/"))
    if "*" in value:
        value = value.partition("*")[0].rpartition("/")[0]
    return relative_path_in_tree(folder, value) or ""


def _files_in(by_project: dict[str, list[int]], projects: frozenset[str]) -> tuple[int, ...]:
    """Return the files that some projects compile, in ascending order."""
    return tuple(sorted({file for project in projects for file in by_project.get(project, ())}))
