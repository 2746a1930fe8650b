"""The facts of files as arrays, and the arrays of a graph of definitions made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.extract.definition_uses import (
    NO_FACTS,
    DefinedName,
    DefinitionFacts,
    DefinitionUse,
    TypeHint,
)
from gitsearch.features.ragged import narrowed, offsets
from gitsearch.graph.definition_edges import DefinitionEdges
from gitsearch.graph.definition_names import Definitions
from gitsearch.graph.graph import FactTable, WordTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.graph.graph import Graph

# The runs of facts, each with its columns; those of words, and those of whole numbers.
FACT_RUNS = {
    "definition": (("qualified", "kind"), ("first", "last", "parent")),
    "use": (("name", "owner", "form"), ("scope", "line")),
    "hint": (("variable", "value"), ("scope",)),
}
_RECORDS: dict[str, Any] = {"definition": DefinedName, "use": DefinitionUse, "hint": TypeHint}


def graph_arrays(graph: Graph, facts: Mapping[int, DefinitionFacts]) -> dict[str, np.ndarray]:
    """Resolve the facts of files, by number, to the arrays of a DefinitionGraph."""
    definitions = Definitions(graph, facts)
    edges = DefinitionEdges(graph, definitions)
    target, source, kind, spread, line = edges.columns().T
    words = WordTable(None)
    counts = [len(facts.get(file, NO_FACTS).definitions) for file in range(graph.files)]
    lines = np.asarray(definitions.lines, np.int64).reshape(-1, 2)
    arrays = {
        "definition_ends": offsets(counts),
        "definition": words.numbers(definitions.qualified),
        "definition_kind": words.numbers(definitions.kind),
        "definition_first": lines[:, 0],
        "definition_last": lines[:, 1],
        "definition_parent": np.asarray(definitions.parent, np.int64),
        "edge_target": target,
        "edge_source": source,
        "edge_kind": kind,
        "edge_spread": spread,
        "edge_line": line,
        "name": words.numbers(list(edges.names)),
    }
    return _narrowed(arrays | words.arrays())


def fact_arrays(facts: Sequence[DefinitionFacts]) -> dict[str, np.ndarray]:
    """Return the facts of files as arrays: runs by file, texts as numbers of words."""
    words = WordTable(None)
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
    return _narrowed(arrays | words.arrays())


def _narrowed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: narrowed(array) for name, array in arrays.items()}


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
