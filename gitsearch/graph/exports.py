"""Whether a file offers a name to others: what it defines, imports by that name, or hands on.

Nothing is run, so the answer may be that it cannot be told: where all names of something unknown
are handed on, or where the text may bind the name in a way that extraction does not list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.bindings import bound_in, bound_in_go
from gitsearch.graph.code_text import code_of, headers_of, members_of, words_of
from gitsearch.graph.javascript_exports import exports_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsearch.graph.file_facts import FactRow
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.javascript_exports import Exports
    from gitsearch.records import Import

# The contents of some files, by their numbers.
Texts = Callable[[Sequence[int]], dict[int, bytes]]

ECMASCRIPT = frozenset({"javascript", "typescript", "tsx"})
JVM = frozenset({"java", "kotlin", "scala"})
WHOLE = "*"

# Languages in which all names of another file can be handed on at once.
_HANDING_ON = ECMASCRIPT | {"python", "rust"}

# Files that stand for the folder that they lie in.
_OF_FOLDER = frozenset({"__init__", "mod", "index", "lib"})

_SEPARATOR = re.compile(r"::|[./\\]")
_RENAMING = re.compile(r"\bas\b|:")
_RENAMED = re.compile(r"(?<!\s)\s++as\s++|:")
_NAME = re.compile(r"[\w$]+")


class _Imported(NamedTuple):
    """An import of a file: its place, as written, and the names it takes, as called there."""

    place: int
    said: Import
    names: frozenset[str]


class _File:
    """What is known of one file, each worked out when it is first asked for."""

    def __init__(self, graph: Graph, number: int, texts: Texts) -> None:
        self._graph = graph
        self._number = number
        self._texts = texts
        self.language = graph.language(number)
        self.is_script = self.language in ECMASCRIPT

    @cached_property
    def code(self) -> str:
        """The text without comments and strings."""
        return code_of(self._texts([self._number])[self._number], self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        """The names that the code says."""
        return words_of(self.code)

    @cached_property
    def members(self) -> frozenset[str]:
        """What the code seems to declare, in Java and its like."""
        return members_of(self.code)

    @cached_property
    def inherited(self) -> frozenset[str]:
        """The names in the headers of its types."""
        return words_of(" ".join(headers_of(self.code)))

    @cached_property
    def bound_in_go(self) -> frozenset[str]:
        """What the code may have names for, in Go."""
        return bound_in_go(self.code)

    @cached_property
    def bound(self) -> frozenset[str]:
        """What the code may bind in a way that extraction does not list."""
        return bound_in(self.code, self.language)

    @cached_property
    def exports(self) -> Exports:
        """What the statements of a script export."""
        return exports_of(self.code)

    @cached_property
    def row(self) -> FactRow:
        """What extraction lists."""
        return self._graph.row(self._number)

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that it defines, or that its statements export."""
        if self.is_script:
            return self.exports.names
        nested = self.language in JVM
        every = (name for name, _ in self.row.definitions)
        return frozenset(name.rpartition(".")[2] for name in every if nested or "." not in name)

    @cached_property
    def imports(self) -> dict[str, list[_Imported]]:
        """The imports by the names that others have of them."""
        found: dict[str, list[_Imported]] = {}
        for place, one in enumerate(self.row.imports if not self.is_script else ()):
            imported = _Imported(place, one, frozenset(imported_by(one)))
            for name in dict.fromkeys(bound_by(one)):
                found.setdefault(name, []).append(imported)
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it surely offers by itself."""
        return self.own.union(self.imports)

    @cached_property
    def led(self) -> dict[int, list[int]]:
        """The files that its imports lead to, by their places."""
        found: dict[int, list[int]] = {}
        for edge in self._graph.out_of(self._number):
            found.setdefault(edge.place, []).append(edge.target)
        return found

    @cached_property
    def handed_on(self) -> list[int | None]:
        """The files of which it hands on all names; None: one that is not known."""
        if self.language not in _HANDING_ON:
            return []
        if any(name == "__getattr__" for name, _ in self.row.definitions):
            return [None]
        found: list[int | None] = []
        for place, one in enumerate(self.row.imports):
            if _of_all(one):
                found += self.led.get(place) or [None]
        return found

    def hides(self, name: str) -> bool:
        """Whether it may offer a name that is not among its names."""
        if not self.is_script:
            return name.removeprefix("r#").strip("`") in self.bound
        path = self._graph.path(self._number)
        # all that such a file declares is there for others, and components export themselves
        ours = path.endswith(
            (b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts")
        )
        declares = path.endswith((b".d.ts", b".d.mts", b".d.cts"))
        return declares or not ours or self.exports.opaque


class ExportLookup:
    """What the files of one graph offer."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self.graph = graph
        self._texts = texts
        self._files: dict[int, _File] = {}

    def _file(self, number: int) -> _File:
        if number not in self._files:
            self._files[number] = _File(self.graph, number, self._texts)
        return self._files[number]

    def code(self, file: int) -> str:
        """The text of a file without comments and strings."""
        return self._file(file).code

    def words(self, file: int) -> frozenset[str]:
        """The names that the code of a file says."""
        return self._file(file).words

    def members(self, file: int) -> frozenset[str]:
        """What a file seems to declare, in Java and its like."""
        return self._file(file).members

    def inherited(self, file: int) -> frozenset[str]:
        """The names in the headers of the types of a file."""
        return self._file(file).inherited

    def bound_in_go(self, file: int) -> frozenset[str]:
        """What a file of Go may have names for by itself."""
        return self._file(file).bound_in_go

    def row(self, file: int) -> FactRow:
        """What extraction lists of a file."""
        return self._file(file).row

    def names(self, file: int) -> frozenset[str]:
        """The names that a file surely offers by itself."""
        return self._file(file).names

    def led(self, file: int, place: int) -> list[int]:
        """The files that an import of a file leads to."""
        return self._file(file).led.get(place, [])

    def searched(self, file: int) -> bool:
        """Whether the content of a file is looked at."""
        return bool(self.graph.arrays["searched"][file])

    def read(self, files: Sequence[int]) -> None:
        """Read several files at once."""
        fresh = [file for file in files if "code" not in vars(self._file(file))]
        for number, text in self._texts(fresh).items() if fresh else ():
            file = self._file(number)
            file.code = code_of(text, file.language)

    def defines(self, file: int, name: str) -> bool:
        """Whether a file has a name of its own, not from another."""
        return name in self._file(file).own

    def has(self, file: int, name: str) -> bool:
        """Whether a file surely offers a name, itself or from another."""
        todo = [file]
        known = {file}
        for each in todo:
            if name in self.names(each):
                return True
            for one in self._handed_on(each):
                if one is not None and one not in known:
                    known.add(one)
                    todo.append(one)
        return False

    def may_have(self, file: int, name: str) -> bool:
        """Whether a file offers a name as far as can be told: False only if surely not."""
        return self._any_may_have([file], name)

    def _any_may_have(self, files: Iterable[int], name: str) -> bool:
        """Whether one of some files does, or one that these have it from; each is asked once."""
        todo = list(dict.fromkeys(files))
        known = set(todo)
        for file in todo:
            further = self._handed_on(file)
            sources = self._sources(file, name)
            if self.defines(file, name) or None in further or sources is None:
                return True
            for one in (*sources, *further):
                if one is not None and one not in known:
                    known.add(one)
                    todo.append(one)
        # what texts may bind is asked last: they have to be read
        return any(self._file(file).hides(name) for file in todo)

    def _sources(self, file: int, name: str) -> list[int] | None:
        """The files that a file imports a name from; None where one of them may be that name."""
        found: list[int] = []
        for one in self._file(file).imports.get(name, ()):
            led = self.led(file, one.place)
            if not led or name not in one.names:
                return None
            if any(self.takes(one.said, target, name) for target in led):
                return None
            found += led
        return found

    def takes(self, one: Import, file: int, name: str) -> bool:
        """Whether an import of a name takes a file itself, as a module of that name."""
        if self._file(file).is_script or module_name(self.graph.path(file)) != name:
            return False
        parts = ["", *_SEPARATOR.split(one.specifier)]
        # `from a.read import read` is about what is in the module
        return parts[-1 if one.names else -2] != name

    def may_give(self, one: Import, file: int, name: str) -> bool:
        """Whether an import of a name that leads to a file may find it there."""
        return self.takes(one, file, name) or self.may_have(file, name)

    def gives(self, one: Import, file: int, name: str) -> bool:
        """Whether it finds it there as far as can be seen, not only by a broken import."""
        if self.takes(one, file, name) or self.defines(file, name):
            return True
        sources = self._sources(file, name)
        return sources is None or self._any_may_have(sources, name)

    def hands_on_all(self, file: int, place: int) -> bool:
        """Whether an import gives all names of what it leads to to those who import the file."""
        own = self._file(file)
        return own.language in _HANDING_ON and _of_all(own.row.imports[place])

    def _handed_on(self, file: int) -> list[int | None]:
        """The files of which a file hands on all names; None: one that is not known."""
        own = self._file(file)
        if own.is_script:
            self.read([one for one in own.handed_on if one is not None])
        return own.handed_on


def _of_all(one: Import) -> bool:
    """Whether an import takes all names of what it leads to."""
    if one.kind == "export":
        return one.names == ""
    return WHOLE in (part.strip() for part in one.names.strip("{}").split(","))


def bound_by(one: Import) -> list[str]:
    """The names by which a file has what it imports."""
    if one.kind in ("package", "enter", "leave"):
        return []
    if not one.names:
        return [_SEPARATOR.split(one.specifier)[-1]]
    parts = [_RENAMING.split(part)[-1] for part in one.names.strip("{} ").split(",")]
    return [found[-1] for part in parts if (found := _NAME.findall(part))]


def imported_by(one: Import) -> list[str]:
    """The names that an import takes from what it leads to, as they are called there."""
    parts = [part.removeprefix("type ").strip() for part in one.names.strip("{} ").split(",")]
    firsts = [_RENAMED.split(part)[0].strip() for part in parts]
    return [name for name in firsts if _NAME.fullmatch(name)]


def module_name(path: bytes) -> str:
    """What a file is called where it is imported."""
    folder, _, name = path.decode("utf-8", "surrogateescape").rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _OF_FOLDER and folder else stem
