"""What depends on some files: the graph walked backwards, nearest first, each with its reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import unique
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.graph.graph import Edge, Graph
    from gitsearch.records import Import

# Kinds of imports that hand on what they import, and files that do so by their name.
_HANDS_ON = "export"
_HANDING_ON = frozenset({b"__init__.py", b"__init__.pyi"})
_WHOLE = "*"

# How languages write "of": Foo::bar, foo.bar, Foo#bar, foo->bar
_SEPARATORS = re.compile(r"::|->|[.#]")

# Kinds of imports that are shown as what they are; the others are plain imports.
_SHOWN = frozenset({"dynamic", "export"})


# Which of some files use one of some names.
Users = Callable[[set[int], frozenset[str]], set[int]]

# Whether a file offers itself what it imports.
Handing = Callable[["Graph", int, "Import"], bool]


def is_reexport(graph: Graph, file: int, imported: Import) -> bool:
    """Whether a file imports something in order to offer it itself."""
    name = graph.path(file).rpartition(b"/")[2]
    return imported.kind == _HANDS_ON or name in _HANDING_ON


class Names(NamedTuple):
    """The names of a file that matter; none: all of it.

    used: what somebody who depends on them says; handed: what a file imports that hands them on,
    which of a member may be the type around it.
    """

    used: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()


ALL = Names()


def names_of(symbol: str) -> Names:
    """What matters of a definition with this qualified name."""
    parts = [part for part in _SEPARATORS.split(symbol) if part]
    return Names(frozenset(parts[-1:]), frozenset(parts))


def union_of(names: Sequence[Names]) -> Names:
    """What matters when all of these do."""
    if any(not one.used for one in names):
        return ALL
    used, handed = (frozenset[str]().union(*some) for some in zip(*names, strict=True))
    return Names(used, handed)


class Dependents(NamedTuple):
    """Files that depend on targets, in columns: the next file of each on its way there, and why.

    The next file is a target, or stands before this one; `certain` is whether every edge of the
    way is resolved.
    """

    files: list[int]
    following: list[int]
    kinds: list[str]
    lines: list[int]
    certain: list[bool]


def dependents(
    graph: Graph,
    targets: Mapping[int, Names],
    users: Users,
    hops: int | None = None,
) -> Dependents:
    """All files that depend on the targets, by hops, then path.

    targets: files, each with the names that matter. Of the ways of one length a certain one is
    taken, then the one whose next file comes first.
    """
    walk = _Walk(graph, sorted(targets))
    level = dict(targets)
    while level and (hops is None or hops > 0):
        hops = None if hops is None else hops - 1
        level = walk.step(level, users)
    return walk.found()


class _Walk:
    """How far the targets are reached: by file the edge that leads on, or -1."""

    def __init__(self, graph: Graph, targets: Sequence[int]) -> None:
        self._graph = graph
        self._targets = targets
        self._edge = np.full(graph.files, -1, np.int64)
        self._certain = np.ones(graph.files, bool)
        self._seen = np.zeros(graph.files, bool)
        self._seen[targets] = True
        self._order: list[np.ndarray] = []

    def step(self, level: Mapping[int, Names], users: Users) -> dict[int, Names]:
        """Reach the files that depend on those of a level, with the names that matter of each."""
        whole = [file for file, names in level.items() if not names.used]
        through: dict[int, list[Names]] = {}
        edges = [self._graph.back(np.asarray(sorted(whole), np.int64))]
        for file in sorted(level.keys() - whole):
            some = list(self._graph.into(file))
            for edge, left in _through(self._graph, some, level[file], users):
                edges.append(np.asarray([edge.number]))
                through.setdefault(edge.source, []).append(left)
        fresh = self._reach(np.concatenate(edges))
        if not through:
            return dict.fromkeys(fresh.tolist(), ALL)
        sure = set(self._graph.arrays["edge_source"][edges[0]].tolist())
        return {file: ALL if file in sure else union_of(through[file]) for file in fresh.tolist()}

    def _reach(self, edges: np.ndarray) -> np.ndarray:
        """Take the best edge of each file that is new; returns these files, ascending."""
        arrays = self._graph.arrays
        edges = edges[~self._seen[arrays["edge_source"][edges]]]
        source, target = arrays["edge_source"][edges], arrays["edge_target"][edges]
        unsure = (arrays["edge_ambiguous"][edges] != 0) | ~self._certain[target]
        # the least is the best: certain ones first, and numbers go by source, target and import
        known = len(arrays["edge_source"])
        best = np.full(self._graph.files, 2 * known, np.int64)
        np.minimum.at(best, source, edges + known * unsure)
        files = np.flatnonzero(best < 2 * known)
        self._edge[files] = best[files] % known
        self._certain[files] = best[files] < known
        self._seen[files] = True
        self._order.append(files)
        return files

    def found(self) -> Dependents:
        """All that was reached."""
        files = np.concatenate([np.zeros(0, np.int64), *self._order])
        edges = self._edge[files]
        following = self._graph.arrays["edge_target"][edges].tolist()
        kinds, lines = _reasons(self._graph, edges)
        return Dependents(files.tolist(), following, kinds, lines, self._certain[files].tolist())


def _reasons(graph: Graph, edges: np.ndarray) -> tuple[list[str], list[int]]:
    """What the imports of edges are called where they are shown, and their lines.

    A use has no line: 1 stands for it.
    """
    arrays = graph.arrays
    place = arrays["edge_place"][edges].astype(np.int64)
    said = np.flatnonzero(place != USED)
    at = arrays["import_ends"][arrays["edge_source"][edges[said]]] + place[said]
    lines = np.ones(len(edges), np.int64)
    lines[said] = arrays["import_line"][at]
    kinds = np.full(len(edges), USED, np.int64)
    kinds[said] = arrays["import_kind"][at]
    words = {number: graph.table.word(number) for number in unique(kinds[said]).tolist()}
    shown = {number: word if word in _SHOWN else "import" for number, word in words.items()}
    shown[USED] = "reference"
    return [shown[number] for number in kinds.tolist()], lines.tolist()


def direct_users(graph: Graph, file: int, names: Names, users: Users) -> list[int]:
    """The files that use names of a file, also by way of files that hand these on, by path."""
    return sorted({edge.source for edge in using_edges(graph, file, names, users)})


def using_edges(
    graph: Graph, file: int, names: Names, users: Users, handing: Handing = is_reexport
) -> list[Edge]:
    """The edges by which files use names of a file, also by way of files that hand these on."""
    found: dict[int, Edge] = {}
    seen = {file}
    todo = [file]
    while todo:
        into = list(graph.into(todo.pop()))
        for edge, left in _through(graph, into, names, users, handing):
            if left.used and edge.source not in seen:
                seen.add(edge.source)
                todo.append(edge.source)
            found[edge.number] = edge
    return list(found.values())


def _through(
    graph: Graph,
    edges: Sequence[Edge],
    names: Names,
    users: Users,
    handing: Handing = is_reexport,
) -> Iterator[tuple[Edge, Names]]:
    """The edges that matter, each with the names of its source that do."""
    if not names.used:
        yield from ((edge, ALL) for edge in edges)
        return
    using = users({edge.source for edge in edges}, names.used)
    for edge in edges:
        own = _handed_on(graph, edge, handing)
        if _WHOLE in own or names.handed & own:
            yield edge, names
        elif edge.source in using:
            yield edge, ALL


def _handed_on(graph: Graph, edge: Edge, handing: Handing) -> set[str]:
    """The names that a file imports from another to offer them itself; "*": all of them."""
    if edge.place == USED:
        return set()
    imported = graph.row(edge.source).imports[edge.place]
    if not handing(graph, edge.source, imported):
        return set()
    found = {part.split(" as ")[0].strip() for part in imported.names.split(",")}
    return found - {""} or {_WHOLE}
