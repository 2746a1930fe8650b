"""The packages of Cargo: the roots of their crates, and which crates each of them sees."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.graph.resolvers.path_globs import Globs
from gitsearch.graph.resolvers.toml_ini import toml
from gitsearch.graph.tree_paths import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# Where targets are found that no setting names: a file each, or a folder with a main.rs.
_AUTOMATIC = ("src/bin", "tests", "examples", "benches")
_TARGETS = ("bin", "test", "example", "bench")
_DEPENDENCIES = frozenset(
    f"{kind}dependencies" for kind in ("", "dev-", "dev_", "build-", "build_")
)


class Extern(NamedTuple):
    """A crate that a package sees: the folder of its package, and whether that is certain.

    It is not where the dependency has a version alone, and a package here has that name.
    """

    folder: str
    certain: bool = True


class CargoPackage(NamedTuple):
    """A package: its folder, crate name and root of the library, and all roots of crates."""

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
        """The packages by their folder."""
        found = {}
        for folder, settings in self._settings.items():
            one = _table(settings.get("package"))
            if isinstance(one.get("name"), str):
                found[folder] = self._package(folder, settings, one)
        return found

    def externs(self, package: CargoPackage) -> dict[str, Extern]:
        """The crates that a package sees by the names that its code has for them."""
        if package.folder not in self._externs:
            found = {}
            for name, value in _dependencies(self._settings[package.folder]):
                crate, extern = self._extern(package.folder, name, value)
                if extern is not None and (crate not in found or extern.certain):
                    found[crate] = extern
            self._externs[package.folder] = found
        return self._externs[package.folder]

    @cached_property
    def by_library(self) -> dict[str, list[str]]:
        """The folders of the packages whose library has a name."""
        found: dict[str, list[str]] = {}
        for package in self.packages.values():
            if package.lib:
                found.setdefault(package.library, []).append(package.folder)
        return found

    # ------------------------------------------------------------ reading

    @cached_property
    def _settings(self) -> dict[str, dict[str, Any]]:
        """What each Cargo.toml says, by its folder."""
        found = {}
        for file in self._project.by_name.get("Cargo.toml", ()):
            path = self._project.paths[file]
            if settings := toml(self._project.text(path)):
                found[path.rpartition("/")[0]] = settings
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The folders of the packages of each name."""
        found: dict[str, list[str]] = {}
        for folder, settings in self._settings.items():
            name = _table(settings.get("package")).get("name")
            if isinstance(name, str):
                found.setdefault(name, []).append(folder)
        return found

    def _workspace(self, folder: str) -> tuple[str, dict[str, Any]]:
        """The folder and the settings of the workspace around a package."""
        named = _table(self._settings.get(folder, {}).get("package")).get("workspace")
        if isinstance(named, str):
            folder = relative(folder, named)
        while True:
            settings = self._settings.get(folder, {})
            if isinstance(settings.get("workspace"), dict):
                return folder, settings
            if not folder:
                return "", {}
            folder = folder.rpartition("/")[0]

    def _package(self, folder: str, settings: dict[str, Any], one: dict[str, Any]) -> CargoPackage:
        edition = one.get("edition")
        if isinstance(edition, dict):
            shared = _table(self._workspace(folder)[1].get("workspace"))
            edition = _table(shared.get("package")).get("edition")
        library = _table(settings.get("lib"))
        lib = relative(folder, _text(library.get("path")) or "src/lib.rs")
        crate = _text(library.get("name")) or _text(one.get("name"))
        return CargoPackage(
            folder,
            one["name"],
            _text(edition) or "2015",
            crate.replace("-", "_"),
            lib if lib in self._project.number else "",
            tuple(dict.fromkeys(self._roots(folder, settings, one, lib))),
        )

    def _roots(
        self, folder: str, settings: dict[str, Any], one: dict[str, Any], lib: str
    ) -> Iterator[str]:
        """The files that crates of a package start in."""
        roots = [lib, relative(folder, "src/main.rs")]
        roots.append(relative(folder, _text(one.get("build")) or "build.rs"))
        for kind in _TARGETS:
            targets = settings.get(kind)
            for target in targets if isinstance(targets, list) else ():
                roots.append(relative(folder, _text(_table(target).get("path"))))
        for place in _AUTOMATIC:
            roots += self._globs.expanded(folder, f"{place}/*.rs")
            roots += self._globs.expanded(folder, f"{place}/*/main.rs")
        for root in roots:
            if root in self._project.number:
                yield root

    def _extern(self, folder: str, name: str, value: object) -> tuple[str, Extern | None]:
        """What a dependency is called in the code, and where it is."""
        one = _table(value)
        if one.get("workspace") is True:
            folder, settings = self._workspace(folder)
            shared = _table(_table(settings.get("workspace")).get("dependencies"))
            one = _table(shared.get(name))
        wanted = _text(one.get("package")) or name
        path = one.get("path")
        if isinstance(path, str):
            found: Extern | None = Extern(relative(folder, path))
        else:
            found = self._by_version(folder, wanted)
        if found is None or found.folder not in self.packages:
            return name, None
        renamed = "package" in one
        crate = name.replace("-", "_") if renamed else self.packages[found.folder].library
        return crate, found

    def _by_version(self, folder: str, wanted: str) -> Extern | None:
        """Where a dependency with a version alone may be in this tree."""
        root, settings = self._workspace(folder)
        settings = settings or self._settings.get(folder, {})
        for source in _table(settings.get("patch")).values():
            for name, value in _table(source).items():
                one = _table(value)
                path = one.get("path")
                if (_text(one.get("package")) or name) == wanted and isinstance(path, str):
                    return Extern(relative(root, path))
        known = self._by_name.get(wanted, ())
        return Extern(known[0], certain=False) if len(known) == 1 else None


def _dependencies(settings: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The dependencies of all kinds and platforms."""
    tables = [settings, *(_table(one) for one in _table(settings.get("target")).values())]
    for table in tables:
        for kind in sorted(_DEPENDENCIES & table.keys()):
            yield from _table(table[kind]).items()


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
