"""The files that use a name: by their facts, by the words in them, and by their syntax trees."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gitsearch.extract.languages import LANGUAGES
from gitsearch.features import identifiers
from gitsearch.features.ragged import unique

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.git.blob_cache import BlobCache
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.view import View
    from gitsearch.records import Import, Use

_WORD = re.compile(r"\w+")

# The kind of a definition that may hold what `require` loads, and that of such an import.
VARIABLE = "variable"
_REQUIRE = "require"

# What stands for the value or the type around a use, as its owner.
_SELF = frozenset({"this", "self", "Self", "static", "cls"})


class FileTexts:
    """The texts of a graph's files."""

    def __init__(self, graph: Graph, cache: BlobCache) -> None:
        self._graph = graph
        self._cache = cache

    def read(self, files: Sequence[int]) -> dict[int, bytes]:
        """Return the contents of files by number; what this clone lacks is empty."""
        oids = {file: self._graph.oid(file) for file in files}
        texts = self._cache.read(oids.values())
        return {file: texts[oid] for file, oid in oids.items()}

    def lines(self, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Return the text of lines, stripped, by file and 1-based line."""
        ordered = sorted(places)
        split = {
            file: text.split(b"\n")
            for file, text in self.read(list(dict.fromkeys(file for file, _ in ordered))).items()
        }
        return {
            (file, line): b"".join(split[file][line - 1 : line]).decode("utf-8", "replace").strip()
            for file, line in ordered
        }


class Words(Protocol):
    """Tells which files have the words of a name."""

    def paths_with(self, name: str) -> set[bytes]:
        """Return the paths of the files with the words of a name."""


class IndexedWords:
    """The words of a view's files, by its postings."""

    def __init__(self, view: View) -> None:
        self._view = view

    def paths_with(self, name: str) -> set[bytes]:
        """Return the paths of the files with the words of a name."""
        term = identifiers.compound(identifiers.longest(name))
        paths: set[bytes] = set()
        for segment, live in self._view.live_segments:
            number = segment.term(term)
            if number >= 0:
                ((rows, _),) = segment.postings(np.asarray([number]))
                own = unique(segment["chunk_file"][rows].astype(np.int64))
                paths.update(map(segment.path, own[live[own]].tolist()))
        return paths


class NameUsers:
    """Finds the files of a tree that use a name."""

    def __init__(self, graph: Graph, words: Words, texts: FileTexts) -> None:
        self._graph = graph
        self._words = words
        self._texts = texts

    def among(self, files: set[int], names: frozenset[str]) -> set[int]:
        """Return the files, of those given, in which one of the names is used or written."""
        # many definitions of a name are imported by the same files
        known = self._known_users.setdefault(names, {})
        if fresh := files - known.keys():
            using = {file for file in fresh if self.refers(file, names)}
            if rest := fresh - using:
                rest &= set[int]().union(*map(self._written, names))
            using |= self.first_lines(sorted(rest), names).keys()
            known.update({file: file in using for file in fresh})
        return {file for file in files if known[file]}

    def refers(self, file: int, names: frozenset[str]) -> bool:
        """Return True if a file calls or imports one of the names, or has it as a type."""
        row = self._graph.row(file)
        return bool(names & row.names) or any(
            names & imported_names(imported.names) for imported in row.imports
        )

    def first_lines(self, files: Sequence[int], names: frozenset[str]) -> dict[int, int]:
        """Return the files with one of the names as a word in their text, and its first line."""
        pattern = _whole_words(names)
        return {
            file: text.count(b"\n", 0, match.start()) + 1
            for file, text in self._texts.read(files).items()
            if (match := pattern.search(text))
        }

    def uses_of(self, name: str, passes: Callable[[bytes], bool]) -> list[tuple[int, Use]]:
        """Return where a name is used or imported, by file and line, in paths that pass a test."""
        files = sorted(self._written(name))
        return self.uses_in([file for file in files if passes(self._graph.path(file))], name)

    def code_with(self, name: str) -> list[int]:
        """Return the files of code with the words of a name, in order."""
        return [
            file for file in sorted(self._written(name)) if is_code(self._graph.language(file))
        ]

    def uses_in(self, files: Iterable[int], name: str) -> list[tuple[int, Use]]:
        """Return where some files use a name, by their syntax trees."""
        word = name.encode("utf-8", "surrogateescape")
        code = [file for file in files if is_code(self._graph.language(file))]
        texts = {file: text for file, text in self._texts.read(code).items() if word in text}
        uses = self._uses([(file, name) for file in texts])
        return [(file, use) for file, some in zip(texts, uses, strict=True) for use in some or ()]

    def in_code(self, pairs: Iterable[tuple[int, str]]) -> CodeUsers:
        """Look at pairs of a file and a name that the file has; return those whose code uses it.

        A comment is no use. A file that defines the name uses its own, except after another value,
        type or module.
        """
        pairs = set(pairs)
        own = self._own(pairs)
        lines: dict[tuple[int, str], int | None] = {}
        open_pairs = []
        for file, name in sorted(pairs):
            if (file, name) not in own and self.refers(file, frozenset([name])):
                lines[file, name] = None
            elif is_code(self._graph.language(file)):
                open_pairs.append((file, name))
        for pair, uses in zip(open_pairs, self._uses(open_pairs), strict=True):
            if pair not in own and uses:
                lines[pair] = None
            elif others := [use.line for use in uses or () if has_other_owner(use)]:
                lines[pair] = others[0]
        return CodeUsers(self, lines)

    def _uses(self, pairs: Sequence[tuple[int, str]]) -> Iterator[tuple[Use, ...] | None]:
        """The uses of each name in its file, extracted in child processes."""
        # parsers are loaded only where something must be parsed
        from gitsearch.index.extraction_pool import each
        from gitsearch.index.fact_columns import BlobKey

        texts = self._texts.read(list(dict.fromkeys(file for file, _ in pairs)))
        blobs = [(BlobKey(name, self._graph.language(file)), texts[file]) for file, name in pairs]
        return each(_uses, blobs, sum(len(data) for _, data in blobs))

    def _own(self, pairs: Iterable[tuple[int, str]]) -> set[tuple[int, str]]:
        """The pairs whose file defines the name, but for variables that hold what it requires."""
        own = {(file, name): kinds for file, name in pairs if (kinds := self._kinds(file, name))}
        variables = [pair for pair, kinds in own.items() if kinds == {VARIABLE}]
        requires = {file: self._requires(file) for file, _ in variables}
        lines = self._texts.lines(
            {(file, each.line) for file, some in requires.items() for each in some}
        )
        return own.keys() - {
            (file, name)
            for file, name in variables
            for each in requires[file]
            if name in imported_names(each.names) | imported_names(lines[file, each.line])
        }

    def _kinds(self, file: int, name: str) -> set[str]:
        """The kinds of the definitions of a name in a file."""
        definitions = self._graph.row(file).definitions
        return {kind for qualified, kind in definitions if qualified.rpartition(".")[2] == name}

    def _requires(self, file: int) -> list[Import]:
        """The calls of `require` that lead to a file of the tree."""
        imports = self._graph.row(file).imports
        places = {edge.place for edge in self._graph.out_edges(file)}
        return [each for place, each in enumerate(imports) if place in places and is_require(each)]

    def _written(self, name: str) -> set[int]:
        """The files with the words of a name in them."""
        if name not in self._known:
            self._known[name] = set(map(self._graph.file, self._words.paths_with(name)))
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, set[int]]:
        return {}

    @cached_property
    def _known_users(self) -> dict[frozenset[str], dict[int, bool]]:
        return {}


def _whole_words(names: Iterable[str]) -> re.Pattern[bytes]:
    either = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)".encode("utf-8", "surrogateescape"))


class CodeUsers(NameUsers):
    """The files whose code uses a name, as far as they were looked at."""

    def __init__(self, users: NameUsers, lines: Mapping[tuple[int, str], int | None]) -> None:
        """`lines` has the pairs; with the line of the first use if the file defines the name."""
        super().__init__(users._graph, users._words, users._texts)
        self._lines = lines

    def among(self, files: set[int], names: frozenset[str]) -> set[int]:
        """Return the files, of those given, whose code uses one of the names."""
        return {file for file in files if any((file, name) in self._lines for name in names)}

    def first_line(self, file: int, name: str) -> int:
        """Return the first line of a file that has the name: of one that defines it, uses it."""
        line = self._lines.get((file, name))
        return line or self.first_lines([file], frozenset([name])).get(file, 1)


def imported_names(names: str) -> set[str]:
    """Return the names in a list of imported ones."""
    return set(_WORD.findall(names))


def has_other_owner(use: Use) -> bool:
    """Return True if a name stands after another value, type or module than that around it."""
    return use.owner is not None and use.owner not in _SELF and not use.classes


def is_require(imported: Import) -> bool:
    """Return True for a call of `require`, whose value a variable may hold."""
    return imported.kind == _REQUIRE


def is_code(language: str) -> bool:
    """Return True for a programming language, False for documents, data and what is unknown."""
    row = LANGUAGES.get(language)
    return row is not None and row.content == "code"


def _uses(blob: BlobKey, data: bytes) -> tuple[Use, ...]:
    """The uses of the name that stands in place of the blob's id."""
    from gitsearch.extract.name_uses import uses

    return uses(data, blob.hint, blob.oid)
