"""What the resolution of imports sees of a tree: paths, settings files, the facts of each file."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gitsearch.records import Import


class FileFacts(Protocol):
    """The facts of one file that its resolution may need."""

    @property
    def imports(self) -> tuple[Import, ...]:
        """Its imports, in order."""

    @property
    def names(self) -> frozenset[str]:
        """What it refers to, each once."""

    @property
    def definitions(self) -> tuple[tuple[str, str], ...]:
        """Qualified name and kind, in order; of members only types and modules."""


class SourceFile(NamedTuple):
    """The facts of one file, all at hand."""

    imports: tuple[Import, ...] = ()
    names: frozenset[str] = frozenset()
    definitions: tuple[tuple[str, str], ...] = ()


class Resolution(NamedTuple):
    """Where an import leads, as numbers of files; nothing at all: out of the repository.

    resolved: every one of these is meant; ambiguous: at least one of these, and which cannot be
    told; unseen: why it cannot be said ("dynamic-import", ...), or "".
    """

    resolved: tuple[int, ...] = ()
    ambiguous: tuple[int, ...] = ()
    unseen: str = ""


EXTERNAL = Resolution()


class Project:
    """One tree. Files are numbered in the order of their paths."""

    def __init__(
        self,
        paths: Sequence[str],
        languages: Sequence[str],
        facts: Callable[[int], FileFacts],
        read: Callable[[str], bytes | None],
    ) -> None:
        """`paths` ascend; `read` gives the content of a small file, None where there is none."""
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
        """The files directly in each folder, "" being the root, and in those on the way."""
        found: dict[str, list[int]] = {"": []}
        for i, path in enumerate(self.paths):
            folder = path.rpartition("/")[0]
            found.setdefault(folder, []).append(i)
            while folder:
                folder = folder.rpartition("/")[0]
                if folder in found:
                    break
                found[folder] = []
        return found

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """The files of each name, wherever they lie."""
        found: dict[str, list[int]] = {}
        for i, path in enumerate(self.paths):
            found.setdefault(path.rpartition("/")[2], []).append(i)
        return found

    def of(self, languages: frozenset[str]) -> list[int]:
        """The files in some languages."""
        return [i for i, language in enumerate(self.languages) if language in languages]

    def facts(self, file: int) -> FileFacts:
        """The facts of a file."""
        if file not in self._kept:
            self._kept[file] = self._facts(file)
        return self._kept[file]

    @property
    def read(self) -> set[str]:
        """The names of the files whose text was asked for."""
        return {path.rpartition("/")[2] for path in self._texts}

    def text(self, path: str) -> str | None:
        """The text of a settings file; None where there is none."""
        if path not in self._texts:
            data = self._read(path) if path in self.number else None
            self._texts[path] = None if data is None else data.decode("utf-8", "replace")
        return self._texts[path]


class Resolver:
    """Languages whose files find each other by the same rules.

    A family keeps what it has looked up for one project; `resolve` must not raise for any content.
    """

    languages: ClassVar[frozenset[str]]
    # Names of files with settings that say where imports lead.
    settings: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, project: Project) -> None:
        self.project = project

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import of a file leads."""
        raise NotImplementedError

    def uses(self, file: int) -> Resolution:
        """The files that this one needs without naming them in an import, as in one package."""
        del file
        return EXTERNAL

    def depends_on(self) -> Iterator[str]:
        """All that `resolve` looks at besides the facts of its file: same text, same answers."""
        wanted = self.languages
        for path, language in zip(self.project.paths, self.project.languages, strict=True):
            if language in wanted:
                yield path
        yield from self.settings_texts()

    def settings_texts(self) -> Iterable[str]:
        """Paths and texts of the settings files."""
        for name in sorted(self.settings):
            for file in self.project.by_name.get(name, ()):
                path = self.project.paths[file]
                yield f"{path}\n{self.project.text(path)}"
