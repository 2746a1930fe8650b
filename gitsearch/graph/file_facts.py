"""Columnar table of the facts of files: imports, used names, definitions, with interned words.

A word keeps its number when a table is made from another one, so rows are compared as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import ends_of, gather, offsets
from gitsearch.records import Import

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


@dataclass(frozen=True)
class FactTable:
    """The facts of files, one row per file.

    `arrays` holds `<run>_ends` (rows + 1) and the columns of RUNS, and `word_text`, `word_ends`.
    """

    arrays: Mapping[str, np.ndarray]

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

    @cached_property
    def _decoded(self) -> dict[int, str]:
        """Cache of decoded words: most words are looked up many times."""
        return {}

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


def merged(old: FactTable, new: FactTable, place: np.ndarray) -> FactTable:
    """Combine rows of two tables with the same words.

    place: one per row of the result; place >= 0 is a row of `old`, a negative one is row ~place of
    `new`.
    """
    arrays = {name: new[name] for name in ("word_text", "word_ends")}
    is_new = place < 0
    row = np.where(is_new, ~place, place)
    for run, columns in RUNS.items():
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
