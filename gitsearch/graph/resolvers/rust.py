"""Rust: paths are resolved through the modules of crates, and through re-exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Published, Resolution, Resolver
from gitsearch.graph.resolvers.rust_modules import (
    ModuleTree,
    RustModule,
    imported_paths,
    without_raw_prefix,
)
from gitsearch.graph.tree_paths import folder_of, joined, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_Path = tuple[str, ...]
# The lookups of one resolution so far: a module, a name in it and the rest of the path, with the
# result. Beyond the maximum nothing more is looked up.
_Lookups = dict[tuple[int, str, _Path], "_Target | None"]
_MAX_LOOKUPS = 100
# Crates of the toolchain; they take precedence over packages of the tree with the same name.
_TOOLCHAIN = frozenset({"std", "core", "alloc", "proc_macro", "test"})


class _Target(NamedTuple):
    """The target of a path.

    module_files: the files of the module that contains the last name of the path;
    definition_files: the files that define that name; module: the module, if the path names one.
    """

    module_files: frozenset[int] = frozenset()
    definition_files: frozenset[int] = frozenset()
    module: RustModule | None = None
    certain: bool = True

    def files(self) -> frozenset[int]:
        """Return all files that an import of the path depends on."""
        return self.module_files | self.definition_files


_NOT_FOUND = _Target()

# The result of a lookup that is not finished, for a cycle of imports that comes back to it.
_IN_PROGRESS = _Target(certain=False)


class Rust(Resolver):
    """A path resolves to the module that contains its last name.

    If that module re-exports the name, the path resolves to the file of the definition too.
    """

    languages = frozenset({"rust"})
    settings = frozenset({"Cargo.toml"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._tree = ModuleTree(project)
        self._globs: dict[RustModule, list[RustModule]] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of a declared module, or the targets of the imported paths."""
        if imported.kind == "include":
            folder = folder_of(self.project.paths[file])
            number = self.project.number.get(normalized(folder, imported.specifier))
            return EXTERNAL if number is None else Resolution((number,))
        inline_path = self._tree.source(file).inline_path.get(imported, ())
        targets: list[_Target] = []
        for module in self._tree.modules_at(file, inline_path):
            if imported.kind == "path":
                targets.append(self._named_crate(module, imported.specifier))
            for name in self._declared_modules(file, imported):
                child = module.children.get(without_raw_prefix(name))
                if child is not None:
                    targets.append(_Target(child.files()))
            for path, bound in imported_paths(imported):
                names = path[:-1] if bound == "*" else path
                targets.append(self._resolve_path(module, names, {}))
        resolved = {file for target in targets if target.certain for file in target.files()}
        ambiguous = {file for target in targets if not target.certain for file in target.files()}
        return Resolution(tuple(sorted(resolved)), tuple(sorted(ambiguous - resolved)))

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the package whose library is the crate that the paths begin with."""
        del names
        for path, bound in imported_paths(imported):
            parts = tuple(filter(None, path))
            crate = parts[0] if parts else ""
            folders = self._tree.cargo.by_library.get(crate, [])
            root = self._tree.library(folders[0]) if len(folders) == 1 else None
            if root is not None and crate not in _TOOLCHAIN:
                rest = parts[1:-1] if bound == "*" else parts[1:]
                files = self._resolve_in_module(root, rest, {}).files()
                name = self._tree.cargo.packages[folders[0]].name
                return Published(name, joined(folders[0], "Cargo.toml"), tuple(sorted(files)))
        return None

    def _declared_modules(self, file: int, imported: Import) -> list[str]:
        """Return the modules that an item declares: itself, or through a macro that it calls."""
        if imported.kind == "call":
            modules = self._tree.modules_of_macro(file, imported.specifier)
            return [module.specifier for module in modules]
        return [imported.specifier] if imported.kind == "mod" else []

    def depends_on(self) -> Iterator[str]:
        """Also yield what files define, declare and import: paths are resolved through them."""
        yield from super().depends_on()
        for file in self.project.of(self.languages):
            facts = self.project.facts(file)
            yield from (
                f"{imported.specifier} {imported.kind} {imported.names}"
                for imported in facts.imports
            )
            yield from (f"{kind} {name}" for name, kind in facts.definitions)

    def _named_crate(self, module: RustModule, name: str) -> _Target:
        """Return the root of the crate that a path in a module begins with, if it is one."""
        if name in module.children or self._look_up(module, name, (), {}) is not None:
            return _NOT_FOUND
        return self._crate(module, name)

    def _resolve_path(self, module: RustModule, path: _Path, lookups: _Lookups) -> _Target:
        """Resolve a path as written in a module."""
        current = module
        for i, name in enumerate(path):
            if name == "crate":
                current = module.root
            elif name == "super":
                if current.parent is None:
                    return _NOT_FOUND
                current = current.parent
            elif name == "":
                return self._resolve_in_crate(module, path[i + 1 :], lookups)
            elif name != "self":
                return self._resolve_relative(current, path[i:], lookups, leading=i == 0)
        return _Target(current.files(), module=current) if path else _NOT_FOUND

    def _resolve_relative(
        self, module: RustModule, path: _Path, lookups: _Lookups, *, leading: bool
    ) -> _Target:
        """Resolve a path without keywords; `leading` if it starts at the scope of the module."""
        if not leading:
            return self._resolve_in_module(module, path, lookups)
        if module.package and module.package.edition == "2015":
            module = module.root
        if path[0] in module.children:
            return self._resolve_in_module(module, path, lookups)
        if path[0] not in _TOOLCHAIN:
            target = self._look_up(module, path[0], path[1:], lookups)
            if target is not None and target is not _IN_PROGRESS:
                return target
        return self._resolve_in_crate(module, path, lookups)

    def _resolve_in_module(self, module: RustModule, path: _Path, lookups: _Lookups) -> _Target:
        """Resolve a path relative to a module."""
        for i, name in enumerate(path):
            child = module.children.get(name)
            if child is None:
                files = module.files()
                rest = path[i + 1 :]
                target = self._look_up(module, name, rest, lookups)
                if target is _IN_PROGRESS:
                    return _NOT_FOUND
                if target is None:
                    macros = self._tree.macros.get(module, {}) if module.parent is None else {}
                    return _Target(files, frozenset(macros.get(name, files)))
                # The name may be an alias of a module; the rest of the path is resolved there.
                return target._replace(
                    module_files=target.module_files if rest else files,
                    definition_files=target.definition_files or target.module_files,
                )
            module = child
        return _Target(module.files(), module=module)

    def _look_up(
        self, module: RustModule, name: str, rest: _Path, lookups: _Lookups
    ) -> _Target | None:
        """Return the target of a name in a module that is none of its child modules, or None."""
        key = (id(module), name, rest)
        if key not in lookups:
            lookups[key] = _IN_PROGRESS
            below_limit = len(lookups) < _MAX_LOOKUPS
            lookups[key] = self._search(module, name, rest, lookups) if below_limit else None
        return lookups[key]

    def _search(
        self, module: RustModule, name: str, rest: _Path, lookups: _Lookups
    ) -> _Target | None:
        explicit = self._explicit_targets(module, name, rest, lookups)
        if explicit:
            # Conditional compilation decides which of them has the name.
            definitions = (target.definition_files or target.module_files for target in explicit)
            return _Target(
                frozenset().union(*(target.module_files for target in explicit)),
                frozenset().union(*definitions),
                explicit[0].module,
                all(target.certain for target in explicit),
            )
        for glob in self._glob_imports(module, lookups):
            if name in glob.children:
                return self._resolve_in_module(glob, (name, *rest), lookups)
            target = self._look_up(glob, name, rest, lookups)
            if target is not None and target is not _IN_PROGRESS:
                return target
        return None

    def _explicit_targets(
        self, module: RustModule, name: str, rest: _Path, lookups: _Lookups
    ) -> list[_Target]:
        """Return the targets of a name that a module defines or imports by name."""
        targets = []
        for file, inline_path in module.parts:
            source = self._tree.source(file)
            if ".".join((*inline_path, name)) in source.defined:
                targets.append(_Target(frozenset({file}), frozenset({file})))
            for path in source.named(inline_path, name):
                # `use a::a` names a crate.
                resolve = self._resolve_in_crate if path[0] == name else self._resolve_path
                targets.append(resolve(module, path + rest, lookups))
        return [target for target in targets if target != _NOT_FOUND]

    def _glob_imports(self, module: RustModule, lookups: _Lookups) -> list[RustModule]:
        """Return the modules that a module imports with `*`."""
        if module not in self._globs:
            self._globs[module] = []  # lookups on the way do without them
            for file, inline_path in module.parts:
                for path in self._tree.source(file).named(inline_path, "*")[:_MAX_LOOKUPS]:
                    target = self._resolve_path(module, path[:-1], dict(lookups)).module
                    if target is not None and target is not module:
                        self._globs[module].append(target)
        return self._globs[module]

    def _resolve_in_crate(self, module: RustModule, path: _Path, lookups: _Lookups) -> _Target:
        """Resolve a path that starts with the name of a crate."""
        if not path:
            return _NOT_FOUND
        crate = self._crate(module, path[0])
        if crate.module is None or len(path) == 1:
            return crate
        target = self._resolve_in_module(crate.module, path[1:], lookups)
        return target._replace(certain=target.certain and crate.certain)

    def _crate(self, module: RustModule, name: str) -> _Target:
        """Return the root of the crate that a module knows by a name."""
        package = module.package
        certain = True
        folders: list[str] = []
        if package is not None:
            extern = self._tree.cargo.externs(package.folder).get(name)
            if extern is not None:
                folders, certain = [extern.folder], extern.certain
            elif name == package.library:
                folders = [package.folder]
        if not folders and name not in _TOOLCHAIN:
            folders = self._tree.cargo.by_library.get(name, [])
            certain = False
        root = self._tree.library(folders[0]) if len(folders) == 1 else None
        if root is None:
            return _NOT_FOUND
        return _Target(root.files(), module=root, certain=certain)
