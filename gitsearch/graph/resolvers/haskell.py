"""Haskell: modules by the names in their headers, preferring the importer's package."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.nearest_path import most_shared_folders
from gitsearch.graph.resolvers.resolutions import one_of
from gitsearch.graph.tree_paths import folder_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_PACKAGE = "package.yaml"
_CABAL = ".cabal"
_WORD = re.compile(r"[\w-]+")


class Haskell(Resolver):
    """An import names a module; several packages of a tree may have a module of that name."""

    languages: ClassVar[frozenset[str]] = frozenset({"haskell"})
    settings: ClassVar[frozenset[str]] = frozenset({_PACKAGE})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._words: dict[str, frozenset[str]] = {}
        self._packages_of_folders: dict[str, str] = {}

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """The files by module name."""
        files: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            files.setdefault(self._module_name(file), []).append(file)
        return files

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """The package description files by folder."""
        descriptions: dict[str, list[str]] = {}
        for path in self.project.paths:
            if path.endswith((_CABAL, _PACKAGE)):
                descriptions.setdefault(folder_of(path), []).append(path)
        return descriptions

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the module in the importer's package, or in a package that it depends on."""
        if imported.kind == "module":
            return EXTERNAL
        files = self.modules.get("".join(imported.specifier.split()), [])
        if len(files) < 2:
            return Resolution(tuple(files))
        paths = self.project.paths
        package = self._package_of(paths[file])
        packages = {other: self._package_of(paths[other]) for other in files}
        candidates = (
            [other for other in files if packages[other] == package]
            or [other for other in files if self._mentions(package, packages[other])]
            or files
        )
        # A longer common prefix means the same part of the package: its tests, its library.
        closest = most_shared_folders(paths[file], candidates, paths)
        return one_of(closest) if package else Resolution(ambiguous=tuple(closest))

    def depends_on(self) -> Iterator[str]:
        """Also yield the names of the modules and the package descriptions."""
        yield from super().depends_on()
        for paths in self.packages.values():
            yield from (f"{path}\n{self.project.text(path)}" for path in paths)
        for name in self.modules:
            yield from (f"{self.project.paths[file]}\n{name}" for file in self.modules[name])

    def _module_name(self, file: int) -> str:
        """Return the name of a module: from its header, or else from its path."""
        for imported in self.project.facts(file).imports:
            if imported.kind == "module":
                return "".join(imported.specifier.split())
        parts = self.project.paths[file].rpartition(".")[0].split("/")
        start = len(parts)
        while start and parts[start - 1][:1].isupper():
            start -= 1
        return ".".join(parts[start:]) or "Main"

    def _package_of(self, path: str) -> str:
        """Return the nearest enclosing folder of a file that is a package, with a slash, or ""."""
        folder = folder_of(path)
        if folder not in self._packages_of_folders:
            package = nearest(folder, self.packages)
            self._packages_of_folders[folder] = "" if package is None else f"{package}/"
        return self._packages_of_folders[folder]

    def _mentions(self, package: str, other: str) -> bool:
        """Return True if the description of a package mentions another package by name."""
        if package not in self._words:
            texts = [self.project.text(path) or "" for path in self.packages.get(package[:-1], ())]
            self._words[package] = frozenset(
                word for text in texts for word in _WORD.findall(text)
            )
        descriptions = self.packages.get(other[:-1], ())
        names = {path.rpartition("/")[2].removesuffix(_CABAL) for path in descriptions}
        return bool(self._words[package] & (names | {other.rpartition("/")[0].rpartition("/")[2]}))
