"""Differences between the dependency graphs of two trees: edges, dependents, cycles, exports."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.symbol_kinds import PLACES
from gitsearch.git import blobs
from gitsearch.graph.components import cycle_labels
from gitsearch.graph.dependents import ALL, dependents, names_of, using_edges
from gitsearch.graph.graph import USED
from gitsearch.graph.project import RESOLVER_OF

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_users import NameUsers
    from gitsearch.records import Definition, TreeChange, TreeEntry

# Kinds whose signature contains a value, which may change.
_VALUES = frozenset({"variable", "constant", "field", "property", "enumerator"})

# The signatures of each exported qualified name.
_Exports = dict[str, set[str]]

# Edges through which a shortest cycle is searched: one cycle is enough to show the problem.
_MAX_START_EDGES = 50

# The numbers of the ends of an edge, and their paths.
_Edge = tuple[int, int]
_Pair = tuple[bytes, bytes]


class GraphDiff:
    """The difference between an earlier and a later graph."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self.old = old
        self.new = new

    def edges(self) -> tuple[list[_Pair], list[_Pair]]:
        """Return the added and the removed edges, as sorted paths of source and target."""
        before, after = _pairs(self.old), _pairs(self.new)
        return sorted(after - before), sorted(before - after)

    def dependents(self, targets: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Return the added and the removed transitive dependents of `targets`, as sorted paths."""
        paths = list(targets)
        before, after = (_dependents(graph, paths) for graph in (self.old, self.new))
        return sorted(after - before), sorted(before - after)

    @cached_property
    def cycles(self) -> list[list[bytes]]:
        """A shortest cycle of each set of files that form a cycle only in the later graph."""
        old, new = self.old, self.new
        before = [{old.path(file) for file in members} for members in cycles(old)]
        added = []
        for members in cycles(new):
            paths = {new.path(file) for file in members}
            if not any(paths <= known for known in before):
                added.append([new.path(file) for file in self._new_cycle(members)])
        return sorted(added)

    def _new_cycle(self, members: list[int]) -> list[int]:
        """Return the shortest cycle of `members` with an edge that only the later graph has."""
        edges = _among(self.new, members)
        paths = {file: self.new.path(file) for file in members}
        earlier = [file for path in paths.values() if (file := self.old.file(path)) >= 0]
        known = {
            (self.old.path(source), self.old.path(target))
            for source, target in _among(self.old, sorted(earlier))
        }
        added = [edge for edge in edges if (paths[edge[0]], paths[edge[1]]) not in known]
        return shortest_cycle(members, edges, added) or shortest_cycle(members, edges, edges)


def _among(graph: Graph, members: list[int]) -> list[tuple[int, int]]:
    source, target = graph.arrays["edge_source"], graph.arrays["edge_target"]
    inside = certain_imports(graph) & np.isin(source, members) & np.isin(target, members)
    return sorted(set(zip(source[inside].tolist(), target[inside].tolist(), strict=True)))


def _pairs(graph: Graph) -> set[_Pair]:
    ends = (
        map(graph.path, graph.arrays[name].tolist()) for name in ("edge_source", "edge_target")
    )
    return set(zip(*ends, strict=True))


def _dependents(graph: Graph, paths: Iterable[bytes]) -> set[bytes]:
    targets = {file: ALL for path in paths if (file := graph.file(path)) >= 0}
    reached = dependents(graph, targets, None)
    return {graph.path(file) for file in reached.files}


def certain_imports(graph: Graph) -> np.ndarray:
    """Return a mask, bool (edges), of the edges that are imports and not ambiguous."""
    arrays = graph.arrays
    mask: np.ndarray = (arrays["edge_place"] != USED) & (arrays["edge_ambiguous"] == 0)
    return mask


def shortest_cycle(
    members: Sequence[int], edges: Iterable[_Edge], required: Iterable[_Edge]
) -> list[int]:
    """Find the shortest cycle among `members` that contains an edge of `required`.

    The cycle begins with its lowest file number; of cycles of equal length the lexicographically
    first is returned. Returns an empty list if there is no cycle. Only the first 50 edges of
    `required` are tried.
    """
    successors: dict[int, list[int]] = {file: [] for file in members}
    for source, target in edges:
        successors[source].append(target)
    candidates = []
    for source, target in sorted(required)[:_MAX_START_EDGES]:
        if path := _shortest_path(successors, target, source):
            start = path.index(min(path))
            candidates.append([*path[start:], *path[:start]])
    return min(candidates, key=lambda cycle: (len(cycle), cycle), default=[])


def _shortest_path(successors: Mapping[int, Sequence[int]], start: int, end: int) -> list[int]:
    """Breadth-first search; returns the path with both ends, or an empty list."""
    predecessor = {start: start}
    queue = [start]
    for file in queue:
        if end in predecessor:
            break
        for target in sorted(successors[file]):
            if target not in predecessor:
                predecessor[target] = file
                queue.append(target)
    if end not in predecessor:
        return []
    path = [end]
    while path[-1] != start:
        path.append(predecessor[path[-1]])
    return path[::-1]


def cycles(graph: Graph) -> list[list[int]]:
    """Return the sets of files that import each other, directly or not, by certain imports.

    Each set is a strongly connected component of more than one file, in ascending order of file
    numbers; sets are in the order of their first files.
    """
    mask = certain_imports(graph)
    sources, targets = graph.arrays["edge_source"][mask], graph.arrays["edge_target"][mask]
    label = cycle_labels(sources, targets, graph.files)
    members: dict[int, list[int]] = {}
    for file in np.flatnonzero(label >= 0).tolist():
        members.setdefault(int(label[file]), []).append(file)
    return list(members.values())


class ExportChange(NamedTuple):
    """A definition that is removed (`after` is empty) or has another signature.

    users: files of the later graph that use its name, each with the name.
    """

    path: bytes
    symbol: str
    before: str
    after: str
    users: tuple[tuple[int, str], ...]


def changed_exports(
    repo: Repo, changes: Sequence[TreeChange], old: Graph, new: Graph, users: NameUsers
) -> list[ExportChange]:
    """Return the definitions that changes remove or give another signature, by path and name.

    A definition whose name begins with an underscore is left out unless it is used.
    """
    entries = [side for change in changes for side in (change.old, change.new) if side]
    exports = _exports(repo, [entry for entry in entries if entry.regular])
    lost = []
    for change in changes:
        if change.old is None:
            continue
        before = exports.get((change.old.oid, change.path), {})
        after = exports.get((change.new.oid, change.path), {}) if change.new else {}
        for symbol in sorted(before):
            now = after.get(symbol, set())
            if not before[symbol] <= now:
                was, is_now = (" ".join(sorted(texts)) for texts in (before[symbol], now))
                lost.append(ExportChange(change.path, symbol, was, is_now, ()))
    # the syntax trees of all files with one of the names are looked at together
    written = {pair for export in lost for pair in _users(old, new, export, users)}
    code_users = users.in_code(written)
    changed = [export._replace(users=_users(old, new, export, code_users)) for export in lost]
    return [
        export
        for export in changed
        if export.users or not export.symbol.rpartition(".")[2].startswith("_")
    ]


def _users(
    old: Graph, new: Graph, export: ExportChange, users: NameUsers
) -> tuple[tuple[int, str], ...]:
    """Return the users of a name of a file, each with the name.

    For a removed file these are the files that imported it and still contain the name.
    """
    names = names_of(export.symbol)
    file = new.file(export.path)
    if file >= 0:
        using = {edge.source for edge in using_edges(new, file, names, users)}
    else:
        importing = {
            new.file(old.path(edge.source)) for edge in old.in_edges(old.file(export.path))
        }
        using = users.among(importing - {-1}, names.used)
    (name,) = names.used
    return tuple((user, name) for user in sorted(using))


def _exports(repo: Repo, entries: Sequence[TreeEntry]) -> dict[tuple[str, bytes], _Exports]:
    """Extract the exported definitions of files, by object id and path."""
    # parsers are loaded only where something must be parsed
    from gitsearch.extract.languages import hint
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey, defined

    wanted = [entry for entry in entries if hint(entry.path) in RESOLVER_OF]
    texts = dict(blobs.read_blobs(repo, list(dict.fromkeys(entry.oid for entry in wanted))))
    read = [(entry, text) for entry in wanted if (text := texts[entry.oid]) is not None]
    batch = [(BlobKey(entry.oid, hint(entry.path), forced=True), text) for entry, text in read]
    found = each(defined, batch, sum(len(text) for _, text in batch))
    return {
        (entry.oid, entry.path): _exported(own or ())
        for (entry, _), own in zip(read, found, strict=True)
    }


def _exported(definitions: Sequence[Definition]) -> _Exports:
    """Return those of a file's definitions that are not local to a function, with signatures."""
    out: _Exports = {}
    is_container: list[bool] = []
    for one in definitions:
        exported = one.parent < 0 or is_container[one.parent]
        is_container.append(exported and one.kind in PLACES)
        if exported:
            shown = one.qualified if one.kind in _VALUES else one.signature
            out.setdefault(one.qualified, set()).add(shown)
    return out
