"""Imports of Ruby: files on load paths, and constants that are loaded by the names of files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Project, Resolution, Resolver
from gitsearch.graph.resolvers.ruby_load_paths import (
    constant_roots,
    gemspecs,
    projects,
    written_path,
)
from gitsearch.graph.tree_paths import inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.records import Import

_DYNAMIC = Resolution(unseen="dynamic-import")
_HERE = ("#{__dir__}/", "#{File.dirname(__FILE__)}/")
_BUILT = (".so", ".o", ".dll", ".bundle", ".dylib", ".jar")
# Folders of applications that tests are run against.
_FOR_TESTS = frozenset({"dummy", "internal"})
_SPACES = frozenset({"class", "module"})

Files = tuple[int, ...]


class _Constant(NamedTuple):
    """A file that defines a constant, and the modules around that, as `_plain` writes names."""

    file: int
    around: tuple[str, ...]
    project: str


class Ruby(Resolver):
    """Files find each other on the load paths of gems and applications."""

    languages: ClassVar[frozenset[str]] = frozenset({"ruby"})
    settings: ClassVar[frozenset[str]] = frozenset({"application.rb"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._projects = projects(project)
        self._kept: dict[tuple[str, str], Resolution] = {}
        self._elsewhere: dict[str, Resolution] = {}
        self._around: dict[str, list[str]] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where `require` and its like lead."""
        path = self.project.paths[file]
        folder = path.rpartition("/")[0]
        kind, specifier = imported.kind, imported.specifier
        if kind == "dynamic":
            if specifier.startswith("Gem."):  # a program of a dependency
                return EXTERNAL
            written = written_path(specifier, path, self._near(folder)[0])
            return _DYNAMIC if written is None else Resolution(self._file("", written))
        if specifier.startswith(_HERE):
            kind, specifier = "require_relative", specifier.partition("/")[2]
        if "#{" in specifier:
            return _DYNAMIC
        if kind == "require_relative":
            return Resolution(self._file(folder, specifier))
        if kind == "autoload" and specifier[:1].isupper() and "/" not in specifier:
            return self._named(file, specifier)
        key = (folder, specifier)
        if key not in self._kept:
            first = self._file(folder, specifier) if kind == "load" else ()
            self._kept[key] = Resolution(first) if first else self._required(folder, specifier)
        return self._kept[key]

    def uses(self, file: int) -> Resolution:
        """The files of constants that are loaded when they are first named."""
        facts = self.project.facts(file)
        if not self._constants:
            return EXTERNAL
        names = {_plain(name) for name in facts.names if name[:1].isupper()}
        if names.isdisjoint(self._constants):
            return EXTERNAL
        own = {
            _plain(name.rpartition(".")[2]) for name, kind in facts.definitions if kind in _SPACES
        }
        around = self._nesting(file)
        resolved: dict[int, None] = {}
        ambiguous: dict[int, None] = {}
        for name in sorted((names & self._constants.keys()) - own):
            found = self._meant(file, name, around, names | own)
            resolved.update(dict.fromkeys(found.resolved))
            ambiguous.update(dict.fromkeys(found.ambiguous))
        return Resolution(tuple(resolved), tuple(i for i in ambiguous if i not in resolved))

    def depends_on(self) -> Iterator[str]:
        """Besides the usual: descriptions of gems, and which files start a loader of constants."""
        yield from super().depends_on()
        for path in gemspecs(self.project):
            yield f"{path}\n{self.project.text(path)}"
        yield "\n".join(f"{one} {root}" for one, root in self._roots)

    # ------------------------------------------------------------ files

    def _required(self, folder: str, written: str) -> Resolution:
        """A file on the load path: of a project around the file, else of another one."""
        if written.endswith(_BUILT):
            return EXTERNAL
        near = self._near(folder)
        if written.startswith("./"):
            places = [*near, folder]
        else:
            places = [root for one in near for roots in self._projects[one] for root in roots]
        for place in places:
            if found := self._file(place, written):
                return Resolution(found)
        if written.startswith("."):
            return EXTERNAL
        if written not in self._elsewhere:
            self._elsewhere[written] = self._required_elsewhere(written)
        return self._elsewhere[written]

    def _required_elsewhere(self, written: str) -> Resolution:
        others = (root for libraries, _ in self._projects.values() for root in libraries)
        found = tuple(dict.fromkeys(i for root in others for i in self._file(root, written)))
        if found:
            return Resolution(found) if len(found) == 1 else Resolution((), found)
        return Resolution((), self._ending(written))

    def _file(self, folder: str, written: str) -> Files:
        """The file of a path, whose ending may be left out."""
        place = inside(folder, written)
        if place is None:
            return ()
        number, languages = self.project.number, self.project.languages
        for path in (f"{place}.rb", place):
            file = number.get(path)
            if file is not None and languages[file] == "ruby":
                return (file,)
        return ()

    def _ending(self, written: str) -> Files:
        """Files whose path ends with one that a program may have put on its load path."""
        name = written.rpartition("/")[2]
        if name == written:
            return ()
        ending = f"/{written.removesuffix('.rb')}.rb"
        files = self.project.by_name.get(f"{name.removesuffix('.rb')}.rb", ())
        return tuple(i for i in files if self.project.paths[i].endswith(ending))

    def _near(self, folder: str) -> list[str]:
        """The projects around a folder, the innermost first."""
        if folder not in self._around:
            up = self._near(folder.rpartition("/")[0]) if folder else []
            self._around[folder] = [folder, *up] if folder in self._projects else up
        return self._around[folder]

    def _named(self, file: int, constant: str) -> Resolution:
        """`autoload :Constant`: a file in the folder of the module that says so."""
        base = self.project.paths[file].removesuffix(".rb") + "/"
        named = self._by_plain_name.get(_plain(constant), ())
        paths = self.project.paths
        below = tuple(i for i in named if paths[i].startswith(base))
        direct = tuple(i for i in below if "/" not in paths[i][len(base) :])
        found = direct or below
        return Resolution(found) if len(found) == 1 else Resolution((), found)

    @cached_property
    def _by_plain_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for file in self.project.of(self.languages):
            name = self.project.paths[file].rpartition("/")[2]
            found.setdefault(_plain(name.removesuffix(".rb")), []).append(file)
        return found

    # ------------------------------------------------------------ constants

    def _meant(
        self, file: int, name: str, around: set[tuple[str, ...]], known: set[str]
    ) -> Resolution:
        """The files that a constant may lead to.

        Modules around the place are looked through from the inside; one further away counts where
        the module that holds it is named too.
        """
        all_of_it = self._nearest(file, self._constants[name])
        lexical = [one for one in all_of_it if not one.around or one.around in around]
        deepest = max((len(one.around) for one in lexical), default=0)
        lexical = [one for one in lexical if len(one.around) == deepest]
        named = [
            one
            for one in all_of_it
            if one.around and one.around not in around and one.around[-1] in known
        ]
        files = tuple(one.file for one in (*lexical, *named))
        return Resolution(files) if len(files) == 1 else Resolution((), files)

    def _nearest(self, file: int, constants: list[_Constant]) -> list[_Constant]:
        """Those of the innermost project around a file that has any, else those of gems."""
        folder = self.project.paths[file].rpartition("/")[0]
        for one in self._near(folder):
            found = [constant for constant in constants if constant.project == one]
            if found:
                return found
        return [one for one in constants if self._is_open(one.project, folder)]

    def _is_open(self, owner: str, folder: str) -> bool:
        """Whether files of a folder outside a project may name its constants.

        Those of a gem may be named by all, those of an application for tests by the tests.
        """
        if owner in self._specified:
            return True
        tests, _, name = owner.rpartition("/")
        return name in _FOR_TESTS and f"{folder}/".startswith(f"{tests}/")

    def _nesting(self, file: int) -> set[tuple[str, ...]]:
        """The modules and classes of a file, each with those around it."""
        return {
            tuple(map(_plain, name.split(".")))
            for name, kind in self.project.facts(file).definitions
            if kind in _SPACES
        }

    @cached_property
    def _specified(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in gemspecs(self.project))

    @cached_property
    def _roots(self) -> list[tuple[str, str]]:
        return list(constant_roots(self.project, sorted(self._projects)))

    @cached_property
    def _constants(self) -> dict[str, list[_Constant]]:
        """The files below the roots, by the plain name of what they define."""
        owner = {root: project for project, root in self._roots}
        found: dict[str, list[_Constant]] = {}
        if not owner:
            return found
        for file in self.project.of(self.languages):
            path = self.project.paths[file]
            if not path.endswith(".rb"):
                continue
            root = next((one for one in _upwards(path) if one in owner), None)
            if root is None:
                continue
            parts = [_plain(part) for part in path[:-3][len(root) + bool(root) :].split("/")]
            constant = _Constant(file, tuple(parts[:-1]), owner[root])
            found.setdefault(parts[-1], []).append(constant)
        return found


def _plain(name: str) -> str:
    """A name of a constant or a file without what inflection changes: `HTMLPage`, `html_page`."""
    return name.replace("_", "").lower()


def _upwards(path: str) -> Iterable[str]:
    """The folders that hold a path, the innermost first."""
    while path:
        path = path.rpartition("/")[0]
        yield path
