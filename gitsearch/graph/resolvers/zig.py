"""Zig: `@import` names a file beside the importing one, or a module that a build.zig names."""

from __future__ import annotations

import re
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.tree_paths import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

# Modules of the compiler; `root` is whatever program is built.
_COMPILER = frozenset({"std", "builtin", "root"})

_CALL = re.compile(
    r"(?:\b(?:const|var)\s+(?P<variable>\w+)\s*=[^;{}\"=]{0,200}?)?"
    r"\b(?P<what>addModule|createModule|addAnonymousImport|addAnonymousModule|addImport"
    r"|addPackagePath)\s*\("
)
_COMMENT = re.compile(r"^[ \t]*+//.*$", re.MULTILINE)
_BRACKET = re.compile(r"[()]")
_NAMED = re.compile(r"\s*\"([^\"\n]+)\"\s*,?")
_FILE = re.compile(r"\"([^\"\n]+\.zig)\"")
_WORD = re.compile(r"\s*+(\w++)\s*+(?:[,}]\s*+)?$")
_ENTRY = re.compile(
    r"\.name\s*=\s*\"([^\"\n]+)\"\s*,\s*\.(?:module|source|path)\s*=\s*([^,}]{1,200}\}?)"
)
_OTHER = re.compile(r"(?:dependency|lazyDependency)\(\s*\"([^\"\n]+)\"")
_OTHER_BY_VARIABLE = re.compile(
    r"\b(?:const|var)\s+(\w+)\s*=[^;]{0,80}?\b(?:lazyD|d)ependency\(\s*\"([^\"\n]+)\""
)
_OTHER_CAUGHT = re.compile(r"\blazyDependency\(\s*\"([^\"\n]+)\"[^|;]{0,400}\|(\w+)\|")
_MODULE_OF = re.compile(r"((?<!\w)\w++|\))\s*+\.module\(\s*\"([^\"\n]+)\"")
_LOCAL = re.compile(
    r"\.(?:@\"([^\"\n]+)\"|(\w+))\s*=\s*\.\{[^{}]{0,400}?\.path\s*=\s*\"([^\"\n]+)\""
)

# The arguments of one call are not longer, where people write them.
_LONGEST = 4000

# Calls lie within calls, so that a text is read more than once; never more often than people nest.
_DEEPEST = 8


class Zig(Resolver):
    """A path is relative to the importing file; a name is looked up in the builds around it."""

    languages = frozenset({"zig"})
    settings = frozenset({"build.zig", "build.zig.zon"})

    def resolve(self, file: int, imported: Import) -> Resolution:
        """The file of a path, or the root of a named module."""
        folder = self.project.paths[file].rpartition("/")[0]
        written = imported.specifier
        if imported.kind == "include":
            return Resolution(ambiguous=tuple(self._headers(written)))
        number = self.project.number.get(normpath(f"{folder or '.'}/{written}"))
        if number is not None and (imported.kind == "embed" or written.endswith((".zig", ".zon"))):
            return Resolution((number,))
        if written.endswith((".zig", ".zon")) or written in _COMPILER:
            return EXTERNAL
        return self._module(folder, written)

    def depends_on(self) -> Iterator[str]:
        """Also all other paths: any file may be embedded or included."""
        yield from self.project.paths
        yield from self.settings_texts()

    def _headers(self, written: str) -> Iterator[int]:
        """Headers that end in a path; the folders to look in are known to the build alone."""
        for number in self.project.by_name.get(written.rpartition("/")[2], ()):
            if f"/{self.project.paths[number]}".endswith(f"/{written}"):
                yield number

    def _module(self, folder: str, name: str) -> Resolution:
        """The root of a named module, certain where a build.zig around gives it the name."""
        build: str | None = folder
        while build is not None:
            found = self._names.get(build, {}).get(name)
            if found:
                return Resolution(found) if len(found) == 1 else Resolution(ambiguous=found)
            build = build.rpartition("/")[0] if build else None
        anywhere = {i for names in self._names.values() for i in names.get(name, ())}
        return Resolution(ambiguous=tuple(sorted(anywhere or self._alike.get(name, set()))))

    @cached_property
    def _builds(self) -> dict[str, _Build]:
        """What each build.zig says, by its folder."""
        paths = [self.project.paths[i] for i in self.project.by_name.get("build.zig", ())]
        return {path.rpartition("/")[0]: _Build(self.project.text(path) or "") for path in paths}

    @cached_property
    def _names(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """The root files of the modules that each build.zig gives a name, by its folder."""
        return {folder: self._named(folder, build) for folder, build in self._builds.items()}

    def _named(self, folder: str, build: _Build) -> dict[str, tuple[int, ...]]:
        roots: dict[str, set[int]] = {}
        for name, written in build.files.items():
            roots.setdefault(name, set()).update(self._numbers(folder, written))
        places = self._dependencies(folder) if build.others else {}
        for name, other, module in build.others:
            place = places.get(other)
            if place is not None and place in self._builds:
                written = self._builds[place].files.get(module, set())
                roots.setdefault(name, set()).update(self._numbers(place, written))
        return {name: tuple(sorted(files)) for name, files in roots.items()}

    @cached_property
    def _alike(self) -> dict[str, set[int]]:
        """The root files of modules by their own names, which the modules often have too."""
        found: dict[str, set[int]] = {}
        for folder, build in self._builds.items():
            for number in self._numbers(folder, build.roots):
                name = self.project.paths[number].rpartition("/")[2].removesuffix(".zig")
                found.setdefault(name, set()).add(number)
        return found

    def _numbers(self, folder: str, written: set[str]) -> Iterator[int]:
        for path in written:
            number = self.project.number.get(relative(folder, path))
            if number is not None:
                yield number

    def _dependencies(self, folder: str) -> dict[str, str]:
        """The folders of the dependencies that a build.zig.zon has by a path."""
        text = self.project.text(relative(folder, "build.zig.zon")) or ""
        return {
            quoted or name: relative(folder, path) for quoted, name, path in _LOCAL.findall(text)
        }


class _Build:
    """What the text of a build.zig seems to say: it is a program, and nobody runs it here.

    files: the files of each module name; others: a name, a dependency, the name that it has there;
    roots: the files of all modules, many of which get their names in ways that are not seen.
    """

    def __init__(self, text: str) -> None:
        text = _COMMENT.sub("", text)
        self.files: dict[str, set[str]] = {}
        self.others: list[tuple[str, str, str]] = []
        self.roots: set[str] = set()
        self._variables: dict[str, str] = {}
        self._others: dict[str, str] = dict(_OTHER_BY_VARIABLE.findall(text))
        self._others |= {variable: name for name, variable in _OTHER_CAUGHT.findall(text)}
        later: list[tuple[str, str]] = _ENTRY.findall(text)
        left = _DEEPEST * len(text)
        for call in _CALL.finditer(text):
            arguments = _arguments(text, call.end())
            left -= len(arguments)
            if left < 0:
                break
            named = _NAMED.match(arguments)
            file = _FILE.search(arguments, named.end() if named else 0)
            if call["what"] == "addImport":
                if named:
                    later.append((named[1], arguments[named.end() :]))
            elif file:
                self.roots.add(file[1])
                if call["variable"]:
                    self._variables[call["variable"]] = file[1]
                if named:
                    self.files.setdefault(named[1], set()).add(file[1])
        for name, value in later:
            self._import(name, value)

    def _import(self, name: str, value: str) -> None:
        """A module gets a name in another one."""
        file = _FILE.search(value)
        word = _WORD.match(value)
        module = _MODULE_OF.search(value)
        if module:
            direct = _OTHER.search(value)
            other = direct[1] if direct else self._others.get(module[1], "")
            self.others.append((name, other, module[2]))
        elif file:
            self.files.setdefault(name, set()).add(file[1])
        elif word and word[1] in self._variables:
            self.files.setdefault(name, set()).add(self._variables[word[1]])


def _arguments(text: str, start: int) -> str:
    """What stands between the bracket before a position and the one that closes it."""
    depth = 1
    for match in _BRACKET.finditer(text, start, start + _LONGEST):
        depth += 1 if match[0] == "(" else -1
        if not depth:
            return text[start : match.start()]
    return text[start : start + _LONGEST]
