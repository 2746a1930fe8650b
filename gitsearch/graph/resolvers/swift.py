"""Swift: a module is a target of a package, and all of its files see each other."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.tree_paths import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

# Where targets without a path lie, by their kind.
_PLACES = ("Sources", "Source", "src", "srcs")
_PLACES_OF = {"testTarget": ("Tests", *_PLACES), "plugin": ("Plugins", *_PLACES)}

# What a target can be written in.
_CODE = frozenset({"swift", "c", "cpp", "objc"})

# What other files of a module refer to by its name.
_SHARED = frozenset(
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

# No package that people write has more targets, or more to say of one of them.
_MOST = 1000
_LONGEST = 8000


class _Target(NamedTuple):
    """A target: the folder of its package, its name and its own folder."""

    package: str
    name: str
    folder: str
    excluded: tuple[str, ...]


class Swift(Resolver):
    """An import leads to all files of a target; those of one target are found by names."""

    languages = frozenset({"swift"})
    settings = frozenset({"Package.swift"})

    def resolve(self, file: int, imported: Import) -> Resolution:
        """The files of the module that is imported."""
        name = imported.specifier.partition(".")[0]
        here = self._package_of(self.project.paths[file])
        known = self._by_name.get(name, ())
        near = [one for one in known if one.package == here]
        near = near or [one for one in known if one.package in self._local.get(here or "", ())]
        files = tuple(sorted({i for one in near or known for i in self._files.get(one, ())}))
        if not files and here is None:
            files = self._named_folder(name)
        own = self._target_of.get(file)
        if own is not None and own.name == name:
            return EXTERNAL
        return Resolution(files) if near else Resolution(ambiguous=files)

    def uses(self, file: int) -> Resolution:
        """Files of the same module that define what this one refers to."""
        providers = self._providers.get(self._module_of(file), {})
        found = {i for name in self.project.facts(file).names for i in providers.get(name, ())}
        return Resolution(tuple(sorted(found - {file})))

    def depends_on(self) -> Iterator[str]:
        """Also the code of other languages, which targets may hold."""
        for path, language in zip(self.project.paths, self.project.languages, strict=True):
            if language in _CODE:
                yield path
        yield from self.settings_texts()

    # ------------------------------------------------------------ packages

    @cached_property
    def _manifests(self) -> dict[str, str]:
        """The Package.swift of each package, without comments, by its folder."""
        found = {}
        for file in self.project.by_name.get("Package.swift", ()):
            path = self.project.paths[file]
            text = self.project.text(path) or ""
            found[path.rpartition("/")[0]] = _COMMENT.sub(lambda match: match[1] or " ", text)
        return found

    @cached_property
    def _local(self) -> dict[str, set[str]]:
        """The packages that each package has by a path."""
        return {
            folder: {relative(folder, path) for path in _PACKAGE.findall(text)}
            for folder, text in self._manifests.items()
        }

    @cached_property
    def _by_name(self) -> dict[str, list[_Target]]:
        """The targets of each name."""
        found: dict[str, list[_Target]] = {}
        for folder, text in self._manifests.items():
            for match in islice(_TARGET.finditer(text), _MOST):
                target = self._target(folder, match[1], match[2], _rest(text, match.end()))
                if target is not None:
                    found.setdefault(target.name, []).append(target)
        return found

    def _target(self, folder: str, kind: str, name: str, rest: str) -> _Target | None:
        path = _PATH.search(rest)
        places = [path[1]] if path else [f"{one}/{name}" for one in _PLACES_OF.get(kind, _PLACES)]
        for place in places:
            at = relative(folder, place)
            if at in self.project.folders:
                excluded = (relative(at, one) for one in _excluded(rest))
                return _Target(folder, name, at, tuple(excluded))
        return None

    def _package_of(self, path: str) -> str | None:
        """The folder of the package around a file."""
        while path:
            path = path.rpartition("/")[0]
            if path in self._manifests:
                return path
        return None

    # ------------------------------------------------------------ files

    @cached_property
    def _target_of(self) -> dict[int, _Target]:
        """The target of each file: the one whose folder is the nearest around it."""
        by_folder = {one.folder: one for known in self._by_name.values() for one in known}
        found = {}
        for file, language in enumerate(self.project.languages):
            if language in _CODE:
                path = self.project.paths[file]
                target = _around(path, by_folder)
                if target is not None and not _within(path, target.excluded):
                    found[file] = target
        return found

    @cached_property
    def _files(self) -> dict[_Target, list[int]]:
        """The files of each target."""
        found: dict[_Target, list[int]] = {}
        for file, target in self._target_of.items():
            found.setdefault(target, []).append(file)
        return found

    @cached_property
    def _folders(self) -> dict[str, list[int]]:
        """The Swift files somewhere below the folders of each name, where no package is."""
        found: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            path = self.project.paths[file]
            if self._package_of(path) is None:
                for name in set(path.split("/")[:-1]):
                    found.setdefault(name, []).append(file)
        return found

    def _named_folder(self, name: str) -> tuple[int, ...]:
        """Without a package: the files in folders that are called like the module."""
        return tuple(self._folders.get(name, ()))

    def _module_of(self, file: int) -> tuple[str, str]:
        """The module of a file; without a package, what lies in one folder of the root."""
        target = self._target_of.get(file)
        if target is not None:
            return target.package, target.name
        path = self.project.paths[file]
        package = self._package_of(path)
        return package or "", "" if package is not None else f"/{path.partition('/')[0]}"

    @cached_property
    def _providers(self) -> dict[tuple[str, str], dict[str, list[int]]]:
        """The files of each module that define a name which its other files see."""
        found: dict[tuple[str, str], dict[str, list[int]]] = {}
        for file in self.project.of(self.languages):
            names = found.setdefault(self._module_of(file), {})
            for qualified, kind in self.project.facts(file).definitions:
                if kind in _SHARED and "." not in qualified:
                    names.setdefault(qualified, []).append(file)
        return found


def _excluded(rest: str) -> list[str]:
    """What the arguments of a target exclude."""
    start = _EXCLUDE.search(rest)
    end = rest.find("]", start.end()) if start else -1
    return _STRING.findall(rest, start.end(), end) if start and end >= 0 else []


def _rest(text: str, start: int) -> str:
    """The arguments of a call from a position on."""
    depth = 1
    for match in _BRACKET.finditer(text, start, start + _LONGEST):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return text[start : match.start()]
    return text[start : start + _LONGEST]


def _around(path: str, by_folder: dict[str, _Target]) -> _Target | None:
    while path:
        path = path.rpartition("/")[0]
        if path in by_folder:
            return by_folder[path]
    return None


def _within(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in folders)
