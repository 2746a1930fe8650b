"""The files of a package that a specifier names, and the sources of those that are compiled."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.javascript_modules import (
    DECLARATIONS,
    ENTRY_FIELDS,
    split_specifier,
    targets,
)
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.settings_values import string_or_empty
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, path_in_tree, relative_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.resolvers.javascript_modules import Files, ModuleFiles
    from gitsearch.graph.resolvers.javascript_workspaces import Workspaces
    from gitsearch.graph.resolvers.tsconfig import TsConfig, TsConfigs

# Names of output folders, and of folders in them for one output format each.
_OUTPUT_FOLDER = re.compile(
    r"[._]?(dist|lib|build|built|out|output|compiled|es|esm|cjs|umd|types|typings|commonjs"
    r"|bundles?)([-_.].*)?"
)
_FORMAT_FOLDER = re.compile(
    r"(es|esm|cjs|umd|mjs|es\d+|esm\d+|fesm\d+|ecma\w*|modern|legacy|types|typings|dts|module|modules"
    r"|commonjs|import|require|node|browser|web|prod|production|dev|development|bundles|js|ts"
    r"|_?esm\w*|_?cjs\w*)"
)
_SOURCE_FOLDERS = ("src", "source", "sources", "lib", "app", "")
# Variants of one file, as in `index.esm.min.js`.
_VARIANT = re.compile(
    r"[.-](min|esm|cjs|umd|iife|amd|es|mjs|global|prod|dev|production|development|browser|bundler"
    r"|node|module|common|runtime|legacy|modern|bundle|esm-browser|esm-bundler)(?=\.|$)"
)
_EXTENSION = re.compile(r"(\.d)?\.[cm]?[jt]sx?$")


class Packages:
    """The packages of a project, as importers see them."""

    def __init__(self, files: ModuleFiles, workspaces: Workspaces, configs: TsConfigs) -> None:
        self.files = files
        self.workspaces = workspaces
        self.configs = configs
        names = ((folder, folder.rpartition("/")[2]) for folder in files.project.folders)
        self._vendoring_folders = {
            folder_of(path) for path, name in names if name == "node_modules"
        }

    def named(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a package name with a subpath means for a file in a folder."""
        name, subpath = split_specifier(specifier)
        for ancestor in enclosing_folders(folder) if self._vendoring_folders else ():
            if ancestor in self._vendoring_folders:
                vendored = path_in_tree(ancestor, f"node_modules/{name}") or ""
                if vendored in self.files.project.folders:
                    return self.entry(vendored, subpath, conditions)
        packages, certain = self.workspaces.named(name, folder)
        resolutions = [
            self._entry_or_alias(package, specifier, subpath, conditions) for package in packages
        ]
        if certain and len(resolutions) == 1:
            return resolutions[0]
        files = (file for part in resolutions for file in (*part.resolved, *part.ambiguous))
        return Resolution((), tuple(dict.fromkeys(files)))

    def internal(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a name starting with `#` means for an importer in a folder."""
        for package in self.files.enclosing_packages(folder):
            declared = self.files.manifest(package).get("imports")
            if declared is not None:
                exported = targets(declared, specifier, conditions)
                external = [name for name in exported[0] if not name.startswith((".", "#"))]
                resolution = self._from_targets(package, exported)
                if resolution == EXTERNAL and external:
                    return self.named(external[0], folder, conditions)
                return resolution
        return EXTERNAL

    def _entry_or_alias(
        self, package: str, specifier: str, subpath: str, conditions: frozenset[str]
    ) -> Resolution:
        """Return the files of a package, or those of an alias in any settings for its sources."""
        entry = self.entry(package, subpath, conditions)
        if entry.resolved:
            return entry
        for config in self._configs_with_aliases:
            for path in config.mapped(specifier):
                files = self.files.module(path) if relative_to(path, package) is not None else ()
                if files:
                    return Resolution(files)
        return entry

    @cached_property
    def _configs_with_aliases(self) -> list[TsConfig]:
        """One of the compiler settings for each distinct set of aliases."""
        return list({config.aliases: config for config in self.configs.load_all()}.values())

    @memoized
    def entry(self, package: str, subpath: str, conditions: frozenset[str]) -> Resolution:
        """Return the files of a subpath of a package, or of its entry point ("")."""
        manifest = self.files.manifest(package)
        declared = manifest.get("exports")
        if declared is not None:
            exported = targets(declared, f"./{subpath}" if subpath else ".", conditions)
            resolution = self._from_targets(package, exported)
            if resolution != EXTERNAL:
                return resolution
        if subpath:
            resolution = self._subpath(package, subpath)
            is_hidden = declared is not None and resolution.resolved
            return Resolution((), resolution.resolved) if is_hidden else resolution
        return self._main(package)

    def _from_targets(self, package: str, exported: tuple[list[str], list[str]]) -> Resolution:
        """Return the file of the targets of a package; ambiguous under inactive conditions."""
        for i, listed in enumerate(exported):
            files = self._first_existing(package, [path for path in listed if path[:1] == "."])
            if files:
                return Resolution((), files) if i else Resolution(files)
        return EXTERNAL

    def _main(self, package: str) -> Resolution:
        """Return the entry point of a package without `exports`."""
        manifest = self.files.manifest(package)
        entries = [string_or_empty(manifest.get(field)) for field in (*ENTRY_FIELDS, "source")]
        files = self._first_existing(package, [entry for entry in entries if entry])
        files = files or self.files.module(path_in_tree(package, "index") or "")
        return Resolution(files, () if files else self._probable_main(package))

    def _subpath(self, package: str, subpath: str) -> Resolution:
        """Return the files of a subpath that the package does not declare."""
        path = path_in_tree(package, subpath)
        if path is None:
            return EXTERNAL
        files = self.files.module(path) or self.sources(package, path)
        if files:
            return Resolution(files)
        source = path_in_tree(package, f"src/{subpath}")
        return Resolution((), self.files.source_of(source) if source else ())

    def _first_existing(self, package: str, listed: list[str]) -> Files:
        """Return the first of some targets that exists, or is compiled from existing sources.

        A declaration is followed by its implementation.
        """
        declared: Files = ()
        for target in listed:
            path = path_in_tree(package, target)
            is_declaration = target.endswith(DECLARATIONS)
            if path is None or (declared and is_declaration):
                continue
            files = self.files.exact(path) or self.files.module(path)
            files = files or self.sources(package, path)
            if files and not is_declaration:
                return tuple(dict.fromkeys((*declared, *files)))
            declared = declared or files
        return declared

    @memoized
    def sources(self, package: str, path: str) -> Files:
        """Return the sources of a path in a package that does not exist in the tree."""
        paths = (*self._sources_by_config(package, path), *_conventional_sources(package, path))
        files = next(filter(None, map(self.files.source_of, paths)), ())
        return files or (self._probable_main(package) if self._is_bundle(package, path) else ())

    def _sources_by_config(self, package: str, path: str) -> Iterator[str]:
        """Yield a path with the output folder of the compiler settings replaced by the source."""
        for config in self.configs.in_folder(package):
            for out, root in config.outputs:
                rest = relative_to(path, out)
                if rest is not None and out != config.folder:
                    roots = [f"{config.folder}/src", config.folder] if root is None else [root]
                    yield from (f"{source_root}/{rest}".strip("/") for source_root in roots)

    def _is_bundle(self, package: str, path: str) -> bool:
        """Return True for a path in an output folder with the name of its package."""
        output, _, rest = (relative_to(path, package) or "").partition("/")
        stem = _VARIANT.sub("", _EXTENSION.sub("", rest.rpartition("/")[2]))
        name = string_or_empty(self.files.manifest(package).get("name")).rpartition("/")[2]
        is_named_like_package = stem and stem in (name, name.replace("-", "."))
        return bool(is_named_like_package and _OUTPUT_FOLDER.fullmatch(output))

    def _probable_main(self, package: str) -> Files:
        """Return the most probable entry point of a package that declares none."""
        paths = (path_in_tree(package, f"{folder}/index") or "" for folder in ("src", "lib", ""))
        return next(filter(None, map(self.files.source_of, paths)), ())


def _conventional_sources(package: str, path: str) -> Iterator[str]:
    """Yield a path with its conventional output folders replaced by source folders."""
    parts = (relative_to(path, package) or "").split("/")
    for start in range(1, len(parts)) if _OUTPUT_FOLDER.fullmatch(parts[0]) else ():
        stem = _EXTENSION.sub("", parts[-1])
        base_name = _VARIANT.sub("", stem)
        names = [parts[-1], base_name] if base_name and base_name != stem else [parts[-1]]
        for name in names:
            rest = "/".join([*parts[start:-1], name])
            yield from (path_in_tree(package, f"{root}/{rest}") or "" for root in _SOURCE_FOLDERS)
        if not _FORMAT_FOLDER.fullmatch(parts[start]):
            return
