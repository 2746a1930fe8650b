"""The projects that C# files belong to, by the project files of MSBuild."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import Resolution
from gitsearch.graph.resolvers.qualified_names import above

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project

_PROJECTS = (".csproj", ".shproj", ".asmdef")
# What these say holds for every project below their folder.
SHARED = frozenset({"Directory.Build.props", "Directory.Build.targets"})
_ITEM = re.compile(
    r"""<(ProjectReference|Using|Compile|Import)\s[^<>]{0,500}?\b"""
    r"""(Include|Remove|Project)\s*=\s*["']([^"']{1,500})["']"""
)
_VARIABLE = re.compile(r"\$\((?:MSBuildThisFileDirectory|MSBuildProjectDirectory)\)/?")


class Items(NamedTuple):
    """What a project file says: projects, files or folders that it takes or not, namespaces."""

    references: list[str]
    links: list[str]
    removed: list[str]
    usings: list[str]


class Choice(NamedTuple):
    """Several files that declare one name, by what they are compiled with.

    likely: what holds for a file that is in no project; ambiguous: for one whose project sees
    none of them.
    """

    candidates: Sequence[int]
    by_home: dict[str, list[int]]
    likely: Resolution
    ambiguous: Resolution


class MsbuildProjects:
    """Which projects a file belongs to, and what these see."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._folders: dict[str, Items] = {}
        self._linked: dict[str, set[str]] = {}
        self._removed: dict[str, set[str]] = {}
        # By the identity of the list that is chosen from, which is kept alive.
        self._choices: dict[int, Choice] = {}
        self._homes: dict[str, frozenset[str]] = {}
        self._seen: dict[str, frozenset[str]] = {}
        projects = [path for path in project.paths if path.endswith(_PROJECTS)]
        by_name = {path.rpartition("/")[2]: path for path in projects}
        # Everything that was read.
        self.files: set[str] = set()
        for path in projects:
            folder = path.rpartition("/")[0]
            items = self._folders.setdefault(folder, Items([], [], [], []))
            todo = [path, *self._shared(folder)]
            for one in todo:
                todo += sorted(set(self._read(one, items, by_name)).difference(todo))
            self.files.update(todo)
            for table, paths in ((self._linked, items.links), (self._removed, items.removed)):
                for one in paths:
                    table.setdefault(one, set()).add(folder)

    def meant(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Of several files that declare a name, those in the project of the one that uses it.

        All of them there are meant, being parts of one type; else those in projects it refers to.
        """
        own = self.together(file, candidates)
        if own:
            return Resolution(own)
        choice = self._choices[id(candidates)]
        homes = self.homes(self._project.paths[file])
        near = _found(choice.by_home, frozenset().union(*(self._sees(home) for home in homes)))
        if not near:
            return choice.ambiguous if homes else choice.likely
        one = len({self.whole(self._project.paths[other]) for other in near}) == 1
        return Resolution(near) if one else Resolution(ambiguous=near)

    def together(self, file: int, candidates: Sequence[int]) -> tuple[int, ...]:
        """Those of some files that are compiled with another one."""
        if id(candidates) not in self._choices:
            self._choices[id(candidates)] = self._choice(candidates)
        whole = self.whole(self._project.paths[file])
        return _found(self._choices[id(candidates)].by_home, whole)

    def _choice(self, candidates: Sequence[int]) -> Choice:
        by_home: dict[str, list[int]] = {}
        wholes = [self.whole(self._project.paths[one]) for one in candidates]
        for one, homes in zip(candidates, wholes, strict=True):
            for home in homes:
                by_home.setdefault(home, []).append(one)
        ambiguous = Resolution(ambiguous=tuple(candidates))
        likely = Resolution(tuple(candidates)) if len(set(wholes)) == 1 else ambiguous
        return Choice(candidates, by_home, likely, ambiguous)

    def homes(self, path: str) -> frozenset[str]:
        """The folders of the projects that a file belongs to."""
        folder = path.rpartition("/")[0]
        if folder not in self._homes:
            found: set[str] = set()
            outer = [*above(path)]
            nearest = next((one for one in outer if one in self._folders), None)
            found.update(() if nearest is None else (nearest,))
            for one in reversed(outer):
                found |= self._linked.get(one, set())
                found -= self._removed.get(one, set())
            self._homes[folder] = frozenset(found)
        homes = self._homes[folder]
        if path in self._linked or path in self._removed:
            homes = (homes | self._linked.get(path, set())) - self._removed.get(path, set())
        return homes

    def whole(self, path: str) -> frozenset[str]:
        """What is compiled with a file: its projects, or where it has none its folder."""
        return self.homes(path) or frozenset((path.rpartition("/")[0] + "/",))

    def usings(self, path: str) -> Iterator[str]:
        """The namespaces that the projects of a file open in all of their files."""
        for home in sorted(self.homes(path)):
            yield from self._folders[home].usings

    def _sees(self, home: str) -> frozenset[str]:
        """The folders of the projects that one refers to, also by way of others."""
        if home not in self._seen:
            found: set[str] = set()
            todo = [home]
            while todo:
                for other in self._folders[todo.pop()].references:
                    if other not in found:
                        found.add(other)
                        todo.append(other)
            self._seen[home] = frozenset(found)
        return self._seen[home]

    def _shared(self, folder: str) -> Iterator[str]:
        for one in above(f"{folder}/"):
            for name in sorted(SHARED):
                yield f"{one}/{name}" if one else name

    def _read(self, path: str, items: Items, by_name: dict[str, str]) -> Iterator[str]:
        """Add what a project file says to `items`; yields the files that it includes itself."""
        base = path.rpartition("/")[0]
        for kind, how, value in _ITEM.findall(self._project.text(path) or ""):
            if kind == "Using":
                items.usings.append(value)
                continue
            for part in value.split(";"):
                target = _normal(base, part)
                if kind == "ProjectReference":
                    known = target if target in self._project.number else ""
                    known = known or by_name.get(target.rpartition("/")[2], "")
                    if known.endswith(_PROJECTS):
                        items.references.append(known.rpartition("/")[0])
                elif kind == "Compile" and target:
                    (items.removed if how == "Remove" else items.links).append(target)
                elif kind == "Import" and target in self._project.number:
                    yield target


def _normal(base: str, value: str) -> str:
    """A path in a project file from the root; of a pattern the folder, "" for what is outside."""
    value = _VARIABLE.sub("", value.strip().replace("\\", "/"))
    if "*" in value:
        value = value.partition("*")[0].rpartition("/")[0]
    path = posixpath.normpath(posixpath.join(base, value))
    return "" if path.startswith(("..", "/")) or path == "." else path


def _found(by_home: dict[str, list[int]], homes: frozenset[str]) -> tuple[int, ...]:
    """The files in some projects, each once."""
    return tuple(sorted({one for home in homes for one in by_home.get(home, ())}))
