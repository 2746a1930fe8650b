"""Folders that no setting declares as import roots, but that may be on the path of some program.

A module below such a folder is a guess, and a bare name is weak evidence: `import yaml` most often
means a library, whatever file of the tree is called yaml.py. So a guess needs more than a name:
* the import has two names or more, and all of them exist below a folder in no package; or
* the name exists in the folder of the importing file or, in no package, in an enclosing one; or
* the name is that of a package in a sibling folder of one of those, and the package's own files
  import it absolutely; or
* an installable project among tests, examples, documentation or vendored code has it.
A single name must not be that of a library.

A name is that of a library if it is among the requirements, or if some file imports it for which
nothing in the tree can provide it.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import path_kinds
from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.nearest_path import MAX_CANDIDATES, TOO_MANY
from gitsearch.graph.resolvers.python_modules import nearest_folders, parents_of_name
from gitsearch.graph.resolvers.python_stdlib import MODULES
from gitsearch.graph.tree_paths import folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.graph.resolvers.python_modules import Files, PythonModules
    from gitsearch.records import Import

# Kinds of code that only code of the same kind imports by a single name.
_NON_PRODUCT_KINDS = path_kinds.TEST | path_kinds.EXAMPLE | path_kinds.DOCS | path_kinds.VENDORED

# Roots by their kinds.
RootsByKinds = dict[int, list[str]]


class Importer(NamedTuple):
    """The folder and the kinds (bits of path_kinds) of a file, which decide what it can import."""

    folder: str
    kinds: int

    def can_import(self, kinds: int) -> bool:
        """Return True if the file may import code in a folder of these kinds.

        Tests import everything; other code imports only code of its own kinds or of no kind.
        """
        return not kinds & ~self.kinds or bool(self.kinds & path_kinds.TEST)


def kinds_of_folder(folder: str) -> int:
    """Return the kinds of a file in a folder, whatever its name."""
    return kinds_of(joined(folder, "_"))


def kinds_of(path: str) -> int:
    """Return the kinds of a file that decide which files may import it."""
    return path_kinds.noise(path.encode("utf-8", "surrogateescape")) & _NON_PRODUCT_KINDS


class UndeclaredRoots:
    """Guesses for modules that exist below no declared root."""

    def __init__(
        self,
        project: Project,
        modules: PythonModules,
        non_product_roots: Mapping[str, Sequence[str]],
        is_provided: Callable[[Importer, str], bool],
        required: frozenset[str],
    ) -> None:
        """Take what the declared roots provide.

        `non_product_roots`: the roots, by top-level name, of installable tests, examples and the
        like.

        `is_provided`: whether some declared root of an importer has a top-level name. `required`:
        the names of all requirements.
        """
        self._project = project
        self._modules = modules
        self._non_product_roots = {
            top: _by_kinds(roots) for top, roots in non_product_roots.items()
        }
        self._is_provided = is_provided
        self._required = required
        self._importers: dict[int, Importer] = {}
        self._multi_name_candidates: dict[tuple[int, str, str], list[Files]] = {}

    def importer(self, file: int) -> Importer:
        """Return the importer that a file is."""
        if file not in self._importers:
            path = self._project.paths[file]
            self._importers[file] = Importer(folder_of(path), kinds_of(path))
        return self._importers[file]

    def guesses(self, importer: Importer, path: str, name: str) -> Resolution:
        """Return the files that an absolute import of `name` from a module may mean."""
        top = path.partition("/")[0]
        if top in self._required:
            return EXTERNAL
        roots: list[str] = []
        if "/" in path or not self.is_library(top):
            roots = list(islice(self._single_name_roots(importer, top), MAX_CANDIDATES + 1))
        candidates = [self._modules.lookup(joined(root, path), name) for root in roots]
        return guess([*candidates, *self._by_all_names(importer, path, name)])

    def is_library(self, top: str) -> bool:
        """Return True if a top-level name is known to be that of an external library."""
        return top in self._required or top in self.libraries

    @cached_property
    def libraries(self) -> frozenset[str]:
        """The names of modules of the tree that some file imports and nothing provides for it."""
        return frozenset(
            top
            for importer, top, own_folder in self._imported_names
            if not self._is_provided(importer, top)
            and all(root == own_folder for root in self._single_name_roots(importer, top))
        )

    def evidence(self) -> Iterator[str]:
        """Yield everything that is derived from the imports of other files."""
        yield repr(sorted(self.libraries))
        yield repr(sorted(self._self_import_roots.items()))

    @cached_property
    def _self_import_roots(self) -> dict[tuple[str, str], RootsByKinds]:
        """The folders from which files in a package import the package by its name.

        The key is the parent of that folder and the name of the package.
        """
        roots_by_key: dict[tuple[str, str], set[str]] = {}
        for importer, top, _ in self._imported_names:
            for root in parents_of_name(importer.folder, top) if top in importer.folder else ():
                if root and not self._modules.is_package(root):
                    roots_by_key.setdefault((folder_of(root), top), set()).add(root)
        return {key: _by_kinds(sorted(roots)) for key, roots in roots_by_key.items()}

    def _by_all_names(self, importer: Importer, path: str, name: str) -> list[Files]:
        """Return the modules below folders in no package that match all names of an import."""
        key = (importer.kinds, path, name)
        if key not in self._multi_name_candidates:
            roots = self._modules.roots_with(path) if "/" in path else []
            roots += self._modules.roots_with(f"{path}/{name}") if name else []
            self._multi_name_candidates[key] = [
                self._modules.lookup(joined(root, path), name)
                for root in dict.fromkeys(roots)
                if importer.can_import(kinds_of_folder(root) & ~path_kinds.VENDORED)
            ]
        return self._multi_name_candidates[key]

    def _single_name_roots(self, importer: Importer, top: str) -> Iterator[str]:
        """Yield the folders from which a single name may be imported."""
        folder = importer.folder
        groups = [self._non_product_roots.get(top, {})]
        for ancestor in nearest_folders(folder):
            on_path = ancestor == folder or not self._modules.is_package(ancestor)
            if on_path and self._modules.is_module(joined(ancestor, top)):
                yield ancestor
            groups.append(self._self_import_roots.get((ancestor, top), {}))
        for group in groups:
            for kinds, roots in group.items():
                if importer.can_import(kinds):
                    yield from roots

    @cached_property
    def _imported_names(self) -> list[tuple[Importer, str, str | None]]:
        """The importers and top-level names of all imports that some path has, each once.

        The third item is the folder of a file that imports its own name, which cannot mean itself.
        """
        imports: dict[tuple[Importer, str, str | None], None] = {}
        for file in self._project.of(frozenset({"python"})):
            path = self._project.paths[file]
            names = {top_level_name(imported) for imported in self._project.facts(file).imports}
            names = (names & self._modules.path_parts) - MODULES
            if names:
                importer = self.importer(file)
                stem = path.rpartition("/")[2].partition(".")[0]
                for name in sorted(names):
                    imports[importer, name, importer.folder if name == stem else None] = None
        return list(imports)


def _by_kinds(roots: Iterable[str]) -> RootsByKinds:
    by_kinds: RootsByKinds = {}
    for root in roots:
        by_kinds.setdefault(kinds_of_folder(root), []).append(root)
    return by_kinds


def guess(candidates: Iterable[Files]) -> Resolution:
    """Return an ambiguous import of all candidate files."""
    distinct = dict.fromkeys(candidates)
    if len(distinct) > MAX_CANDIDATES:
        return TOO_MANY
    return Resolution((), tuple(dict.fromkeys(file for files in distinct for file in files)))


def without_whitespace(specifier: str) -> str:
    """Return a specifier without blanks and line continuations (`from . a import b`)."""
    if " " in specifier or "\\" in specifier:
        return "".join(specifier.replace("\\", "").split())
    return specifier


def top_level_name(imported: Import) -> str:
    """Return the first name of an absolute import, "" for any other import."""
    return (
        ""
        if imported.kind == "dynamic"
        else without_whitespace(imported.specifier).partition(".")[0]
    )
