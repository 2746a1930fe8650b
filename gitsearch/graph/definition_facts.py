"""The facts of files on definitions and uses, as rows of arrays, decoded when they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.extract.definition_uses import DefinedName, DefinitionFacts, DefinitionUse, TypeHint
from gitsearch.features.ragged import narrowed, offsets
from gitsearch.graph.graph import FactTable, WordTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The runs of facts, each with its columns; those of words, and those of whole numbers.
FACT_RUNS = {
    "definition": (("qualified", "kind", "takes"), ("first", "last", "parent")),
    "use": (("name", "owner", "form", "given"), ("scope", "line")),
    "hint": (("variable", "value"), ("scope",)),
}
_RECORDS: dict[str, Any] = {"definition": DefinedName, "use": DefinitionUse, "hint": TypeHint}

# The columns of each run of facts by their names among arrays.
FACT_COLUMNS = {
    run: tuple(f"{run}_{field}" for field in (*texts, *numbers))
    for run, (texts, numbers) in FACT_RUNS.items()
}


class FactRows:
    """The facts of the files of one tree, a row for each of `files`, which ascend."""

    def __init__(self, files: Sequence[int], arrays: Mapping[str, np.ndarray]) -> None:
        self.files = files
        self.arrays = arrays
        self.table = FactTable(arrays)
        self.row = {file: row for row, file in enumerate(files)}
        self._decoded: dict[int, DefinitionFacts] = {}

    def facts(self, file: int) -> DefinitionFacts:
        """Return the facts of a file."""
        if file not in self._decoded:
            self._decoded[file] = facts_at(self.arrays, self.table, self.row[file])
        return self._decoded[file]

    def words(self, column: str) -> list[str]:
        """Return all of a column of texts."""
        return list(map(self.table.word, self.arrays[column].tolist()))

    def counts(self, run: str) -> np.ndarray:
        """Return the number of entries of a run that each file has: int64."""
        ends = self.arrays[f"{run}_ends"].astype(np.int64)
        counts: np.ndarray = ends[1:] - ends[:-1]
        return counts

    def files_of(self, run: str) -> np.ndarray:
        """Return the file of each entry of a run: int64."""
        return np.repeat(np.asarray(self.files, np.int64), self.counts(run))

    def first_definitions(self, run: str) -> np.ndarray:
        """Return the first definition of the file of each entry of a run: int64."""
        first = self.arrays["definition_ends"][:-1].astype(np.int64)
        return np.repeat(first, self.counts(run))

    def having(self, column: str, *texts: str) -> np.ndarray:
        """Return a mask of the entries of a column that are one of some texts."""
        numbers = [self.table.number(text) for text in texts]
        mask: np.ndarray = np.isin(self.arrays[column], numbers)
        return mask


def fact_arrays(facts: Sequence[DefinitionFacts], words: WordTable) -> dict[str, np.ndarray]:
    """Return the facts of files as arrays: runs by file, texts as numbers of `words`."""
    arrays: dict[str, np.ndarray] = {}
    for run, (texts, numbers) in FACT_RUNS.items():
        runs = [getattr(one, f"{run}s") for one in facts]
        rows = [row for own in runs for row in own]
        arrays[f"{run}_ends"] = offsets(list(map(len, runs)))
        for field in texts:
            arrays[f"{run}_{field}"] = narrowed(words.numbers([getattr(r, field) for r in rows]))
        for field in numbers:
            values = np.asarray([getattr(row, field) for row in rows], np.int64)
            arrays[f"{run}_{field}"] = narrowed(values)
    return arrays | words.arrays()


def facts_at(arrays: Mapping[str, np.ndarray], words: FactTable, row: int) -> DefinitionFacts:
    """Return the facts in a row of the arrays of `fact_arrays`."""
    runs = []
    for run, (texts, numbers) in FACT_RUNS.items():
        ends = arrays[f"{run}_ends"]
        span = slice(int(ends[row]), int(ends[row + 1]))
        columns = {
            field: map(words.word, arrays[f"{run}_{field}"][span].tolist()) for field in texts
        }
        columns |= {field: iter(arrays[f"{run}_{field}"][span].tolist()) for field in numbers}
        record = _RECORDS[run]
        runs.append(tuple(map(record, *(columns[field] for field in record._fields))))
    return DefinitionFacts(*runs)
