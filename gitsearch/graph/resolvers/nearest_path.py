"""Which of several files that end alike is meant: that of a folder used nearby, or the nearest."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import Resolution

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from gitsearch.graph.project import Project

# Folders beside each other in one project: src/x.c includes include/x.h.
_BESIDE = frozenset(
    {"headers", "inc", "include", "includes", "lib", "lua", "public", "source", "src"}
)

# More files than this that end alike nobody tells apart, and each import would list them all.
MANY = 1000
TOO_MANY = Resolution(unseen="many-candidates")


class Candidate(NamedTuple):
    """A file that an import may mean: the folder that its specifier would start from."""

    root: str
    number: int


class PathSuffixes:
    """The files of a project by how their paths end."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._kept: dict[str, list[Candidate]] = {}

    def ending(self, end: str) -> list[Candidate]:
        """Every file whose path is this or ends with it."""
        if end not in self._kept:
            self._kept[end] = self._found(end)
        return self._kept[end]

    def _found(self, end: str) -> list[Candidate]:
        tail = _tail(end)
        known = self._by_tail if "/" in end else self._project.by_name
        paths = self._project.paths
        return [
            Candidate(paths[number][: -len(end) - 1], number)
            for number in known.get(tail, ())
            if ends(paths[number], end)
        ]

    @cached_property
    def _by_tail(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, path in enumerate(self._project.paths):
            found.setdefault(_tail(path), []).append(number)
        return found


def ends(path: str, end: str) -> bool:
    """Whether a path is another or ends with it."""
    return path == end or path.endswith("/" + end)


def _tail(path: str) -> str:
    """The last two parts of a path, or the only one."""
    folder, slash, name = path.rpartition("/")
    return folder.rpartition("/")[2] + slash + name


def above(folder: str) -> Iterator[str]:
    """A folder and those that it lies in, the root last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def inside(folder: str, outer: str) -> bool:
    """Whether a folder is another or lies in it."""
    return not outer or folder == outer or folder.startswith(outer + "/")


def home(root: str) -> str:
    """The folder of the project that a folder to start from belongs to."""
    folder, _, name = root.rpartition("/")
    return folder if name in _BESIDE else root


def spread(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What is needed in each folder, to what is needed anywhere below it."""
    found: dict[str, set[str]] = {}
    for folder, roots in needs.items():
        for one in above(folder):
            found.setdefault(one, set()).update(roots)
    return found


def narrowed(
    folder: str, candidates: Sequence[Candidate], within: Mapping[str, Container[str]]
) -> Sequence[Candidate]:
    """Those among several that the files around a folder need (`within`), or that are near it."""
    if len(candidates) < 2:
        return candidates
    for place in above(folder):
        needed = within.get(place, ())
        chosen = (
            [one for one in candidates if one.root in needed]
            or [one for one in candidates if home(one.root) == place]
            or [one for one in candidates if place and inside(one.root, place)]
        )
        if chosen:
            return chosen
    return candidates
