"""Zig: `@import` of a file by relative path, or of a module that a build.zig names."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import PathSuffixes, one_of
from gitsearch.graph.resolvers.settings_files import call_arguments, texts_named
from gitsearch.graph.resolvers.tables import grouped_sets
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Modules of the compiler; `root` is the root file of the program that is built.
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
_DEPENDENCY = re.compile(r"(?:dependency|lazyDependency)\(\s*\"([^\"\n]+)\"")
_DEPENDENCY_VARIABLE = re.compile(
    r"\b(?:const|var)\s+(\w+)\s*=[^;]{0,80}?\b(?:lazyD|d)ependency\(\s*\"([^\"\n]+)\""
)
_DEPENDENCY_CAPTURE = re.compile(r"\blazyDependency\(\s*\"([^\"\n]+)\"[^|;]{0,400}\|(\w+)\|")
_MODULE_OF = re.compile(r"((?<!\w)\w++|\))\s*+\.module\(\s*\"([^\"\n]+)\"")
_LOCAL_DEPENDENCY = re.compile(
    r"\.(?:@\"([^\"\n]+)\"|(\w+))\s*=\s*\.\{[^{}]{0,400}?\.path\s*=\s*\"([^\"\n]+)\""
)
# The arguments of one call are not longer in code that people write.
_MAX_ARGUMENTS_LENGTH = 4000
# Calls are nested, so a text is scanned more than once, but no deeper than people nest calls.
_MAX_NESTING = 8


class Zig(Resolver):
    """Paths are relative to the importing file; names come from the enclosing build.zig files."""

    languages = frozenset({"zig"})
    settings = frozenset({"build.zig", "build.zig.zon"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._suffixes = PathSuffixes(project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the file of a path, or the root file of a named module."""
        folder = folder_of(self.project.paths[file])
        specifier = imported.specifier
        if imported.kind == "include":  # the include path is known to the build alone
            headers = self._suffixes.ending(specifier)
            return Resolution(ambiguous=tuple(header.number for header in headers))
        is_file = specifier.endswith((".zig", ".zon"))
        number = self.project.number.get(normalized(folder, specifier))
        if number is not None and (is_file or imported.kind == "embed"):
            return Resolution((number,))
        if is_file or specifier in _COMPILER:
            return EXTERNAL
        return self._module(folder, specifier)

    def depends_on(self) -> Iterator[str]:
        """Yield all paths, as any file may be embedded or included, and the build files."""
        yield from self.project.paths
        yield from self.settings_texts()

    def _module(self, folder: str, name: str) -> Resolution:
        """Return the root file of a named module; ambiguous if no enclosing build.zig names it."""
        for ancestor in enclosing_folders(folder):
            files = self._module_files.get(ancestor, {}).get(name)
            if files:
                return one_of(files)
        others = (modules.get(name, ()) for modules in self._module_files.values())
        elsewhere = {file for files in others for file in files}
        candidates = elsewhere or self._modules_by_file_name.get(name, set())
        return Resolution(ambiguous=tuple(sorted(candidates)))

    @cached_property
    def _build_files(self) -> dict[str, _BuildFile]:
        """The parsed build.zig files by folder."""
        return {
            folder: _BuildFile(text) for folder, text in texts_named(self.project, "build.zig")
        }

    @cached_property
    def _module_files(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """The root files of the modules that each build.zig names, by folder and name."""
        return {
            folder: self._modules_of_build(folder, build)
            for folder, build in self._build_files.items()
        }

    def _modules_of_build(self, folder: str, build: _BuildFile) -> dict[str, tuple[int, ...]]:
        roots = {name: set(self._files(folder, paths)) for name, paths in build.files.items()}
        dependencies = self._local_dependencies(folder) if build.dependency_modules else {}
        for name, dependency, module in build.dependency_modules:
            other = dependencies.get(dependency)
            if other is not None and other in self._build_files:
                paths = self._build_files[other].files.get(module, set())
                roots.setdefault(name, set()).update(self._files(other, paths))
        return {name: tuple(sorted(files)) for name, files in roots.items()}

    @cached_property
    def _modules_by_file_name(self) -> dict[str, set[int]]:
        """The root files of modules by file name, which is often the name of the module too."""
        return grouped_sets(
            (self.project.paths[number].rpartition("/")[2].removesuffix(".zig"), number)
            for folder, build in self._build_files.items()
            for number in self._files(folder, build.roots)
        )

    def _files(self, folder: str, paths: set[str]) -> Iterator[int]:
        numbers = (self.project.number.get(normalized(folder, path)) for path in paths)
        return (number for number in numbers if number is not None)

    def _local_dependencies(self, folder: str) -> dict[str, str]:
        """Return the folders of the dependencies that a build.zig.zon has by path."""
        text = self.project.text(normalized(folder, "build.zig.zon")) or ""
        return {
            quoted or name: normalized(folder, path)
            for quoted, name, path in _LOCAL_DEPENDENCY.findall(text)
        }


class _BuildFile:
    """Modules found in the text of a build.zig, which is a program that is never run here.

    files: the root files by module name; dependency_modules: module name, dependency, and the name
    of the module in the dependency; roots: the root files of all modules, many of which get their
    names in ways that are not recognised.
    """

    def __init__(self, text: str) -> None:
        text = _COMMENT.sub("", text)
        self.files: dict[str, set[str]] = {}
        self.dependency_modules: list[tuple[str, str, str]] = []
        self.roots: set[str] = set()
        self._variables: dict[str, str] = {}
        captures = ((variable, name) for name, variable in _DEPENDENCY_CAPTURE.findall(text))
        self._dependency_variables = dict([*_DEPENDENCY_VARIABLE.findall(text), *captures])
        added_imports: list[tuple[str, str]] = _ENTRY.findall(text)
        budget = _MAX_NESTING * len(text)
        for call in _CALL.finditer(text):
            arguments = call_arguments(text, call.end(), _BRACKET, _MAX_ARGUMENTS_LENGTH)
            budget -= len(arguments)
            if budget < 0:
                break
            named = _NAMED.match(arguments)
            file = _FILE.search(arguments, named.end() if named else 0)
            if call["what"] == "addImport":
                if named:
                    added_imports.append((named[1], arguments[named.end() :]))
            elif file:
                self.roots.add(file[1])
                if call["variable"]:
                    self._variables[call["variable"]] = file[1]
                if named:
                    self.files.setdefault(named[1], set()).add(file[1])
        for name, value in added_imports:
            self._add_import(name, value)

    def _add_import(self, name: str, value: str) -> None:
        """Add a module that is imported into another one under a name."""
        file = _FILE.search(value)
        variable = _WORD.match(value)
        if module := _MODULE_OF.search(value):
            call = _DEPENDENCY.search(value)
            dependency = call[1] if call else self._dependency_variables.get(module[1], "")
            self.dependency_modules.append((name, dependency, module[2]))
        elif file:
            self.files.setdefault(name, set()).add(file[1])
        elif variable and variable[1] in self._variables:
            self.files.setdefault(name, set()).add(self._variables[variable[1]])
