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
from gitsearch.graph.resolvers.nearest_path import (
    MAX_CANDIDATES,
    TOO_MANY,
    Candidate,
    PathSuffixes,
    nearest_candidates,
    needs_below,
    project_folder,
)
from gitsearch.graph.resolvers.resolutions import one_of
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
        self._modules: dict[str, tuple[Candidate, ...]] = {}
        self._resolutions: dict[tuple[str, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the file of a module or of a path."""
        if imported.kind == "dynamic":
            return Resolution(unresolved="dynamic-import")
        folder = folder_of(self.project.paths[file])
        key = (folder, imported.kind, imported.specifier)
        if key not in self._resolutions:
            resolve = self._module if imported.kind == "require" else self._file
            self._resolutions[key] = resolve(folder, imported.specifier)
        return self._resolutions[key]

    def depends_on(self) -> Iterator[str]:
        """Yield the paths of Lua files and the inferred search path."""
        yield from super().depends_on()
        shared_roots, within = self._search_path
        yield "\n".join(sorted(shared_roots))
        for folder, roots in sorted(within.items()):
            yield "\n".join([folder, *sorted(roots)])

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
        return _resolution(nearest_candidates(folder, candidates, within))

    def _candidates(self, specifier: str) -> tuple[Candidate, ...]:
        """Return the files that a module may be, one for each search folder."""
        if specifier not in self._modules:
            path = posixpath.normpath(specifier.replace(".", "/").strip("/ "))
            self._modules[specifier] = tuple(self._search(path)) if path != "." else ()
        return self._modules[specifier]

    def _search(self, path: str) -> Iterator[Candidate]:
        roots = set()
        for suffix in _FILE_SUFFIXES:
            for candidate in self._suffixes.ending(path + suffix):
                if candidate.root not in roots:
                    roots.add(candidate.root)
                    yield candidate

    @cached_property
    def _search_path(self) -> tuple[set[str], dict[str, set[str]]]:
        """Infer the search path of a tree.

        Returns the folders that are the only candidate for two or more modules, and for each
        folder those that files below it need.
        """
        unique: dict[str, str] = {}
        importing_folders: dict[str, set[str]] = {}
        for file in self.project.of(self.languages):
            folder = folder_of(self.project.paths[file])
            for imported in self.project.facts(file).imports:
                if imported.kind == "require":
                    candidates = self._candidates(imported.specifier)
                    if len(candidates) == 1:
                        unique[imported.specifier] = candidates[0].root
                        importing_folders.setdefault(imported.specifier, set()).add(folder)
        shared_roots = {root for root, times in Counter(unique.values()).items() if times > 1}
        needs: dict[str, set[str]] = {}
        for specifier, root in unique.items():
            for folder in importing_folders[specifier]:
                if root in shared_roots or _is_conventional(folder, root):
                    needs.setdefault(folder, set()).add(root)
        return shared_roots, needs_below(needs)

    def _file(self, folder: str, specifier: str) -> Resolution:
        """Resolve a path against the root, a common working folder, and the file's folder."""
        path = specifier.replace("\\", "/")
        if path.startswith(("/", "~")):
            return EXTERNAL
        folders = dict.fromkeys(("", folder))
        numbers = (self._at(start, path) for start in folders)
        return _resolution([Candidate("", number) for number in numbers if number is not None])

    def _at(self, folder: str, path: str) -> int | None:
        return self.project.number.get(normalized(folder, path))


def _is_conventional(folder: str, root: str) -> bool:
    """Return True if a root in the project of a folder has a conventional name."""
    return root.rpartition("/")[2] in _CONVENTIONAL and is_within(folder, project_folder(root))


def _resolution(candidates: Sequence[Candidate]) -> Resolution:
    return one_of(tuple(dict.fromkeys(candidate.number for candidate in candidates)))
