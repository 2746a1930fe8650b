"""The graph of the definitions of a tree, made from that of an earlier tree by what changed.

What a file uses is resolved by itself, and kept with the questions to other files that it asked.
It is resolved again only if its content changed, or if one of these has another answer now.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.extract.uncollected import uncollected
from gitsearch.features.ragged import narrowed, offsets, unique
from gitsearch.graph.definition_edges import MOST_FOLLOWED, STORED_KIND, FileEdges, Nodes
from gitsearch.graph.definition_graph import EDGE_KINDS
from gitsearch.graph.definition_hierarchy import UNKNOWN_BASE, Hierarchy
from gitsearch.graph.definition_lookup import DefinitionTree, Lookup
from gitsearch.graph.definition_resolution import Resolver
from gitsearch.graph.definition_structure import TreeEdges
from gitsearch.graph.definition_updates import Changes
from gitsearch.graph.graph import FactTable, WordTable, merged
from gitsearch.settings import Silent

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from gitsearch.graph.definition_edges import FamilyName
    from gitsearch.graph.definition_facts import FactRows
    from gitsearch.graph.graph import Graph
    from gitsearch.settings import Progress

Runs = dict[str, tuple[str, ...]]

_EDGE = ("edge_target", "edge_source", "edge_kind", "edge_spread", "edge_line")

# What is kept of the resolution of each file: of the bases of its classes, and of its uses, each
# with digests of the questions to other files.
BASE_RUNS: Runs = {"base": ("base_of", "base_value"), "base_asked": ("base_asked",)}
USE_RUNS: Runs = {"edge": _EDGE, "called": ("called",), "asked": ("asked",)}

# The columns that hold nodes.
_NODES = frozenset({"base_of", "base_value", "edge_target", "edge_source"})

# The bits of a key of an edge for its line, and for how many alternatives it has.
_LINE_BITS, _SPREAD_BITS = 32, 24


# Stands for a node that is gone.
_GONE = -2


class Built(NamedTuple):
    """The arrays of a graph and of what is kept of its files, and the number of files resolved."""

    graph: dict[str, np.ndarray]
    kept: dict[str, np.ndarray]
    resolved: int


class Before(NamedTuple):
    """An earlier tree: its graph of files, and its facts with what is kept of its resolution."""

    graph: Graph
    rows: FactRows


def build(
    graph: Graph, rows: FactRows, before: Before | None, progress: Progress | None = None
) -> Built:
    """Resolve the facts of a tree; the words of `rows` continue those of `before`."""
    with uncollected():
        return _Build(graph, rows, before, progress or Silent()).built()


class _Build:
    """Resolution of a tree, from the kept results of another tree or from nothing."""

    def __init__(
        self, graph: Graph, rows: FactRows, before: Before | None, progress: Progress
    ) -> None:
        self._progress = progress
        self._tree = DefinitionTree(graph, rows)
        self._nodes = Nodes(len(self._tree.definitions), graph.files)
        self._words = WordTable(rows.table)
        self._before: DefinitionTree | None = None
        # the row of each file in the tree before, -1 for one that is not as it was
        self._place = np.full(len(rows.files), -1, np.int64)
        if before is None:
            return
        self._before = DefinitionTree(before.graph, before.rows)
        self._changes = Changes(self._before, self._tree)
        for row, file in enumerate(before.rows.files):
            number = int(self._changes.files[file])
            if number in rows.row and number not in self._changes.changed:
                self._place[rows.row[number]] = row

    def built(self) -> Built:
        """Resolve bases, what depends on them, and what depends on the whole tree."""
        bases = self._bases()
        self._compare_classes()
        uses, resolved = self._uses()
        graph = self._graph(uses)
        kept = {**self._tree.rows.arrays, **bases, **uses, **self._words.arrays()}
        return Built(graph, _narrowed(kept), resolved)

    # ---------------------------------------------------------------- of each file

    def _bases(self) -> dict[str, np.ndarray]:
        """Return the bases of the classes of all files."""
        tree = self._tree
        known, place = self._known(BASE_RUNS, "base_asked")
        made: dict[str, list[list[Any]]] = {"base": [], "base_asked": []}
        fresh = np.flatnonzero(place < 0).tolist()
        for done, row in enumerate(fresh):
            self._progress.update("resolving classes", done, len(fresh), 0)
            file = tree.rows.files[row]
            lookup = Lookup(tree, file)
            resolver = Resolver(lookup)
            having: Container[int] = tree.space(file).bases
            if tree.definitions.rules(file).parts:
                having = tree.definitions.of_file(file)
            classes = [number for number in tree.definitions.of_file(file) if number in having]
            bases = [(number, base) for number in classes for base in resolver.bases(number)]
            made["base"].append([*bases, *resolver.implementations(file)])
            made["base_asked"].append([(digest,) for digest in lookup.digests()])
        arrays = _with(known, place, BASE_RUNS, made)
        self._hierarchy = Hierarchy(tree.definitions, _by_class(arrays))
        return arrays

    def _compare_classes(self) -> None:
        """Compare the classes of both trees, if any answer is another one."""
        if self._before is not None and self._changes.questions:
            old = _by_class(self._before.rows.arrays)
            before = Hierarchy(self._before.definitions, old)
            self._changes.compare_classes(before, self._hierarchy)

    def _uses(self) -> tuple[dict[str, np.ndarray], int]:
        """Return the edges from all files, and how many files were resolved for it."""
        tree = self._tree
        known, place = self._known(USE_RUNS, "asked")
        fresh = np.flatnonzero(place < 0).tolist()
        made: dict[str, list[list[Any]]] = {"edge": [], "called": [], "asked": []}
        for done, row in enumerate(fresh):
            self._progress.update("resolving uses", done, len(fresh), 0)
            file = tree.rows.files[row]
            lookup = Lookup(tree, file, self._hierarchy)
            edges = FileEdges(lookup, self._nodes)
            made["edge"].append(edges.made(file))
            words = self._words.numbers(sorted(edges.called))
            made["called"].append([(word,) for word in words.tolist()])
            made["asked"].append([(digest,) for digest in lookup.digests()])
        # a name is kept as a word
        first = self._nodes.first_name
        words = self._words.numbers([name for name, _ in self._nodes.names]).tolist()
        made["edge"] = [
            [
                edge
                if edge.target < first
                else edge._replace(target=first + words[edge.target - first])
                for edge in edges
            ]
            for edges in made["edge"]
        ]
        return _with(known, place, USE_RUNS, made), len(fresh)

    def _known(self, runs: Runs, asked: str) -> tuple[FactTable, np.ndarray]:
        """Return what is known of runs, with new numbers, and the row of each file there, or -1.

        asked: the run of the questions on which a row depends.
        """
        place = self._place.copy()
        if self._before is None:
            empty = {column: np.zeros(0, np.int64) for own in runs.values() for column in own}
            return FactTable(
                {**empty, **{f"{run}_ends": np.zeros(1, np.int64) for run in runs}}
            ), place
        arrays = dict(self._before.rows.arrays)
        stale = np.isin(arrays[asked], sorted(self._changes.questions))
        invalid = _rows_of(arrays[f"{asked}_ends"], stale)
        for run, columns in runs.items():
            for column in columns:
                if column in _NODES:
                    arrays[column] = self._renumbering[arrays[column].astype(np.int64)]
                    gone = _rows_of(arrays[f"{run}_ends"], arrays[column] == _GONE)
                    invalid = np.union1d(invalid, gone)
        place[np.isin(place, invalid)] = -1
        return FactTable(arrays), place

    @cached_property
    def _renumbering(self) -> np.ndarray:
        """The new number of each node of the tree before; the last one is that of no node."""
        changes, nodes = self._changes, self._nodes
        assert self._before is not None
        words = np.arange(self._before.rows.table.words) + nodes.first_name
        files = np.where(changes.files < 0, _GONE, changes.files + nodes.file(0))
        definitions = np.where(changes.definitions < 0, _GONE, changes.definitions)
        return np.concatenate([definitions, files, words, [UNKNOWN_BASE]])

    # ---------------------------------------------------------------- of the tree

    def _graph(self, uses: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the arrays of the graph: words and names are in an order of their own."""
        tree, first = self._tree, self._nodes.first_name
        definitions = tree.definitions
        own = FactTable(self._words.arrays())
        edges = np.stack([uses[column].astype(np.int64) for column in _EDGE], axis=1)
        using = self._files_of(uses["edge_ends"])
        named = np.flatnonzero(edges[:, 0] >= first)
        used, places = self._by_family(own, edges[named, 0] - first, using[named])
        names = Nodes(len(definitions), tree.graph.files)
        for name in sorted(used):
            names.name(*name)
        edges[named, 0] = np.asarray([names.name(*name) for name in used], np.int64)[places]
        self._place_in_sources(edges, using)
        edges = _with_spread(edges)
        words_called = uses["called"].astype(np.int64)
        called, _ = self._by_family(own, words_called, self._files_of(uses["called_ends"]))
        more = TreeEdges(
            tree, self._hierarchy, names, frozenset(called), frozenset(names.names), edges
        )
        edges = _distinct(np.concatenate([edges, more.columns()]))
        words = WordTable(None)
        rows = tree.rows.arrays
        counts = np.zeros(tree.graph.files, np.int64)
        counts[tree.rows.files] = tree.rows.counts("definition")
        arrays = {
            "definition_ends": offsets(counts),
            "definition": words.numbers(definitions.qualified),
            "definition_kind": words.numbers(definitions.kind),
            "definition_first": rows["definition_first"],
            "definition_last": rows["definition_last"],
            "definition_parent": np.asarray(definitions.parent, np.int64),
            **{column: edges[:, i] for i, column in enumerate(_EDGE)},
            "name": words.numbers([name for name, _ in names.names]),
        }
        return _narrowed(arrays | words.arrays())

    def _files_of(self, ends: np.ndarray) -> np.ndarray:
        """Return the file of each entry of a run, which for each file with facts ends there."""
        counts = ends[1:].astype(np.int64) - ends[:-1].astype(np.int64)
        return np.repeat(np.asarray(self._tree.rows.files, np.int64), counts)

    def _by_family(
        self, table: FactTable, words: np.ndarray, files: np.ndarray
    ) -> tuple[list[FamilyName], np.ndarray]:
        """Return words of files, each once in a family of languages, and which one each is."""
        of_file = self._tree.definitions.family
        families = sorted(set(of_file.values()))
        number = np.zeros(self._tree.graph.files, np.int64)
        number[list(of_file)] = [families.index(family) for family in of_file.values()]
        keys = number[files] * table.words + words
        distinct = unique(keys)
        names = [
            (table.word(key % table.words), families[key // table.words])
            for key in distinct.tolist()
        ]
        return names, np.searchsorted(distinct, keys)

    def _place_in_sources(self, edges: np.ndarray, using: np.ndarray) -> None:
        """Give edges from a definition of another file than that of the use the line of it.

        Any file may assign a variable, or store a function in a field, on which this one depends.
        using: the file of the use of each edge.
        """
        definitions = self._tree.definitions
        source = edges[:, 1]
        named = np.flatnonzero(source < len(definitions))
        file = np.asarray(definitions.file, np.int64)
        other = named[file[source[named]] != using[named]]
        edges[other, 4] = np.asarray(definitions.line, np.int64)[source[other]]


def _with_spread(edges: np.ndarray) -> np.ndarray:
    """Return edges, of which those from a field tell how many functions are stored in it.

    Those of a field with very many are left out.
    """
    stored = np.flatnonzero(edges[:, 2] == EDGE_KINDS.index(STORED_KIND))
    nodes = int(edges[:, :2].max(initial=0)) + 1
    fields = unique(edges[stored, 1] * nodes + edges[stored, 0]) // nodes
    counts = np.bincount(fields, minlength=nodes)
    edges[stored, 3] = counts[edges[stored, 1]]
    kept: np.ndarray = np.delete(edges, stored[edges[stored, 3] > MOST_FOLLOWED], axis=0)
    return kept


def _by_class(arrays: Mapping[str, np.ndarray]) -> dict[int, list[int]]:
    """Return the bases of each class that has some."""
    bases: dict[int, list[int]] = {}
    columns = (arrays[column].tolist() for column in BASE_RUNS["base"])
    for number, base in zip(*columns, strict=True):
        bases.setdefault(number, []).append(base)
    return bases


def _rows_of(ends: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Return the rows in whose runs a mask is true: int64."""
    return unique(np.searchsorted(ends, np.flatnonzero(mask), side="right") - 1)


def _with(
    known: FactTable, place: np.ndarray, runs: Runs, made: Mapping[str, Sequence[Sequence[Any]]]
) -> dict[str, np.ndarray]:
    """Return known rows and those that were made, which take the places below 0, in order."""
    arrays: dict[str, np.ndarray] = {}
    for run, columns in runs.items():
        rows = [row for own in made[run] for row in own]
        values = np.asarray(rows, np.int64).reshape(-1, len(columns))
        arrays[f"{run}_ends"] = offsets(list(map(len, made[run])))
        arrays |= {column: values[:, i] for i, column in enumerate(columns)}
    places = place.copy()
    fresh = place < 0
    places[fresh] = ~np.arange(np.count_nonzero(fresh))
    found = merged(known, FactTable(arrays), places, runs)
    return dict(found.arrays)


def _distinct(edges: np.ndarray) -> np.ndarray:
    """Return edges in order, of several between two nodes the first one."""
    target, source, kind, spread, line = edges.T
    nodes = int(edges[:, :2].max(initial=0)) + 1
    weight = (((kind << _SPREAD_BITS) + spread) << _LINE_BITS) + line
    ends = target * nodes + source
    order = np.lexsort((weight, ends))
    first = np.diff(ends[order], prepend=-1) != 0
    distinct: np.ndarray = edges[order[first]]
    return distinct


def _narrowed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: narrowed(array) if array.ndim == 1 and array.dtype != np.uint8 else array
        for name, array in arrays.items()
    }
