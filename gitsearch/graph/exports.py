"""Names that a file provides to its importers: definitions, imports and wildcard re-exports.

Nothing is executed, so the answer may be unknown: where a file re-exports all names of an unknown
module, or where its text may bind the name in a way that extraction does not list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from gitsearch.graph.code_text import bound_in, code_of, exports_of
from gitsearch.graph.graph import reachable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.graph import FactRow, Graph
    from gitsearch.records import Import

# Returns the contents of files by number.
Texts = Callable[[Sequence[int]], dict[int, bytes]]

Scanned = TypeVar("Scanned")

ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
JVM = frozenset({"java", "kotlin", "scala"})
WHOLE = "*"

# Languages with wildcard re-exports.
_WITH_WILDCARD_EXPORTS = ECMASCRIPT | {"python", "rust"}

_SCRIPT_EXTENSIONS = (b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts")
_DECLARATION_EXTENSIONS = (b".d.ts", b".d.mts", b".d.cts")

# Stems of files that are imported by the name of their folder.
_OF_FOLDER = frozenset({"__init__", "mod", "index", "lib"})

_SEPARATOR = re.compile(r"::|[./\\]")
_RENAMING = re.compile(r"\bas\b|:")
_RENAMED = re.compile(r"(?<!\s)\s++as\s++|:")
_NAME = re.compile(r"[\w$]+")


class FileNames:
    """The names of one file, each set computed when it is first needed."""

    def __init__(self, graph: Graph, number: int, texts: Texts) -> None:
        self._graph = graph
        self._number = number
        self._texts = texts
        self.language = graph.language(number)
        self.is_script = self.language in ECMASCRIPT
        self.row: FactRow = graph.row(number)
        self._scanned: dict[Callable[[str], Any], Any] = {}

    @cached_property
    def code(self) -> str:
        """The source text without comments and strings."""
        return code_of(self._texts([self._number])[self._number], self.language)

    def scan(self, scanner: Callable[[str], Scanned]) -> Scanned:
        """Return what a function of `code_text` finds in the code, computed once."""
        if scanner not in self._scanned:
            self._scanned[scanner] = scanner(self.code)
        found: Scanned = self._scanned[scanner]
        return found

    @cached_property
    def _bound(self) -> frozenset[str]:
        return bound_in(self.code, self.language)

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that the file defines, or that its export statements list."""
        if self.is_script:
            return self.scan(exports_of).names
        nested = self.language in JVM
        names = (name for name, _ in self.row.definitions)
        return frozenset(name.rpartition(".")[2] for name in names if nested or "." not in name)

    @cached_property
    def imports(self) -> dict[str, list[int]]:
        """The numbers of its imports, by the names that they bind."""
        by_name: dict[str, list[int]] = {}
        for place, imported in enumerate(self.row.imports if not self.is_script else ()):
            for name in dict.fromkeys(bound_by(imported)):
                by_name.setdefault(name, []).append(place)
        return by_name

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the file certainly provides without wildcard re-exports."""
        return self.own.union(self.imports)

    @cached_property
    def import_targets(self) -> dict[int, list[int]]:
        """The targets of its imports, by the number of the import."""
        targets: dict[int, list[int]] = {}
        for edge in self._graph.out_edges(self._number):
            targets.setdefault(edge.place, []).append(edge.target)
        return targets

    def is_wildcard_reexport(self, place: int) -> bool:
        """Return True if an import of the file re-exports all names of its target."""
        imported = self.row.imports[place]
        if self.language not in _WITH_WILDCARD_EXPORTS:
            return False
        if imported.kind == "export":
            return imported.names == ""
        return WHOLE in (part.strip() for part in imported.names.strip("{}").split(","))

    @cached_property
    def wildcard_targets(self) -> list[int | None]:
        """The targets of its wildcard re-exports; None stands for an unknown target."""
        if self.language not in _WITH_WILDCARD_EXPORTS:
            return []
        if any(name == "__getattr__" for name, _ in self.row.definitions):
            return [None]
        targets: list[int | None] = []
        for place in filter(self.is_wildcard_reexport, range(len(self.row.imports))):
            targets += self.import_targets.get(place) or [None]
        return targets

    def hides(self, name: str) -> bool:
        """Return True if the file may provide a name that is not among `names`."""
        if not self.is_script:
            return name.removeprefix("r#").strip("`") in self._bound
        path = self._graph.path(self._number)
        # a .d.ts file exports all its declarations, and components export themselves
        listed = path.endswith(_SCRIPT_EXTENSIONS) and not path.endswith(_DECLARATION_EXTENSIONS)
        return not listed or self.scan(exports_of).opaque


class ExportLookup:
    """The names that the files of one graph provide to their importers."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self.graph = graph
        self._texts = texts
        self._files: dict[int, FileNames] = {}

    def __getitem__(self, number: int) -> FileNames:
        if number not in self._files:
            self._files[number] = FileNames(self.graph, number, self._texts)
        return self._files[number]

    def searched(self, file: int) -> bool:
        """Return True if the content of a file is indexed."""
        return bool(self.graph.arrays["searched"][file])

    def read(self, files: Iterable[int]) -> None:
        """Read the contents of several files in one batch."""
        fresh = [file for file in files if "code" not in vars(self[file])]
        for number, text in self._texts(fresh).items() if fresh else ():
            self[number].code = code_of(text, self[number].language)

    def has(self, file: int, name: str) -> bool:
        """Return True if a file certainly provides a name, also by wildcard re-exports."""

        def known_targets(file: int) -> list[int]:
            return [target for target in self._wildcard_targets(file) if target is not None]

        return any(name in self[each].names for each in reachable([file], known_targets))

    def may_have(self, files: Iterable[int | None], name: str) -> bool:
        """Return False only if none of the files provides a name, directly or by re-exports.

        None stands for an unknown file, which may provide any name.
        """

        def sources(file: int | None) -> list[int | None]:
            if file is None:
                return []
            return [*self._imported_from(file, name), *self._wildcard_targets(file)]

        visited = []
        for file in reachable(files, sources):
            if file is None or name in self[file].own:
                return True
            visited.append(file)
        # bindings in the texts come last, because these have to be read
        return any(self[file].hides(name) for file in visited)

    def _imported_from(self, file: int, name: str) -> list[int | None]:
        """Return the files that a file imports a name from; [None] if the name may be a module."""
        sources: list[int | None] = []
        for place in self[file].imports.get(name, ()):
            imported = self[file].row.imports[place]
            targets = self[file].import_targets.get(place, [])
            if not targets or name not in imported_by(imported):
                return [None]
            if any(self.imports_module(imported, target, name) for target in targets):
                return [None]
            sources += targets
        return sources

    def imports_module(self, imported: Import, file: int, name: str) -> bool:
        """Return True if an import of a name imports the file itself, as a module."""
        if self[file].is_script or module_name(self.graph.path(file)) != name:
            return False
        parts = ["", *_SEPARATOR.split(imported.specifier)]
        # `from a.read import read` imports a name of the module, not the module
        return parts[-1 if imported.names else -2] != name

    def may_provide(self, imported: Import, file: int, name: str) -> bool:
        """Return False only if an import certainly does not find a name in its target."""
        return self.imports_module(imported, file, name) or self.may_have([file], name)

    def provides(self, imported: Import, file: int, name: str) -> bool:
        """Return True if an import finds a name in its target, and not by a broken import only."""
        if self.imports_module(imported, file, name) or name in self[file].own:
            return True
        return self.may_have(self._imported_from(file, name), name)

    def _wildcard_targets(self, file: int) -> list[int | None]:
        """Return the targets of wildcard re-exports, whose texts are read in one batch."""
        targets = self[file].wildcard_targets
        if self[file].is_script:
            self.read(target for target in targets if target is not None)
        return targets


def bound_by(imported: Import) -> list[str]:
    """Return the local names that an import binds."""
    if imported.kind in ("package", "enter", "leave"):
        return []
    if not imported.names:
        return [_SEPARATOR.split(imported.specifier)[-1]]
    parts = [_RENAMING.split(part)[-1] for part in imported.names.strip("{} ").split(",")]
    return [names[-1] for part in parts if (names := _NAME.findall(part))]


def imported_by(imported: Import) -> list[str]:
    """Return the names that an import imports, as the target defines them."""
    parts = [part.removeprefix("type ").strip() for part in imported.names.strip("{} ").split(",")]
    firsts = [_RENAMED.split(part)[0].strip() for part in parts]
    return [name for name in firsts if _NAME.fullmatch(name)]


def module_name(path: bytes) -> str:
    """Return the name by which a file is imported: its stem, or its folder for `__init__` etc."""
    folder, _, name = path.decode("utf-8", "surrogateescape").rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _OF_FOLDER and folder else stem
