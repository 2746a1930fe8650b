"""Python: modules and packages below the import roots.

An import depends on the file of the module alone, not on the enclosing packages. An absolute
import is searched, in this order, below
1. the folder of the importing file, or the folder of the outermost package around it;
2. the folder of a namespace package around it;
3. the roots of the projects around it, innermost first, and of an enclosing conftest.py;
4. the roots of the installable projects of the tree, except those among tests, examples,
   documentation and vendored code.
A module that exists in none of these may be guessed (see python_modules), and is ambiguous then.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from gitsearch.graph.project import EXTERNAL, Project, Published, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged
from gitsearch.graph.resolvers.python_modules import (
    MODULES,
    PACKAGES,
    PythonModules,
    UndeclaredRoots,
    guess,
    kinds_of_folder,
    nearest_folders,
    parents_of_name,
    without_whitespace,
)
from gitsearch.graph.resolvers.settings_files import ini, paths_named, toml
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    nearest,
    relative_path_in_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.resolvers.python_modules import Importer
    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")
_OTHER_LANGUAGES = frozenset({"requirements", "cython"})

_CONFTEST = "conftest.py"
# The default of pytest's option python_files.
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py")
# Files of an installable project, whose modules other projects can import.
_INSTALLABLE = ("pyproject.toml", "setup.cfg", "setup.py")
# A folder with one of these files is an import root, and so is its subfolder `src`.
_PARSED = frozenset({*_INSTALLABLE, "Pipfile", "pytest.ini", "tox.ini", "mypy.ini"})
_PROJECT_FILES = _PARSED | {"manage.py", "requirements.txt"}
_SETTINGS = _PARSED | {"conftest.py", "requirements.txt"}
# Keys of pyproject.toml whose values name folders, or folders of packages ("*": any key).
_FOLDER_KEYS = (
    "tool.setuptools.package-dir.",
    "tool.setuptools.packages.find.where",
    "tool.poetry.packages.from",
    "tool.hatch.build.sources",
    "tool.hatch.build.dev-mode-dirs",
    "tool.hatch.build.targets.*.sources",
    "tool.pdm.build.package-dir",
    "tool.uv.build-backend.module-root",
    "tool.maturin.python-source",
    "tool.pytest.ini_options.pythonpath",
    "tool.pytest.pythonpath",
    "tool.mypy.mypy_path",
    "tool.pyright.extraPaths",
    "tool.basedpyright.extraPaths",
    "tool.ruff.src",
)
_PACKAGE_KEYS = (
    "tool.hatch.build.packages",
    "tool.hatch.build.targets.*.packages",
    "tool.scikit-build.wheel.packages",
    "tool.briefcase.app.*.sources",
)
_REQUIREMENT_KEYS = (
    "project.dependencies",
    "project.optional-dependencies.*",
    "dependency-groups.*",
    "build-system.requires",
    "tool.poetry.dependencies",
    "tool.poetry.group.*.dependencies",
    "packages",
)
# Sections and options of INI files that name folders.
_INI_OPTIONS = (
    ("options.packages.find", "where"),
    ("tool:pytest", "pythonpath"),
    ("pytest", "pythonpath"),
    ("mypy", "mypy_path"),
)
_INI_SECTIONS = frozenset({"options", *(section for section, _ in _INI_OPTIONS)})
_LIST_SEPARATOR = re.compile(r"[\s,:]+")
_PACKAGE_DIR = re.compile(r"""["']{2}\s*:\s*["']([^"'\n]+)["']""")
_FIND = re.compile(r"""find_(?:namespace_)?packages\(\s*(?:where\s*=\s*)?["']([^"'\n]+)["']""")
# Modules beside the packages of a project that nobody imports from elsewhere.
_UNPUBLISHED = frozenset({"setup", "conftest", "manage", "noxfile", "tasks"})
_NAME_ARGUMENT = re.compile(r"""\bname\s*+=\s*+["']([\w.-]++)["']""")
_SEPARATOR = re.compile(r"[-.]")
_DISTRIBUTION = re.compile(r"[A-Za-z0-9][\w.-]*")


class Python(Resolver):
    """Imports are resolved like modules on Python's module search path."""

    languages = frozenset({"python"})
    settings = _SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._modules = PythonModules(project)
        self._roots_by_folder = _import_roots(project)
        roots = self._roots_by_folder
        self._declared_roots = frozenset(chain.from_iterable(roots.values()))
        folders = set(map(folder_of, paths_named(project, *_INSTALLABLE)))
        self._installable_folders = folders
        installable = {root for folder in folders for root in roots.get(folder, ())}
        non_product = {root for root in installable if kinds_of_folder(root)}
        self._installable_roots = self._modules.roots_by_name(installable - non_product)
        for folder in map(folder_of, paths_named(project, _CONFTEST)):
            self._roots_by_folder.setdefault(folder, []).append(self._modules.top_folder(folder))
        self._required = _requirements(project)
        non_product_roots = self._modules.roots_by_name(non_product)
        self._undeclared = UndeclaredRoots(
            project, self._modules, non_product_roots, self._is_provided, self._required
        )

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of the submodule of each imported name, or of the module."""
        importer = self._undeclared.importer(file)
        if imported.kind == "dynamic":
            return self._dynamic(importer, imported.specifier, imported.names)
        names = [name.split()[0] for name in imported.names.split(",") if name.strip()]
        specifier = without_whitespace(imported.specifier)
        return self._resolve_module(importer, specifier, names or [""])

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the installable project with the top-level package that is imported."""
        del names
        specifier = without_whitespace(imported.specifier)
        top = specifier.partition(".")[0]
        roots = self._installable_roots.get(top, ())
        # tests and scripts beside its packages are not installed
        if not roots or top in MODULES or top in _UNPUBLISHED or kinds_of_folder(top):
            return None
        bound = [] if imported.kind == "dynamic" else imported.names.split(",")
        wanted = [name.split()[0] for name in bound if name.strip()] or [""]
        path = specifier.replace(".", "/")
        found = merged([self._from_installable(path, name) for name in wanted])
        files = found.resolved or found.ambiguous
        around = folder_of(self.project.paths[files[0]]) if files else ""
        folder = nearest(around, self._installable_folders)
        if not files or folder is None:
            return None
        manifest, name = self._distribution(folder)
        return Published(name or top, manifest, files)

    @memoized
    def _distribution(self, folder: str) -> tuple[str, str]:
        """Return the manifest of the project in a folder, and the name that one of them gives."""
        paths = [joined(folder, name) for name in _INSTALLABLE]
        paths = [path for path in paths if path in self.project.number]
        names = (_distribution_name(path, self.project.text(path) or "") for path in paths)
        named = (pair for pair in zip(paths, names, strict=True) if pair[1])
        return next(named, (paths[0], ""))

    def uses(self, file: int) -> Resolution:
        """Return for a test the enclosing conftest.py files: pytest loads them implicitly."""
        folder, _, name = self.project.paths[file].rpartition("/")
        if not (name == _CONFTEST or _TEST_FILE.fullmatch(name)):
            return EXTERNAL
        paths = (joined(ancestor, _CONFTEST) for ancestor in enclosing_folders(folder))
        number = self.project.number
        return Resolution(tuple(number[path] for path in paths if path in number))

    def depends_on(self) -> Iterator[str]:
        """Also yield the paths of Cython modules and of requirements files."""
        yield from super().depends_on()
        yield from (self.project.paths[file] for file in self.project.of(_OTHER_LANGUAGES))

    def settings_texts(self) -> Iterator[str]:
        """Yield what the settings declare, and what all imports together imply."""
        yield repr(sorted(self._roots_by_folder.items()))
        yield repr(sorted(self._installable_roots.items()))
        yield repr(sorted(self._required))
        yield from self._undeclared.evidence()

    def _dynamic(self, importer: Importer, specifier: str, package: str) -> Resolution:
        """Resolve import_module("a.b", package); arguments that vary are in parentheses."""
        if specifier.startswith("("):
            return _DYNAMIC
        anchor = package.removeprefix("package=").strip()
        if not specifier.startswith(".") or anchor in ("__package__", "__name__"):
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

    @memoized
    def _absolute(self, importer: Importer, path: str, name: str) -> Resolution:
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
        return self._from_installable(path, name)

    @memoized
    def _from_installable(self, path: str, name: str) -> Resolution:
        """Return the only candidate below the roots of installable projects, else a guess."""
        roots = self._installable_roots.get(path.partition("/")[0], ())
        matches = (self._modules.lookup(joined(root, path), name) for root in roots)
        distinct = list(dict.fromkeys(filter(None, matches)))
        return Resolution(distinct[0]) if len(distinct) == 1 else guess(distinct)

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

    @memoized
    def _enclosing_roots(self, folder: str) -> list[str]:
        """Return the roots of the projects that a folder is in."""
        folders = (*nearest_folders(folder), "")
        roots = (root for outer in folders for root in self._roots_by_folder.get(outer, ()))
        return list(dict.fromkeys(roots))

    def _is_standard(self, importer: Importer, path: str) -> bool:
        """Return True for a module of the standard library, unless this tree is the library."""
        top, _, rest = path.partition("/")
        if top not in MODULES or (rest and top not in PACKAGES):
            return False
        package_root = self._modules.top_folder(importer.folder)
        paths = (joined(package_root, name) for name in ("os", "site"))
        return top == "__main__" or not all(map(self._modules.is_module, paths))


def _leading_dots(specifier: str) -> int:
    return len(specifier) - len(specifier.lstrip("."))


def _import_roots(project: Project) -> dict[str, list[str]]:
    """Return the import roots of each folder with settings, and of the root of the tree."""
    roots: dict[str, list[str]] = {"": ["", "src"]}
    for folder in map(folder_of, paths_named(project, *sorted(_PROJECT_FILES))):
        # A package may have a module called setup or manage.
        if joined(folder, "__init__.py") not in project.number:
            roots.setdefault(folder, [folder, joined(folder, "src")])
    for path in paths_named(project, *sorted(_PARSED)):
        folder = folder_of(path)
        if path.endswith(".py") and folder not in roots:
            continue
        for value in _declared_folders(path, project.text(path) or ""):
            root = relative_path_in_tree(folder, value)
            if root is not None:
                roots.setdefault(folder, []).append(root)
    return {
        folder: [root for root in dict.fromkeys(listed) if root in project.folders]
        for folder, listed in roots.items()
    }


def _requirements(project: Project) -> frozenset[str]:
    """Return the names of all requirements in lower case, with underscores for dashes and dots."""
    lines: set[str] = set()
    for path in paths_named(project, "Pipfile", "pyproject.toml"):
        settings = toml(project.text(path))
        for key in _REQUIREMENT_KEYS:
            lines.update(_strings_at(settings, key.split(".")))
    for path in paths_named(project, "setup.cfg"):
        sections = ini(project.text(path), _INI_SECTIONS)
        lines.update(sections.get(("options", "install_requires"), ()))
    for file in project.of(frozenset({"requirements"})):
        lines.update((project.text(project.paths[file]) or "").splitlines())
    names = (_DISTRIBUTION.match(line.strip()) for line in lines)
    return frozenset(_SEPARATOR.sub("_", name[0]).lower() for name in names if name)


def _distribution_name(path: str, text: str) -> str:
    """Return the name of the distribution that a settings file gives, or ""."""
    if path.endswith(".toml"):
        settings = toml(text)
        keys = ("project.name", "tool.poetry.name")
        return next((name for key in keys for name in _strings_at(settings, key.split("."))), "")
    if path.endswith(".py"):
        match = _NAME_ARGUMENT.search(text)
        return match[1] if match else ""
    return "".join(ini(text, {"metadata"}).get(("metadata", "name"), ())[:1])


def _declared_folders(path: str, text: str) -> Iterable[str]:
    """Return the folders that a settings file names, relative to its own folder."""
    if path.endswith(".toml"):
        return _toml_folders(toml(text))
    if path.endswith("setup.py"):
        return [*_PACKAGE_DIR.findall(text), *_FIND.findall(text)]
    return _ini_folders(ini(text, _INI_SECTIONS))


def _toml_folders(settings: dict[str, Any]) -> Iterator[str]:
    for key in _FOLDER_KEYS:
        for text in _strings_at(settings, key.split(".")):
            for part in text.split(":") if key.endswith("mypy_path") else [text]:
                yield part.replace("$MYPY_CONFIG_FILE_DIR", ".")
    for key in _PACKAGE_KEYS:
        for text in _strings_at(settings, key.split(".")):
            yield text.rpartition("/")[0] or "."


def _strings_at(value: Any, keys: list[str]) -> Iterator[str]:
    """Yield the strings at a path of keys: those in lists, and the keys of a table at its end."""
    if isinstance(value, list):
        for item in value:
            yield from _strings_at(item, keys) if not isinstance(item, list) else ()
    elif isinstance(value, dict):
        if not keys:
            yield from value
        elif keys[0] == "*":
            for item in value.values():
                yield from _strings_at(item, keys[1:])
        elif keys[0] in value:
            yield from _strings_at(value[keys[0]], keys[1:])
    elif isinstance(value, str) and not keys:
        yield value


def _ini_folders(settings: dict[tuple[str, str], list[str]]) -> Iterator[str]:
    for key in _INI_OPTIONS:
        for line in settings.get(key, ()):
            yield from filter(None, _LIST_SEPARATOR.split(line))
    for line in settings.get(("options", "package_dir"), ()):
        package, _, folder = line.partition("=")
        if not package.strip():
            yield folder.strip() or "."
