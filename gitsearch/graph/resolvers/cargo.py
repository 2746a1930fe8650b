"""Cargo packages: the root files of their crates, and the crates that each package can name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.resolvers.settings_files import Globs, table, texts_named, toml
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.settings_values import object_or_empty, string_or_empty
from gitsearch.graph.tree_paths import enclosing_folders, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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

    @cached_property
    def packages(self) -> dict[str, CargoPackage]:
        """The packages by folder."""
        return {
            folder: self._package(folder, package)
            for folder, settings in self._settings.items()
            if isinstance((package := table(settings, "package")).get("name"), str)
        }

    @memoized
    def externs(self, folder: str) -> dict[str, Extern]:
        """Return the dependencies of the package in a folder, by their names in its code."""
        externs: dict[str, Extern] = {}
        for name, value in _dependencies(self._settings[folder]):
            crate, extern = self._dependency(folder, name, value)
            if extern is not None and (crate not in externs or extern.certain):
                externs[crate] = extern
        return externs

    @cached_property
    def by_library(self) -> dict[str, list[str]]:
        """The folders of the packages with a library, by its crate name."""
        packages = self.packages.values()
        return grouped((package.library, package.folder) for package in packages if package.lib)

    @cached_property
    def _settings(self) -> dict[str, dict[str, Any]]:
        """The parsed Cargo.toml files by folder."""
        parsed = {folder: toml(text) for folder, text in texts_named(self._project, "Cargo.toml")}
        return {folder: settings for folder, settings in parsed.items() if settings}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The folders of the packages by name."""
        return grouped((package.name, folder) for folder, package in self.packages.items())

    def _workspace(self, folder: str) -> tuple[str, dict[str, Any]]:
        """Return the folder and the settings of the workspace of a package; empty without one."""
        declared = table(self._settings.get(folder, {}), "package").get("workspace")
        if isinstance(declared, str):
            folder = normalized(folder, declared)
        for ancestor in enclosing_folders(folder):
            settings = self._settings.get(ancestor, {})
            if isinstance(settings.get("workspace"), dict):
                return ancestor, settings
        return "", {}

    def _package(self, folder: str, package: dict[str, Any]) -> CargoPackage:
        edition = package.get("edition")
        if isinstance(edition, dict):
            workspace = self._workspace(folder)[1]
            edition = table(workspace, "workspace", "package").get("edition")
        library = table(self._settings[folder], "lib")
        lib = normalized(folder, string_or_empty(library.get("path")) or "src/lib.rs")
        crate = string_or_empty(library.get("name")) or package["name"]
        return CargoPackage(
            folder,
            package["name"],
            string_or_empty(edition) or "2015",
            crate.replace("-", "_"),
            lib if lib in self._project.number else "",
            tuple(self._roots(folder, package, lib)),
        )

    def _roots(self, folder: str, package: dict[str, Any], lib: str) -> Iterable[str]:
        """Return the root files of the crates of a package."""
        listed = [self._settings[folder].get(kind) for kind in _TARGETS]
        targets = [target for value in listed if isinstance(value, list) for target in value]
        paths = ["src/main.rs", string_or_empty(package.get("build")) or "build.rs"]
        paths += [string_or_empty(object_or_empty(target).get("path")) for target in targets]
        roots = [lib, *(normalized(folder, path) for path in paths)]
        for target_folder in _AUTOMATIC:
            roots += self._globs.expanded(folder, f"{target_folder}/*.rs")
            roots += self._globs.expanded(folder, f"{target_folder}/*/main.rs")
        return dict.fromkeys(root for root in roots if root in self._project.number)

    def _dependency(self, folder: str, name: str, value: object) -> tuple[str, Extern | None]:
        """Return the name of a dependency in code, and its package in this tree or None."""
        dependency = object_or_empty(value)
        if dependency.get("workspace") is True:
            folder, settings = self._workspace(folder)
            dependency = table(settings, "workspace", "dependencies", name)
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
        for source in table(settings, "patch").values():
            for name, value in object_or_empty(source).items():
                patch = object_or_empty(value)
                path = patch.get("path")
                is_named = (string_or_empty(patch.get("package")) or name) == package_name
                if is_named and isinstance(path, str):
                    return Extern(normalized(root, path))
        folders = self._by_name.get(package_name, ())
        return Extern(folders[0], certain=False) if len(folders) == 1 else None


def _dependencies(settings: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """Yield the name and the value of each dependency, of all kinds and platforms."""
    for platform in (settings, *table(settings, "target").values()):
        for kind in sorted(_DEPENDENCIES & object_or_empty(platform).keys()):
            yield from table(platform, kind).items()
