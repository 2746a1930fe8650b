"""Lua: `require` of modules, and files that are run by their path.

Where modules start from is a setting of the program that runs (`package.path`), so it is learned
from the tree: folders that several modules can only start from.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.nearest_path import (
    MANY,
    TOO_MANY,
    Candidate,
    PathSuffixes,
    home,
    inside,
    narrowed,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Folders that modules start from by the custom of some program: nvim, LuaRocks, many games.
_NAMED = frozenset({"", "lua", "src", "lib"})

# A module is the file of its name, or the first of a folder of its name.
_FORMS = (".lua", "/init.lua")


class Lua(Resolver):
    """Resolves what `require`, `dofile` and `loadfile` name."""

    languages = frozenset({"lua"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._endings = PathSuffixes(project)
        self._modules: dict[str, tuple[Candidate, ...]] = {}
        self._kept: dict[tuple[str, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import of a file leads."""
        if imported.kind == "dynamic":
            return Resolution(unseen="dynamic-import")
        folder = self.project.paths[file].rpartition("/")[0]
        key = (folder, imported.kind, imported.specifier)
        if key not in self._kept:
            found = self._module if imported.kind == "require" else self._run
            self._kept[key] = found(folder, imported.specifier)
        return self._kept[key]

    def depends_on(self) -> Iterator[str]:
        """Paths of the family and the folders that modules start from."""
        yield from super().depends_on()
        known, within = self._learned
        yield "\n".join(sorted(known))
        for folder, roots in sorted(within.items()):
            yield "\n".join([folder, *sorted(roots)])

    def _module(self, folder: str, specifier: str) -> Resolution:
        """`a.b` is a/b.lua or a/b/init.lua in a folder that modules start from."""
        known, within = self._learned
        every = self._candidates(specifier)
        if len(every) > MANY:
            return TOO_MANY
        candidates = [
            one
            for one in every
            if one.root in known or _beside(folder, one.root) or inside(folder, one.root)
        ]
        return _found(narrowed(folder, candidates, within))

    def _candidates(self, specifier: str) -> tuple[Candidate, ...]:
        """The files that a module may be, one for each folder that it may start from."""
        if specifier not in self._modules:
            path = posixpath.normpath(specifier.replace(".", "/").strip("/ "))
            self._modules[specifier] = tuple(self._ending(path)) if path != "." else ()
        return self._modules[specifier]

    def _ending(self, path: str) -> Iterator[Candidate]:
        roots = set()
        for form in _FORMS:
            for one in self._endings.ending(path + form):
                if one.root not in roots:
                    roots.add(one.root)
                    yield one

    @cached_property
    def _learned(self) -> tuple[set[str], dict[str, set[str]]]:
        """Folders that several modules can only start from, and who needs them."""
        only: dict[str, str] = {}
        session: dict[str, set[str]] = {}
        for file in self.project.of(self.languages):
            folder = self.project.paths[file].rpartition("/")[0]
            for imported in self.project.facts(file).imports:
                if imported.kind == "require":
                    found = self._candidates(imported.specifier)
                    if len(found) == 1:
                        only[imported.specifier] = found[0].root
                        session.setdefault(imported.specifier, set()).add(folder)
        known = {root for root, times in Counter(only.values()).items() if times > 1}
        needs: dict[str, set[str]] = {}
        for specifier, root in only.items():
            for folder in session[specifier]:
                if root in known or _beside(folder, root):
                    needs.setdefault(folder, set()).add(root)
        return known, spread(needs)

    def _run(self, folder: str, specifier: str) -> Resolution:
        """A path is taken from the folder that the program runs in, often the root."""
        path = specifier.replace("\\", "/")
        if path.startswith(("/", "~")):
            return EXTERNAL
        places = dict.fromkeys(("", folder))
        numbers = (self._at(place, path) for place in places)
        return _found([Candidate("", number) for number in numbers if number is not None])

    def _at(self, folder: str, path: str) -> int | None:
        return self.project.number.get(posixpath.normpath(posixpath.join(folder, path)))


def _beside(folder: str, root: str) -> bool:
    """Whether modules start from a root by custom, seen from the project that it belongs to."""
    return root.rpartition("/")[2] in _NAMED and inside(folder, home(root))


def _found(candidates: Sequence[Candidate]) -> Resolution:
    numbers = tuple(dict.fromkeys(one.number for one in candidates))
    return Resolution(resolved=numbers) if len(numbers) == 1 else Resolution(ambiguous=numbers)
