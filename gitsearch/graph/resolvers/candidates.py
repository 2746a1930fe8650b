"""Candidate files of an import: those with a path suffix, the nearest of them, and their union."""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.tables import grouped, grouped_sets, memoized
from gitsearch.graph.tree_paths import enclosing_folders, is_within

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from gitsearch.graph.project import Project

# Names of sibling folders of one project: src/x.c includes include/x.h.
_SIBLINGS = frozenset(
    {"headers", "inc", "include", "includes", "lib", "lua", "public", "source", "src"}
)
# With more candidates than this nobody can tell them apart, and each import would list them all.
MAX_CANDIDATES = 1000
TOO_MANY = Resolution(unresolved="many-candidates")


def one_of(files: Sequence[int]) -> Resolution:
    """Return a resolved import for a single file, an ambiguous one for several."""
    return Resolution(tuple(files)) if len(files) == 1 else Resolution(ambiguous=tuple(files))


def merged(resolutions: Iterable[Resolution]) -> Resolution:
    """Return the union of several resolutions, with the first reason why one is unresolved.

    A file that one of them resolves to is not ambiguous in the result.
    """
    parts = [part for part in resolutions if any(part)]
    if len(parts) < 2:
        return parts[0] if parts else EXTERNAL
    resolved = dict.fromkeys(file for part in parts for file in part.resolved)
    ambiguous = dict.fromkeys(file for part in parts for file in part.ambiguous)
    unresolved = next((part.unresolved for part in parts if part.unresolved), "")
    remaining = tuple(file for file in ambiguous if file not in resolved)
    return Resolution(tuple(resolved), remaining, unresolved)


class Candidate(NamedTuple):
    """A file that an import may mean, and the search folder that the path starts from."""

    root: str
    number: int


class PathSuffixes:
    """The files of a project by path suffix."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @memoized
    def ending(self, suffix: str) -> list[Candidate]:
        """Return every file whose path is `suffix` or ends with "/" and it."""
        index = self._by_tail if "/" in suffix else self._project.by_name
        paths = self._project.paths
        return [
            Candidate(paths[number][: -len(suffix) - 1], number)
            for number in index.get(last_two_parts(suffix), ())
            if has_suffix(paths[number], suffix)
        ]

    @cached_property
    def _by_tail(self) -> dict[str, list[int]]:
        """The files by the last two parts of their paths."""
        paths = self._project.paths
        return grouped((last_two_parts(path), number) for number, path in enumerate(paths))


def has_suffix(path: str, suffix: str) -> bool:
    """Return True if the last parts of a path are those of `suffix`."""
    return path == suffix or path.endswith("/" + suffix)


def nested_files(project: Project, suffix: str) -> tuple[int, ...]:
    """Return the files whose path ends with "/" and a suffix, in ascending order."""
    files = project.by_name.get(suffix.rpartition("/")[2], ())
    return tuple(file for file in files if project.paths[file].endswith(f"/{suffix}"))


def last_two_parts(path: str) -> str:
    """Return the last two parts of a path, or its only one."""
    folder, slash, name = path.rpartition("/")
    return folder.rpartition("/")[2] + slash + name


def project_folder(root: str) -> str:
    """Return the folder of the project that a search folder belongs to: x for x/src, else x."""
    folder, _, name = root.rpartition("/")
    return folder if name in _SIBLINGS else root


def needs_below(needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Map each folder to the union of what it and its descendants need."""
    pairs = ((folder, root) for folder, roots in needs.items() for root in roots)
    return grouped_sets(
        (outer, root) for folder, root in pairs for outer in enclosing_folders(folder)
    )


def nearest_candidates(
    folder: str, candidates: Sequence[Candidate], within: Mapping[str, Container[str]]
) -> Sequence[Candidate]:
    """Return the candidates preferred for an importer in a folder, all of them if none is.

    The folder and its ancestors are tried in turn. Preferred are candidates whose root some file
    below the folder needs (`within`), then those of the folder's own project, then those below the
    folder.
    """
    if len(candidates) < 2:
        return candidates
    for ancestor in enclosing_folders(folder):
        needed = within.get(ancestor, ())
        chosen = (
            [file for file in candidates if file.root in needed]
            or [file for file in candidates if project_folder(file.root) == ancestor]
            or [file for file in candidates if ancestor and is_within(file.root, ancestor)]
        )
        if chosen:
            return chosen
    return candidates


def most_shared_folders(path: str, files: Sequence[int], paths: Sequence[str]) -> list[int]:
    """Return those of some files that have the longest common folder prefix with a path."""
    depths = [_common_depth(path, paths[file]) for file in files]
    deepest = max(depths, default=0)
    return [file for file, depth in zip(files, depths, strict=True) if depth == deepest]


def _common_depth(path: str, other: str) -> int:
    """Return the number of leading folders that two paths have in common."""
    folders = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], folders))
