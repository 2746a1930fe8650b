"""The shape of a graph: ranks, components and circles of its code, worked out once and kept.

A shape is named after all it is made of, the paths of code and the edges among them: where a
change of the tree changes neither, the shape of the new graph is the kept one of the old.
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
from gitsearch.index.view_store import open_view_store
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitsearch.git.repo import Repo
    from gitsearch.graph.graph import Graph
    from gitsearch.settings import Settings
    from gitsearch.store.sections import Sections

# How ranks, components and names are worked out, and the arrays that hold them:
# 1: first version
SHAPE_VERSION = 1

# What does not belong to the program itself: a reader comes for the rest.
ASIDE = (
    path_kinds.TEST
    | path_kinds.EXAMPLE
    | path_kinds.DOCS
    | path_kinds.VENDORED
    | path_kinds.GENERATED
)

# What a file of a shape holds, as docs/format.md has it.
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
    """The files of a graph that are code, numbered by path, and the certain edges among them.

    files: their numbers in the graph; source, target: one an edge, as often as there are imports
    and uses; used: whether an edge is a use of names, which no import says.
    """

    def __init__(self, graph: Graph) -> None:
        spoken = [_is_code(name) for name in graph.meta["languages"]]
        language = graph.arrays["language"].astype(np.int64)
        code = np.asarray(spoken, bool)[language] & (graph.arrays["searched"] > 0)
        self._graph = graph
        self.files = np.flatnonzero(code)
        number = np.full(graph.files, -1, np.int64)
        number[self.files] = np.arange(len(self.files))
        ends = [number[graph.arrays[name].astype(np.int64)] for name in _ENDS]
        sure = (graph.arrays["edge_ambiguous"] == 0) & (ends[0] >= 0) & (ends[1] >= 0)
        self.source, self.target = ends[0][sure], ends[1][sure]
        self.used = graph.arrays["edge_place"][sure] == USED

    def __len__(self) -> int:
        """How many files there are."""
        return len(self.files)

    @cached_property
    def paths(self) -> list[bytes]:
        """The path of each file."""
        return [self._graph.path(file) for file in self.files.tolist()]

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets of the edges, each pair once."""
        size = max(len(self), 1)
        return np.divmod(np.unique(self.source * size + self.target), size)

    def among(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sources and targets of the edges between files of a mask."""
        both = chosen[self.source] & chosen[self.target]
        return self.source[both], self.target[both]

    def digest(self) -> str:
        """A hash of the paths and edges."""
        found = hashlib.blake2b(b"\0".join(self.paths), digest_size=20)
        for ends in (self.source, self.target, self.used.astype(np.int64)):
            found.update(b"\0" + ends.astype("<i8").tobytes())
        return found.hexdigest()


_ENDS = ("edge_source", "edge_target")


def _is_code(name: str) -> bool:
    language = LANGUAGES.get(name)
    return language is not None and language.content == "code"


class GraphMetrics:
    """What is worked out from the code of a graph.

    arrays: aside (1: no part of the program itself), rank, circle and component of each file of
    code (-1: in none), and what else `components` gives; in a repository that has nothing but
    tests, examples and the like, these are the program.
    """

    def __init__(self, code: Code, arrays: Mapping[str, np.ndarray], meta: dict[str, Any]) -> None:
        self.code = code
        self.arrays = arrays
        self.meta = meta
        self.rank: np.ndarray = arrays["rank"]
        self.aside: np.ndarray = arrays["aside"] > 0

    @property
    def names(self) -> list[str]:
        """The names of the components."""
        found: list[str] = self.meta["names"]
        return found


def metrics_of(repo: Repo, settings: Settings, graph: Graph) -> GraphMetrics:
    """The shape of a graph; kept if that is possible at once."""
    store = open_view_store(repo, settings)
    with trace.stage("shape"):
        code = Code(graph)
        name = f"{layout.VIEWS}/{code.digest()}-{store.recipe}{layout.SHAPE}{SHAPE_VERSION}"
        found = cache_files.load(store.folder, name, lambda file: check(file, len(code)))
        if found is not None:
            return GraphMetrics(code, found.arrays, found.meta)
        arrays, meta = _made(code)
        cache_files.keep(store.folder, name, arrays, meta, f"*{layout.SHAPE}*")
        return GraphMetrics(code, arrays, meta)


def check(found: Sections, files: int | None = None) -> None:
    """Raise Damaged unless a file holds a shape, and one of so many files if that is known."""
    check_meta(found.meta, {"names": "list"}, found.name)
    sizes = {"C": len(found.meta["names"])} | ({} if files is None else {"N": files})
    check_arrays(found, ARRAYS, sizes)


def _made(code: Code) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Compute the arrays and meta, which imports igraph."""
    from gitsearch.graph.components import components
    from gitsearch.graph.pagerank import pagerank

    trace.count("shapes worked out")
    aside = np.asarray([path_kinds.noise(path) & ASIDE > 0 for path in code.paths], bool)
    aside &= not aside.all()
    rank = pagerank(*code.pairs, len(code))
    arrays, meta = components(code.paths, rank, *code.among(~aside))
    whole = {"aside": aside.astype(np.int64), "circle": _circles(code), **arrays}
    return {"rank": rank} | {name: narrowed(array) for name, array in whole.items()}, meta


def _circles(code: Code) -> np.ndarray:
    """The circle of imports that each file is in, by first file; -1: none."""
    from gitsearch.graph.cycles import relabel_by_first, strong_components

    said = ~code.used
    label = strong_components(code.source[said], code.target[said], len(code))
    inside = np.bincount(label, minlength=1)[label] > 1
    found = np.full(len(code), -1, np.int64)
    found[inside] = relabel_by_first(label[inside])
    return found
