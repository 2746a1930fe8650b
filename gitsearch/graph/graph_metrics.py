"""Metrics of a dependency graph, computed once and cached: PageRank, tiers, components, cycles.

The cache key is a hash of the paths of code files and the edges among them: a change of the tree
that changes neither finds the metrics of the earlier graph.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch import trace
from gitsearch.extract import path_kinds
from gitsearch.extract.languages import LANGUAGES
from gitsearch.features.ragged import narrowed
from gitsearch.graph.graph import USED
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitsearch.graph.graph import Graph
    from gitsearch.index.session import Session
    from gitsearch.store.sections import Sections

# The version of the algorithms for ranks, components and names, and of their arrays:
# 1: first version
SHAPE_VERSION = 1

# Files that are not part of the program itself; readers look for the program first.
ASIDE = (
    path_kinds.TEST
    | path_kinds.EXAMPLE
    | path_kinds.DOCS
    | path_kinds.VENDORED
    | path_kinds.GENERATED
)

# The arrays of a metrics file, as in docs/format.md.
ARRAYS: Arrays = {
    "aside": Array("uint", "N"),
    "rank": Array("float64", "N"),
    "circle": Array("int", "N", below="N"),
    "component": Array("int", "N", below="C"),
    "layer": Array("uint", "C"),
    "link_from": Array("uint", "L", below="C"),
    "link_to": Array("uint", "L", below="C"),
    "link_count": Array("uint", "L"),
}

DAMPING = 0.85

# The power iteration ends when the ranks change by less than this in one step, in sum.
_TOLERANCE = 1e-10

# Ranks that are equal by the structure of the graph differ in the last digits by the order of
# summation; ranks are rounded to this many decimals, so that ties are ties on every machine.
_DECIMALS = 12

TIERS = ("core", "significant", "peripheral")
# The share of all rank above the least rank that the core holds, and the core together with the
# significant files.
_SHARES = (0.5, 0.9)


class Code:
    """The subgraph of code files, numbered by path, with the unambiguous edges among them.

    files: their numbers in the graph, int64; source, target: the ends of each edge, int64, once
    for each import and use; used: a mask of the edges that are uses of names without an import.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        languages = map(LANGUAGES.get, graph.meta["languages"])
        is_code = [language is not None and language.content == "code" for language in languages]
        language = graph.arrays["language"].astype(np.int64)
        code = np.asarray(is_code, bool)[language] & (graph.arrays["searched"] > 0)
        self.files = np.flatnonzero(code)
        number = np.full(graph.files, -1, np.int64)
        number[self.files] = np.arange(len(self.files))
        source = number[graph.arrays["edge_source"].astype(np.int64)]
        target = number[graph.arrays["edge_target"].astype(np.int64)]
        kept = (graph.arrays["edge_ambiguous"] == 0) & (source >= 0) & (target >= 0)
        self.source, self.target = source[kept], target[kept]
        self.used = graph.arrays["edge_place"][kept] == USED

    def __len__(self) -> int:
        """The number of code files."""
        return len(self.files)

    @cached_property
    def paths(self) -> list[bytes]:
        """The path of each file, in ascending order."""
        return [self._graph.path(file) for file in self.files.tolist()]

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The sources and targets of the distinct edges: two arrays of int64."""
        size = max(len(self), 1)
        return np.divmod(np.unique(self.source * size + self.target), size)

    def among(self, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the sources and targets of the edges with both ends in a mask of files."""
        inside = mask[self.source] & mask[self.target]
        return self.source[inside], self.target[inside]

    def digest(self) -> str:
        """Return a hash of the paths and edges, in hexadecimal."""
        digest = hashlib.blake2b(b"\0".join(self.paths), digest_size=20)
        for ends in (self.source, self.target, self.used.astype(np.int64)):
            digest.update(b"\0" + ends.astype("<i8").tobytes())
        return digest.hexdigest()


class GraphMetrics:
    """PageRank, import cycles and components of the code files of a graph.

    arrays: for each code file aside (1: tests, examples and the like, not the program itself),
    rank, circle (its import cycle, -1: none) and component (-1: none), and the other arrays of
    `components`. In a repository that has nothing but tests, examples and the like, these count
    as the program. names: those of the components.
    """

    def __init__(self, code: Code, arrays: Mapping[str, np.ndarray], meta: dict[str, Any]) -> None:
        self.code = code
        self.arrays = arrays
        self.names: list[str] = meta["names"]
        self.rank: np.ndarray = arrays["rank"]
        self.aside: np.ndarray = arrays["aside"] > 0


def metrics_of(session: Session, graph: Graph) -> GraphMetrics:
    """Return the metrics of a graph from the cache; compute and cache them if they are missing.

    They are not cached if that is not possible at once.
    """
    store = session.store
    with trace.stage("shape"):
        code = Code(graph)
        name = f"{layout.VIEWS}/{code.digest()}-{store.recipe}{layout.SHAPE}{SHAPE_VERSION}"
        cached = cache_files.load(store.folder, name, lambda file: check(file, len(code)))
        if cached is not None:
            return GraphMetrics(code, cached.arrays, cached.meta)
        arrays, meta = _compute(code)
        cache_files.keep(store.folder, name, arrays, meta, f"*{layout.SHAPE}*")
        return GraphMetrics(code, arrays, meta)


def check(sections: Sections, files: int | None = None) -> None:
    """Raise Damaged unless the sections are valid metrics, of `files` code files if given."""
    check_meta(sections.meta, {"names": "list"}, sections.name)
    sizes = {"C": len(sections.meta["names"])} | ({} if files is None else {"N": files})
    check_arrays(sections, ARRAYS, sizes)


def _compute(code: Code) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Compute the arrays and meta, which imports igraph."""
    from gitsearch.graph.components import components, cycle_labels

    trace.count("shapes worked out")
    aside = np.asarray([path_kinds.noise(path) & ASIDE > 0 for path in code.paths], bool)
    aside &= not aside.all()
    rank = pagerank(*code.pairs, len(code))
    arrays, meta = components(code.paths, rank, *code.among(~aside))
    imports = ~code.used
    circle = cycle_labels(code.source[imports], code.target[imports], len(code))
    integers = {"aside": aside.astype(np.int64), "circle": circle, **arrays}
    return {"rank": rank} | {name: narrowed(array) for name, array in integers.items()}, meta


def pagerank(
    sources: np.ndarray, targets: np.ndarray, count: int, teleport: np.ndarray | None = None
) -> np.ndarray:
    """Compute the PageRank of each of `count` files: float64, with sum 1.

    Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998), with
    teleport vector t (not negative, not all 0; None: uniform) and links from the importing to the
    imported file, each pair given once. The rank r is the fixed point of:

        r[v] = d * (sum of r[u] / links of u, over u -> v  +  t[v] * sum of r[u] over u without
               links)  +  (1 - d) * t[v],    d = 0.85

    So the rank of a file without links is distributed by t, as are 15 % of the rank of all others.
    """
    if count == 0:
        return np.zeros(0)
    start = np.ones(count) if teleport is None else teleport
    start = start / _sum(start)
    links = np.bincount(sources, minlength=count)
    share = DAMPING / np.maximum(links, 1)
    dangling = np.flatnonzero(links == 0)
    rank = start
    change = 1.0
    while change > _TOLERANCE:
        previous = rank
        teleported = 1 - DAMPING + DAMPING * _sum(previous[dangling])
        linked = np.bincount(targets, (previous * share)[sources], minlength=count)
        rank = linked + teleported * start
        change = _sum(np.abs(rank - previous))
    return np.round(rank, _DECIMALS)


def _sum(values: np.ndarray) -> float:
    """Sum from left to right: the order of np.sum depends on the vector width of the machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def tiers(rank: np.ndarray) -> np.ndarray:
    """Classify files by rank; returns indexes into TIERS: int64.

    Every file has some rank, imported or not, so only the excess over the least rank counts. The
    core are the highest files that together hold half of all excess, and core and significant
    files hold nine tenths. Files of equal rank share a tier, and files without excess are
    peripheral.
    """
    excess = rank - rank.min(initial=np.inf)
    descending = np.sort(excess)[::-1]
    cumulative = np.cumsum(descending)
    tier_of = np.full(len(rank), len(_SHARES), np.int64)
    if len(rank) == 0 or cumulative[-1] <= 0:
        return tier_of
    for tier, share in reversed(list(enumerate(_SHARES))):
        last = int(np.searchsorted(cumulative, share * cumulative[-1]))
        tier_of[(excess >= descending[last]) & (excess > 0)] = tier
    return tier_of
