"""Haskell: modules by the names in their headers, preferring the importer's package."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import most_shared_folders, one_of
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.tree_paths import folder_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

_PACKAGE = "package.yaml"
_CABAL = ".cabal"
_WORD = re.compile(r"[\w-]+")


class Haskell(Resolver):
    """An import names a module; several packages of a tree may have a module of that name."""

    languages = frozenset({"haskell"})
    settings = frozenset({_PACKAGE})

    @cached_property
    def modules(self) -> dict[str, list[int]]:
        """The files by module name."""
        return grouped((self._module_name(file), file) for file in self.project.of(self.languages))

    @cached_property
    def packages(self) -> dict[str, list[str]]:
        """The package description files by folder."""
        paths = [path for path in self.project.paths if path.endswith((_CABAL, _PACKAGE))]
        return grouped((folder_of(path), path) for path in paths)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the module in the importer's package, or in a package that it depends on."""
        if imported.kind == "module":
            return EXTERNAL
        files = self.modules.get("".join(imported.specifier.split()), [])
        if len(files) < 2:
            return Resolution(tuple(files))
        paths = self.project.paths
        package = self._package_of(folder_of(paths[file]))
        packages = {other: self._package_of(folder_of(paths[other])) for other in files}
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

    @memoized
    def _package_of(self, folder: str) -> str:
        """Return the nearest enclosing folder that is a package, with a slash, or ""."""
        package = nearest(folder, self.packages)
        return "" if package is None else f"{package}/"

    def _mentions(self, package: str, other: str) -> bool:
        """Return True if the description of a package mentions another package by name."""
        descriptions = self.packages.get(other[:-1], ())
        names = {path.rpartition("/")[2].removesuffix(_CABAL) for path in descriptions}
        names.add(other.rpartition("/")[0].rpartition("/")[2])
        return not names.isdisjoint(self._words(package))

    @memoized
    def _words(self, package: str) -> set[str]:
        """Return the words in the descriptions of a package."""
        texts = [self.project.text(path) or "" for path in self.packages.get(package[:-1], ())]
        return {word for text in texts for word in _WORD.findall(text)}
