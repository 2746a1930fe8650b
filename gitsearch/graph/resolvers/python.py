"""Imports of Python: modules and packages below the folders where absolute imports start.

A module is meant by its file alone, not by the packages above it. An absolute import is looked
for, in this order, below
1. the folder of the importing file, or of the outermost package that holds it;
2. the folder of a namespace package that holds it;
3. the roots of the projects that it lies in, the innermost first, and of a conftest.py around it;
4. the roots of the projects of the tree that can be installed, but for those among tests,
   examples, documentation and vendored code.
What is nowhere there may be a guess (see python_undeclared), and is ambiguous then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.python_import_roots import (
    UndeclaredRoots,
    guess,
    kinds_below,
    written,
)
from gitsearch.graph.resolvers.python_modules import PythonModules, around, places_above
from gitsearch.graph.resolvers.python_settings import (
    SETTINGS,
    import_roots,
    offered_roots,
    requirements,
)
from gitsearch.graph.resolvers.python_stdlib import MODULES, PACKAGES
from gitsearch.graph.tree_paths import folder_of, joined, upwards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.resolvers.python_import_roots import Importer
    from gitsearch.graph.resolvers.python_modules import Files
    from gitsearch.records import Import

_DYNAMIC = Resolution(unseen="dynamic-import")
_OTHERS = frozenset({"requirements", "cython"})

_CONFTEST = "conftest.py"
# Where pytest looks for tests unless it is told otherwise (its option python_files).
_COLLECTED = re.compile(r"test_.*\.py|.*_test\.py")


class Python(Resolver):
    """Files find each other as modules do on Python's path."""

    languages: ClassVar[frozenset[str]] = frozenset({"python"})
    settings: ClassVar[frozenset[str]] = SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._modules = PythonModules(project)
        self._near = import_roots(project)
        self._declared = frozenset(root for roots in self._near.values() for root in roots)
        offered = offered_roots(project, self._near)
        aside = frozenset(root for root in offered if kinds_below(root))
        self._offering = self._modules.tops(offered - aside)
        for file in project.by_name.get(_CONFTEST, ()):
            folder = folder_of(project.paths[file])
            self._near.setdefault(folder, []).append(self._modules.home(folder))
        self._required = requirements(project)
        self._undeclared = UndeclaredRoots(
            project, self._modules, self._modules.tops(aside), self._has, self._required
        )
        self._paths: dict[str, list[str]] = {}
        self._offered: dict[tuple[str, str], Resolution] = {}
        self._kept: dict[tuple[Importer, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import leads: a module for each name, or the module it is imported from."""
        importer = self._undeclared.importer(file)
        if imported.kind == "dynamic":
            return self._dynamic(importer, imported.specifier, imported.names)
        names = [name.split()[0] for name in imported.names.split(",") if name.strip()]
        found = self._imported(importer, written(imported.specifier), names or [""])
        if file in found.ambiguous:  # no file would be named to find itself
            others = tuple(other for other in found.ambiguous if other != file)
            return Resolution(found.resolved, others)
        return found

    def uses(self, file: int) -> Resolution:
        """For a test every conftest.py in the folders around it: pytest loads them unasked."""
        folder, _, name = self.project.paths[file].rpartition("/")
        if not (name == _CONFTEST or _COLLECTED.fullmatch(name)):
            return EXTERNAL
        loaded = (self.project.number.get(joined(one, _CONFTEST)) for one in upwards(folder))
        return Resolution(tuple(one for one in loaded if one is not None and one != file))

    def depends_on(self) -> Iterator[str]:
        """Besides the usual: modules in other languages, and lists of requirements."""
        yield from super().depends_on()
        yield from (self.project.paths[file] for file in self.project.of(_OTHERS))

    def settings_texts(self) -> Iterator[str]:
        """What is read in settings, and what imports say together.

        Most changes of them say nothing of where imports lead.
        """
        yield repr(sorted(self._near.items()))
        yield repr(sorted(self._offering.items()))
        yield repr(sorted(self._required))
        yield from self._undeclared.evidence()

    def _dynamic(self, importer: Importer, specifier: str, package: str) -> Resolution:
        """import_module("a.b", package); in brackets stands what is no constant."""
        if specifier.startswith("("):
            return _DYNAMIC
        if not specifier.startswith("."):
            return self._imported(importer, specifier, [""])
        anchor = package.removeprefix("package=").strip()
        if anchor in ("__package__", "__name__"):
            return self._imported(importer, specifier, [""])
        if anchor[:1] not in ("'", '"'):
            return _DYNAMIC
        parts = anchor.strip("'\"").split(".")
        parts = parts[: len(parts) + 1 - _level(specifier)]
        return self._imported(importer, ".".join([*parts, specifier.lstrip(".")]), [""])

    def _imported(self, importer: Importer, specifier: str, names: list[str]) -> Resolution:
        level = _level(specifier)
        parts = specifier[level:].split(".") if len(specifier) > level else []
        if not all(parts) or "/" in specifier:
            return EXTERNAL
        path = "/".join(parts)
        if not level:
            if not parts or parts[0] not in self._modules.words:
                return EXTERNAL
            return _together([self._absolute(importer, path, name) for name in names])
        above = importer.folder.split("/") if importer.folder else []
        if level - 1 > len(above):
            return EXTERNAL
        base = joined("/".join(above[: len(above) + 1 - level]), path)
        return _together([Resolution(self._modules.at(base, name)) for name in names])

    def _absolute(self, importer: Importer, path: str, name: str) -> Resolution:
        key = (importer, path, name)
        if key not in self._kept:
            self._kept[key] = self._looked_up(importer, path, name)
        return self._kept[key]

    def _looked_up(self, importer: Importer, path: str, name: str) -> Resolution:
        if self._is_standard(importer, path):
            return EXTERNAL
        found = self._on_path(importer, path, name)
        if found == EXTERNAL and not name and "/" in path:
            # `import a.b.c` where c is built from something else runs a.b before it.
            found = self._on_path(importer, path.rpartition("/")[0], "")
        if found != EXTERNAL or self._on_path(importer, path.partition("/")[0], "") != EXTERNAL:
            return found  # a package that is found hides others of its name
        return self._undeclared.found(importer, path, name)

    def _on_path(self, importer: Importer, path: str, name: str) -> Resolution:
        """What is found from the roots that the rules name."""
        top = path.partition("/")[0]
        for root in self._roots(importer, top):
            if files := self._modules.at(joined(root, path), name):
                return Resolution(files)
        if (path, name) not in self._offered:
            roots = self._offering.get(top, ())
            self._offered[path, name] = _one_of(
                self._modules.at(joined(root, path), name) for root in roots
            )
        return self._offered[path, name]

    def _roots(self, importer: Importer, top: str) -> Iterator[str]:
        """The roots of the path of an importer, the first one first, to look for a name."""
        folder = importer.folder
        home = self._modules.home(folder)
        script = home == folder and home not in self._declared
        if not (script and top in self._required):
            yield home
        if top in home:
            yield from places_above(home, top)
        yield from self._path(folder)

    def _has(self, importer: Importer, top: str) -> bool:
        """Whether any root of an importer has a module or a folder of modules of a name."""
        if top in self._offering:
            return True
        places = (joined(root, top) for root in self._roots(importer, top))
        return any(one in self._modules.files or one in self._modules.folders for one in places)

    def _path(self, folder: str) -> list[str]:
        """The roots of the projects that a folder lies in."""
        if folder not in self._paths:
            places = (*around(folder), "")
            roots = (root for one in places for root in self._near.get(one, ()))
            self._paths[folder] = list(dict.fromkeys(roots))
        return self._paths[folder]

    def _is_standard(self, importer: Importer, path: str) -> bool:
        """Whether a module is one of the standard library, unless this is the library itself."""
        top, _, rest = path.partition("/")
        if top not in MODULES or (rest and top not in PACKAGES):
            return False
        home = self._modules.home(importer.folder)
        library = all(self._modules.is_module(joined(home, one)) for one in ("os", "site"))
        return not library or top == "__main__"


def _level(specifier: str) -> int:
    return len(specifier) - len(specifier.lstrip("."))


def _one_of(candidates: Iterable[Files]) -> Resolution:
    """One candidate is meant; of several it cannot be told which."""
    found = list(dict.fromkeys(filter(None, candidates)))
    return Resolution(found[0]) if len(found) == 1 else guess(found)


def _together(parts: list[Resolution]) -> Resolution:
    """What several names of one import lead to."""
    if all(part == parts[0] for part in parts):
        return parts[0]
    resolved = dict.fromkeys(file for one in parts for file in one.resolved)
    ambiguous = dict.fromkeys(file for one in parts for file in one.ambiguous)
    unseen = next((one.unseen for one in parts if one.unseen), "")
    return Resolution(tuple(resolved), tuple(i for i in ambiguous if i not in resolved), unseen)
