"""Python: modules and packages below the import roots.

An import depends on the file of the module alone, not on the enclosing packages. An absolute
import is searched, in this order, below
1. the folder of the importing file, or the folder of the outermost package around it;
2. the folder of a namespace package around it;
3. the roots of the projects around it, innermost first, and of an enclosing conftest.py;
4. the roots of the installable projects of the tree, except those among tests, examples,
   documentation and vendored code.
A module that exists in none of these may be guessed (see python_import_roots), and is ambiguous
then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.python_import_roots import (
    UndeclaredRoots,
    guess,
    kinds_of_folder,
    without_whitespace,
)
from gitsearch.graph.resolvers.python_modules import (
    PythonModules,
    nearest_folders,
    parents_of_name,
)
from gitsearch.graph.resolvers.python_settings import (
    SETTINGS,
    import_roots,
    installable_roots,
    requirements,
)
from gitsearch.graph.resolvers.python_stdlib import MODULES, PACKAGES
from gitsearch.graph.resolvers.resolutions import merged
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.resolvers.python_import_roots import Importer
    from gitsearch.graph.resolvers.python_modules import Files
    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")
_OTHER_LANGUAGES = frozenset({"requirements", "cython"})

_CONFTEST = "conftest.py"
# The default of pytest's option python_files.
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py")


class Python(Resolver):
    """Imports are resolved like modules on Python's module search path."""

    languages: ClassVar[frozenset[str]] = frozenset({"python"})
    settings: ClassVar[frozenset[str]] = SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._modules = PythonModules(project)
        self._roots_by_folder = import_roots(project)
        self._declared_roots = frozenset(
            root for roots in self._roots_by_folder.values() for root in roots
        )
        installable = installable_roots(project, self._roots_by_folder)
        non_product = frozenset(root for root in installable if kinds_of_folder(root))
        self._installable_roots = self._modules.roots_by_name(installable - non_product)
        for file in project.by_name.get(_CONFTEST, ()):
            folder = folder_of(project.paths[file])
            self._roots_by_folder.setdefault(folder, []).append(self._modules.top_folder(folder))
        self._required = requirements(project)
        self._undeclared = UndeclaredRoots(
            project,
            self._modules,
            self._modules.roots_by_name(non_product),
            self._is_provided,
            self._required,
        )
        self._project_roots: dict[str, list[str]] = {}
        self._from_installable: dict[tuple[str, str], Resolution] = {}
        self._absolute_resolutions: dict[tuple[Importer, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of the submodule of each imported name, or of the module."""
        importer = self._undeclared.importer(file)
        if imported.kind == "dynamic":
            return self._dynamic(importer, imported.specifier, imported.names)
        names = [name.split()[0] for name in imported.names.split(",") if name.strip()]
        specifier = without_whitespace(imported.specifier)
        resolution = self._resolve_module(importer, specifier, names or [""])
        if file in resolution.ambiguous:  # a file does not import itself
            others = tuple(other for other in resolution.ambiguous if other != file)
            return Resolution(resolution.resolved, others)
        return resolution

    def uses(self, file: int) -> Resolution:
        """Return for a test the enclosing conftest.py files: pytest loads them implicitly."""
        folder, _, name = self.project.paths[file].rpartition("/")
        if not (name == _CONFTEST or _TEST_FILE.fullmatch(name)):
            return EXTERNAL
        paths = (joined(ancestor, _CONFTEST) for ancestor in enclosing_folders(folder))
        loaded = (self.project.number.get(path) for path in paths)
        return Resolution(tuple(other for other in loaded if other is not None and other != file))

    def depends_on(self) -> Iterator[str]:
        """Also yield the paths of Cython modules and of requirements files."""
        yield from super().depends_on()
        yield from (self.project.paths[file] for file in self.project.of(_OTHER_LANGUAGES))

    def settings_texts(self) -> Iterator[str]:
        """Yield what the settings declare, and what all imports together imply.

        Most changes of the settings files do not affect resolution.
        """
        yield repr(sorted(self._roots_by_folder.items()))
        yield repr(sorted(self._installable_roots.items()))
        yield repr(sorted(self._required))
        yield from self._undeclared.evidence()

    def _dynamic(self, importer: Importer, specifier: str, package: str) -> Resolution:
        """Resolve import_module("a.b", package); arguments that vary are in parentheses."""
        if specifier.startswith("("):
            return _DYNAMIC
        if not specifier.startswith("."):
            return self._resolve_module(importer, specifier, [""])
        anchor = package.removeprefix("package=").strip()
        if anchor in ("__package__", "__name__"):
            return self._resolve_module(importer, specifier, [""])
        if anchor[:1] not in ("'", '"'):
            return _DYNAMIC
        parts = anchor.strip("'\"").split(".")
        parts = parts[: len(parts) + 1 - _leading_dots(specifier)]
        return self._resolve_module(importer, ".".join([*parts, specifier.lstrip(".")]), [""])

    def _resolve_module(self, importer: Importer, specifier: str, names: list[str]) -> Resolution:
        """Resolve an import of names from a module; the name "" is the module itself."""
        level = _leading_dots(specifier)
        parts = specifier[level:].split(".") if len(specifier) > level else []
        if not all(parts) or "/" in specifier:
            return EXTERNAL
        path = "/".join(parts)
        if not level:
            if not parts or parts[0] not in self._modules.path_parts:
                return EXTERNAL
            return merged([self._absolute(importer, path, name) for name in names])
        ancestors = importer.folder.split("/") if importer.folder else []
        if level - 1 > len(ancestors):
            return EXTERNAL
        base = joined("/".join(ancestors[: len(ancestors) + 1 - level]), path)
        return merged([Resolution(self._modules.lookup(base, name)) for name in names])

    def _absolute(self, importer: Importer, path: str, name: str) -> Resolution:
        key = (importer, path, name)
        if key not in self._absolute_resolutions:
            self._absolute_resolutions[key] = self._search_roots(importer, path, name)
        return self._absolute_resolutions[key]

    def _search_roots(self, importer: Importer, path: str, name: str) -> Resolution:
        if self._is_standard(importer, path):
            return EXTERNAL
        resolution = self._from_roots(importer, path, name)
        if resolution == EXTERNAL and not name and "/" in path:
            # `import a.b.c` imports a.b first, even if c is compiled from other code.
            resolution = self._from_roots(importer, path.rpartition("/")[0], "")
        if resolution != EXTERNAL:
            return resolution
        if self._from_roots(importer, path.partition("/")[0], "") != EXTERNAL:
            return EXTERNAL  # a package that exists hides others of the same name
        return self._undeclared.guesses(importer, path, name)

    def _from_roots(self, importer: Importer, path: str, name: str) -> Resolution:
        """Resolve an import below the declared roots."""
        top = path.partition("/")[0]
        for root in self._roots(importer, top):
            if files := self._modules.lookup(joined(root, path), name):
                return Resolution(files)
        if (path, name) not in self._from_installable:
            roots = self._installable_roots.get(top, ())
            self._from_installable[path, name] = _single_candidate(
                self._modules.lookup(joined(root, path), name) for root in roots
            )
        return self._from_installable[path, name]

    def _roots(self, importer: Importer, top: str) -> Iterator[str]:
        """Yield the roots that an importer searches for a top-level name, in order."""
        folder = importer.folder
        package_root = self._modules.top_folder(folder)
        script = package_root == folder and package_root not in self._declared_roots
        if not (script and top in self._required):
            yield package_root
        if top in package_root:
            yield from parents_of_name(package_root, top)
        yield from self._enclosing_roots(folder)

    def _is_provided(self, importer: Importer, top: str) -> bool:
        """Return True if some root of an importer has a module or folder with a name."""
        if top in self._installable_roots:
            return True
        paths = (joined(root, top) for root in self._roots(importer, top))
        return any(path in self._modules.files or path in self._modules.folders for path in paths)

    def _enclosing_roots(self, folder: str) -> list[str]:
        """Return the roots of the projects that a folder is in."""
        if folder not in self._project_roots:
            folders = (*nearest_folders(folder), "")
            roots = (root for outer in folders for root in self._roots_by_folder.get(outer, ()))
            self._project_roots[folder] = list(dict.fromkeys(roots))
        return self._project_roots[folder]

    def _is_standard(self, importer: Importer, path: str) -> bool:
        """Return True for a module of the standard library, unless this tree is the library."""
        top, _, rest = path.partition("/")
        if top not in MODULES or (rest and top not in PACKAGES):
            return False
        package_root = self._modules.top_folder(importer.folder)
        is_library = all(
            self._modules.is_module(joined(package_root, name)) for name in ("os", "site")
        )
        return not is_library or top == "__main__"


def _leading_dots(specifier: str) -> int:
    return len(specifier) - len(specifier.lstrip("."))


def _single_candidate(candidates: Iterable[Files]) -> Resolution:
    """Return the only distinct candidate as resolved, several as ambiguous."""
    distinct = list(dict.fromkeys(filter(None, candidates)))
    return Resolution(distinct[0]) if len(distinct) == 1 else guess(distinct)
