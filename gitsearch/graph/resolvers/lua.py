"""Lua: `require` of modules, and files that are run by path.

The module search path is a setting of the program that runs the code (`package.path`), so it is
inferred from the tree: the folders that are the only candidate for several modules.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import (
    MAX_CANDIDATES,
    TOO_MANY,
    Candidate,
    PathSuffixes,
    nearest_candidates,
    needs_below,
    one_of,
    project_folder,
)
from gitsearch.graph.resolvers.tables import grouped_sets, imports_of_kind, memoized
from gitsearch.graph.tree_paths import folder_of, is_within, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Conventional names of search folders in some programs: nvim, LuaRocks, many games.
_CONVENTIONAL = frozenset({"", "lua", "src", "lib"})
# A module is the file of its name, or the init.lua of a folder of its name.
_FILE_SUFFIXES = (".lua", "/init.lua")


class Lua(Resolver):
    """Resolves the arguments of `require`, `dofile` and `loadfile`."""

    languages = frozenset({"lua"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._suffixes = PathSuffixes(project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the file of a module or of a path."""
        if imported.kind == "dynamic":
            return Resolution(unresolved="dynamic-import")
        folder = folder_of(self.project.paths[file])
        resolve = self._module if imported.kind == "require" else self._file
        return resolve(folder, imported.specifier)

    def depends_on(self) -> Iterator[str]:
        """Yield the paths of Lua files and the inferred search path."""
        yield from super().depends_on()
        shared_roots, within = self._search_path
        yield "\n".join(sorted(shared_roots))
        for folder, roots in sorted(within.items()):
            yield "\n".join([folder, *sorted(roots)])

    @memoized
    def _module(self, folder: str, specifier: str) -> Resolution:
        """Resolve `a.b` to a/b.lua or a/b/init.lua below a search folder."""
        shared_roots, within = self._search_path
        matches = self._candidates(specifier)
        if len(matches) > MAX_CANDIDATES:
            return TOO_MANY
        candidates = [
            candidate
            for candidate in matches
            if candidate.root in shared_roots
            or _is_conventional(folder, candidate.root)
            or is_within(folder, candidate.root)
        ]
        nearest = nearest_candidates(folder, candidates, within)
        return one_of(tuple(dict.fromkeys(candidate.number for candidate in nearest)))

    @memoized
    def _candidates(self, specifier: str) -> Sequence[Candidate]:
        """Return the files that a module may be, one for each search folder."""
        path = posixpath.normpath(specifier.replace(".", "/").strip("/ "))
        by_root: dict[str, Candidate] = {}
        for suffix in _FILE_SUFFIXES if path != "." else ():
            for candidate in self._suffixes.ending(path + suffix):
                by_root.setdefault(candidate.root, candidate)
        return list(by_root.values())

    @cached_property
    def _search_path(self) -> tuple[set[str], dict[str, set[str]]]:
        """The folders that are the only candidate for two or more modules.

        The second value has, for each folder, those that files below it need.
        """
        unique: dict[str, str] = {}
        needed: set[tuple[str, str]] = set()
        for file, imported in imports_of_kind(self.project, self.languages, "require"):
            candidates = self._candidates(imported.specifier)
            if len(candidates) == 1:
                root = unique[imported.specifier] = candidates[0].root
                needed.add((folder_of(self.project.paths[file]), root))
        shared_roots = {root for root, times in Counter(unique.values()).items() if times > 1}
        needs = grouped_sets(
            (folder, root)
            for folder, root in needed
            if root in shared_roots or _is_conventional(folder, root)
        )
        return shared_roots, needs_below(needs)

    def _file(self, folder: str, specifier: str) -> Resolution:
        """Resolve a path against the root, a common working folder, and the file's folder."""
        path = specifier.replace("\\", "/")
        if path.startswith(("/", "~")):
            return EXTERNAL
        paths = dict.fromkeys(normalized(start, path) for start in ("", folder))
        return one_of([self.project.number[path] for path in paths if path in self.project.number])


def _is_conventional(folder: str, root: str) -> bool:
    """Return True if a root in the project of a folder has a conventional name."""
    return root.rpartition("/")[2] in _CONVENTIONAL and is_within(folder, project_folder(root))
