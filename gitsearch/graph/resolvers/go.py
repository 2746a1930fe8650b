"""Go: packages are folders, found through modules, workspaces and vendored code."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Published, Resolution, Resolver
from gitsearch.graph.resolvers.settings_files import Globs, texts_named
from gitsearch.graph.resolvers.tables import grouped, imports_of_kind, memoized
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    nearest,
    relative_path_in_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Names of packages whose files cannot be imported.
_NOT_IMPORTABLE = frozenset({"main", "documentation"})
# Kinds of definitions that other files of a package may refer to.
_SHARED = frozenset({"function", "struct", "interface", "type", "constant", "variable"})
# Built-in functions: a call of one is seldom a call of a method of the same name.
_BUILTIN = frozenset({"append", "clear", "close", "copy", "delete", "len", "make", "max", "min"})
# A longer import path is not written by people.
_MAX_LENGTH = 1024

_WORDS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|`[^`\n]*+`?|//.*+|=>|[()]|[^\s()"`]++')
# A longer line is not written by people.
_MAX_LINE_LENGTH = 2048

_PATTERNS = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\S+)')


class Go(Resolver):
    """An import path means a folder: all importable files of the package in it."""

    languages = frozenset({"go"})
    settings = frozenset({"go.mod", "go.work"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._globs = Globs(project)
        self._modules = _GoModules(project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of an imported package, or those that a `//go:embed` names."""
        folder = folder_of(self.project.paths[file])
        if imported.kind == "package":
            return EXTERNAL
        if imported.kind == "embed":
            return Resolution(tuple(self._embedded_files(folder, imported.specifier)))
        return self._resolve_path(folder, imported.specifier)

    def uses(self, file: int) -> Resolution:
        """Return the files of the same package that define what this file refers to."""
        # Several may define a name, each for another platform; but of methods with the same name
        # only one may be meant. A test also needs the file with TestMain, and perhaps the file it
        # is named after, as it may refer to that only through methods that other files have.
        path = self.project.paths[file]
        definitions = self._definitions(folder_of(path), self._package_name(file))
        is_test = path.endswith("_test.go")
        resolved = set(self._test_mains(file) if is_test else ())
        tested = self.project.number.get(f"{path.removesuffix('_test.go')}.go", file)
        ambiguous = {tested}
        names = self.project.facts(file).names
        for name in (*names, *(f".{name}" for name in names)):
            others = [
                other
                for other in definitions.get(name, ())
                if is_test or not self.project.paths[other].endswith("_test.go")
            ]
            (ambiguous if name[:1] == "." and len(others) > 1 else resolved).update(others)
        return Resolution(tuple(sorted(resolved)), tuple(sorted(ambiguous - resolved)))

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the module with the longest path that an import path begins with."""
        del names
        specifier = imported.specifier
        if imported.kind in ("package", "embed") or len(specifier) > _MAX_LENGTH:
            return None
        for path, folder, root in self._packages_of_modules(specifier):
            if files := self._package_files(folder):
                return Published(path, joined(root, "go.mod"), files)
        return None

    def depends_on(self) -> Iterator[str]:
        """Also yield the package names, and the paths in folders with embedded files."""
        yield from super().depends_on()
        yield from map(self._package_name, self.project.of(self.languages))
        embeds = imports_of_kind(self.project, self.languages, "embed")
        for folder in sorted({folder_of(self.project.paths[file]) for file, _ in embeds}):
            yield from (self.project.paths[file] for file in self._files_below(folder))

    @cached_property
    def _vendoring_folders(self) -> set[str]:
        """The folders with a folder `vendor` that has Go files somewhere below it."""
        folders = set()
        for file in self.project.of(self.languages):
            path = "/" + self.project.paths[file]
            end = path.rfind("/vendor/")
            while end >= 0:
                folders.add(path[1:end] if end else "")
                end = path.rfind("/vendor/", 0, end)
        return folders

    @memoized
    def _resolve_path(self, folder: str, specifier: str) -> Resolution:
        if len(specifier) > _MAX_LENGTH:
            return EXTERNAL
        if specifier.startswith(("./", "../")):
            target = relative_path_in_tree(folder, specifier)
            return EXTERNAL if target is None else Resolution(self._package_files(target))
        module = self._modules.module_of(folder)
        if module is None:
            return self._without_module(folder, specifier)
        roots = (module.folder, self._modules.workspace_folder(module))
        vendors = [joined(root, "vendor") for root in roots]
        listed = [vendor for vendor in vendors if f"{vendor}/modules.txt" in self.project.number]
        files = self._in_module(module, specifier)
        files = files or self._first_package(joined(vendor, specifier) for vendor in listed)
        files = files or self._in_visible_modules(module, specifier)
        files = files or self._package_files(joined(vendors[0], specifier))
        return Resolution(files) if files else self._in_versioned_modules(specifier)

    def _in_module(self, module: _GoModule, specifier: str) -> tuple[int, ...]:
        """Return a package of the importing module itself."""
        if not module.path or not f"{specifier}/".startswith(f"{module.path}/"):
            return ()
        folder = joined(module.folder, specifier[len(module.path) + 1 :])
        return self._package_files(folder) if self._modules.module_of(folder) == module else ()

    def _in_visible_modules(self, module: _GoModule, specifier: str) -> tuple[int, ...]:
        """Return a package of a module that this one replaces or shares a workspace with."""
        roots = self._modules.module_roots(module.folder)
        paths = (path for path in enclosing_folders(specifier) if path in roots)
        folders = (
            (joined(roots[path], specifier[len(path) + 1 :]), roots[path]) for path in paths
        )
        return self._first_package(
            folder for folder, root in folders if self._is_in_module_at(folder, root)
        )

    def _in_versioned_modules(self, specifier: str) -> Resolution:
        """Return a package of a module of this tree that is required by version.

        By the settings it is downloaded, but a developer's own workspace or a joint release of
        both modules may well make it the one in this tree, so it is ambiguous.
        """
        found: dict[str, set[int]] = {}
        for path, folder, _ in self._packages_of_modules(specifier):
            found.setdefault(path, set()).update(self._package_files(folder))
        files = next(filter(None, found.values()), ())
        return Resolution(ambiguous=tuple(sorted(files)))

    def _packages_of_modules(self, specifier: str) -> Iterator[tuple[str, str, str]]:
        """Yield the modules that an import path may begin with, the longest path first.

        Each is the path of a module, the folder of the imported package, and that of the module.
        """
        for path in enclosing_folders(specifier):
            for root in self._modules.by_path.get(path, ()):
                folder = joined(root, specifier[len(path) + 1 :])
                if self._is_in_module_at(folder, root):
                    yield path, folder, root

    def _is_in_module_at(self, folder: str, root: str) -> bool:
        """Return True if a folder is in the module at a root, or in no module."""
        module = self._modules.module_of(folder)
        return module is None or module.folder == root or root not in self._modules.by_folder

    def _without_module(self, folder: str, specifier: str) -> Resolution:
        """Resolve an import without a go.mod: the tree is a GOPATH, or a repository in one."""
        outer = [*enclosing_folders(folder)]
        vendors = [joined(each, "vendor") for each in outer if each in self._vendoring_folders]
        sources = [each for each in outer if each.rpartition("/")[2] == "src"]
        files = self._first_package(joined(root, specifier) for root in (*vendors, *sources))
        if files:
            return Resolution(files)
        versioned = self._in_versioned_modules(specifier)
        if versioned.ambiguous or "." not in specifier.partition("/")[0]:
            return versioned
        # host/owner/repository/folder, or host/repository/folder
        parts = specifier.split("/")
        rests = ("/".join(parts[length:]) for length in (3, 2) if len(parts) > length)
        return Resolution(ambiguous=self._first_package(rests))

    def _first_package(self, folders: Iterable[str]) -> tuple[int, ...]:
        """Return the files of the first of some folders that has an importable package."""
        return next(filter(None, map(self._package_files, folders)), ())

    def _package_name(self, file: int) -> str:
        """Return the name in the package clause of a file."""
        imports = self.project.facts(file).imports
        return next((imported.specifier for imported in imports if imported.kind == "package"), "")

    @memoized
    def _package_files(self, folder: str) -> tuple[int, ...]:
        """Return the files of the importable package in a folder."""
        paths = self.project.paths
        files = [
            file
            for file in self.project.folders.get(folder, ())
            if self.project.languages[file] == "go" and not paths[file].endswith("_test.go")
        ]
        files = [file for file in files if paths[file].rpartition("/")[2][0] not in "_."]
        names = {file: self._package_name(file) for file in files}
        counts = Counter(name for name in names.values() if name not in _NOT_IMPORTABLE)
        if counts:
            folder_name = folder.rpartition("/")[2]
            chosen = folder_name if folder_name in counts else counts.most_common(1)[0][0]
            files = [file for file in files if names[file] == chosen]
        return tuple(files)

    @memoized
    def _definitions(self, folder: str, package: str) -> dict[str, tuple[int, ...]]:
        """Return the files of a package that define each name that its other files may refer to.

        Methods, with a dot before their name, are included if the package alone can call them,
        that is if their first letter is lower case.
        """
        files_by_name: dict[str, dict[int, None]] = {}
        for file in self.project.folders.get(folder, ()):
            if self.project.languages[file] != "go" or self._package_name(file) != package:
                continue
            for qualified, kind in self.project.facts(file).definitions:
                receiver, _, name = qualified.rpartition(".")
                if not receiver and kind in _SHARED:
                    files_by_name.setdefault(name, {})[file] = None
                elif kind == "method" and name[:1].islower() and name not in _BUILTIN:
                    files_by_name.setdefault(f".{name}", {})[file] = None
        return {name: tuple(files) for name, files in files_by_name.items()}

    def _test_mains(self, file: int) -> Iterator[int]:
        """Yield the files of a folder with TestMain, in either of its test packages."""
        package = self._package_name(file).removesuffix("_test")
        for name in (package, f"{package}_test"):
            definitions = self._definitions(folder_of(self.project.paths[file]), name)
            yield from definitions.get("TestMain", ())

    def _embedded_files(self, folder: str, directive: str) -> list[int]:
        """Return the files that a `//go:embed` directive names, in ascending order."""
        files: set[int] = set()
        for quoted, raw, unquoted in _PATTERNS.findall(directive[:_MAX_LENGTH].partition(" ")[2]):
            pattern = (quoted or raw or unquoted).removeprefix("all:")
            for path in self._globs.expanded(folder, pattern):
                if path in self.project.number:
                    files.add(self.project.number[path])
                else:
                    files.update(self._files_below(path))
        return sorted(files)

    def _files_below(self, folder: str) -> range:
        """Return the files below a folder."""
        if not folder:
            return range(len(self.project.paths))
        paths = self.project.paths
        start = bisect_left(paths, _sort_key(folder + "/"), key=_sort_key)
        return range(start, bisect_left(paths, _sort_key(folder + "0"), start, key=_sort_key))


def _sort_key(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


class _GoModule(NamedTuple):
    """A go.mod: its module path, and the folders that `replace` gives for other module paths."""

    folder: str
    path: str
    replacements: dict[str, str]


class _GoModules:
    """The go.mod and go.work files of a tree."""

    def __init__(self, project: Project) -> None:
        self._project = project

    @cached_property
    def by_folder(self) -> dict[str, _GoModule]:
        """The modules by folder."""
        modules = {}
        for folder, text in texts_named(self._project, "go.mod"):
            directives = list(_directives(text))
            paths = ["", *(words[0] for verb, words in directives if verb == "module" and words)]
            modules[folder] = _GoModule(folder, paths[-1], _replacements(folder, directives))
        return modules

    @cached_property
    def workspaces(self) -> dict[str, tuple[set[str | None], dict[str, str]]]:
        """For the folder of each go.work, the folders of its modules and its replacements."""
        workspaces = {}
        for folder, text in texts_named(self._project, "go.work"):
            directives = list(_directives(text))
            paths = [words[0] for verb, words in directives if verb == "use" and words]
            used = {relative_path_in_tree(folder, path) for path in paths}
            workspaces[folder] = used, _replacements(folder, directives)
        return workspaces

    @cached_property
    def by_path(self) -> dict[str, list[str]]:
        """The folders of the modules by module path."""
        return grouped(
            (module.path, module.folder) for module in self.by_folder.values() if module.path
        )

    @memoized
    def module_of(self, folder: str) -> _GoModule | None:
        """Return the module that a folder belongs to, or None."""
        module_folder = nearest(folder, self.by_folder)
        return None if module_folder is None else self.by_folder[module_folder]

    @memoized
    def module_roots(self, folder: str) -> dict[str, str]:
        """Return the folders of the modules that the module in a folder can import, by path.

        These come from its replacements and its workspace; the module itself is among them only as
        a member of a workspace.
        """
        module = self.by_folder[folder]
        used, replacements = self.workspaces.get(self.workspace_folder(module), (set(), {}))
        members = [other for member, other in self.by_folder.items() if member in used]
        roots = dict(module.replacements)
        if module in members:
            for other in members:
                roots.update(other.replacements)
            roots.update(replacements)
            roots.update((other.path, other.folder) for other in members)
        roots.pop("", None)
        return roots

    def workspace_folder(self, module: _GoModule) -> str:
        """Return the folder of the workspace of a module; without one, that of the module."""
        folder = nearest(module.folder, self.workspaces)
        if folder is not None and module.folder in self.workspaces[folder][0]:
            return folder
        return module.folder


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the verb and the words of each directive, one for each line of a block."""
    block = ""
    for line in text.splitlines():
        words = [
            word.strip('"`')
            for word in _WORDS.findall(line[:_MAX_LINE_LENGTH])
            if not word.startswith("//")
        ]
        if not words:
            continue
        if block:
            if words[0] == ")":
                block = ""
            else:
                yield block, words
        elif words[1:2] == ["("]:
            block = words[0]
        else:
            yield words[0], words[1:]


def _replacements(folder: str, directives: list[tuple[str, list[str]]]) -> dict[str, str]:
    """Return the module paths that are replaced by local modules, with their folders."""
    replacements: dict[str, str] = {}
    for verb, words in directives:
        if verb == "replace" and "=>" in words[1:-1]:
            path = words[words.index("=>") + 1]
            target = relative_path_in_tree(folder, path)
            is_local = path.startswith(("./", "../")) or path in (".", "..")
            if is_local and target is not None:
                replacements[words[0]] = target
    return replacements
