"""Imports of Python: modules and packages below the folders where absolute imports start.

A module is meant by its file alone, not by the packages above it. An absolute import is looked
for, in this order, below
1. the folder of the importing file, or of the outermost package that holds it;
2. the folder of a namespace package that holds it;
3. the roots of the projects that it lies in, the innermost first, and folders of a conftest.py;
4. the roots of all projects of the tree that can be installed.
What is nowhere there, but elsewhere, is ambiguous: other programs may put its folder on the path.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.families.python_settings import (
    SETTINGS,
    import_roots,
    offered_roots,
    requirements,
)
from gitsearch.graph.families.python_standard import MODULES, PACKAGES
from gitsearch.graph.places import upwards
from gitsearch.graph.project import NOWHERE, Family, Found, Project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

# What can be imported; a stub stands for, or beside, the module that it describes.
_ENDINGS = (".py", ".pyi", ".pyx")
_DYNAMIC = Found(unseen="dynamic-import")
_OTHERS = frozenset({"requirements", "cython"})

_CONFTEST = "conftest.py"
# Where pytest looks for tests unless it is told otherwise (its option python_files).
_COLLECTED = re.compile(r"test_.*\.py|.*_test\.py")

Files = tuple[int, ...]


class Python(Family):
    """Files find each other as modules do on Python's path."""

    languages: ClassVar[frozenset[str]] = frozenset({"python"})
    settings: ClassVar[frozenset[str]] = SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._modules = _modules(project)
        self._near = import_roots(project)
        self._declared = frozenset(root for roots in self._near.values() for root in roots)
        self._offering = self._tops(offered_roots(project, self._near))
        for file in project.by_name.get(_CONFTEST, ()):
            folder = project.paths[file].rpartition("/")[0]
            if not self._is_package(folder):
                self._near.setdefault(folder, []).append(folder)
        # The words of all paths: most imports start with another one, and lead out of the tree.
        self._words = {word for module in self._modules for word in module.split("/")}
        self._homes: dict[str, str] = {}
        self._paths: dict[str, list[str]] = {}
        self._kept: dict[tuple[str, str, str], Found] = {}
        self._strays: dict[tuple[str, str], Files] = {}

    def resolve(self, file: int, imported: Import) -> Found:
        """Where an import leads: a module for each name, or the module it is imported from."""
        folder = self.project.paths[file].rpartition("/")[0]
        specifier = imported.specifier
        if imported.kind == "dynamic":
            return self._dynamic(folder, specifier, imported.names)
        if " " in specifier or "\\" in specifier:  # from . a import b
            specifier = "".join(specifier.replace("\\", "").split())
        names = [name.split()[0] for name in imported.names.split(",") if name.strip()]
        found = self._imported(folder, specifier, names or [""])
        if file in found.ambiguous:  # no file would be named to find itself
            others = tuple(other for other in found.ambiguous if other != file)
            return Found(found.resolved, others)
        return found

    def uses(self, file: int) -> Found:
        """For a test every conftest.py in the folders around it: pytest loads them unasked."""
        folder, _, name = self.project.paths[file].rpartition("/")
        if not (name == _CONFTEST or _COLLECTED.fullmatch(name)):
            return NOWHERE
        loaded = (self.project.number.get(_join(one, _CONFTEST)) for one in upwards(folder))
        return Found(tuple(one for one in loaded if one is not None and one != file))

    def depends_on(self) -> Iterator[str]:
        """Besides the usual: modules in other languages, and lists of requirements."""
        yield from super().depends_on()
        yield from (self.project.paths[file] for file in self.project.of(_OTHERS))

    def settings_texts(self) -> Iterator[str]:
        """What is read in settings: most changes of them say nothing of imports."""
        yield repr(sorted(self._near.items()))
        yield repr(sorted(self._offering.items()))
        yield repr(sorted(self._required))

    def _dynamic(self, folder: str, specifier: str, package: str) -> Found:
        """import_module("a.b", package); in brackets stands what is no constant."""
        if specifier.startswith("("):
            return _DYNAMIC
        if not specifier.startswith("."):
            return self._imported(folder, specifier, [""])
        anchor = package.removeprefix("package=").strip()
        if anchor in ("__package__", "__name__"):
            return self._imported(folder, specifier, [""])
        if anchor[:1] not in ("'", '"'):
            return _DYNAMIC
        parts = anchor.strip("'\"").split(".")
        parts = parts[: len(parts) + 1 - _level(specifier)]
        return self._imported(folder, ".".join([*parts, specifier.lstrip(".")]), [""])

    def _imported(self, folder: str, specifier: str, names: list[str]) -> Found:
        level = _level(specifier)
        parts = specifier[level:].split(".") if len(specifier) > level else []
        if not all(parts) or "/" in specifier:
            return NOWHERE
        path = "/".join(parts)
        if not level:
            if not parts or parts[0] not in self._words:
                return NOWHERE
            return _together([self._absolute(folder, path, name) for name in names])
        above = folder.split("/") if folder else []
        if level - 1 > len(above):
            return NOWHERE
        base = _join("/".join(above[: len(above) + 1 - level]), path)
        return _together([Found(self._at(base, name)) for name in names])

    def _absolute(self, folder: str, path: str, name: str) -> Found:
        key = (folder, path, name)
        if key not in self._kept:
            self._kept[key] = self._looked_up(folder, path, name)
        return self._kept[key]

    def _looked_up(self, folder: str, path: str, name: str) -> Found:
        home = self._home(folder)
        if self._is_standard(home, path):
            return NOWHERE
        found = self._on_path(folder, home, path, name)
        if found == NOWHERE and not name and "/" in path:
            # `import a.b.c` where c is built from something else runs a.b before it.
            found = self._on_path(folder, home, path.rpartition("/")[0], "")
        return found if found != NOWHERE else self._stray(folder, home, path, name)

    def _on_path(self, folder: str, home: str, path: str, name: str) -> Found:
        """What is found from the roots that the rules name."""
        top = path.partition("/")[0]
        script = home == folder and home not in self._declared and not self._is_package(folder)
        roots = [] if script and top in self._required else [home]
        if top in home:
            roots += _above(home, top)
        for root in (*roots, *self._path(folder)):
            if files := self._at(f"{root}/{path}" if root else path, name):
                return Found(files)
        return _one_of(self._at(_join(root, path), name) for root in self._offering.get(top, ()))

    def _path(self, folder: str) -> list[str]:
        """The roots of the projects that a folder lies in."""
        if folder not in self._paths:
            up = self._path(folder.rpartition("/")[0]) if folder else []
            self._paths[folder] = [*self._near.get(folder, ()), *up]
        return self._paths[folder]

    def _stray(self, folder: str, home: str, path: str, name: str) -> Found:
        """What could be meant if more was on the path than the tree tells."""
        top = path.partition("/")[0]
        if top in self._required or self._at(_join(home, top), ""):
            return NOWHERE
        if (path, name) not in self._strays:
            found = [self._at(_join(root, path), name) for root in self._anywhere.get(top, ())]
            self._strays[path, name] = tuple(dict.fromkeys(i for files in found for i in files))
        beside = self._at(_join(folder, path), name)
        return Found((), tuple(dict.fromkeys(beside + self._strays[path, name])))

    def _at(self, base: str, name: str) -> Files:
        """The files of a module, or of the one called `name` in a package.

        Of one that is built from other code the package counts too, which may bind the name.
        """
        modules = self._modules
        package = modules.get(_join(base, "__init__"), ())
        if not package and base in modules:
            return modules[base]
        inner = _join(base, name)
        found = modules.get(f"{inner}/__init__") or modules.get(inner) if name else None
        if not found:
            return package
        return found if self.project.paths[found[0]].endswith(".py") else found + package

    def _is_package(self, folder: str) -> bool:
        return _join(folder, "__init__") in self._modules

    def _is_standard(self, home: str, path: str) -> bool:
        """Whether a module is one of the standard library, unless this is the library itself."""
        top, _, rest = path.partition("/")
        if top not in MODULES or (rest and top not in PACKAGES):
            return False
        return not (_join(home, "os") in self._modules and _join(home, "site") in self._modules)

    def _home(self, folder: str) -> str:
        """The folder above the outermost package that holds a folder."""
        if folder not in self._homes:
            up = folder.rpartition("/")[0]
            inside = folder and self._is_package(folder)
            self._homes[folder] = self._home(up) if inside else folder
        return self._homes[folder]

    def _tops(self, roots: frozenset[str]) -> dict[str, list[str]]:
        """The roots that have a module or folder of each name directly below."""
        found: dict[str, set[str]] = {}
        for module in self._modules:
            at = -1
            while True:
                root = module[: max(at, 0)]
                end = module.find("/", at + 1)
                if root in roots:
                    found.setdefault(module[at + 1 : end if end >= 0 else None], set()).add(root)
                if end < 0:
                    break
                at = end
        return {top: sorted(places) for top, places in found.items()}

    @cached_property
    def _anywhere(self) -> dict[str, list[str]]:
        """The places, in no package, of the folders of each name that hold modules."""
        folders = {place for module in self._modules for place in upwards(module)}
        found: dict[str, list[str]] = {}
        for folder in sorted(folders - set(self._modules)):
            place, _, name = folder.rpartition("/")
            if not self._is_package(place):
                found.setdefault(name, []).append(place)
        return found

    @cached_property
    def _required(self) -> frozenset[str]:
        return requirements(self.project)


def _modules(project: Project) -> dict[str, Files]:
    """The files of each module, by its path without an ending."""
    found: dict[str, Files] = {}
    for ending in _ENDINGS:
        for file, path in enumerate(project.paths):
            if path.endswith(ending):
                module = path.removesuffix(ending)
                found[module] = (*found.get(module, ()), file)
    return found


def _level(specifier: str) -> int:
    return len(specifier) - len(specifier.lstrip("."))


def _join(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder and path else folder or path


def _above(home: str, top: str) -> list[str]:
    """The places of folders called `top` on the way to a folder, the innermost first."""
    parts = home.split("/")
    places = ["/".join(parts[:i]) for i, part in enumerate(parts) if part == top]
    return places[::-1]


def _one_of(candidates: Iterable[Files]) -> Found:
    """One candidate is meant; of several it cannot be told which."""
    found = list(dict.fromkeys(filter(None, candidates)))
    if len(found) == 1:
        return Found(found[0])
    return Found((), tuple(dict.fromkeys(file for files in found for file in files)))


def _together(parts: list[Found]) -> Found:
    """What several names of one import lead to."""
    if all(part == parts[0] for part in parts):
        return parts[0]
    resolved = dict.fromkeys(file for one in parts for file in one.resolved)
    ambiguous = dict.fromkeys(file for one in parts for file in one.ambiguous)
    return Found(tuple(resolved), tuple(i for i in ambiguous if i not in resolved))
