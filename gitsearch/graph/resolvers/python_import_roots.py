"""Folders that no setting declares, but that may be on the path of some program.

A module below such a folder is a guess, and a bare name is weak evidence: `import yaml` most often
means a library, whatever file of the tree is called yaml.py. So a guess needs more than a name:
* the import has two names or more, and all of them are found below a folder in no package; or
* the name lies in the folder of the importing file or, below no package, in one around it; or
* the name is that of a package in a folder beside one of those, and the package's own files
  import it absolutely; or
* a project among tests, examples, documentation or vendored code can be installed and has it.
A name that stands alone must not be a library's.

A name is a library's if a list of requirements has it, or if some file imports it to which nothing
in the tree can offer it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import path_kinds
from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.nearest_path import MANY, TOO_MANY
from gitsearch.graph.resolvers.python_modules import around, places_above
from gitsearch.graph.resolvers.python_stdlib import MODULES
from gitsearch.graph.tree_paths import folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.graph.resolvers.python_modules import Files, PythonModules
    from gitsearch.records import Import

# Kinds of code that a program does not import by a name alone, unless it is such code itself.
_ASIDE = path_kinds.TEST | path_kinds.EXAMPLE | path_kinds.DOCS | path_kinds.VENDORED

# Roots by their kinds.
Grouped = dict[int, list[str]]


class Importer(NamedTuple):
    """What decides where a file finds modules: its folder, and its kinds (bits of pathkinds)."""

    folder: str
    kinds: int

    def sees(self, kinds: int) -> bool:
        """Whether it may import what lies in a folder of these kinds.

        Tests import everything; code that is not of such a kind itself imports nothing of it.
        """
        return not kinds & ~self.kinds or bool(self.kinds & path_kinds.TEST)


def kinds_below(folder: str) -> int:
    """The kinds of a file in a folder, whatever its name."""
    return kinds_of(joined(folder, "_"))


def kinds_of(path: str) -> int:
    """The kinds of a file that say who may import it."""
    return path_kinds.noise(path.encode("utf-8", "surrogateescape")) & _ASIDE


class UndeclaredRoots:
    """Guesses of where modules are that are found nowhere on the path."""

    def __init__(
        self,
        project: Project,
        modules: PythonModules,
        aside: Mapping[str, Sequence[str]],
        offered: Callable[[Importer, str], bool],
        required: frozenset[str],
    ) -> None:
        """`aside`: the roots, by top-level name, of projects that only some may import.

        `offered`: whether a root that is on the path of an importer has a top-level name.
        `required`: the names in lists of requirements.
        """
        self._project = project
        self._modules = modules
        self._aside = {top: _by_kinds(roots) for top, roots in aside.items()}
        self._offered = offered
        self._required = required
        self._importers: dict[int, Importer] = {}
        self._whole: dict[tuple[int, str, str], list[Files]] = {}

    def importer(self, file: int) -> Importer:
        """The importer that a file is."""
        if file not in self._importers:
            path = self._project.paths[file]
            self._importers[file] = Importer(folder_of(path), kinds_of(path))
        return self._importers[file]

    def found(self, importer: Importer, path: str, name: str) -> Resolution:
        """What an absolute import of `name` from a module may mean."""
        top = path.partition("/")[0]
        if top in self._required:
            return EXTERNAL
        near: list[str] = []
        if "/" in path or not self.is_library(top):
            near = list(islice(self._near(importer, top), MANY + 1))
        found = [self._modules.at(joined(root, path), name) for root in near]
        return guess([*found, *self._with_all_names(importer, path, name)])

    def is_library(self, top: str) -> bool:
        """Whether a top-level name is known to come from outside of the tree."""
        return top in self._required or top in self.libraries

    @cached_property
    def libraries(self) -> frozenset[str]:
        """The names of modules of the tree that some file imports and nothing offers it."""
        return frozenset(
            top
            for importer, top, itself in self._asked
            if not self._offered(importer, top)
            and all(root == itself for root in self._near(importer, top))
        )

    def evidence(self) -> Iterator[str]:
        """All that is taken from the imports of other files than the one that is resolved."""
        yield repr(sorted(self.libraries))
        yield repr(sorted(self._own_roots.items()))

    @cached_property
    def _own_roots(self) -> dict[tuple[str, str], Grouped]:
        """The folders from which files below a package import it by its name.

        They stand by the folder that they lie in and the name.
        """
        found: dict[tuple[str, str], set[str]] = {}
        for importer, top, _ in self._asked:
            for root in places_above(importer.folder, top) if top in importer.folder else ():
                if root and not self._modules.is_package(root):
                    found.setdefault((folder_of(root), top), set()).add(root)
        return {key: _by_kinds(sorted(roots)) for key, roots in found.items()}

    def _with_all_names(self, importer: Importer, path: str, name: str) -> list[Files]:
        """The modules below folders, in no package, that have all names of an import."""
        key = (importer.kinds, path, name)
        if key not in self._whole:
            roots = self._modules.roots_of(path) if "/" in path else []
            roots += self._modules.roots_of(f"{path}/{name}") if name else []
            self._whole[key] = [
                self._modules.at(joined(root, path), name)
                for root in dict.fromkeys(roots)
                if importer.sees(kinds_below(root) & ~path_kinds.VENDORED)
            ]
        return self._whole[key]

    def _near(self, importer: Importer, top: str) -> Iterator[str]:
        """The folders from which a name may be imported even if it stands alone."""
        folder = importer.folder
        groups = [self._aside.get(top, {})]
        for one in around(folder):
            on_path = one == folder or not self._modules.is_package(one)
            if on_path and self._modules.is_module(joined(one, top)):
                yield one
            groups.append(self._own_roots.get((one, top), {}))
        for group in groups:
            for kinds, roots in group.items():
                if importer.sees(kinds):
                    yield from roots

    @cached_property
    def _asked(self) -> list[tuple[Importer, str, str | None]]:
        """Who imports which name that some path has, each once.

        With it stands the folder of a file that imports its own name, as it does not mean itself.
        """
        found: dict[tuple[Importer, str, str | None], None] = {}
        for file in self._project.of(frozenset({"python"})):
            path = self._project.paths[file]
            tops = {top_of(one) for one in self._project.facts(file).imports}
            tops = (tops & self._modules.words) - MODULES
            if tops:
                importer = self.importer(file)
                stem = path.rpartition("/")[2].partition(".")[0]
                for top in sorted(tops):
                    found[importer, top, importer.folder if top == stem else None] = None
        return list(found)


def _by_kinds(roots: Iterable[str]) -> Grouped:
    found: Grouped = {}
    for root in roots:
        found.setdefault(kinds_below(root), []).append(root)
    return found


def guess(candidates: Iterable[Files]) -> Resolution:
    """Files that may be meant, of which it cannot be told which."""
    found = dict.fromkeys(candidates)
    if len(found) > MANY:
        return TOO_MANY
    return Resolution((), tuple(dict.fromkeys(file for files in found for file in files)))


def written(specifier: str) -> str:
    """A specifier without the blanks and continued lines that may stand in it."""
    if " " in specifier or "\\" in specifier:  # from . a import b
        return "".join(specifier.replace("\\", "").split())
    return specifier


def top_of(imported: Import) -> str:
    """The first name of an absolute import; "" of any other."""
    return "" if imported.kind == "dynamic" else written(imported.specifier).partition(".")[0]
