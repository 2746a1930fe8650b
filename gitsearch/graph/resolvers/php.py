"""Imports of PHP: classes by what composer.json says or by where they are declared, and files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.php_composer import SETTING, autoload
from gitsearch.graph.resolvers.php_include_paths import ROOT, written_path
from gitsearch.graph.resolvers.php_names import (
    NOTHING,
    Declared,
    PhpScope,
    clauses,
    declared_in,
    full_name,
    inside_of,
    last_part,
    scope_of,
)
from gitsearch.graph.tree_paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unseen="dynamic-import")

Files = tuple[int, ...]


class Php(Resolver):
    """Files find the classes, functions and constants of others by their full names."""

    languages: ClassVar[frozenset[str]] = frozenset({"php"})
    settings: ClassVar[frozenset[str]] = frozenset({SETTING})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._autoload = autoload(project)
        self._scopes: dict[int, PhpScope] = {}
        self._kept_declared: dict[int, Declared] = {}
        self._kept: dict[str, Resolution] = {}
        self._endings: dict[str, Files] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where `use`, `require` or a qualified name leads."""
        kind, specifier = imported.kind, imported.specifier
        if kind == "namespace":
            return EXTERNAL
        if kind in ("require", "include"):
            return self._included(file, specifier)
        if kind == "name":
            return self._named(full_name(specifier, self._scope(file)), "")
        found = [self._named(name, one) for _, name, one in clauses(imported)]
        resolved = dict.fromkeys(i for one in found for i in one.resolved)
        ambiguous = dict.fromkeys(i for one in found for i in one.ambiguous)
        return Resolution(tuple(resolved), tuple(i for i in ambiguous if i not in resolved))

    def uses(self, file: int) -> Resolution:
        """Classes and functions of the same namespace, and functions that are everywhere."""
        scope = self._scope(file)
        own = self._declared(file).own
        resolved: dict[int, None] = {}
        ambiguous: dict[int, None] = {}
        names = self._last_parts.intersection(map(str.lower, self.project.facts(file).names))
        for name in sorted(names - own - scope.aliases.keys()):
            for namespace in scope.namespaces:
                found = self._used(namespace.lower(), name)
                if found is EXTERNAL:
                    continue
                # `\Name` may be all that is meant, instead of that of the namespace.
                unsure = name in scope.qualified
                ambiguous.update(dict.fromkeys(found.ambiguous))
                (ambiguous if unsure else resolved).update(dict.fromkeys(found.resolved))
        return Resolution(tuple(resolved), tuple(i for i in ambiguous if i not in resolved))

    def depends_on(self) -> Iterator[str]:
        """Besides the usual: what every file declares, and in which namespaces."""
        yield from super().depends_on()
        for file in self.project.of(self.languages):
            declared = self._declared(file)
            if declared is not NOTHING:
                yield f"{self.project.paths[file]}\n{declared.names}{sorted(declared.methods)}"

    # ------------------------------------------------------------ names

    def _used(self, namespace: str, name: str) -> Resolution:
        """What a name without a namespace may stand for that the file does not declare itself."""
        full = inside_of(namespace, name)
        if full in self._classes:
            return self._class(full)
        for one in (full, name):
            if one in self._functions:
                return self._loaded(self._functions[one], name)
        return EXTERNAL

    def _loaded(self, files: Files, name: str) -> Resolution:
        """Files of a function that nothing imports; the name may be that of a method instead.

        Where composer loads what is needed, a function is there only if its file always is.
        """
        if self._autoload.declared:
            paths = self.project.paths
            files = tuple(i for i in files if paths[i] in self._autoload.files)
        return Resolution((), files) if name in self._methods else _one_of(files)

    def _named(self, name: str, kind: str) -> Resolution:
        """A full name: a class unless it is said to be a function or a constant."""
        name = name.lstrip("\\")
        if kind == "const":
            return _one_of(self._constants.get(name, ()))
        lower = name.lower()
        if kind == "function":
            return _one_of(self._functions.get(lower, ()))
        if lower not in self._kept:
            found = self._class(lower, name)
            other = self._functions.get(lower) or self._constants.get(name, ())
            self._kept[lower] = found if found != EXTERNAL else _one_of(other)
        return self._kept[lower]

    def _class(self, lower: str, name: str = "") -> Resolution:
        """The file of a class; of several that declare it, the one where composer looks."""
        declaring = self._classes.get(lower, ())
        if len(declaring) == 1:
            return Resolution(declaring)
        mapped = self._mapped(name or self._written.get(lower, lower))
        both = tuple(i for i in mapped if i in declaring)
        return _one_of(both or declaring or mapped)

    def _mapped(self, name: str) -> Files:
        """The files where PSR-4 and PSR-0 put a class, for the longest prefix that has any."""
        parts = name.split("\\")
        for end in range(len(parts) - 1, -1, -1):
            prefix, rest = "\\".join(parts[:end]), "/".join(parts[end:])
            found = self._files(self._autoload.psr4.get(prefix, ()), f"{rest}.php")
            if found:
                return found
        space, _, last = name.rpartition("\\")
        path = _joined(space.replace("\\", "/"), last.replace("_", "/")) + ".php"
        for prefix, folders in self._autoload.psr0.items():
            if name.startswith(prefix) and (found := self._files(folders, path)):
                return found
        return ()

    def _files(self, folders: Iterable[str], path: str) -> Files:
        number = self.project.number
        places = (_joined(folder, path) for folder in folders)
        return tuple(dict.fromkeys(number[place] for place in places if place in number))

    def _scope(self, file: int) -> PhpScope:
        if file not in self._scopes:
            self._scopes[file] = scope_of(self.project.facts(file))
        return self._scopes[file]

    # ------------------------------------------------------------ declarations

    def _declared(self, file: int) -> Declared:
        if file not in self._kept_declared:
            path = self.project.paths[file]
            self._kept_declared[file] = declared_in(
                path, self.project.facts(file), self._scope(file)
            )
        return self._kept_declared[file]

    @cached_property
    def _tables(self) -> dict[str, dict[str, list[int]]]:
        """The files that declare each class, function and constant."""
        found: dict[str, dict[str, list[int]]] = {}
        for file in self.project.of(self.languages):
            for kind, name in self._declared(file).names:
                found.setdefault(kind, {}).setdefault(name, []).append(file)
        return found

    def _table(self, kind: str) -> dict[str, Files]:
        found: dict[str, Files] = {}
        for name, files in self._tables.get(kind, {}).items():
            key = name if kind == "constant" else name.lower()
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *files)))
        return found

    @cached_property
    def _classes(self) -> dict[str, Files]:
        return self._table("class")

    @cached_property
    def _functions(self) -> dict[str, Files]:
        return self._table("function")

    @cached_property
    def _last_parts(self) -> frozenset[str]:
        return frozenset(map(last_part, (*self._classes, *self._functions)))

    @cached_property
    def _constants(self) -> dict[str, Files]:
        return self._table("constant")

    @cached_property
    def _methods(self) -> frozenset[str]:
        files = self.project.of(self.languages)
        return frozenset().union(*(self._declared(file).methods for file in files))

    @cached_property
    def _written(self) -> dict[str, str]:
        """The names of classes as they are declared, by those in lower case."""
        return {name.lower(): name for name in self._tables.get("class", ())}

    # ------------------------------------------------------------ files

    def _included(self, file: int, text: str) -> Resolution:
        path = self.project.paths[file]
        written = written_path(text, path)
        if written is None:
            return _DYNAMIC
        if written.startswith((ROOT, "/")):
            return Resolution(self._file("", written.removeprefix(f"{ROOT}/")))
        folder = path.rpartition("/")[0]
        found = dict.fromkeys(self._file(folder, written) + self._file("", written))
        return _one_of(tuple(found)) if found else Resolution((), self._ending(written))

    def _file(self, folder: str, written: str) -> Files:
        place = inside(folder, written)
        file = self.project.number.get(place) if place else None
        return () if file is None or self.project.languages[file] != "php" else (file,)

    def _ending(self, written: str) -> Files:
        """Files whose path ends with one that is looked for on the path of a program."""
        name = written.rpartition("/")[2]
        if name == written or "./" in written:
            return ()
        if written not in self._endings:
            paths = self.project.paths
            named = self.project.by_name.get(name, ())
            self._endings[written] = tuple(i for i in named if paths[i].endswith(f"/{written}"))
        return self._endings[written]


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _one_of(files: Files) -> Resolution:
    """One file is meant; of several it cannot be told which."""
    return Resolution(files) if len(files) == 1 else Resolution((), files)
