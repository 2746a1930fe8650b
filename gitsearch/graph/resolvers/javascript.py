"""JavaScript and TypeScript, and component files with embedded scripts.

Imports are resolved as by the TypeScript compiler and bundlers: aliases of the compiler settings,
packages of the repository with their `exports`, omitted extensions. An import of a compiled file
means its source.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Project, Published, Resolution, Resolver
from gitsearch.graph.resolvers.javascript_folders import ComputedImports, constant_path
from gitsearch.graph.resolvers.javascript_modules import ModuleFiles, split_specifier
from gitsearch.graph.resolvers.javascript_packages import Packages
from gitsearch.graph.resolvers.javascript_workspaces import Workspaces
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.resolvers.tsconfig import TsConfigs
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    path_in_tree,
    relative_to,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.resolvers.tsconfig import TsConfig
    from gitsearch.records import Import

_REFERENCE = re.compile(r"""\b(path|types)[ \t]*=[ \t]*["']([^"'\n]+)["']""")
# Specifiers that are never in the repository: `node:fs`, `https://...`, a glob in a declaration.
_EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]+:|.*\*", re.IGNORECASE)
# Conventional aliases of frameworks and templates, which no tracked file declares.
_CONVENTIONAL_ALIAS = re.compile(r"(?:@@?|~~?)/+(.+)")
_CONVENTIONAL_FOLDERS = ("src", "app", "")
_IMPORT_CONDITIONS = frozenset({"import"})
# Conditions of calls; a module that a test runner mocks may be imported either way.
_REQUIRE_CONDITIONS = frozenset({"require"})
_CALLS = {"require": _REQUIRE_CONDITIONS, "mock": _IMPORT_CONDITIONS | _REQUIRE_CONDITIONS}
# Kinds of imports that name no package.
_OF_OWN_TREE = frozenset({"computed", "reference", "path", "url"})
_SVELTE_KIT = ("svelte.config.js", "svelte.config.ts", "svelte.config.mjs")


class JavaScript(Resolver):
    """Specifiers are paths, names of packages, or aliases."""

    languages = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
    settings = frozenset({"package.json", "pnpm-workspace.yaml", "lerna.json", "rush.json"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.files = ModuleFiles(project)
        self.workspaces = Workspaces(self.files)
        self.configs = TsConfigs(self.workspaces)
        self.computed = ComputedImports(self.files)
        self.packages = Packages(self.files, self.workspaces, self.configs)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that an import means."""
        if imported.kind == "computed":
            return self.computed.resolve(file, imported.specifier)
        path = self.project.paths[file]
        folder = folder_of(path)
        if imported.kind == "reference":
            return self._reference(file, folder, imported.specifier)
        if imported.kind == "path":
            return self._from_own_folder(folder, imported.specifier)
        config = self.configs.of(path)
        resolution = self._resolve_specifier(folder, config, imported.kind, imported.specifier)
        if imported.kind == "augment" and not self._augments(file, imported.specifier):
            return Resolution((), resolution.resolved or resolution.ambiguous)
        return resolution

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the package with the name that a specifier begins with."""
        del names
        specifier = _without_loaders(imported.kind, imported.specifier)
        if imported.kind in _OF_OWN_TREE or _EXTERNAL.match(specifier):
            return None
        name, subpath = split_specifier(specifier)
        conditions = _CALLS.get(imported.kind, _IMPORT_CONDITIONS)
        for folder in self.workspaces.folders_by_name.get(name, ()):
            entry = self.packages.entry(folder, subpath, conditions)
            if files := entry.resolved or entry.ambiguous:
                return Published(name, joined(folder, "package.json"), files)
        return None

    def _augments(self, file: int, specifier: str) -> bool:
        """Return True if `declare module "x"` certainly augments, not declares, the module."""
        if specifier.startswith("."):
            return True
        imports = self.project.facts(file).imports
        # Imports in a declaration file may be inside `declare module`.
        is_module = any(other.kind in ("import", "export") for other in imports)
        return is_module and not self.files.is_declaration(file)

    def depends_on(self) -> Iterator[str]:
        """Yield every path, as any file may be imported, and the texts of settings."""
        yield from self.project.paths
        yield from self.settings_texts()

    def settings_texts(self) -> Iterable[str]:
        """Yield the settings of packages and workspaces, and all compiler settings."""
        yield from self.workspaces.fingerprint()
        configs = TsConfigs(self.workspaces)
        configs.load_all()
        for path in sorted(configs.read):
            yield f"{path}\n{self.project.text(path)}"

    def _reference(self, file: int, folder: str, comment: str) -> Resolution:
        """Resolve `/// <reference path="..." />` or `types="..."`."""
        match = _REFERENCE.search(comment)
        if match is None:
            return EXTERNAL
        if match[1] == "path" or match[2].startswith("."):
            path = path_in_tree(folder, match[2]) or ""
            return Resolution(self.files.exact(path) or self.files.file(path))
        config = self.configs.of(self.project.paths[file])
        return self._bare(folder, config, match[2], config.conditions | _IMPORT_CONDITIONS)

    def _from_own_folder(self, folder: str, arguments: str) -> Resolution:
        """Resolve a path that is computed from the folder of the importing file."""
        path = constant_path(arguments)
        return Resolution(self.files.exact(path_in_tree(folder, path) or "")) if path else EXTERNAL

    @memoized
    def _resolve_specifier(
        self, folder: str, config: TsConfig, kind: str, specifier: str
    ) -> Resolution:
        specifier = _without_loaders(kind, specifier)
        if not specifier or _EXTERNAL.match(specifier):
            return EXTERNAL
        if specifier.startswith("."):
            return self._relative(folder, config, specifier)
        if specifier.startswith("/"):
            return self._absolute(folder, specifier)
        conditions = config.conditions | _CALLS.get(kind, _IMPORT_CONDITIONS)
        return self._bare(folder, config, specifier, conditions)

    def _relative(self, folder: str, config: TsConfig, specifier: str) -> Resolution:
        path = path_in_tree(folder, specifier)
        if path is None:
            return EXTERNAL
        is_folder = specifier.endswith(("/", "/.", "/..")) or specifier in (".", "..")
        lookup = self.files.folder if is_folder else self.files.module
        candidates = chain([path], _in_other_roots(path, config.root_folders))
        files = next(filter(None, map(lookup, candidates)), ())
        return self._on_platforms(files, config) if files else self._sources_of(path, folder)

    def _on_platforms(self, files: tuple[int, ...], config: TsConfig) -> Resolution:
        """Resolve to the first allowed platform variant of a file; the others are ambiguous."""
        if not config.suffixes or len(files) > 1:
            return Resolution(files)
        platform_variants = self.files.platform_variants(files[0], config.suffixes) or files
        return Resolution(platform_variants[:1], platform_variants[1:])

    def _sources_of(self, path: str, folder: str) -> Resolution:
        """Return the sources of a path that does not exist in the tree."""
        packages = self.files.enclosing_packages(folder_of(path))
        package = packages[0] if packages else ""
        sources = self.packages.sources(package, path)
        output_folder = (relative_to(path, package) or "").partition("/")[0]
        own_folder = (relative_to(folder, package) or "").partition("/")[0]
        # An importer that is in the same folder itself does not import a compiled file.
        return Resolution(sources) if output_folder != own_folder else Resolution((), sources)

    def _absolute(self, folder: str, specifier: str) -> Resolution:
        """Resolve a path from the root of a web server."""
        packages = (*self.files.enclosing_packages(folder), "")
        paths = filter(None, (path_in_tree(package, specifier) for package in packages))
        return Resolution((), next(filter(None, map(self.files.module, paths)), ()))

    def _bare(
        self, folder: str, config: TsConfig, specifier: str, conditions: frozenset[str]
    ) -> Resolution:
        """Resolve a name: an alias, a path below the base, a package, or a conventional alias."""
        aliased = self._aliased(config, specifier)
        if aliased and not all(self.files.is_declaration(file) for file in aliased):
            return self._on_platforms(aliased, config)
        if specifier.startswith("#"):
            resolution = self.packages.internal(specifier, folder, conditions)
        else:
            resolution = self.packages.named(specifier, folder, conditions)
        if aliased:
            # The alias of a declaration is for the compiler alone; at run time it is the package.
            implementations = (
                file for file in resolution.resolved if not self.files.is_declaration(file)
            )
            return Resolution(tuple(dict.fromkeys((*aliased, *implementations))))
        if resolution == EXTERNAL:
            return self._by_convention(folder, config, specifier)
        return resolution

    def _aliased(self, config: TsConfig, specifier: str) -> tuple[int, ...]:
        """Return the files of an alias, or those at a path below the base."""
        based = None if config.base is None else path_in_tree(config.base, specifier)
        paths = (*config.mapped(specifier), *([based] if based else []))
        matches = (self.files.exact(path) or self.files.module(path) for path in paths)
        return next(filter(None, matches), ())

    def _by_convention(self, folder: str, config: TsConfig, specifier: str) -> Resolution:
        """Resolve a name that only a build tool can resolve, by convention."""
        if specifier == "$lib" or specifier.startswith("$lib/"):
            return self._library(folder, specifier)
        for path in config.mapped(specifier):
            resolution = self._sources_of(path, folder)
            if resolution != EXTERNAL:
                return resolution
        match = _CONVENTIONAL_ALIAS.fullmatch(specifier)
        if match is None:
            return EXTERNAL
        for package in (*self.files.enclosing_packages(folder), ""):
            paths = (path_in_tree(package, f"{root}/{match[1]}") for root in _CONVENTIONAL_FOLDERS)
            files = [file for path in paths if path for file in self.files.module(path)]
            if files:
                return Resolution((), tuple(dict.fromkeys(files)))
        return EXTERNAL

    def _library(self, folder: str, specifier: str) -> Resolution:
        """Resolve `$lib`, which SvelteKit defines in each of its projects."""
        for ancestor in enclosing_folders(folder):
            if any(joined(ancestor, name) in self.project.number for name in _SVELTE_KIT):
                return Resolution(self.files.module(joined(ancestor, f"src/lib{specifier[4:]}")))
        return EXTERNAL


def _without_loaders(kind: str, specifier: str) -> str:
    """Return a specifier without webpack loaders before it and a query after it."""
    plain = specifier.rpartition("!")[2]
    plain = plain.partition("?")[0] or plain
    is_name = plain[:1].isalnum() and ":" not in plain
    return f"./{plain}" if kind == "url" and is_name else plain


def _in_other_roots(path: str, root_folders: tuple[str, ...]) -> Iterator[str]:
    """Yield the path relative to its root folder below each root folder (`rootDirs`)."""
    relative = [(len(root), relative_to(path, root)) for root in root_folders]
    longest = max(((size, rest) for size, rest in relative if rest is not None), default=None)
    if longest is not None:
        for root in root_folders:
            yield f"{root}/{longest[1]}".strip("/")
