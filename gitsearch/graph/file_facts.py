"""The facts of files in columns: what they import, refer to and define, words by number.

A word keeps its number when a table is made from another one, so rows can be compared as numbers.
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

# The runs of a table, and the columns of each: numbers of words but for `import_line`.
RUNS = {
    "import": ("import_specifier", "import_kind", "import_names", "import_line"),
    "name": ("name",),
    "definition": ("definition", "definition_kind"),
}

# What an import says, wherever it stands.
SAID = RUNS["import"][:3]


class WordTable:
    """Numbers for texts, new ones for those that are new."""

    def __init__(self, text: np.ndarray, ends: np.ndarray) -> None:
        """`text` holds a NUL before each word; `ends` are the offsets where they end."""
        self._text = text.tobytes()
        self._ends = ends.tolist()
        self._new: list[str] = []

    @classmethod
    def none(cls) -> WordTable:
        """No words yet."""
        return cls(np.zeros(0, np.uint8), np.zeros(1, np.int64))

    @classmethod
    def of(cls, table: FactTable) -> WordTable:
        """The words of a table."""
        return cls(table["word_text"], table["word_ends"])

    def __len__(self) -> int:
        """How many words there are."""
        return len(self._ends) - 1 + len(self._new)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        known = self._text.decode("utf-8", "surrogateescape").split("\0")[1:]
        return {text: number for number, text in enumerate(known)}

    def numbers(self, texts: Sequence[str]) -> np.ndarray:
        """The number of each text: int64."""
        known = self._numbers
        found = np.empty(len(texts), np.int64)
        for i, given in enumerate(texts):
            text = given.replace("\0", " ") if "\0" in given else given
            number = known.get(text)
            if number is None:
                number = known[text] = len(self)
                self._new.append(text)
            found[i] = number
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        """The words as sections of a file."""
        new = ["\0" + text for text in self._new]
        encoded = [text.encode("utf-8", "surrogateescape") for text in new]
        text = self._text + b"".join(encoded)
        ends = np.concatenate([self._ends, self._ends[-1] + offsets(list(map(len, encoded)))[1:]])
        return {"word_text": np.frombuffer(text, np.uint8), "word_ends": ends.astype(np.int64)}


@dataclass(frozen=True)
class FactTable:
    """One row a file.

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
        """How many words there are, in use or not."""
        return len(self["word_ends"]) - 1

    def word(self, number: int) -> str:
        """The text of a word."""
        found = self._decoded.get(number)
        if found is None:
            text, ends = self._text
            encoded = text[ends[number] + 1 : ends[number + 1]].tobytes()
            found = self._decoded[number] = encoded.decode("utf-8", "surrogateescape")
        return found

    @cached_property
    def _decoded(self) -> dict[int, str]:
        """Words that were asked for: most of them are, again and again."""
        return {}

    def number(self, word: str) -> int:
        """The number of a word, or -1."""
        text, wanted = self["word_text"].tobytes(), b"\0" + word.encode("utf-8", "surrogateescape")
        at = text.find(wanted + b"\0")
        if at < 0 and text.endswith(wanted):
            at = len(text) - len(wanted)
        return int(np.searchsorted(self["word_ends"], at)) if at >= 0 else -1

    def rows_with(self, run: str, column: str, numbers: np.ndarray) -> np.ndarray:
        """The rows in which a column of a run has one of some words, ascending, each once."""
        places = np.flatnonzero(np.isin(self[column], numbers))
        return np.unique(np.searchsorted(self[f"{run}_ends"], places, side="right") - 1)

    def span(self, run: str, row: int) -> slice:
        """Where the values of a row stand in the columns of a run."""
        ends = self[f"{run}_ends"]
        return slice(int(ends[row]), int(ends[row + 1]))

    def same(self, run: str, row: int, other: FactTable, place: int) -> bool:
        """Whether a row says the same as one of the table that this one was made from."""
        columns = SAID if run == "import" else RUNS[run]
        here, there = self.span(run, row), other.span(run, place)
        return all(np.array_equal(self[name][here], other[name][there]) for name in columns)


class FactRow:
    """The facts of one file of a table, decoded when they are asked for."""

    def __init__(self, table: FactTable, row: int) -> None:
        self._table = table
        self._row = row

    def _words(self, run: str, column: str) -> list[str]:
        found = self._table[column][self._table.span(run, self._row)]
        return [self._table.word(number) for number in found.tolist()]

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Its imports, in order."""
        said = (self._words("import", column) for column in SAID)
        lines = self._table["import_line"][self._table.span("import", self._row)].tolist()
        return tuple(map(Import, *said, lines))

    @cached_property
    def names(self) -> frozenset[str]:
        """What it refers to, each once."""
        return frozenset(self._words("name", "name"))

    @cached_property
    def definitions(self) -> tuple[tuple[str, str], ...]:
        """Qualified name and kind, in order."""
        both = (self._words("definition", column) for column in RUNS["definition"])
        return tuple(zip(*both, strict=True))


# Columns of each run as they are found, with `row` ascending.
Fresh = dict[str, dict[str, np.ndarray]]


def table_of(count: int, words: WordTable, fresh: Fresh) -> FactTable:
    """A table of rows that were just found; texts get their numbers."""
    arrays: dict[str, np.ndarray] = {}
    for run, columns in RUNS.items():
        found = fresh[run]
        arrays[f"{run}_ends"] = ends_of(found["row"].astype(np.int64), count)
        for column in columns:
            values = found[column]
            arrays[column] = words.numbers(values.tolist()) if values.dtype == object else values
    return FactTable({**arrays, **words.arrays()})


def merged(old: FactTable, new: FactTable, place: np.ndarray) -> FactTable:
    """Rows of two tables with the same words: place >= 0 is one of `old`, ~place one of `new`."""
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
        where = gather(starts, lengths)
        arrays[f"{run}_ends"] = offsets(lengths)
        for column in columns:
            arrays[column] = np.concatenate([old[column], new[column]])[where]
    return FactTable(arrays)
