"""The modules of a tree by their paths without an extension."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from gitsearch.graph.resolvers.nearest_path import last_two_parts
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# Extensions of importable files. A stub replaces the module that it describes or accompanies it.
_EXTENSIONS = (".py", ".pyi", ".pyx")

# Enclosing folders of a file that are searched: real trees are less deep, but a path may have
# thousands.
_MAX_DEPTH = 32

Files = tuple[int, ...]


class PythonModules:
    """The files of each module, and the folders that are packages."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        self.files: dict[str, Files] = {}
        for extension in _EXTENSIONS:
            for file, path in enumerate(project.paths):
                if path.endswith(extension):
                    module = path.removesuffix(extension)
                    self.files[module] = (*self.files.get(module, ()), file)
        # Most imports are external and do not start with any of these.
        self.path_parts = {word for module in self.files for word in module.split("/")}
        self._top_folders: dict[str, str] = {}

    @cached_property
    def folders(self) -> set[str]:
        """The folders that contain modules, at any depth."""
        folders = {""}
        for module in self.files:
            for folder in enclosing_folders(folder_of(module)):
                if folder in folders:
                    break
                folders.add(folder)
        return folders

    def lookup(self, base: str, name: str = "") -> Files:
        """Return the files of the module at a path, or of its submodule `name` if there is one.

        If the submodule is compiled from other code, the files of the package are included: it may
        bind the name.
        """
        files = self.files
        package = files.get(joined(base, "__init__"), ())
        if not package and base in files:
            return files[base]
        submodule = joined(base, name)
        inner = files.get(f"{submodule}/__init__") or files.get(submodule) if name else None
        if not inner:
            return package
        return inner if self._paths[inner[0]].endswith(".py") else inner + package

    def is_module(self, path: str) -> bool:
        """Return True if a path is that of a module or of a package with an __init__."""
        return path in self.files or f"{path}/__init__" in self.files

    def is_package(self, folder: str) -> bool:
        """Return True if a folder is a package with an __init__."""
        return joined(folder, "__init__") in self.files

    def top_folder(self, folder: str) -> str:
        """Return the folder that contains the outermost package around a folder."""
        if folder not in self._top_folders:
            self._top_folders[folder] = next(
                ancestor
                for ancestor in enclosing_folders(folder)
                if not ancestor or not self.is_package(ancestor)
            )
        return self._top_folders[folder]

    def roots_with(self, path: str) -> list[str]:
        """Return the folders, in no package, that a path of two or more names exists below."""
        suffix = f"/{path}"
        matches = self._by_tail.get(last_two_parts(path), ())
        roots = (match[: -len(suffix)] for match in matches if match.endswith(suffix))
        return [root for root in roots if not self.is_package(root)]

    def roots_by_name(self, roots: frozenset[str]) -> dict[str, list[str]]:
        """Return the roots that directly contain a module or folder of each name."""
        by_name: dict[str, list[str]] = {}
        for path in sorted(self.folders.union(self.files)):
            root, _, name = path.rpartition("/")
            if name and root in roots:
                by_name.setdefault(name, []).append(root)
        return by_name

    @cached_property
    def _by_tail(self) -> dict[str, list[str]]:
        """The paths of modules and packages by their last two parts."""
        by_tail: dict[str, dict[str, None]] = {}
        for module in self.files:
            path = module.removesuffix("/__init__")
            by_tail.setdefault(last_two_parts(path), {})[path] = None
        return {tail: sorted(paths) for tail, paths in by_tail.items()}


def nearest_folders(folder: str) -> Iterator[str]:
    """Yield a folder and its nearest ancestors, innermost first."""
    return islice(enclosing_folders(folder), _MAX_DEPTH)


def parents_of_name(folder: str, name: str) -> Iterator[str]:
    """Yield the parents of the folders with a name among a folder and its ancestors."""
    for ancestor in nearest_folders(folder):
        parent, _, ancestor_name = ancestor.rpartition("/")
        if ancestor_name == name:
            yield parent
