"""Haskell: modules by the names that their headers say, in the packages that are in sight."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.qualified_names import shared_folders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_PACKAGE = "package.yaml"
_CABAL = ".cabal"
_WORD = re.compile(r"[\w-]+")


class Haskell(Resolver):
    """An import names a module; several packages of a tree may have one of that name."""

    languages: ClassVar[frozenset[str]] = frozenset({"haskell"})
    settings: ClassVar[frozenset[str]] = frozenset({_PACKAGE})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._words: dict[str, frozenset[str]] = {}
        self._homes: dict[str, str] = {}

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """The files of each module."""
        found: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            found.setdefault(self._name(file), []).append(file)
        return found

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """The files that describe the package of each folder."""
        found: dict[str, list[str]] = {}
        for path in self.project.paths:
            if path.endswith((_CABAL, _PACKAGE)):
                found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def resolve(self, file: int, imported: Import) -> Resolution:
        """To the module in the same package, or in one that this depends on."""
        if imported.kind == "module":
            return EXTERNAL
        files = self.modules.get("".join(imported.specifier.split()), [])
        if len(files) < 2:
            return Resolution(tuple(files))
        path, paths = self.project.paths[file], self.project.paths
        home = self._home(path)
        near = [one for one in files if self._home(paths[one]) == home]
        near = near or [one for one in files if self._needs(home, self._home(paths[one]))] or files
        shared = {one: shared_folders(path, paths[one]) for one in near}
        best = [one for one in near if shared[one] == max(shared.values())]
        # What shares more folders is of the same part of the package: its tests, its library.
        return (
            Resolution(tuple(best))
            if len(best) == 1 and home
            else Resolution(ambiguous=tuple(best))
        )

    def depends_on(self) -> Iterator[str]:
        """What the modules are called; what the packages say."""
        yield from super().depends_on()
        for paths in self.packages.values():
            yield from (f"{path}\n{self.project.text(path)}" for path in paths)
        for name in self.modules:
            yield from (f"{self.project.paths[file]}\n{name}" for file in self.modules[name])

    def _name(self, file: int) -> str:
        """What a module is called: by its header, or else by its path."""
        for one in self.project.facts(file).imports:
            if one.kind == "module":
                return "".join(one.specifier.split())
        parts = self.project.paths[file].rpartition(".")[0].split("/")
        start = len(parts)
        while start and parts[start - 1][:1].isupper():
            start -= 1
        return ".".join(parts[start:]) or "Main"

    def _home(self, path: str) -> str:
        """The nearest folder above a file that is a package, with a slash behind it, or ""."""
        folder = first = path.rpartition("/")[0]
        if first not in self._homes:
            while folder and folder not in self.packages:
                folder = folder.rpartition("/")[0]
            self._homes[first] = f"{folder}/" if folder in self.packages else ""
        return self._homes[first]

    def _needs(self, home: str, other: str) -> bool:
        """Whether one package mentions another."""
        if home not in self._words:
            texts = [self.project.text(path) or "" for path in self.packages.get(home[:-1], ())]
            self._words[home] = frozenset(word for text in texts for word in _WORD.findall(text))
        files = self.packages.get(other[:-1], ())
        names = {path.rpartition("/")[2].removesuffix(_CABAL) for path in files}
        return bool(self._words[home] & (names | {other.rpartition("/")[0].rpartition("/")[2]}))
