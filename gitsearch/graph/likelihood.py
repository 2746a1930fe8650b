"""Likelihood that a change of definitions matters to other definitions and files.

The likelihood of a node is the product of the factors of the edges on the best way from it to a
changed definition: an estimate of how often the node, when it runs, runs that. docs/graph.md
explains each constant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import unique
from gitsearch.graph.definition_graph import EDGE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.graph.definition_graph import DefinitionGraph

# The factor of an edge of each kind.
FACTORS = {
    "call": 0.9,
    "constructor": 0.95,
    "declaration": 0.95,
    "subclass": 0.7,
    "decorator": 0.95,
    "nested": 0.9,
    "variable": 0.7,
    "fixture": 0.7,
    "value": 0.7,
    "dynamic": 0.5,
    "candidate": 0.9,
    "override": 0.4,
    "special": 0.75,
    "callback": 0.5,
    "member": 0.25,
    "type": 0.05,
    "sibling": 0.1,
    "import": 0.3,
    "content": 0.1,
    "module": 0.05,
}

# The likelihood that what did not change in a changed file matters.
REST_OF_FILE = 0.05

# Kinds of edges whose factor is divided by the number of alternatives.
_SHARED = ("candidate", "declaration", "override")

# Kinds of edges that are sure, if the way from a definition to another has no other ones.
SURE = frozenset({"call", "constructor", "subclass", "decorator", "nested", "variable", "fixture"})

# Kinds of edges by which it is not known what runs. So code outside of tests does not reach what
# tests define: whoever makes such an object is a test.
_UNKNOWN = frozenset({"dynamic", "member", "override"})

# What is less likely is not followed any more.
FLOOR = 0.002

# The most edges on a way.
_STEPS = 40

CERTAIN, LIKELY, POSSIBLE = LABELS = ("certain", "likely", "possible")

# From which likelihood on a dependent has a label; and from which share of the greatest one, where
# all are small: then what is known leads to nothing better.
CERTAIN_FROM = 0.8
LIKELY_FROM, LIKELY_SHARE = 0.5, 0.7
POSSIBLE_FROM, POSSIBLE_SHARE = 0.1, 0.12

# The share of the words of a target, by weight, and the cosine of a test and a target that leave
# the odds of a test as they are.
_MENTIONED, _SIMILAR = 0.5, 0.25

# The unit of the last decimal that is told: what is no more than almost certain is less by it.
_LESS = 0.0001


class Step(NamedTuple):
    """An edge on a way: from a node to another by an edge of a kind at a line, and its factor."""

    node: int
    to: int
    kind: str
    line: int
    factor: float


class Reached:
    """The likelihood of each node of a graph, 0 where none is known, and the ways."""

    def __init__(
        self, graph: DefinitionGraph, seeds: Mapping[int, float], tests: Sequence[int] = ()
    ) -> None:
        """Search backwards from `seeds`, nodes with their own likelihood; `tests` are files."""
        self._graph = graph
        self._is_test = np.zeros(graph.files, bool)
        self._is_test[list(tests)] = True
        self.likelihood = np.zeros(graph.nodes)
        self._edge = np.full(graph.nodes, -1, np.int64)
        nodes = np.asarray(sorted(seeds), np.int64)
        self.likelihood[nodes] = [seeds[node] for node in nodes.tolist()]
        by_kind = np.asarray([FACTORS[kind] for kind in EDGE_KINDS])
        shared = np.asarray([kind in _SHARED for kind in EDGE_KINDS])
        self._factors = by_kind, shared
        self._unknown = np.asarray([kind in _UNKNOWN for kind in EDGE_KINDS])
        for _ in range(_STEPS):
            if not len(nodes):
                break
            nodes = self._step(nodes)

    def _step(self, nodes: np.ndarray) -> np.ndarray:
        """Follow the edges to nodes; returns the nodes that are more likely now."""
        arrays, likelihood = self._graph.arrays, self.likelihood
        edges = self._graph.in_edges(nodes)
        edges = edges[~self._into_tests(edges)]
        source = arrays["edge_source"][edges].astype(np.int64)
        found = likelihood[arrays["edge_target"][edges]] * self._factor(edges)
        better = (found > likelihood[source]) & (found >= FLOOR)
        edges, source, found = edges[better], source[better], found[better]
        np.maximum.at(likelihood, source, found)
        best = found == likelihood[source]
        # of equal ways the first counts
        self._edge[source[best][::-1]] = edges[best][::-1]
        return unique(source)

    def _into_tests(self, edges: np.ndarray) -> np.ndarray:
        """Return which edges lead, outside of tests, to what may be of tests only: bool."""
        arrays, file_of = self._graph.arrays, self._graph.file_of
        found: np.ndarray = self._unknown[arrays["edge_kind"][edges]]
        target = arrays["edge_target"][edges[found]].astype(np.int64)
        # a name is of the file of the likeliest member that has it
        member = np.where(file_of(target) < 0, arrays["edge_target"][self._edge[target]], target)
        source = file_of(arrays["edge_source"][edges[found]].astype(np.int64))
        found[found] = self._is_test[file_of(member)] & ~self._is_test[source] & (source >= 0)
        return found

    def _factor(self, edges: np.ndarray) -> np.ndarray:
        by_kind, shared = self._factors
        kind = self._graph.arrays["edge_kind"][edges]
        factor: np.ndarray = by_kind[kind]
        several = np.flatnonzero(shared[kind])
        factor[several] /= np.maximum(self._graph.arrays["edge_spread"][edges[several]], 1)
        return factor

    def support(self) -> np.ndarray:
        """Return the sum of the likelihoods of the nodes of each file: float64."""
        nodes = np.flatnonzero(self.likelihood > 0)
        files = self._graph.file_of(nodes)
        inside = files >= 0
        weights = self.likelihood[nodes[inside]]
        sums: np.ndarray = np.bincount(files[inside], weights, self._graph.files)
        return sums

    def by_file(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the files that were reached, ascending, and the likeliest node of each: int64."""
        nodes = np.flatnonzero(self.likelihood > 0)
        files = self._graph.file_of(nodes)
        nodes, files = nodes[files >= 0], files[files >= 0]
        order = np.lexsort((nodes, -self.likelihood[nodes], files))
        nodes, files = nodes[order], files[order]
        first = np.ones(len(files), bool)
        first[1:] = files[1:] != files[:-1]
        return files[first], nodes[first]

    def steps(self, nodes: np.ndarray) -> list[Step]:
        """Return the first step of the ways of some nodes, and of all nodes on these ways.

        The likeliest come first, so that what a step leads to has its own step before it: all but
        the seeds where ways end, which have none.
        """
        arrays = self._graph.arrays
        on_way = np.zeros(len(self._edge), bool)
        while len(nodes):
            on_way[nodes] = True
            edges = self._edge[nodes]
            nodes = unique(arrays["edge_target"][edges[edges >= 0]].astype(np.int64))
            nodes = nodes[~on_way[nodes]]
        sources = np.flatnonzero(on_way & (self._edge >= 0))
        # each node on a way is likelier than the one before, so ways end
        sources = sources[np.argsort(-self.likelihood[sources], kind="stable")]
        edges = self._edge[sources]
        targets = arrays["edge_target"][edges].tolist()
        kinds = [EDGE_KINDS[kind] for kind in arrays["edge_kind"][edges].tolist()]
        lines = arrays["edge_line"][edges].tolist()
        factors = self._factor(edges).tolist()
        return list(map(Step, sources.tolist(), targets, kinds, lines, factors))


def raised(likelihood: float, shares: Iterable[float]) -> float:
    """Return a likelihood with more evidence, each piece of which is right in a share of cases.

    The pieces count as independent (noisy or). No number of them makes a dependent certain.
    """
    most = 1.0 if likelihood >= CERTAIN_FROM else CERTAIN_FROM - _LESS
    return likelihood + (most - likelihood) * (1 - math.prod(1 - share for share in shares))


def weighed(
    likelihood: float,
    mentioned: float | None,
    similar: float | None = None,
    together: float = 0.0,
) -> float:
    """Return the likelihood of a test that has words of the target, is like it, changed with it.

    mentioned: the share of the words, 0 to 1; similar: the cosine of its nearest place, 0 to 1;
    None: not known, and counts nothing; together: the share of changes, 0 to 1. The odds are
    multiplied by e^(mentioned - .5 + similar - .25 + together), that is by .5 to 9.5.
    """
    if likelihood >= 1:
        return likelihood
    weight = together
    weight += 0.0 if mentioned is None else mentioned - _MENTIONED
    weight += 0.0 if similar is None else similar - _SIMILAR
    odds = likelihood / (1 - likelihood) * math.exp(weight)
    return odds / (1 + odds)


def label_of(likelihood: float, greatest: float) -> str | None:
    """Return the label of a likelihood, None if it is too small.

    greatest: that of the likeliest dependent: among tests of the likeliest test.
    """
    if likelihood >= CERTAIN_FROM:
        return CERTAIN
    if likelihood >= min(LIKELY_FROM, LIKELY_SHARE * greatest):
        return LIKELY
    return POSSIBLE if likelihood >= min(POSSIBLE_FROM, POSSIBLE_SHARE * greatest) else None
