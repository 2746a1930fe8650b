"""The input of import resolution, and the resolver of each language."""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gitsearch.graph.graph import FactRow
    from gitsearch.records import Import

    # The facts of one file, as resolvers read them.
    FileFacts: TypeAlias = "FactRow | SourceFile"


class SourceFile(NamedTuple):
    """The facts of one file, all in memory.

    imports: in order; names: the distinct ones that the file refers to; definitions: qualified
    name and kind of each, in order, of members only containers.
    """

    imports: tuple[Import, ...] = ()
    names: frozenset[str] = frozenset()
    definitions: tuple[tuple[str, str], ...] = ()


class Resolution(NamedTuple):
    """The targets of an import, as file numbers; all empty: a target outside of the repository.

    resolved: files that are all imported; ambiguous: candidates of which at least one is imported;
    unresolved: the reason why the target cannot be determined ("dynamic-import", ...), or "".
    """

    resolved: tuple[int, ...] = ()
    ambiguous: tuple[int, ...] = ()
    unresolved: str = ""


EXTERNAL = Resolution()


class Published(NamedTuple):
    """A package of a tree that an import in another repository names.

    name: as its manifest has it; manifest: the path of that; files: the numbers of those that are
    imported.
    """

    name: str
    manifest: str
    files: tuple[int, ...]


class Project:
    """One tree, as import resolution sees it. Files are numbered in the order of their paths."""

    def __init__(
        self,
        paths: Sequence[str],
        languages: Sequence[str],
        facts: Callable[[int], FileFacts],
        read: Callable[[str], bytes | None],
    ) -> None:
        """`paths` ascend; `read` returns the content of a small file, or None if there is none."""
        self.paths = paths
        self.languages = languages
        self._facts = facts
        self._read = read
        self._kept: dict[int, FileFacts] = {}
        self._texts: dict[str, str | None] = {}

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each path."""
        return {path: i for i, path in enumerate(self.paths)}

    @cached_property
    def folders(self) -> dict[str, list[int]]:
        """The files directly in each folder; ancestors without files of their own are included.

        The root is "".
        """
        folders: dict[str, list[int]] = {"": []}
        for i, path in enumerate(self.paths):
            folder = path.rpartition("/")[0]
            folders.setdefault(folder, []).append(i)
            while (folder := folder.rpartition("/")[0]) not in folders:
                folders[folder] = []
        return folders

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """The files of each base name, in any folder."""
        files: dict[str, list[int]] = {}
        for i, path in enumerate(self.paths):
            files.setdefault(path.rpartition("/")[2], []).append(i)
        return files

    def of(self, languages: frozenset[str]) -> list[int]:
        """Return the files in some languages, ascending."""
        return [i for i, language in enumerate(self.languages) if language in languages]

    def facts(self, file: int) -> FileFacts:
        """Return the facts of a file, loaded once."""
        if file not in self._kept:
            self._kept[file] = self._facts(file)
        return self._kept[file]

    @property
    def read(self) -> set[str]:
        """The base names of the files whose text was requested."""
        return {path.rpartition("/")[2] for path in self._texts}

    def text(self, path: str) -> str | None:
        """Return the text of a settings file, or None if there is none."""
        if path not in self._texts:
            data = self._read(path) if path in self.number else None
            self._texts[path] = None if data is None else data.decode("utf-8", "replace")
        return self._texts[path]


class Resolver:
    """Import resolution for a family of languages with the same rules.

    An instance may cache what it has looked up in its project; `resolve` must not raise for any
    content.
    """

    languages: ClassVar[frozenset[str]]
    # Base names of the settings files that resolution reads.
    settings: ClassVar[frozenset[str]] = frozenset()
    # Whether an import leads to what the file names of its target, as one of a whole package does.
    reads_names: ClassVar[bool] = False

    def __init__(self, project: Project) -> None:
        self.project = project

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the targets of an import of a file."""
        raise NotImplementedError

    def uses(self, file: int) -> Resolution:
        """Return the files that a file depends on without an import, as within one package."""
        del file
        return EXTERNAL

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the package that a file of another repository imports, None if there is none.

        names: those that the importing file refers to.
        """
        del imported, names
        return None

    def depends_on(self) -> Iterator[str]:
        """Iterate over the inputs of `resolve` besides the facts of the file, for a digest.

        Equal texts imply equal resolutions.
        """
        yield from (self.project.paths[file] for file in self.project.of(self.languages))
        yield from self.settings_texts()

    def settings_texts(self) -> Iterable[str]:
        """Iterate over the paths and texts of the settings files."""
        for name in sorted(self.settings):
            for file in self.project.by_name.get(name, ()):
                path = self.project.paths[file]
                yield f"{path}\n{self.project.text(path)}"


# The languages of each resolver, which is named by module and class.
_LANGUAGES = {
    "python.Python": ("python",),
    "javascript.JavaScript": ("javascript", "typescript", "tsx", "vue", "svelte"),
    "go.Go": ("go",),
    "rust.Rust": ("rust",),
    "jvm.Jvm": ("java", "kotlin", "scala"),
    "c.C": ("c", "cpp", "objc"),
    "csharp.CSharp": ("csharp",),
    "ruby.Ruby": ("ruby",),
    "php.Php": ("php",),
    "swift.Swift": ("swift",),
    "elixir.Elixir": ("elixir",),
    "lua.Lua": ("lua",),
    "haskell.Haskell": ("haskell",),
    "zig.Zig": ("zig",),
    "bash.Bash": ("bash",),
}

RESOLVER_OF = {language: name for name, languages in _LANGUAGES.items() for language in languages}


def resolvers_of(languages: Iterable[str]) -> list[str]:
    """Return the sorted, distinct names of the resolvers of some languages."""
    return sorted({RESOLVER_OF[name] for name in languages if name in RESOLVER_OF})


@cache
def resolver_class(name: str) -> type[Resolver]:
    """Import and return a resolver class, named by a value of RESOLVER_OF."""
    module, _, class_name = name.partition(".")
    imported = import_module(f"gitsearch.graph.resolvers.{module}")
    resolver: type[Resolver] = getattr(imported, class_name)
    return resolver
