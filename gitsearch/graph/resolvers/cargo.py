"""Cargo packages: the root files of their crates, and the crates that each package can name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.resolvers.path_globs import Globs
from gitsearch.graph.resolvers.toml_ini import toml
from gitsearch.graph.settings_values import object_or_empty, string_or_empty
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# Folders of automatically discovered targets: one file each, or a folder with a main.rs.
_AUTOMATIC = ("src/bin", "tests", "examples", "benches")
_TARGETS = ("bin", "test", "example", "bench")
_DEPENDENCIES = frozenset(
    f"{kind}dependencies" for kind in ("", "dev-", "dev_", "build-", "build_")
)


class Extern(NamedTuple):
    """A crate that a package depends on: the folder of its package, and whether that is certain.

    It is uncertain if the dependency has only a version and this tree has a package of that name.
    """

    folder: str
    certain: bool = True


class CargoPackage(NamedTuple):
    """A package.

    library: the crate name of its library; lib: the root file of the library, or ""; roots: the
    root files of all its crates.
    """

    folder: str
    name: str
    edition: str
    library: str
    lib: str
    roots: tuple[str, ...]


class Cargo:
    """The Cargo.toml files of a tree."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._globs = Globs(project)
        self._externs: dict[str, dict[str, Extern]] = {}

    @cached_property
    def packages(self) -> dict[str, CargoPackage]:
        """The packages by folder."""
        packages = {}
        for folder, settings in self._settings.items():
            package = object_or_empty(settings.get("package"))
            if isinstance(package.get("name"), str):
                packages[folder] = self._package(folder, settings, package)
        return packages

    def externs(self, package: CargoPackage) -> dict[str, Extern]:
        """Return the crates that a package depends on, by the names that its code has for them."""
        if package.folder not in self._externs:
            externs = {}
            for name, value in _dependencies(self._settings[package.folder]):
                crate, extern = self._resolve_dependency(package.folder, name, value)
                if extern is not None and (crate not in externs or extern.certain):
                    externs[crate] = extern
            self._externs[package.folder] = externs
        return self._externs[package.folder]

    @cached_property
    def by_library(self) -> dict[str, list[str]]:
        """The folders of the packages with a library, by its crate name."""
        folders: dict[str, list[str]] = {}
        for package in self.packages.values():
            if package.lib:
                folders.setdefault(package.library, []).append(package.folder)
        return folders

    # ------------------------------------------------------------ reading

    @cached_property
    def _settings(self) -> dict[str, dict[str, Any]]:
        """The parsed Cargo.toml files by folder."""
        by_folder = {}
        for file in self._project.by_name.get("Cargo.toml", ()):
            path = self._project.paths[file]
            if settings := toml(self._project.text(path)):
                by_folder[folder_of(path)] = settings
        return by_folder

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The folders of the packages by name."""
        folders: dict[str, list[str]] = {}
        for folder, settings in self._settings.items():
            name = object_or_empty(settings.get("package")).get("name")
            if isinstance(name, str):
                folders.setdefault(name, []).append(folder)
        return folders

    def _workspace(self, folder: str) -> tuple[str, dict[str, Any]]:
        """Return the folder and the settings of the workspace of a package; empty without one."""
        declared = object_or_empty(self._settings.get(folder, {}).get("package")).get("workspace")
        if isinstance(declared, str):
            folder = normalized(folder, declared)
        for ancestor in enclosing_folders(folder):
            settings = self._settings.get(ancestor, {})
            if isinstance(settings.get("workspace"), dict):
                return ancestor, settings
        return "", {}

    def _package(
        self, folder: str, settings: dict[str, Any], package: dict[str, Any]
    ) -> CargoPackage:
        edition = package.get("edition")
        if isinstance(edition, dict):
            shared = object_or_empty(self._workspace(folder)[1].get("workspace"))
            edition = object_or_empty(shared.get("package")).get("edition")
        library = object_or_empty(settings.get("lib"))
        lib = normalized(folder, string_or_empty(library.get("path")) or "src/lib.rs")
        crate = string_or_empty(library.get("name")) or string_or_empty(package.get("name"))
        return CargoPackage(
            folder,
            package["name"],
            string_or_empty(edition) or "2015",
            crate.replace("-", "_"),
            lib if lib in self._project.number else "",
            tuple(dict.fromkeys(self._roots(folder, settings, package, lib))),
        )

    def _roots(
        self, folder: str, settings: dict[str, Any], package: dict[str, Any], lib: str
    ) -> Iterator[str]:
        """Yield the root files of the crates of a package."""
        roots = [lib, normalized(folder, "src/main.rs")]
        roots.append(normalized(folder, string_or_empty(package.get("build")) or "build.rs"))
        for kind in _TARGETS:
            targets = settings.get(kind)
            for target in targets if isinstance(targets, list) else ():
                roots.append(
                    normalized(folder, string_or_empty(object_or_empty(target).get("path")))
                )
        for target_folder in _AUTOMATIC:
            roots += self._globs.expanded(folder, f"{target_folder}/*.rs")
            roots += self._globs.expanded(folder, f"{target_folder}/*/main.rs")
        for root in roots:
            if root in self._project.number:
                yield root

    def _resolve_dependency(
        self, folder: str, name: str, value: object
    ) -> tuple[str, Extern | None]:
        """Return the name of a dependency in code, and its package in this tree or None."""
        dependency = object_or_empty(value)
        if dependency.get("workspace") is True:
            folder, settings = self._workspace(folder)
            shared = object_or_empty(
                object_or_empty(settings.get("workspace")).get("dependencies")
            )
            dependency = object_or_empty(shared.get(name))
        package_name = string_or_empty(dependency.get("package")) or name
        path = dependency.get("path")
        if isinstance(path, str):
            extern: Extern | None = Extern(normalized(folder, path))
        else:
            extern = self._resolve_version(folder, package_name)
        if extern is None or extern.folder not in self.packages:
            return name, None
        renamed = "package" in dependency
        crate = name.replace("-", "_") if renamed else self.packages[extern.folder].library
        return crate, extern

    def _resolve_version(self, folder: str, package_name: str) -> Extern | None:
        """Return the package in this tree that a dependency with only a version may mean."""
        root, settings = self._workspace(folder)
        settings = settings or self._settings.get(folder, {})
        for source in object_or_empty(settings.get("patch")).values():
            for name, value in object_or_empty(source).items():
                patch = object_or_empty(value)
                path = patch.get("path")
                if (string_or_empty(patch.get("package")) or name) == package_name and isinstance(
                    path, str
                ):
                    return Extern(normalized(root, path))
        folders = self._by_name.get(package_name, ())
        return Extern(folders[0], certain=False) if len(folders) == 1 else None


def _dependencies(settings: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the name and the value of each dependency, of all kinds and platforms."""
    platforms = object_or_empty(settings.get("target")).values()
    tables = [settings, *(object_or_empty(platform) for platform in platforms)]
    for table in tables:
        for kind in sorted(_DEPENDENCIES & table.keys()):
            yield from object_or_empty(table[kind]).items()
