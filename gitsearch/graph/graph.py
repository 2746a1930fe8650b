"""The dependency graph of one tree: files, their facts, and edges from imports and uses."""

from __future__ import annotations

from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from gitsearch.features.ragged import ends_of, gather, headed, offsets, position
from gitsearch.records import Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

# The columns of edges and of unresolved imports.
EDGE = ("edge_source", "edge_target", "edge_place", "edge_ambiguous")
UNRESOLVED = ("unseen_file", "unseen_place", "unseen_reason")

# Takes the place of an import's number: the edge has no import, its source uses names of its
# target.
USED = -1

# Rows that are kept decoded, of some kilobytes each.
_ROWS = 4096

Node = TypeVar("Node")


class Edge(NamedTuple):
    """A dependency of one file on another; `place` is the number of the import, or USED."""

    number: int
    source: int
    target: int
    place: int
    ambiguous: bool


class UnresolvedImport(NamedTuple):
    """An import whose target cannot be determined, with the reason."""

    file: int
    place: int
    reason: str


class Graph:
    """The dependency graph of one tree, in arrays that may be memory-mapped.

    Files are numbered in the order of their paths; edges ascend by source, then target.

    arrays: those of a FactTable with one row per file; path_text, path_ends; oid; language (an
    index into meta["languages"]); searched (0 or 1); the columns EDGE and UNRESOLVED
    (unseen_reason is an index into meta["reasons"]).
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], meta: dict[str, Any]) -> None:
        self.arrays = arrays
        self.meta = meta
        self.table = FactTable(arrays)
        # what is decoded of a row is asked for again for each definition and each edge
        self._row = lru_cache(_ROWS)(partial(FactRow, self.table))
        self.files = len(arrays["path_ends"]) - 1

    @cached_property
    def _paths(self) -> tuple[memoryview, memoryview]:
        return self.arrays["path_text"].data, self.arrays["path_ends"].data

    def path(self, file: int) -> bytes:
        """Return the path of a file."""
        text, ends = self._paths
        return text[ends[file] : ends[file + 1]].tobytes()

    def file(self, path: bytes) -> int:
        """Return the number of the file with a path, or -1."""
        return position(range(self.files), path, self.path)

    def under(self, folder: bytes) -> range:
        """Return the numbers of the files in a folder and its subfolders."""
        return headed(range(self.files), folder + b"/" if folder else b"", self.path)

    def oid(self, file: int) -> str:
        """Return the object id of a file's content."""
        return bytes(self.arrays["oid"][file]).hex()

    def language(self, file: int) -> str:
        """Return the name of the language of a file."""
        name: str = self.meta["languages"][int(self.arrays["language"][file])]
        return name

    def row(self, file: int) -> FactRow:
        """Return the facts of a file: its imports, used names and definitions."""
        return self._row(file)

    @cached_property
    def _incoming(self) -> tuple[np.ndarray, np.ndarray]:
        target = self.arrays["edge_target"]
        return ends_of(target, self.files), np.argsort(target, kind="stable")

    def in_edge_numbers(self, files: np.ndarray) -> np.ndarray:
        """Return the numbers of the edges that lead to `files`: int64."""
        ends, order = self._incoming
        edges: np.ndarray = order[gather(ends[files], ends[files + 1] - ends[files])]
        return edges

    def in_edges(self, file: int) -> Iterator[Edge]:
        """Iterate over the edges to a file, by source."""
        yield from map(self.edge, self.in_edge_numbers(np.asarray([file])).tolist())

    def out_edges(self, file: int) -> Iterator[Edge]:
        """Iterate over the edges from a file, by target."""
        low, high = np.searchsorted(self.arrays["edge_source"], [file, file + 1])
        yield from map(self.edge, range(int(low), int(high)))

    def edge(self, number: int) -> Edge:
        """Return the edge with a number."""
        source, target, place, ambiguous = (int(self.arrays[name][number]) for name in EDGE)
        return Edge(number, source, target, place, bool(ambiguous))

    def line(self, file: int, place: int) -> int:
        """Return the line of an import of a file; 1 for USED, which has no import."""
        if place == USED:
            return 1
        start = int(self.arrays["import_ends"][file])
        return int(self.arrays["import_line"][start + place])

    def unresolved_imports(self) -> list[UnresolvedImport]:
        """Return the unresolved imports, by file and place."""
        rows = zip(*(self.arrays[name].tolist() for name in UNRESOLVED), strict=True)
        reasons = self.meta["reasons"]
        return [UnresolvedImport(file, place, reasons[reason]) for file, place, reason in rows]


def reachable(
    start: Iterable[Node], successors: Callable[[Node], Iterable[Node]]
) -> Iterator[Node]:
    """Iterate over `start` and all nodes reachable from it, each once, in breadth-first order.

    The successors of a node are requested after it was yielded.
    """
    queue = list(dict.fromkeys(start))
    visited = set(queue)
    for node in queue:
        yield node
        for successor in successors(node):
            if successor not in visited:
                visited.add(successor)
                queue.append(successor)


# The runs of a table (variable-length lists, one per row), and the columns of each: word numbers
# except for `import_line`.
RUNS = {
    "import": ("import_specifier", "import_kind", "import_names", "import_line"),
    "name": ("name",),
    "definition": ("definition", "definition_kind"),
}

# The columns of an import that do not depend on its position in the file.
SAID = RUNS["import"][:3]


class WordTable:
    """Interns texts: assigns consecutive numbers to words, keeping those already known."""

    def __init__(self, table: FactTable | None) -> None:
        """Start with the words of a table, where a NUL stands before each."""
        self._text = b"" if table is None else table["word_text"].tobytes()
        self._ends = [0] if table is None else table["word_ends"].tolist()
        self._new: list[str] = []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        known = self._text.decode("utf-8", "surrogateescape").split("\0")[1:]
        return {text: number for number, text in enumerate(known)}

    def numbers(self, texts: Sequence[str]) -> np.ndarray:
        """Return the number of each text, added where it is new: int64."""
        known = self._numbers
        numbers = []
        for text in texts:
            word = text.replace("\0", " ")
            number = known.get(word)
            if number is None:
                number = known[word] = len(self._ends) - 1 + len(self._new)
                self._new.append(word)
            numbers.append(number)
        return np.asarray(numbers, np.int64)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the words as the arrays `word_text` and `word_ends`."""
        encoded = [f"\0{text}".encode("utf-8", "surrogateescape") for text in self._new]
        text = self._text + b"".join(encoded)
        ends = np.concatenate([self._ends, self._ends[-1] + offsets(list(map(len, encoded)))[1:]])
        return {"word_text": np.frombuffer(text, np.uint8), "word_ends": ends.astype(np.int64)}


class FactTable:
    """The facts of files, one row per file: imports, used names, definitions.

    `arrays` holds `<run>_ends` (rows + 1) and the columns of RUNS, and `word_text`, `word_ends`.
    A word keeps its number when a table is made from another one, so rows are compared as numbers.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = arrays
        # most words are looked up many times
        self._decoded: dict[int, str] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    @cached_property
    def _text(self) -> tuple[memoryview, memoryview]:
        return self["word_text"].data, self["word_ends"].data

    @property
    def words(self) -> int:
        """The number of words, in use or not."""
        return len(self["word_ends"]) - 1

    def word(self, number: int) -> str:
        """Return the text of a word."""
        word = self._decoded.get(number)
        if word is None:
            text, ends = self._text
            encoded = text[ends[number] + 1 : ends[number + 1]].tobytes()
            word = self._decoded[number] = encoded.decode("utf-8", "surrogateescape")
        return word

    def number(self, word: str) -> int:
        """Return the number of a word, or -1."""
        start = self._bytes.find(b"\0" + word.encode("utf-8", "surrogateescape") + b"\0")
        return -1 if start < 0 else int(np.searchsorted(self["word_ends"], start))

    @cached_property
    def _bytes(self) -> bytes:
        return self["word_text"].tobytes() + b"\0"

    def span(self, run: str, row: int) -> slice:
        """Return the slice of the columns of a run that belongs to a row."""
        ends = self[f"{run}_ends"]
        return slice(int(ends[row]), int(ends[row + 1]))

    def same(self, run: str, row: int, other: FactTable, place: int) -> bool:
        """Return True if a row has the same run as row `place` of the table this was made from."""
        columns = SAID if run == "import" else RUNS[run]
        here, there = self.span(run, row), other.span(run, place)
        return all(np.array_equal(self[name][here], other[name][there]) for name in columns)


class FactRow:
    """The facts of one file of a table, decoded when they are asked for."""

    def __init__(self, table: FactTable, row: int) -> None:
        self._table = table
        self._row = row

    def _words(self, run: str, column: str) -> list[str]:
        numbers = self._table[column][self._table.span(run, self._row)]
        return [self._table.word(number) for number in numbers.tolist()]

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """The imports, in order."""
        texts = (self._words("import", column) for column in SAID)
        lines = self._table["import_line"][self._table.span("import", self._row)].tolist()
        return tuple(map(Import, *texts, lines))

    @cached_property
    def names(self) -> frozenset[str]:
        """The distinct names that the file refers to."""
        return frozenset(self._words("name", "name"))

    @cached_property
    def definitions(self) -> tuple[tuple[str, str], ...]:
        """The qualified name and kind of each definition, in order."""
        columns = (self._words("definition", column) for column in RUNS["definition"])
        return tuple(zip(*columns, strict=True))


# The columns of each run with texts in place of word numbers, and `row`, ascending.
Fresh = dict[str, dict[str, np.ndarray]]


def table_of(count: int, words: WordTable, fresh: Fresh) -> FactTable:
    """Build a table of `count` rows, with the texts interned in `words`."""
    arrays: dict[str, np.ndarray] = {}
    for run, columns in RUNS.items():
        run_columns = fresh[run]
        arrays[f"{run}_ends"] = ends_of(run_columns["row"].astype(np.int64), count)
        for column in columns:
            values = run_columns[column]
            arrays[column] = words.numbers(values.tolist()) if values.dtype == object else values
    return FactTable({**arrays, **words.arrays()})


def merged(
    old: FactTable,
    new: FactTable,
    place: np.ndarray,
    runs: Mapping[str, tuple[str, ...]] = RUNS,
) -> FactTable:
    """Combine rows of two tables with the same words.

    place: one per row of the result; place >= 0 is a row of `old`, a negative one is row ~place of
    `new`. runs: the columns of each run of the tables.
    """
    arrays = {name: new[name] for name in ("word_text", "word_ends") if name in new.arrays}
    is_new = place < 0
    row = np.where(is_new, ~place, place)
    for run, columns in runs.items():
        starts = np.empty(len(row), np.int64)
        lengths = np.empty(len(row), np.int64)
        base = len(old[columns[0]])
        for table, chosen, shift in ((old, ~is_new, 0), (new, is_new, base)):
            ends = table[f"{run}_ends"].astype(np.int64)
            starts[chosen] = ends[:-1][row[chosen]] + shift
            lengths[chosen] = np.diff(ends)[row[chosen]]
        source = gather(starts, lengths)
        arrays[f"{run}_ends"] = offsets(lengths)
        for column in columns:
            arrays[column] = np.concatenate([old[column], new[column]])[source]
    return FactTable(arrays)
