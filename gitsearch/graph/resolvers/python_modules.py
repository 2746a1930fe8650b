"""The modules of a tree, by their paths without an ending."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import folder_of, joined, upwards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# What can be imported; a stub stands for, or beside, the module that it describes.
_ENDINGS = (".py", ".pyi", ".pyx")

# Folders around a file that are looked at: paths of real trees have fewer, and one can have
# thousands.
_LEVELS = 32

Files = tuple[int, ...]


class PythonModules:
    """The files of each module, and which folders are packages."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        self.files: dict[str, Files] = {}
        for ending in _ENDINGS:
            for file, path in enumerate(project.paths):
                if path.endswith(ending):
                    module = path.removesuffix(ending)
                    self.files[module] = (*self.files.get(module, ()), file)
        # The words of all paths: most imports start with another one, and lead out of the tree.
        self.words = {word for module in self.files for word in module.split("/")}
        self._homes: dict[str, str] = {}

    @cached_property
    def folders(self) -> set[str]:
        """The folders that hold modules, at any depth."""
        found = {""}
        for module in self.files:
            for folder in upwards(folder_of(module)):
                if folder in found:
                    break
                found.add(folder)
        return found

    def at(self, base: str, name: str = "") -> Files:
        """The files of a module, or of the one called `name` in a package.

        Of one that is built from other code the package counts too, which may bind the name.
        """
        files = self.files
        package = files.get(joined(base, "__init__"), ())
        if not package and base in files:
            return files[base]
        inner = joined(base, name)
        found = files.get(f"{inner}/__init__") or files.get(inner) if name else None
        if not found:
            return package
        return found if self._paths[found[0]].endswith(".py") else found + package

    def is_module(self, path: str) -> bool:
        """Whether a path is that of a module or of a package with an __init__."""
        return path in self.files or f"{path}/__init__" in self.files

    def is_package(self, folder: str) -> bool:
        """Whether a folder is a package with an __init__."""
        return joined(folder, "__init__") in self.files

    def home(self, folder: str) -> str:
        """The folder above the outermost package that holds a folder."""
        if folder not in self._homes:
            around = upwards(folder)
            self._homes[folder] = next(
                one for one in around if not one or not self.is_package(one)
            )
        return self._homes[folder]

    def roots_of(self, path: str) -> list[str]:
        """The folders, in no package, below which there is a module of two names or more."""
        tail = f"/{path}"
        found = (
            one[: -len(tail)] for one in self._by_end.get(_end_of(path), ()) if one.endswith(tail)
        )
        return [root for root in found if not self.is_package(root)]

    def tops(self, roots: frozenset[str]) -> dict[str, list[str]]:
        """The roots that have a module or folder of each name directly below."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.folders.union(self.files)):
            root, _, name = path.rpartition("/")
            if name and root in roots:
                found.setdefault(name, []).append(root)
        return found

    @cached_property
    def _by_end(self) -> dict[str, list[str]]:
        """The paths of modules and packages by their last two names."""
        found: dict[str, dict[str, None]] = {}
        for module in self.files:
            path = module.removesuffix("/__init__")
            found.setdefault(_end_of(path), {})[path] = None
        return {end: sorted(paths) for end, paths in found.items()}


def around(folder: str) -> Iterator[str]:
    """A folder and those around it, the innermost first."""
    return islice(upwards(folder), _LEVELS)


def places_above(folder: str, name: str) -> Iterator[str]:
    """The places of folders of a name on the way to a folder, itself included, innermost first."""
    for one in around(folder):
        place, _, own = one.rpartition("/")
        if own == name:
            yield place


def _end_of(path: str) -> str:
    head, _, name = path.rpartition("/")
    return f"{head.rpartition('/')[2]}/{name}"
