"""Names that a file provides to its importers: definitions, imports and wildcard re-exports.

Nothing is executed, so the answer may be unknown: where a file re-exports all names of an unknown
module, or where its text may bind the name in a way that extraction does not list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.bindings import bound_in, bound_in_go
from gitsearch.graph.code_text import code_of, identifiers, jvm_declared_names, jvm_type_headers
from gitsearch.graph.javascript_exports import exports_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.file_facts import FactRow
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.javascript_exports import Exports
    from gitsearch.records import Import

# Returns the contents of files by number.
Texts = Callable[[Sequence[int]], dict[int, bytes]]

ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
JVM = frozenset({"java", "kotlin", "scala"})
WHOLE = "*"

# Languages with wildcard re-exports.
_WITH_WILDCARD_EXPORTS = ECMASCRIPT | {"python", "rust"}

# Stems of files that are imported by the name of their folder.
_OF_FOLDER = frozenset({"__init__", "mod", "index", "lib"})

_SEPARATOR = re.compile(r"::|[./\\]")
_RENAMING = re.compile(r"\bas\b|:")
_RENAMED = re.compile(r"(?<!\s)\s++as\s++|:")
_NAME = re.compile(r"[\w$]+")


class _Imported(NamedTuple):
    """An import of a file: its number, its facts, and the imported names as in the target."""

    place: int
    imported: Import
    names: frozenset[str]


class _File:
    """The names of one file, each set computed when it is first needed."""

    def __init__(self, graph: Graph, number: int, texts: Texts) -> None:
        self._graph = graph
        self._number = number
        self._texts = texts
        self.language = graph.language(number)
        self.is_script = self.language in ECMASCRIPT

    @cached_property
    def code(self) -> str:
        """The source text without comments and strings."""
        return code_of(self._texts([self._number])[self._number], self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        """The identifiers in the code."""
        return identifiers(self.code)

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that the code seems to declare, in Java, Kotlin and Scala."""
        return jvm_declared_names(self.code)

    @cached_property
    def inherited(self) -> frozenset[str]:
        """The identifiers in the headers of its types, which include the base types."""
        return identifiers(" ".join(jvm_type_headers(self.code)))

    @cached_property
    def bound_in_go(self) -> frozenset[str]:
        """The names that the code may bind, in Go."""
        return bound_in_go(self.code)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the code may bind in a way that extraction does not list."""
        return bound_in(self.code, self.language)

    @cached_property
    def exports(self) -> Exports:
        """The exports of a JavaScript or TypeScript module."""
        return exports_of(self.code)

    @cached_property
    def row(self) -> FactRow:
        """The extracted facts."""
        return self._graph.row(self._number)

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that the file defines, or that its export statements list."""
        if self.is_script:
            return self.exports.names
        nested = self.language in JVM
        names = (name for name, _ in self.row.definitions)
        return frozenset(name.rpartition(".")[2] for name in names if nested or "." not in name)

    @cached_property
    def imports(self) -> dict[str, list[_Imported]]:
        """The imports by the names that they bind."""
        by_name: dict[str, list[_Imported]] = {}
        for place, imported in enumerate(self.row.imports if not self.is_script else ()):
            entry = _Imported(place, imported, frozenset(imported_by(imported)))
            for name in dict.fromkeys(bound_by(imported)):
                by_name.setdefault(name, []).append(entry)
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

    @cached_property
    def wildcard_targets(self) -> list[int | None]:
        """The targets of its wildcard re-exports; None stands for an unknown target."""
        if self.language not in _WITH_WILDCARD_EXPORTS:
            return []
        if any(name == "__getattr__" for name, _ in self.row.definitions):
            return [None]
        targets: list[int | None] = []
        for place, imported in enumerate(self.row.imports):
            if _is_wildcard(imported):
                targets += self.import_targets.get(place) or [None]
        return targets

    def hides(self, name: str) -> bool:
        """Return True if the file may provide a name that is not among `names`."""
        if not self.is_script:
            return name.removeprefix("r#").strip("`") in self.bound
        path = self._graph.path(self._number)
        # a .d.ts file exports all its declarations, and components export themselves
        is_module = path.endswith(
            (b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts")
        )
        declares = path.endswith((b".d.ts", b".d.mts", b".d.cts"))
        return declares or not is_module or self.exports.opaque


class ExportLookup:
    """The names that the files of one graph provide to their importers."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self.graph = graph
        self._texts = texts
        self._files: dict[int, _File] = {}

    def _file(self, number: int) -> _File:
        if number not in self._files:
            self._files[number] = _File(self.graph, number, self._texts)
        return self._files[number]

    def code(self, file: int) -> str:
        """Return the source text of a file without comments and strings."""
        return self._file(file).code

    def words(self, file: int) -> frozenset[str]:
        """Return the identifiers in the code of a file."""
        return self._file(file).words

    def members(self, file: int) -> frozenset[str]:
        """Return the names that a file seems to declare, in Java, Kotlin and Scala."""
        return self._file(file).members

    def inherited(self, file: int) -> frozenset[str]:
        """Return the identifiers in the headers of the types of a file."""
        return self._file(file).inherited

    def bound_in_go(self, file: int) -> frozenset[str]:
        """Return the names that a Go file may bind."""
        return self._file(file).bound_in_go

    def row(self, file: int) -> FactRow:
        """Return the extracted facts of a file."""
        return self._file(file).row

    def names(self, file: int) -> frozenset[str]:
        """Return the names that a file certainly provides without wildcard re-exports."""
        return self._file(file).names

    def import_targets(self, file: int, place: int) -> list[int]:
        """Return the targets of an import of a file."""
        return self._file(file).import_targets.get(place, [])

    def searched(self, file: int) -> bool:
        """Return True if the content of a file is indexed."""
        return bool(self.graph.arrays["searched"][file])

    def read(self, files: Sequence[int]) -> None:
        """Read the contents of several files in one batch."""
        fresh = [file for file in files if "code" not in vars(self._file(file))]
        for number, text in self._texts(fresh).items() if fresh else ():
            file = self._file(number)
            file.code = code_of(text, file.language)

    def defines(self, file: int, name: str) -> bool:
        """Return True if a file defines a name, or lists it in an export statement."""
        return name in self._file(file).own

    def has(self, file: int, name: str) -> bool:
        """Return True if a file certainly provides a name, also by wildcard re-exports."""
        queue = [file]
        visited = {file}
        for each in queue:
            if name in self.names(each):
                return True
            for target in self._wildcard_targets(each):
                if target is not None and target not in visited:
                    visited.add(target)
                    queue.append(target)
        return False

    def may_have(self, file: int, name: str) -> bool:
        """Return False only if a file certainly does not provide a name."""
        return self._any_may_have([file], name)

    def _any_may_have(self, files: Iterable[int], name: str) -> bool:
        """Return False only if none of the files provides a name, directly or by re-exports."""
        queue = list(dict.fromkeys(files))
        visited = set(queue)
        for file in queue:
            further = self._wildcard_targets(file)
            sources = self._sources(file, name)
            if self.defines(file, name) or None in further or sources is None:
                return True
            for target in (*sources, *further):
                if target is not None and target not in visited:
                    visited.add(target)
                    queue.append(target)
        # bindings in the texts come last, because these have to be read
        return any(self._file(file).hides(name) for file in queue)

    def _sources(self, file: int, name: str) -> list[int] | None:
        """Return the files that a file imports a name from; None if the name may be a module."""
        sources: list[int] = []
        for entry in self._file(file).imports.get(name, ()):
            targets = self.import_targets(file, entry.place)
            if not targets or name not in entry.names:
                return None
            if any(self.imports_module(entry.imported, target, name) for target in targets):
                return None
            sources += targets
        return sources

    def imports_module(self, imported: Import, file: int, name: str) -> bool:
        """Return True if an import of a name imports the file itself, as a module."""
        if self._file(file).is_script or module_name(self.graph.path(file)) != name:
            return False
        parts = ["", *_SEPARATOR.split(imported.specifier)]
        # `from a.read import read` imports a name of the module, not the module
        return parts[-1 if imported.names else -2] != name

    def may_provide(self, imported: Import, file: int, name: str) -> bool:
        """Return False only if an import certainly does not find a name in its target."""
        return self.imports_module(imported, file, name) or self.may_have(file, name)

    def provides(self, imported: Import, file: int, name: str) -> bool:
        """Return True if an import finds a name in its target, and not by a broken import only."""
        if self.imports_module(imported, file, name) or self.defines(file, name):
            return True
        sources = self._sources(file, name)
        return sources is None or self._any_may_have(sources, name)

    def is_wildcard_reexport(self, file: int, place: int) -> bool:
        """Return True if an import of a file is a wildcard re-export."""
        source = self._file(file)
        if source.language not in _WITH_WILDCARD_EXPORTS:
            return False
        return _is_wildcard(source.row.imports[place])

    def _wildcard_targets(self, file: int) -> list[int | None]:
        """Return the targets of wildcard re-exports; None stands for an unknown target."""
        targets = self._file(file).wildcard_targets
        if self._file(file).is_script:
            self.read([target for target in targets if target is not None])
        return targets


def _is_wildcard(imported: Import) -> bool:
    """Return True if an import imports all names of its target."""
    if imported.kind == "export":
        return imported.names == ""
    return WHOLE in (part.strip() for part in imported.names.strip("{}").split(","))


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
