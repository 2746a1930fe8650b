"""Metrics of a dependency graph, computed once and cached: PageRank, components, cycles.

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
    from gitsearch.graph.components import components
    from gitsearch.graph.cycles import cycle_labels
    from gitsearch.graph.pagerank import pagerank

    trace.count("shapes worked out")
    aside = np.asarray([path_kinds.noise(path) & ASIDE > 0 for path in code.paths], bool)
    aside &= not aside.all()
    rank = pagerank(*code.pairs, len(code))
    arrays, meta = components(code.paths, rank, *code.among(~aside))
    imports = ~code.used
    circle = cycle_labels(code.source[imports], code.target[imports], len(code))
    integers = {"aside": aside.astype(np.int64), "circle": circle, **arrays}
    return {"rank": rank} | {name: narrowed(array) for name, array in integers.items()}, meta
