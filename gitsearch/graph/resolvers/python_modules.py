"""The modules of a tree, and guesses for modules below folders that are no declared import roots.

A module below a folder that may be on the path of some program is a guess, and a bare name is weak
evidence: `import yaml` most often means a library, whatever file of the tree is called yaml.py. So
a guess needs more than a name:
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
from gitsearch.graph.resolvers.candidates import MAX_CANDIDATES, TOO_MANY, last_two_parts
from gitsearch.graph.resolvers.tables import grouped, grouped_sets, memoized
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.graph.project import Project

# The standard library of every version from 3.8 to 3.14. `test` is left out, which is also the
# name of many projects' own tests, as are modules that were removed early and have a common name
# (parser, formatter, symbol). First packages with submodules: `code.utils` is not in the library.
_PACKAGES = """
_typeshed asyncio collections compression concurrent ctypes curses dbm distutils email encodings
ensurepip html http idlelib importlib json lib2to3 logging multiprocessing os pathlib pydoc_data
re sqlite3
string sysconfig tkinter turtledemo unittest urllib venv wsgiref xml xmlrpc zipfile zoneinfo
"""

_MODULES = """
__future__ __main__ _collections_abc _thread abc aifc annotationlib antigravity argparse
array ast asynchat asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile
calendar cgi cgitb chunk cmath cmd code codecs codeop colorsys compileall configparser contextlib
contextvars copy copyreg crypt csv dataclasses datetime decimal difflib dis doctest enum errno
faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt
getpass gettext glob graphlib grp gzip hashlib heapq hmac imaplib imghdr imp inspect io ipaddress
itertools keyword linecache locale lzma mailbox mailcap marshal math mimetypes mmap modulefinder
msilib msvcrt netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse ossaudiodev
pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats
pty pwd py_compile pyclbr pydoc pyexpat queue quopri random readline reprlib resource rlcompleter
runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
socketserver spwd sre_compile sre_constants sre_parse ssl stat statistics stringprep struct
subprocess sunau symtable sys syslog tabnanny tarfile telnetlib tempfile termios textwrap this
threading time timeit token tokenize tomllib trace traceback tracemalloc tty turtle types typing
unicodedata uu uuid warnings wave weakref webbrowser winreg winsound xdrlib zipapp zipimport zlib
"""

PACKAGES = frozenset(_PACKAGES.split())
MODULES = frozenset(_MODULES.split()) | PACKAGES
# Extensions of importable files. A stub replaces the module that it describes or accompanies it.
_EXTENSIONS = (".py", ".pyi", ".pyx")
# Enclosing folders of a file that are searched: real trees are less deep, but a path may have
# thousands.
_MAX_DEPTH = 32
# Kinds of code that only code of the same kind imports by a single name.
_NON_PRODUCT_KINDS = path_kinds.TEST | path_kinds.EXAMPLE | path_kinds.DOCS | path_kinds.VENDORED
# Roots by their kinds.
RootsByKinds = dict[int, list[str]]
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

    @memoized
    def top_folder(self, folder: str) -> str:
        """Return the folder that contains the outermost package around a folder."""
        return next(
            ancestor
            for ancestor in enclosing_folders(folder)
            if not ancestor or not self.is_package(ancestor)
        )

    def roots_with(self, path: str) -> list[str]:
        """Return the folders, in no package, that a path of two or more names exists below."""
        suffix = f"/{path}"
        matches = self._by_tail.get(last_two_parts(path), ())
        roots = (match.removesuffix(suffix) for match in matches if match.endswith(suffix))
        return [root for root in roots if not self.is_package(root)]

    def roots_by_name(self, roots: set[str]) -> dict[str, list[str]]:
        """Return the roots that directly contain a module or folder of each name."""
        paths = sorted(self.folders.union(self.files))
        parts = (path.rpartition("/") for path in paths)
        return grouped((name, root) for root, _, name in parts if name and root in roots)

    @cached_property
    def _by_tail(self) -> dict[str, list[str]]:
        """The paths of modules and packages by their last two parts."""
        paths = sorted({module.removesuffix("/__init__") for module in self.files})
        return grouped((last_two_parts(path), path) for path in paths)


class Importer(NamedTuple):
    """The folder and the kinds (bits of path_kinds) of a file, which decide what it can import."""

    folder: str
    kinds: int


def _can_import(own: int, kinds: int) -> bool:
    """Return True if a file with its own kinds may import code in a folder of other kinds.

    Tests import everything; other code imports only code of its own kinds or of no kind.
    """
    return not kinds & ~own or bool(own & path_kinds.TEST)


def kinds_of_folder(folder: str) -> int:
    """Return the kinds of a file in a folder, whatever its name."""
    return _kinds_of(joined(folder, "_"))


def _kinds_of(path: str) -> int:
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

        `non_product_roots`: by top-level name, those of installable tests, examples and the like;
        `is_provided`: whether some declared root of an importer has a top-level name; `required`:
        the names of all requirements.
        """
        self._project = project
        self._modules = modules
        self._non_product_roots = {
            top: _by_kinds(roots) for top, roots in non_product_roots.items()
        }
        self._is_provided = is_provided
        self._required = required

    @memoized
    def importer(self, file: int) -> Importer:
        """Return the importer that a file is."""
        path = self._project.paths[file]
        return Importer(folder_of(path), _kinds_of(path))

    def guesses(self, importer: Importer, path: str, name: str) -> Resolution:
        """Return the files that an absolute import of `name` from a module may mean."""
        top = path.partition("/")[0]
        if top in self._required:
            return EXTERNAL
        roots: list[str] = []
        if "/" in path or top not in self._libraries:
            roots = list(islice(self._single_name_roots(importer, top), MAX_CANDIDATES + 1))
        candidates = [self._modules.lookup(joined(root, path), name) for root in roots]
        return guess([*candidates, *self._by_all_names(importer.kinds, path, name)])

    @cached_property
    def _libraries(self) -> frozenset[str]:
        """The names of modules of the tree that some file imports and nothing provides for it."""
        return frozenset(
            top
            for importer, top, own_folder in self._imported_names
            if not self._is_provided(importer, top)
            and all(root == own_folder for root in self._single_name_roots(importer, top))
        )

    def evidence(self) -> Iterator[str]:
        """Yield everything that is derived from the imports of other files."""
        yield repr(sorted(self._libraries))
        yield repr(sorted(self._self_import_roots.items()))

    @cached_property
    def _self_import_roots(self) -> dict[tuple[str, str], RootsByKinds]:
        """The folders from which files in a package import the package by its name.

        The key is the parent of that folder and the name of the package.
        """
        roots_by_key = grouped_sets(
            ((folder_of(root), top), root)
            for importer, top, _ in self._imported_names
            if top in importer.folder
            for root in parents_of_name(importer.folder, top)
            if root and not self._modules.is_package(root)
        )
        return {key: _by_kinds(sorted(roots)) for key, roots in roots_by_key.items()}

    @memoized
    def _by_all_names(self, kinds: int, path: str, name: str) -> list[Files]:
        """Return the modules below folders in no package that match all names of an import."""
        roots = self._modules.roots_with(path) if "/" in path else []
        roots += self._modules.roots_with(f"{path}/{name}") if name else []
        return [
            self._modules.lookup(joined(root, path), name)
            for root in dict.fromkeys(roots)
            if _can_import(kinds, kinds_of_folder(root) & ~path_kinds.VENDORED)
        ]

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
                if _can_import(importer.kinds, kinds):
                    yield from roots

    @cached_property
    def _imported_names(self) -> list[tuple[Importer, str, str | None]]:
        """The importers and top-level names of all imports that some path has, each once.

        The third item is the folder of a file that imports its own name, which cannot mean itself.
        """
        imported_names: dict[tuple[Importer, str, str | None], None] = {}
        for file in self._project.of(frozenset({"python"})):
            path = self._project.paths[file]
            imports = self._project.facts(file).imports
            absolute = (each.specifier for each in imports if each.kind != "dynamic")
            names = {without_whitespace(specifier).partition(".")[0] for specifier in absolute}
            names = (names & self._modules.path_parts) - MODULES
            if names:
                importer = self.importer(file)
                stem = path.rpartition("/")[2].partition(".")[0]
                for name in sorted(names):
                    own_folder = importer.folder if name == stem else None
                    imported_names[importer, name, own_folder] = None
        return list(imported_names)


def _by_kinds(roots: Iterable[str]) -> RootsByKinds:
    return grouped((kinds_of_folder(root), root) for root in roots)


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


def nearest_folders(folder: str) -> Iterator[str]:
    """Yield a folder and its nearest ancestors, innermost first."""
    return islice(enclosing_folders(folder), _MAX_DEPTH)


def parents_of_name(folder: str, name: str) -> Iterator[str]:
    """Yield the parents of the folders with a name among a folder and its ancestors."""
    for ancestor in nearest_folders(folder):
        parent, _, ancestor_name = ancestor.rpartition("/")
        if ancestor_name == name:
            yield parent
