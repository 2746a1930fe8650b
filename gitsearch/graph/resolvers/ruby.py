"""Ruby: files on load paths, and constants that are autoloaded by file name."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.nearest_path import nested_files
from gitsearch.graph.resolvers.resolutions import merged, one_of
from gitsearch.graph.resolvers.ruby_load_paths import (
    constant_roots,
    evaluate_path,
    gemspecs,
    load_paths,
)
from gitsearch.graph.tree_paths import folder_of, nearest, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unresolved="dynamic-import")
_HERE = ("#{__dir__}/", "#{File.dirname(__FILE__)}/")
_BINARY_EXTENSIONS = (".so", ".o", ".dll", ".bundle", ".dylib", ".jar")
# Names of folders with an application that only tests run.
_TEST_APPLICATIONS = frozenset({"dummy", "internal"})
_MODULE_KINDS = frozenset({"class", "module"})

Files = tuple[int, ...]


class _Constant(NamedTuple):
    """A file that defines a constant; `nesting`: normalized names of the enclosing modules."""

    file: int
    nesting: tuple[str, ...]
    project: str


class Ruby(Resolver):
    """`require` searches the load paths of gems and applications; constants may be autoloaded."""

    languages: ClassVar[frozenset[str]] = frozenset({"ruby"})
    settings: ClassVar[frozenset[str]] = frozenset({"application.rb"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._load_paths = load_paths(project)
        self._resolutions: dict[tuple[str, str], Resolution] = {}
        self._other_projects: dict[str, Resolution] = {}
        self._enclosing: dict[str, list[str]] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that `require` and similar calls load."""
        path = self.project.paths[file]
        folder = folder_of(path)
        kind, specifier = imported.kind, imported.specifier
        if kind == "dynamic":
            if specifier.startswith("Gem."):  # a file of an installed gem
                return EXTERNAL
            target = evaluate_path(specifier, path, self._enclosing_projects(folder)[0])
            return _DYNAMIC if target is None else Resolution(self._file("", target))
        if specifier.startswith(_HERE):
            kind, specifier = "require_relative", specifier.partition("/")[2]
        if "#{" in specifier:
            return _DYNAMIC
        if kind == "require_relative":
            return Resolution(self._file(folder, specifier))
        if kind == "autoload" and specifier[:1].isupper() and "/" not in specifier:
            return self._autoload(file, specifier)
        key = (folder, specifier)
        if key not in self._resolutions:
            loaded = self._file(folder, specifier) if kind == "load" else ()
            self._resolutions[key] = (
                Resolution(loaded) if loaded else self._require(folder, specifier)
            )
        return self._resolutions[key]

    def uses(self, file: int) -> Resolution:
        """Return the files of the autoloaded constants that a file names."""
        facts = self.project.facts(file)
        if not self._constants:
            return EXTERNAL
        names = {_normalized(name) for name in facts.names if name[:1].isupper()}
        if names.isdisjoint(self._constants):
            return EXTERNAL
        defined = {
            _normalized(name.rpartition(".")[2])
            for name, kind in facts.definitions
            if kind in _MODULE_KINDS
        }
        modules = self._modules(file)
        return merged(
            self._resolve_constant(file, name, modules, names | defined)
            for name in sorted((names & self._constants.keys()) - defined)
        )

    def depends_on(self) -> Iterator[str]:
        """Also yield the gemspecs, and the autoload roots."""
        yield from super().depends_on()
        for path in gemspecs(self.project):
            yield f"{path}\n{self.project.text(path)}"
        yield "\n".join(f"{owner} {root}" for owner, root in self._roots)

    # ------------------------------------------------------------ files

    def _require(self, folder: str, path: str) -> Resolution:
        """Return a file on the load path of an enclosing project, or else of another one."""
        if path.endswith(_BINARY_EXTENSIONS):
            return EXTERNAL
        enclosing = self._enclosing_projects(folder)
        if path.startswith("./"):
            folders = [*enclosing, folder]
        else:
            folders = [
                root for owner in enclosing for roots in self._load_paths[owner] for root in roots
            ]
        for root in folders:
            if files := self._file(root, path):
                return Resolution(files)
        if path.startswith("."):
            return EXTERNAL
        if path not in self._other_projects:
            self._other_projects[path] = self._require_from_other_projects(path)
        return self._other_projects[path]

    def _require_from_other_projects(self, path: str) -> Resolution:
        roots = (root for libraries, _ in self._load_paths.values() for root in libraries)
        files = tuple(dict.fromkeys(file for root in roots for file in self._file(root, path)))
        return one_of(files) if files else Resolution((), self._with_suffix(path))

    def _file(self, folder: str, path: str) -> Files:
        """Return the file of a path, the extension of which may be omitted."""
        target = relative_path_in_tree(folder, path)
        if target is None:
            return ()
        number, languages = self.project.number, self.project.languages
        for candidate in (f"{target}.rb", target):
            file = number.get(candidate)
            if file is not None and languages[file] == "ruby":
                return (file,)
        return ()

    def _with_suffix(self, path: str) -> Files:
        """Return the files with a path suffix, for a path on an unknown load path."""
        return nested_files(self.project, f"{path.removesuffix('.rb')}.rb") if "/" in path else ()

    def _enclosing_projects(self, folder: str) -> list[str]:
        """Return the projects that a folder is in, innermost first."""
        if folder not in self._enclosing:
            outer = self._enclosing_projects(folder_of(folder)) if folder else []
            self._enclosing[folder] = [folder, *outer] if folder in self._load_paths else outer
        return self._enclosing[folder]

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
        files: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            name = self.project.paths[file].rpartition("/")[2]
            files.setdefault(_normalized(name.removesuffix(".rb")), []).append(file)
        return files

    # ------------------------------------------------------------ constants

    def _resolve_constant(
        self, file: int, name: str, modules: set[tuple[str, ...]], mentioned: set[str]
    ) -> Resolution:
        """Return the files that a constant may refer to.

        Lexical lookup prefers the innermost of the enclosing `modules`. A constant in another
        module is included if the file names that module, too (`mentioned`).
        """
        visible = self._visible(file, self._constants[name])
        lexical = [
            constant for constant in visible if not constant.nesting or constant.nesting in modules
        ]
        deepest = max((len(constant.nesting) for constant in lexical), default=0)
        lexical = [constant for constant in lexical if len(constant.nesting) == deepest]
        qualified = [
            constant
            for constant in visible
            if constant.nesting
            and constant.nesting not in modules
            and constant.nesting[-1] in mentioned
        ]
        files = tuple(constant.file for constant in (*lexical, *qualified))
        return one_of(files)

    def _visible(self, file: int, constants: list[_Constant]) -> list[_Constant]:
        """Return the constants of the innermost enclosing project that has any, else of gems."""
        folder = folder_of(self.project.paths[file])
        for owner in self._enclosing_projects(folder):
            local = [constant for constant in constants if constant.project == owner]
            if local:
                return local
        return [
            constant
            for constant in constants
            if self._is_visible_outside(constant.project, folder)
        ]

    def _is_visible_outside(self, owner: str, folder: str) -> bool:
        """Return True if files in a folder outside a project may name its constants.

        The constants of a gem are visible everywhere, those of a test application in its tests.
        """
        if owner in self._gems:
            return True
        tests, _, name = owner.rpartition("/")
        return name in _TEST_APPLICATIONS and f"{folder}/".startswith(f"{tests}/")

    def _modules(self, file: int) -> set[tuple[str, ...]]:
        """Return the nestings of the modules and classes of a file, as normalized names."""
        return {
            tuple(map(_normalized, name.split(".")))
            for name, kind in self.project.facts(file).definitions
            if kind in _MODULE_KINDS
        }

    @cached_property
    def _gems(self) -> frozenset[str]:
        return frozenset(folder_of(path) for path in gemspecs(self.project))

    @cached_property
    def _roots(self) -> list[tuple[str, str]]:
        return list(constant_roots(self.project, sorted(self._load_paths)))

    @cached_property
    def _constants(self) -> dict[str, list[_Constant]]:
        """The autoloaded constants by normalized name."""
        owner = {root: project for project, root in self._roots}
        constants: dict[str, list[_Constant]] = {}
        if not owner:
            return constants
        for file in self.project.of(self.languages):
            path = self.project.paths[file]
            if not path.endswith(".rb"):
                continue
            root = nearest(folder_of(path), owner)
            if root is None:
                continue
            parts = [_normalized(part) for part in path[:-3][len(root) + bool(root) :].split("/")]
            constant = _Constant(file, tuple(parts[:-1]), owner[root])
            constants.setdefault(parts[-1], []).append(constant)
        return constants


def _normalized(name: str) -> str:
    """Return a constant or file name without what inflection changes: `HTMLPage`, `html_page`."""
    return name.replace("_", "").lower()
