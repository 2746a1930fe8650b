"""Ruby: files on load paths, and constants that are autoloaded by file name."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import takewhile
from posixpath import join
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged, nested_files, one_of
from gitsearch.graph.resolvers.settings_files import paths_named
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    nearest,
    relative_path_in_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")
_HERE = ("#{__dir__}/", "#{File.dirname(__FILE__)}/")
_BINARY_EXTENSIONS = (".so", ".o", ".dll", ".bundle", ".dylib", ".jar")
# Names of folders with an application that only tests run.
_TEST_APPLICATIONS = frozenset({"dummy", "internal"})
_MODULE_KINDS = frozenset({"class", "module"})
# A folder with one of these files, or with a gemspec, is a project.
_PROJECT_FILES = ("Gemfile", "Rakefile", "config.ru")
# Folders on the load path of the tests of a project.
_TEST_FOLDERS = ("test", "spec")
# Folders in `app` whose files are not autoloaded.
_NO_CONSTANTS = frozenset({"assets", "javascript", "javascripts", "views"})
# Files that show that `app` belongs to Rails, which autoloads constants by file name.
_RAILS_FILES = ("config/application.rb", "config/environment.rb", "config/routes.rb")

_REQUIRE_PATHS = re.compile(r"\brequire_paths?\s*=\s*(?:%w)?[\[({]?([^\])}\n;]*)")
_WORDS = re.compile(r"[\w./-]+")
_LIB_LOADED = re.compile(r"\bautoload_lib\b")
_PATHS_LOADED = re.compile(r"\b(?:autoload|eager_load)_paths\b")
_MAX_LIST_LENGTH = 500  # characters of a list of paths that are read
_SEPARATOR = re.compile(r"""["']\s*,\s*["']|\#\{[^}\n]*+(?:\}/?)?+""")

_LITERAL = r"""(?:"([^"#\\]*)"|'([^'\\]*)')"""
_ARGUMENT = re.compile(_LITERAL)
_EXPAND = re.compile(rf"File\.expand_path\({_LITERAL},(__dir__|__FILE__)\)")
_JOIN = re.compile(rf"File\.join\(__dir__((?:,{_LITERAL})+)\)")
_RAILS = re.compile(rf"Rails\.root\.join\(({_LITERAL}(?:,{_LITERAL})*)\)(?:\.to_s)?")
_PLUS = re.compile(rf"__dir__\+{_LITERAL}")
_OUTER = re.compile(r"File\.expand_path\((.*)\)")
_OWN_FOLDER = re.compile(r"File\.dirname\(__FILE__\)")
_SPACE = re.compile(r"""("[^"]*"|'[^']*')|\s+""")
_MAX_LENGTH = 400  # characters of an expression

Files = tuple[int, ...]


class _Constant(NamedTuple):
    """A file that defines a constant; `nesting`: normalized names of the enclosing modules."""

    file: int
    nesting: tuple[str, ...]
    project: str


class Ruby(Resolver):
    """`require` searches the load paths of gems and applications; constants may be autoloaded."""

    languages = frozenset({"ruby"})
    settings = frozenset({"application.rb"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._load_paths = _load_paths(project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that `require` and similar calls load."""
        path = self.project.paths[file]
        folder = folder_of(path)
        kind, specifier = imported.kind, imported.specifier
        if kind == "dynamic":
            if specifier.startswith("Gem."):  # a file of an installed gem
                return EXTERNAL
            target = _evaluate_path(specifier, path, self._enclosing_projects(folder)[0])
            return _DYNAMIC if target is None else Resolution(self._file("", target))
        if specifier.startswith(_HERE):
            kind, specifier = "require_relative", specifier.partition("/")[2]
        if "#{" in specifier:
            return _DYNAMIC
        if kind == "require_relative":
            return Resolution(self._file(folder, specifier))
        if kind == "autoload" and specifier[:1].isupper() and "/" not in specifier:
            return self._autoload(file, specifier)
        loaded = self._file(folder, specifier) if kind == "load" else ()
        return Resolution(loaded) if loaded else self._require(folder, specifier)

    def uses(self, file: int) -> Resolution:
        """Return the files of the autoloaded constants that a file names."""
        facts = self.project.facts(file)
        if not self._constants:
            return EXTERNAL
        names = {_normalized(name) for name in facts.names if name[:1].isupper()}
        # The nestings of the modules and classes of the file.
        modules = {
            tuple(map(_normalized, name.split(".")))
            for name, kind in facts.definitions
            if kind in _MODULE_KINDS
        }
        defined = {nesting[-1] for nesting in modules}
        return merged(
            self._resolve_constant(file, name, modules, names | defined)
            for name in sorted((names & self._constants.keys()) - defined)
        )

    def depends_on(self) -> Iterator[str]:
        """Also yield the gemspecs, and the autoload roots."""
        yield from super().depends_on()
        for path in _gemspecs(self.project):
            yield f"{path}\n{self.project.text(path)}"
        yield "\n".join(f"{owner} {root}" for owner, root in self._roots)

    @memoized
    def _require(self, folder: str, path: str) -> Resolution:
        """Return a file on the load path of an enclosing project, or else of another one."""
        if path.endswith(_BINARY_EXTENSIONS):
            return EXTERNAL
        enclosing = self._enclosing_projects(folder)
        roots = [root for owner in enclosing for part in self._load_paths[owner] for root in part]
        for root in [*enclosing, folder] if path.startswith("./") else roots:
            if files := self._file(root, path):
                return Resolution(files)
        if path.startswith("."):
            return EXTERNAL
        return self._require_from_other_projects(path)

    @memoized
    def _require_from_other_projects(self, path: str) -> Resolution:
        roots = (root for libraries, _ in self._load_paths.values() for root in libraries)
        files = tuple(dict.fromkeys(file for root in roots for file in self._file(root, path)))
        if not files and "/" in path:  # for an unknown load path
            return Resolution((), nested_files(self.project, f"{path.removesuffix('.rb')}.rb"))
        return one_of(files)

    def _file(self, folder: str, path: str) -> Files:
        """Return the file of a path, the extension of which may be omitted."""
        target = relative_path_in_tree(folder, path)
        number, languages = self.project.number, self.project.languages
        for candidate in () if target is None else (f"{target}.rb", target):
            file = number.get(candidate)
            if file is not None and languages[file] == "ruby":
                return (file,)
        return ()

    @memoized
    def _enclosing_projects(self, folder: str) -> list[str]:
        """Return the projects that a folder is in, innermost first."""
        return [outer for outer in enclosing_folders(folder) if outer in self._load_paths]

    def _autoload(self, file: int, constant: str) -> Resolution:
        """Resolve `autoload :Constant`: a file in the folder of the autoloading module."""
        base = self.project.paths[file].removesuffix(".rb") + "/"
        files = self._files_by_name.get(_normalized(constant), ())
        paths = self.project.paths
        below = tuple(other for other in files if paths[other].startswith(base))
        direct = tuple(other for other in below if "/" not in paths[other][len(base) :])
        return one_of(direct or below)

    @cached_property
    def _files_by_name(self) -> dict[str, list[int]]:
        files = self.project.of(self.languages)
        names = (self.project.paths[file].rpartition("/")[2] for file in files)
        normalized = (_normalized(name.removesuffix(".rb")) for name in names)
        return grouped(zip(normalized, files, strict=True))

    def _resolve_constant(
        self, file: int, name: str, modules: set[tuple[str, ...]], mentioned: set[str]
    ) -> Resolution:
        # Lexical lookup prefers the innermost of the enclosing modules. A constant in another one
        # is included if the file names that module, too.
        visible = self._visible(file, self._constants[name])
        lexical = [other for other in visible if not other.nesting or other.nesting in modules]
        deepest = max((len(other.nesting) for other in lexical), default=0)
        lexical = [other for other in lexical if len(other.nesting) == deepest]
        outside = [other for other in visible if other.nesting and other.nesting not in modules]
        qualified = [other for other in outside if other.nesting[-1] in mentioned]
        return one_of([other.file for other in (*lexical, *qualified)])

    def _visible(self, file: int, constants: list[_Constant]) -> list[_Constant]:
        """Return the constants of the innermost enclosing project that has any, else of gems."""
        folder = folder_of(self.project.paths[file])
        for owner in self._enclosing_projects(folder):
            local = [constant for constant in constants if constant.project == owner]
            if local:
                return local
        return [other for other in constants if self._is_visible_outside(other.project, folder)]

    def _is_visible_outside(self, owner: str, folder: str) -> bool:
        """Return True for a gem, and for a test application if the folder is in its tests."""
        tests, _, name = owner.rpartition("/")
        is_tested = name in _TEST_APPLICATIONS and f"{folder}/".startswith(f"{tests}/")
        return is_tested or owner in self._gems

    @cached_property
    def _gems(self) -> frozenset[str]:
        return frozenset(map(folder_of, _gemspecs(self.project)))

    @cached_property
    def _roots(self) -> list[tuple[str, str]]:
        return list(_constant_roots(self.project, sorted(self._load_paths)))

    @cached_property
    def _constants(self) -> dict[str, list[_Constant]]:
        """The autoloaded constants by normalized name."""
        owner = {root: project for project, root in self._roots}
        constants: dict[str, list[_Constant]] = {}
        for file in self.project.of(self.languages) if owner else ():
            path = self.project.paths[file]
            root = nearest(folder_of(path), owner)
            if root is not None and path.endswith(".rb"):
                inner = path.removesuffix(".rb")[len(root) + bool(root) :]
                *nesting, name = map(_normalized, inner.split("/"))
                constant = _Constant(file, tuple(nesting), owner[root])
                constants.setdefault(name, []).append(constant)
        return constants


def _normalized(name: str) -> str:
    """Return a constant or file name without what inflection changes: `HTMLPage`, `html_page`."""
    return name.replace("_", "").lower()


def _load_paths(project: Project) -> dict[str, tuple[list[str], list[str]]]:
    """Return the load paths of each project by its folder: of its library, and of its tests."""
    projects = ["", *map(folder_of, paths_named(project, *_PROJECT_FILES))]
    require_paths: dict[str, set[str]] = {folder: set() for folder in projects}
    for path in _gemspecs(project):
        folder = folder_of(path)
        lines = (_WORDS.findall(line) for line in _REQUIRE_PATHS.findall(project.text(path) or ""))
        require_paths.setdefault(folder, set()).update(word for line in lines for word in line)
    return {
        folder: (
            _existing(project, folder, ("lib", *sorted(declared))),
            _existing(project, folder, _TEST_FOLDERS),
        )
        for folder, declared in require_paths.items()
    }


def _existing(project: Project, folder: str, names: Iterable[str]) -> list[str]:
    """Return the paths of the subfolders that exist."""
    return [path for name in names if (path := joined(folder, name)) in project.folders]


def _gemspecs(project: Project) -> list[str]:
    """Return the paths of all gemspecs."""
    names = (name for name in project.by_name if name.endswith(".gemspec"))
    return sorted(paths_named(project, *names))


def _constant_roots(project: Project, folders: list[str]) -> Iterator[tuple[str, str]]:
    """Yield projects and their autoload roots, below which paths name the constants of files."""
    gems = {folder_of(path) for path in _gemspecs(project)}
    apps = _app_folders(project)
    for folder in folders:
        settings = [joined(folder, name) for name in _RAILS_FILES]
        if folder in gems or any(path in project.number for path in settings):
            for root in apps.get(joined(folder, "app"), ()):
                yield folder, root
        lib = joined(folder, "lib")
        text = project.text(settings[0]) or ""
        files = [i for i in project.folders.get(lib, ()) if project.languages[i] == "ruby"]
        uses_zeitwerk = any("Zeitwerk" in project.facts(file).names for file in files)
        if lib in project.folders and (uses_zeitwerk or _LIB_LOADED.search(text)):
            yield folder, lib
        for listed in _path_lists(text):
            # The arguments of one path look like the items of a list: "app", "other".
            words = {*_WORDS.findall(listed), *_WORDS.findall(_SEPARATOR.sub("/", listed))}
            for word in sorted(words):
                path = relative_path_in_tree(folder, word.strip("/")) if word.strip("/.") else None
                if path in project.folders:
                    yield folder, path


def _path_lists(text: str) -> Iterator[str]:
    """Yield the text of each list of autoload paths: the rest of its line, or its lines."""
    for name in _PATHS_LOADED.finditer(text):
        first, *lines = text[name.end() : name.end() + _MAX_LIST_LENGTH].split("\n")
        if first.rstrip().endswith(("(", "[")):
            items = takewhile(lambda line: not line.strip().startswith((")", "]")), lines)
            yield "\n".join(items)
        else:
            yield first


def _app_folders(project: Project) -> dict[str, list[str]]:
    """Return the subfolders of each folder called `app`, and those of `concerns` in these."""
    subfolders: dict[str, list[str]] = {}
    for folder in project.folders:
        parent, _, name = folder.rpartition("/")
        if name == "concerns":
            parent = parent.rpartition("/")[0]
        if parent.rpartition("/")[2] == "app" and name not in _NO_CONSTANTS:
            subfolders.setdefault(parent, []).append(folder)
    return subfolders


def _evaluate_path(text: str, path: str, application: str) -> str | None:
    """Return the path that an expression in a file evaluates to, None if it is not constant."""
    if len(text) > _MAX_LENGTH:
        return None
    text = text.replace("::File.", "File.")
    plain = _OWN_FOLDER.sub("__dir__", _SPACE.sub(lambda match: match[1] or "", text))
    folder = folder_of(path)
    if match := _EXPAND.fullmatch(plain):
        return join(folder if match[3] == "__dir__" else path, match[1] or match[2] or "")
    if outer := _OUTER.fullmatch(plain):
        plain = outer[1]
    if match := _PLUS.fullmatch(plain):
        return (folder + (match[1] or match[2] or "")).lstrip("/")
    for pattern, base in ((_JOIN, folder), (_RAILS, application)):
        if match := pattern.fullmatch(plain):
            parts = (double or single for double, single in _ARGUMENT.findall(match[1]))
            return "/".join([base, *parts]).lstrip("/")
    return None
