"""Go: packages are folders, found by the modules, workspaces and vendored code around a file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.go_modules import GoModule, GoModules, local_of
from gitsearch.graph.resolvers.path_globs import Globs
from gitsearch.graph.tree_paths import folder_of, joined, upwards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

# Files of these packages are never part of what is imported.
_APART = frozenset({"main", "documentation"})

# What a package's other files may refer to.
_SHARED = frozenset({"function", "struct", "interface", "type", "constant", "variable"})

# Calls of these are seldom calls of a method that has the same name.
_BUILTIN = frozenset({"append", "clear", "close", "copy", "delete", "len", "make", "max", "min"})

# A longer import path is not written by people.
_LONGEST = 1024

_PATTERNS = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\S+)')


class Go(Resolver):
    """Import paths lead to folders; every file of a folder that others can import is meant."""

    languages = frozenset({"go"})
    settings = frozenset({"go.mod", "go.work"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._globs = Globs(project)
        self._modules = GoModules(project)
        self._found: dict[tuple[str, str], Resolution] = {}
        self._packages: dict[str, tuple[int, ...]] = {}
        self._providers: dict[tuple[str, str], dict[str, tuple[int, ...]]] = {}
        self._seen: dict[str, dict[str, str]] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """The files of the package that is imported, or what a directive embeds."""
        folder = folder_of(self.project.paths[file])
        if imported.kind == "package":
            return EXTERNAL
        if imported.kind == "embed":
            return Resolution(tuple(self._embedded(folder, imported.specifier)))
        key = (folder, imported.specifier)
        if key not in self._found:
            self._found[key] = self._import(folder, imported.specifier)
        return self._found[key]

    def uses(self, file: int) -> Resolution:
        """Files of the same package that define what this file refers to.

        Several may define a name, each for another platform; but of methods with one name only
        one may be meant. A test also needs what runs it, and perhaps the file that it is called
        after, of which it may say no more than methods that others have, too.
        """
        path = self.project.paths[file]
        providers = self._provided(folder_of(path), self._clause(file))
        test = self._tests(file)
        resolved = set(self._running(file) if test else ())
        tested = self.project.number.get(f"{path.removesuffix('_test.go')}.go", file)
        ambiguous = {tested}
        names = self.project.facts(file).names
        for name in (*names, *(f".{name}" for name in names)):
            others = [i for i in providers.get(name, ()) if test or not self._tests(i)]
            (ambiguous if name[:1] == "." and len(others) > 1 else resolved).update(others)
        resolved.discard(file)
        return Resolution(tuple(sorted(resolved)), tuple(sorted(ambiguous - resolved - {file})))

    def depends_on(self) -> Iterator[str]:
        """Also the package clauses, and what lies where something is embedded."""
        yield from super().depends_on()
        embedding = set()
        for file in self.project.of(self.languages):
            yield self._clause(file)
            if any(one.kind == "embed" for one in self.project.facts(file).imports):
                embedding.add(folder_of(self.project.paths[file]))
        for folder in sorted(embedding):
            for file in self._below(folder):
                yield self.project.paths[file]

    @cached_property
    def _vendors(self) -> set[str]:
        """The folders with a folder `vendor` that has Go files somewhere."""
        found = set()
        for file in self.project.of(self.languages):
            path = "/" + self.project.paths[file]
            end = path.rfind("/vendor/")
            while end >= 0:
                found.add(path[1:end] if end else "")
                end = path.rfind("/vendor/", 0, end)
        return found

    # ------------------------------------------------------------ import paths

    def _import(self, folder: str, specifier: str) -> Resolution:
        if len(specifier) > _LONGEST:
            return EXTERNAL
        if specifier.startswith(("./", "../")):
            return Resolution(self._at(local_of(folder, specifier)))
        module = self._modules.around(folder)
        if module is None:
            return self._guessed(folder, specifier)
        roots = (module.folder, self._modules.workspace(module))
        vendors = [joined(root, "vendor") for root in roots]
        found = self._own(module, specifier)
        for vendor in vendors:
            if not found and f"{vendor}/modules.txt" in self.project.number:
                found = self._package(joined(vendor, specifier))
        found = found or self._visible_package(module, specifier)
        found = found or self._package(joined(vendors[0], specifier))
        return Resolution(found) if found else self._elsewhere(specifier)

    def _at(self, folders: list[str]) -> tuple[int, ...]:
        return tuple(sorted({i for folder in folders for i in self._package(folder)}))

    def _own(self, module: GoModule, specifier: str) -> tuple[int, ...]:
        """A package of the importing module itself."""
        if not module.path or not f"{specifier}/".startswith(f"{module.path}/"):
            return ()
        folder = joined(module.folder, specifier[len(module.path) + 1 :])
        return self._package(folder) if self._modules.around(folder) == module else ()

    def _visible_package(self, module: GoModule, specifier: str) -> tuple[int, ...]:
        """A package of a module that this one finds by a replacement or in its workspace."""
        if module.folder not in self._seen:
            self._seen[module.folder] = self._modules.visible(module)
        roots = self._seen[module.folder]
        for path in _prefixes(specifier):
            if path in roots:
                folder = joined(roots[path], specifier[len(path) + 1 :])
                found = self._package(folder) if self._belongs(folder, roots[path]) else ()
                if found:
                    return found
        return ()

    def _elsewhere(self, specifier: str) -> Resolution:
        """A package of a module of this tree that is required by its version.

        It comes from elsewhere, but a developer's own workspace or a release of both modules
        together may well make it the one in this tree.
        """
        for path in _prefixes(specifier):
            rest = specifier[len(path) + 1 :]
            roots = self._modules.by_path.get(path, ())
            folders = [joined(one, rest) for one in roots if self._belongs(joined(one, rest), one)]
            found = self._at(folders)
            if found:
                return Resolution(ambiguous=found)
        return EXTERNAL

    def _belongs(self, folder: str, root: str) -> bool:
        """Whether a folder is part of the module at a root, or would be if there were one."""
        module = self._modules.around(folder)
        return module is None or module.folder == root or root not in self._modules.by_folder

    def _vendored(self, folder: str, specifier: str) -> tuple[int, ...]:
        """What the nearest folder `vendor` around has under an import path."""
        for above in upwards(folder) if self._vendors else ():
            if above in self._vendors:
                found = self._package(joined(joined(above, "vendor"), specifier))
                if found:
                    return found
        return ()

    def _guessed(self, folder: str, specifier: str) -> Resolution:
        """Without a module: a tree that is a GOPATH, or lies in one under a name unknown here."""
        found = self._vendored(folder, specifier)
        for above in upwards(folder):
            if not found and above.rpartition("/")[2] == "src":
                found = self._package(joined(above, specifier))
        if found:
            return Resolution(found)
        known = self._elsewhere(specifier)
        if known.ambiguous or "." not in specifier.partition("/")[0]:
            return known
        # host/owner/repository/folder, else without an owner
        for skipped in (3, 2):
            parts = specifier.split("/", skipped)
            found = self._package(parts[skipped]) if len(parts) > skipped else ()
            if found:
                return Resolution(ambiguous=found)
        return EXTERNAL

    # ------------------------------------------------------------ packages

    def _clause(self, file: int) -> str:
        """The name in the package clause of a file."""
        imports = self.project.facts(file).imports
        return next((one.specifier for one in imports if one.kind == "package"), "")

    def _package(self, folder: str) -> tuple[int, ...]:
        """The files of the package in a folder that others import."""
        if folder not in self._packages:
            paths = self.project.paths
            files = [
                i
                for i in self.project.folders.get(folder, ())
                if self.project.languages[i] == "go" and not paths[i].endswith("_test.go")
            ]
            files = [i for i in files if paths[i].rpartition("/")[2][0] not in "_."]
            names = {i: self._clause(i) for i in files}
            telling = Counter(name for name in names.values() if name not in _APART)
            if telling:
                last = folder.rpartition("/")[2]
                chosen = last if last in telling else telling.most_common(1)[0][0]
                files = [i for i in files if names[i] == chosen]
            self._packages[folder] = tuple(files)
        return self._packages[folder]

    def _provided(self, folder: str, clause: str) -> dict[str, tuple[int, ...]]:
        """The files of a package that define each name that the others may refer to.

        Methods (with a dot before their name) count where they are of this package alone, which a
        small first letter says.
        """
        key = (folder, clause)
        if key not in self._providers:
            found: dict[str, dict[int, None]] = {}
            for file in self.project.folders.get(folder, ()):
                if self.project.languages[file] != "go" or self._clause(file) != clause:
                    continue
                for qualified, kind in self.project.facts(file).definitions:
                    outer, _, name = qualified.rpartition(".")
                    if not outer and kind in _SHARED:
                        found.setdefault(name, {})[file] = None
                    elif kind == "method" and name[:1].islower() and name not in _BUILTIN:
                        found.setdefault(f".{name}", {})[file] = None
            self._providers[key] = {name: tuple(files) for name, files in found.items()}
        return self._providers[key]

    def _running(self, file: int) -> Iterator[int]:
        """The files with the function that runs all tests of a folder, whichever package."""
        clause = self._clause(file).removesuffix("_test")
        for one in (clause, f"{clause}_test"):
            yield from self._provided(folder_of(self.project.paths[file]), one).get("TestMain", ())

    def _tests(self, file: int) -> bool:
        return self.project.paths[file].endswith("_test.go")

    # ------------------------------------------------------------ embedded files

    def _embedded(self, folder: str, directive: str) -> list[int]:
        """The files that a `//go:embed` directive names."""
        found: set[int] = set()
        for quoted, raw, plain in _PATTERNS.findall(directive[:_LONGEST].partition(" ")[2]):
            pattern = (quoted or raw or plain).removeprefix("all:")
            for path in self._globs.expanded(folder, pattern):
                if path in self.project.number:
                    found.add(self.project.number[path])
                else:
                    found.update(self._below(path))
        return sorted(found)

    def _below(self, folder: str) -> range:
        """The files below a folder."""
        if not folder:
            return range(len(self.project.paths))
        paths = self.project.paths
        start = bisect_left(paths, _bytes(folder + "/"), key=_bytes)
        return range(start, bisect_left(paths, _bytes(folder + "0"), start, key=_bytes))


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _prefixes(specifier: str) -> Iterator[str]:
    """An import path and those that it starts with, the longest first."""
    while specifier:
        yield specifier
        specifier = folder_of(specifier)
