"""Swift: a module is a target of a package, and all of its files see each other."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.settings_files import call_arguments, texts_named
from gitsearch.graph.resolvers.tables import grouped
from gitsearch.graph.tree_paths import folder_of, nearest, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

# Parent folders of targets without a path, by kind of target.
_SOURCE_FOLDERS = ("Sources", "Source", "src", "srcs")
_SOURCE_FOLDERS_BY_KIND = {
    "testTarget": ("Tests", *_SOURCE_FOLDERS),
    "plugin": ("Plugins", *_SOURCE_FOLDERS),
}
# Languages of the files of a target.
_LANGUAGES = frozenset({"swift", "c", "cpp", "objc"})
# Kinds of definitions that other files of a module refer to by name.
_VISIBLE_KINDS = frozenset(
    {"class", "struct", "enum", "interface", "type", "macro", "function", "constant", "variable"}
)

_COMMENT = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*)|(\"(?:[^\"\\\n]|\\.)*+\"?)", re.DOTALL)
_TARGET = re.compile(
    r"\.(target|executableTarget|testTarget|macro|plugin|systemLibrary)\s*\(\s*name\s*:\s*"
    r"\"([^\"\n]+)\""
)
_PATH = re.compile(r"\bpath\s*:\s*\"([^\"\n]*)\"")
_EXCLUDE = re.compile(r"\bexclude\s*+:\s*+\[")
_PACKAGE = re.compile(
    r"\.package\s*\(\s*(?:name\s*:\s*\"[^\"\n]*\"\s*,\s*)?path\s*:\s*\"([^\"\n]+)\""
)
_STRING = re.compile(r"\"([^\"\n]*)\"")
_BRACKET = re.compile(r"\"[^\"\n]*\"|[()]")
# No package that people write has more targets, or longer arguments of one of them.
_MAX_TARGETS = 1000
_MAX_ARGUMENTS_LENGTH = 8000


class _Target(NamedTuple):
    """A target: the folder of its package, its name, its own folder and what it excludes.

    Excluded files and folders have a trailing slash.
    """

    package: str
    name: str
    folder: str
    excluded: tuple[str, ...]


class Swift(Resolver):
    """An import means all files of a target; a name means a file of the importer's own target."""

    languages = frozenset({"swift"})
    settings = frozenset({"Package.swift"})

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of an imported module."""
        name = imported.specifier.partition(".")[0]
        package = self._package_of(self.project.paths[file])
        targets = self._targets.get(name, ())
        visible = [target for target in targets if target.package == package]
        if not visible:
            dependencies = self._local_dependencies.get(package or "", ())
            visible = [target for target in targets if target.package in dependencies]
        candidates = visible or targets
        in_targets = (self._target_files.get(target, ()) for target in candidates)
        files = tuple(sorted({other for group in in_targets for other in group}))
        if not files and package is None:
            files = tuple(self._files_by_folder_name.get(name, ()))
        own_target = self._target_of.get(file)
        if own_target is not None and own_target.name == name:
            return EXTERNAL
        return Resolution(files) if visible else Resolution(ambiguous=files)

    def uses(self, file: int) -> Resolution:
        """Return the files of the same module that define what this one refers to."""
        module, names = self._module_of(file), self.project.facts(file).names
        files = {other for name in names for other in self._providers.get((module, name), ())}
        return Resolution(tuple(sorted(files)))

    def depends_on(self) -> Iterator[str]:
        """Yield the paths of all languages that targets may contain, and the manifests."""
        yield from (self.project.paths[file] for file in self.project.of(_LANGUAGES))
        yield from self.settings_texts()

    @cached_property
    def _manifests(self) -> dict[str, str]:
        """The Package.swift files without comments, by folder."""
        return {
            folder: _COMMENT.sub(lambda match: match[1] or " ", text)
            for folder, text in texts_named(self.project, "Package.swift")
        }

    @cached_property
    def _local_dependencies(self) -> dict[str, set[str]]:
        """The folders of the packages that each package depends on by path."""
        return {
            folder: {normalized(folder, path) for path in _PACKAGE.findall(text)}
            for folder, text in self._manifests.items()
        }

    @cached_property
    def _targets(self) -> dict[str, list[_Target]]:
        """The targets by name."""
        targets = (
            self._target(folder, match[1], match[2], text, match.end())
            for folder, text in self._manifests.items()
            for match in islice(_TARGET.finditer(text), _MAX_TARGETS)
        )
        return grouped((target.name, target) for target in targets if target is not None)

    def _target(self, folder: str, kind: str, name: str, text: str, start: int) -> _Target | None:
        arguments = call_arguments(text, start, _BRACKET, _MAX_ARGUMENTS_LENGTH)
        explicit = _PATH.search(arguments)
        parents = _SOURCE_FOLDERS_BY_KIND.get(kind, _SOURCE_FOLDERS)
        candidates = [explicit[1]] if explicit else [f"{parent}/{name}" for parent in parents]
        for candidate in candidates:
            target_folder = normalized(folder, candidate)
            if target_folder in self.project.folders:
                excluded = (normalized(target_folder, path) for path in _excluded_paths(arguments))
                return _Target(folder, name, target_folder, tuple(f"{path}/" for path in excluded))
        return None

    def _package_of(self, path: str) -> str | None:
        """Return the folder of the package that a file is in, or None."""
        return nearest(folder_of(path), self._manifests)

    @cached_property
    def _target_of(self) -> dict[int, _Target]:
        """The target of each file: the one with the innermost enclosing folder."""
        by_folder = {target.folder: target for group in self._targets.values() for target in group}
        targets = {}
        for file in self.project.of(_LANGUAGES):
            path = self.project.paths[file]
            folder = nearest(folder_of(path), by_folder)
            target = None if folder is None else by_folder[folder]
            if target and not f"{path}/".startswith(target.excluded):
                targets[file] = target
        return targets

    @cached_property
    def _target_files(self) -> dict[_Target, list[int]]:
        """The files of each target."""
        return grouped((target, file) for file, target in self._target_of.items())

    @cached_property
    def _files_by_folder_name(self) -> dict[str, list[int]]:
        """The Swift files outside all packages, by the name of each enclosing folder."""
        files = ((self.project.paths[file], file) for file in self.project.of(self.languages))
        return grouped(
            (name, file)
            for path, file in files
            if self._package_of(path) is None
            for name in set(path.split("/")[:-1])
        )

    def _module_of(self, file: int) -> tuple[str, str]:
        """Return package and name of a file's module; without a package, its top folder."""
        target = self._target_of.get(file)
        if target is not None:
            return target.package, target.name
        path = self.project.paths[file]
        package = self._package_of(path)
        return package or "", "" if package is not None else f"/{path.partition('/')[0]}"

    @cached_property
    def _providers(self) -> dict[tuple[tuple[str, str], str], list[int]]:
        """The files of each module that define a name which its other files see."""
        return grouped(
            ((self._module_of(file), name), file)
            for file in self.project.of(self.languages)
            for name, kind in self.project.facts(file).definitions
            if kind in _VISIBLE_KINDS and "." not in name
        )


def _excluded_paths(arguments: str) -> list[str]:
    """Return the paths that the arguments of a target exclude."""
    start = _EXCLUDE.search(arguments)
    end = arguments.find("]", start.end()) if start else -1
    return _STRING.findall(arguments, start.end(), end) if start and end >= 0 else []
