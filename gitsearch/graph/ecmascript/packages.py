"""The files of a package that a specifier names."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.ecmascript.build_outputs import BuildOutput, BuildOutputs
from gitsearch.graph.ecmascript.module_files import DECLARATIONS, ENTRY_FIELDS
from gitsearch.graph.ecmascript.package_exports import Targets, split_specifier, targets
from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.settings_values import string_or_empty
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, path_in_tree, relative_to

if TYPE_CHECKING:
    from gitsearch.graph.ecmascript.module_files import ModuleFiles
    from gitsearch.graph.ecmascript.tsconfig import TsConfigs
    from gitsearch.graph.ecmascript.tsconfig_file import TsConfig
    from gitsearch.graph.ecmascript.workspaces import Workspaces


class Packages:
    """The packages of a project, as importers see them."""

    def __init__(self, files: ModuleFiles, workspaces: Workspaces, configs: TsConfigs) -> None:
        self.files = files
        self.workspaces = workspaces
        self.configs = configs
        self.outputs = BuildOutputs(files, configs)
        self._entries: dict[tuple[str, str, frozenset[str]], Resolution] = {}
        self._vendoring_folders = {
            folder_of(f"/{folder}")
            for folder in files.project.folders
            if f"/{folder}".endswith("/node_modules")
        }

    def named(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a package name with a subpath means for a file in a folder."""
        name, subpath = split_specifier(specifier)
        for ancestor in enclosing_folders(folder) if self._vendoring_folders else ():
            if f"/{ancestor}".rstrip("/") in self._vendoring_folders:
                vendored = path_in_tree(ancestor, f"node_modules/{name}") or ""
                if vendored in self.files.project.folders:
                    return self.entry(vendored, subpath, conditions)
        packages = self.workspaces.named(name, folder)
        resolutions = [
            self._entry_or_alias(package, specifier, subpath, conditions)
            for package in packages.folders
        ]
        if packages.certain and len(resolutions) == 1:
            return resolutions[0]
        files = (file for part in resolutions for file in (*part.resolved, *part.ambiguous))
        return Resolution((), tuple(dict.fromkeys(files)))

    def internal(self, specifier: str, folder: str, conditions: frozenset[str]) -> Resolution:
        """Return the files that a name starting with `#` means for an importer in a folder."""
        for package in self.files.enclosing_packages(folder):
            declared = self.files.manifest(package).get("imports")
            if declared is not None:
                exported = targets(declared, specifier, conditions)
                external = [name for name in exported.active if not name.startswith((".", "#"))]
                resolution = self._from_targets(package, exported)
                if resolution == EXTERNAL and external:
                    return self.named(external[0], folder, conditions)
                return resolution
        return EXTERNAL

    def entry(self, package: str, subpath: str, conditions: frozenset[str]) -> Resolution:
        """Return the files of a subpath of a package, or of its entry point ("")."""
        key = package, subpath, conditions
        if key not in self._entries:
            self._entries[key] = self._entry(package, subpath, conditions)
        return self._entries[key]

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

    def _entry(self, package: str, subpath: str, conditions: frozenset[str]) -> Resolution:
        manifest = self.files.manifest(package)
        declared = manifest.get("exports")
        if declared is not None:
            exported = targets(declared, f"./{subpath}" if subpath else ".", conditions)
            resolution = self._from_targets(package, exported)
            if resolution != EXTERNAL:
                return resolution
        if subpath:
            resolution = self._subpath(package, subpath)
            hidden = declared is not None
            if hidden and resolution.resolved:
                return Resolution((), resolution.resolved)
            return resolution
        return self._main(package)

    def _from_targets(self, package: str, exported: Targets) -> Resolution:
        """Return the file of the targets of a package; ambiguous under inactive conditions."""
        active = self._first_existing(
            package, [target for target in exported.active if target.startswith(".")]
        )
        if active != EXTERNAL:
            return active
        inactive = self._first_existing(
            package, [target for target in exported.inactive if target.startswith(".")]
        )
        return Resolution((), inactive.resolved or inactive.ambiguous)

    def _main(self, package: str) -> Resolution:
        """Return the entry point of a package without `exports`."""
        manifest = self.files.manifest(package)
        entries = [string_or_empty(manifest.get(field)) for field in (*ENTRY_FIELDS, "source")]
        resolution = self._first_existing(package, [entry for entry in entries if entry])
        if resolution == EXTERNAL:
            resolution = Resolution(self.files.module(path_in_tree(package, "index") or ""))
        if resolution == EXTERNAL:
            return Resolution((), self.outputs.entry(package).files)
        return resolution

    def _subpath(self, package: str, subpath: str) -> Resolution:
        """Return the files of a subpath that the package does not declare."""
        path = path_in_tree(package, subpath)
        if path is None:
            return EXTERNAL
        files = self.files.module(path)
        if files:
            return Resolution(files)
        output = self.outputs.sources(package, path)
        if output.files:
            return _as_resolution(output)
        source = path_in_tree(package, f"src/{subpath}")
        return Resolution((), self.files.source_of(source) if source else ())

    def _first_existing(self, package: str, listed: list[str]) -> Resolution:
        """Return the first of some targets that exists, or is compiled from existing sources.

        A declaration is followed by its implementation.
        """
        declared: tuple[int, ...] = ()
        fallback = EXTERNAL
        for target in listed:
            path = path_in_tree(package, target)
            is_declaration = target.endswith(DECLARATIONS)
            if path is None or (declared and is_declaration):
                continue
            resolution = Resolution(self.files.exact(path) or self.files.module(path))
            if not resolution.resolved:
                resolution = _as_resolution(self.outputs.sources(package, path))
            if resolution.resolved and not is_declaration:
                return Resolution(tuple(dict.fromkeys((*declared, *resolution.resolved))))
            declared = declared or resolution.resolved
            fallback = resolution if fallback == EXTERNAL else fallback
        return Resolution(declared) if declared else fallback


def _as_resolution(output: BuildOutput) -> Resolution:
    return Resolution(output.files) if output.certain else Resolution((), output.files)
