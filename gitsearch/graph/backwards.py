"""What depends on some files: the graph walked backwards, nearest first, each with its reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.graph.graph import Edge, Graph

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


def united(names: Sequence[Names]) -> Names:
    """What matters when all of these do."""
    if any(not one.used for one in names):
        return ALL
    used, handed = (frozenset[str]().union(*some) for some in zip(*names, strict=True))
    return Names(used, handed)


class Dependent(NamedTuple):
    """A file that depends on a target: its next file on the way there, and why.

    `files` leads from this file to the target; `certain` is whether every edge on it is resolved.
    """

    files: tuple[int, ...]
    kind: str
    line: int
    certain: bool


def dependents(
    graph: Graph,
    targets: Mapping[int, Names],
    users: Users,
    hops: int | None = None,
) -> list[Dependent]:
    """All files that depend on the targets, by hops, then path.

    targets: files, each with the names that matter. Of the ways of one length a certain one is
    taken, then the one whose next file comes first.
    """
    found: dict[int, Dependent] = {file: Dependent((file,), "", 0, True) for file in targets}
    level = dict(targets)
    out: list[Dependent] = []
    while level and (hops is None or hops > 0):
        hops = None if hops is None else hops - 1
        reached: dict[int, tuple[Dependent, list[Names]]] = {}
        for file in sorted(level):
            edges = [edge for edge in graph.into(file) if edge.source not in found]
            for edge, names in _through(graph, edges, level[file], users):
                one = _dependent(graph, edge, found[file])
                known, through = reached.get(edge.source, (one, []))
                better = one if one.certain and not known.certain else known
                reached[edge.source] = better, [*through, names]
        for file in sorted(reached):
            found[file] = reached[file][0]
            out.append(found[file])
        level = {file: united(names) for file, (_, names) in reached.items()}
    return out


def direct_users(graph: Graph, file: int, names: Names, users: Users) -> list[int]:
    """The files that use names of a file, also by way of files that hand these on, by path."""
    found: set[int] = set()
    seen = {file}
    todo = [file]
    while todo:
        for edge, left in _through(graph, list(graph.into(todo.pop())), names, users):
            if left.used and edge.source not in seen:
                seen.add(edge.source)
                todo.append(edge.source)
            found.add(edge.source)
    return sorted(found)


def _dependent(graph: Graph, edge: Edge, below: Dependent) -> Dependent:
    return Dependent(
        (edge.source, *below.files),
        kind_of(graph, edge.source, edge.place),
        graph.line(edge.source, edge.place),
        below.certain and not edge.ambiguous,
    )


def kind_of(graph: Graph, file: int, place: int) -> str:
    """What an import is called where it is shown."""
    if place == USED:
        return "reference"
    kind = graph.row(file).imports[place].kind
    return kind if kind in _SHOWN else "import"


def _through(
    graph: Graph, edges: Sequence[Edge], names: Names, users: Users
) -> Iterator[tuple[Edge, Names]]:
    """The edges that matter, each with the names of its source that do."""
    if not names.used:
        yield from ((edge, ALL) for edge in edges)
        return
    using = users({edge.source for edge in edges}, names.used)
    for edge in edges:
        own = _handed_on(graph, edge)
        if _WHOLE in own or names.handed & own:
            yield edge, names
        elif edge.source in using:
            yield edge, ALL


def _handed_on(graph: Graph, edge: Edge) -> set[str]:
    """The names that a file imports from another to offer them itself; "*": all of them."""
    if edge.place == USED:
        return set()
    imported = graph.row(edge.source).imports[edge.place]
    name = graph.path(edge.source).rpartition(b"/")[2]
    if imported.kind != _HANDS_ON and name not in _HANDING_ON:
        return set()
    found = {part.split(" as ")[0].strip() for part in imported.names.split(",")}
    return found - {""} or {_WHOLE}
