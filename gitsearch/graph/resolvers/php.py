"""PHP: classes by the autoload rules of composer.json or by declaration, and included files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.nearest_path import nested_files
from gitsearch.graph.resolvers.php_composer import SETTINGS_NAME, autoload
from gitsearch.graph.resolvers.php_include_paths import ROOT, evaluate_path
from gitsearch.graph.resolvers.php_names import (
    NO_DECLARATIONS,
    Declarations,
    PhpScope,
    declarations_in,
    in_namespace,
    last_part,
    qualified_name,
    scope_of,
    use_clauses,
)
from gitsearch.graph.resolvers.resolutions import merged, one_of
from gitsearch.graph.tree_paths import folder_of, joined, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")

Files = tuple[int, ...]


class Php(Resolver):
    """Files refer to classes, functions and constants of others by qualified name."""

    languages: ClassVar[frozenset[str]] = frozenset({"php"})
    settings: ClassVar[frozenset[str]] = frozenset({SETTINGS_NAME})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._autoload = autoload(project)
        self._scopes: dict[int, PhpScope] = {}
        self._declarations_of: dict[int, Declarations] = {}
        self._resolutions: dict[str, Resolution] = {}
        self._files_by_suffix: dict[str, Files] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that `use`, `require` or a qualified name refers to."""
        kind, specifier = imported.kind, imported.specifier
        if kind == "namespace":
            return EXTERNAL
        if kind in ("require", "include"):
            return self._include(file, specifier)
        if kind == "name":
            return self._resolve_name(qualified_name(specifier, self._scope(file)), "")
        return merged(self._resolve_name(name, kind) for _, name, kind in use_clauses(imported))

    def uses(self, file: int) -> Resolution:
        """Return the files of used classes and functions of the namespace, or global functions."""
        scope = self._scope(file)
        declared = self._declarations(file).last_parts
        names = self._last_parts.intersection(map(str.lower, self.project.facts(file).names))
        resolutions = []
        for name in sorted(names - declared - scope.aliases.keys()):
            for namespace in scope.namespaces:
                resolution = self._resolve_unqualified(namespace.lower(), name)
                if name in scope.qualified:
                    # The file may only use `\Name`, not the name in its own namespace.
                    files = resolution.ambiguous + resolution.resolved
                    resolution = Resolution(ambiguous=files)
                resolutions.append(resolution)
        return merged(resolutions)

    def depends_on(self) -> Iterator[str]:
        """Also yield the declarations of every file."""
        yield from super().depends_on()
        for file in self.project.of(self.languages):
            declared = self._declarations(file)
            if declared is not NO_DECLARATIONS:
                yield f"{self.project.paths[file]}\n{declared.names}{sorted(declared.methods)}"

    # ------------------------------------------------------------ names

    def _resolve_unqualified(self, namespace: str, name: str) -> Resolution:
        """Resolve an unqualified name that the file itself does not declare."""
        qualified = in_namespace(namespace, name)
        if qualified in self._classes:
            return self._class(qualified)
        for function in (qualified, name):
            if function in self._functions:
                return self._function_files(self._functions[function], name)
        return EXTERNAL

    def _function_files(self, files: Files, name: str) -> Resolution:
        """Resolve a function that nothing imports; ambiguous if a method has the name, too.

        With composer, a function is available only if its file is always loaded.
        """
        if self._autoload.declared:
            paths = self.project.paths
            files = tuple(file for file in files if paths[file] in self._autoload.files)
        return Resolution((), files) if name in self._methods else one_of(files)

    def _resolve_name(self, name: str, kind: str) -> Resolution:
        """Resolve a qualified name: a class unless `kind` says a function or a constant."""
        name = name.lstrip("\\")
        if kind == "const":
            return one_of(self._constants.get(name, ()))
        lower = name.lower()
        if kind == "function":
            return one_of(self._functions.get(lower, ()))
        if lower not in self._resolutions:
            resolution = self._class(lower, name)
            if resolution == EXTERNAL:
                functions = self._functions.get(lower)
                resolution = one_of(functions or self._constants.get(name, ()))
            self._resolutions[lower] = resolution
        return self._resolutions[lower]

    def _class(self, lower: str, name: str = "") -> Resolution:
        """Return the file of a class; of several that declare it, the autoloaded one."""
        declaring = self._classes.get(lower, ())
        if len(declaring) == 1:
            return Resolution(declaring)
        autoloaded = self._autoloaded(name or self._declared_spelling.get(lower, lower))
        both = tuple(file for file in autoloaded if file in declaring)
        return one_of(both or declaring or autoloaded)

    def _autoloaded(self, name: str) -> Files:
        """Return the files where PSR-4 or PSR-0 locate a class, by the longest prefix."""
        parts = name.split("\\")
        for end in range(len(parts) - 1, -1, -1):
            prefix, rest = "\\".join(parts[:end]), "/".join(parts[end:])
            files = self._existing(self._autoload.psr4.get(prefix, ()), f"{rest}.php")
            if files:
                return files
        namespace, separator, last = name.rpartition("\\")
        path = (namespace + separator).replace("\\", "/") + last.replace("_", "/") + ".php"
        for prefix, folders in self._autoload.psr0.items():
            if name.startswith(prefix) and (files := self._existing(folders, path)):
                return files
        return ()

    def _existing(self, folders: Iterable[str], path: str) -> Files:
        """Return the files that exist at a path below some folders."""
        number = self.project.number
        paths = (joined(folder, path) for folder in folders)
        return tuple(dict.fromkeys(number[target] for target in paths if target in number))

    def _scope(self, file: int) -> PhpScope:
        if file not in self._scopes:
            self._scopes[file] = scope_of(self.project.facts(file))
        return self._scopes[file]

    # ------------------------------------------------------------ declarations

    def _declarations(self, file: int) -> Declarations:
        if file not in self._declarations_of:
            path, facts = self.project.paths[file], self.project.facts(file)
            self._declarations_of[file] = declarations_in(path, facts, self._scope(file))
        return self._declarations_of[file]

    @cached_property
    def _tables(self) -> dict[str, dict[str, list[int]]]:
        """The files that declare each class, function and constant."""
        tables: dict[str, dict[str, list[int]]] = {}
        for file in self.project.of(self.languages):
            for kind, name in self._declarations(file).names:
                tables.setdefault(kind, {}).setdefault(name, []).append(file)
        return tables

    def _table(self, kind: str) -> dict[str, Files]:
        """Return the declaring files by name; names other than of constants in lower case."""
        table: dict[str, Files] = {}
        for name, files in self._tables.get(kind, {}).items():
            key = name if kind == "constant" else name.lower()
            table[key] = tuple(dict.fromkeys((*table.get(key, ()), *files)))
        return table

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
        return frozenset().union(*(self._declarations(file).methods for file in files))

    @cached_property
    def _declared_spelling(self) -> dict[str, str]:
        """The names of classes as declared, by name in lower case."""
        return {name.lower(): name for name in self._tables.get("class", ())}

    # ------------------------------------------------------------ files

    def _include(self, file: int, expression: str) -> Resolution:
        path = self.project.paths[file]
        target = evaluate_path(expression, path)
        if target is None:
            return _DYNAMIC
        if target.startswith((ROOT, "/")):
            return Resolution(self._file("", target.removeprefix(f"{ROOT}/")))
        folder = folder_of(path)
        files = dict.fromkeys(self._file(folder, target) + self._file("", target))
        return one_of(tuple(files)) if files else Resolution((), self._with_suffix(target))

    def _file(self, folder: str, path: str) -> Files:
        target = relative_path_in_tree(folder, path)
        file = self.project.number.get(target) if target else None
        return () if file is None or self.project.languages[file] != "php" else (file,)

    def _with_suffix(self, suffix: str) -> Files:
        """Return the files with a path suffix, for a path on the include path of a program."""
        if "/" not in suffix or "./" in suffix:
            return ()
        if suffix not in self._files_by_suffix:
            self._files_by_suffix[suffix] = nested_files(self.project, suffix)
        return self._files_by_suffix[suffix]
