"""`git search architecture`: components, their dependencies, roles of files, import cycles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.overview import ArchitectureReport, Component, Need, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.graph_metrics import GraphMetrics
    from gitsearch.index.session import Session

# Files that stand for a component: those of the highest rank.
_CORE = 5


class ArchitectureRequest(NamedTuple):
    """The tree of the architecture."""

    at: str | None = None
    cached: bool = False


def architecture(session: Session, request: ArchitectureRequest) -> ArchitectureReport:
    """The architecture of the code of a tree, without tests, examples and the like."""
    from gitsearch.commands.code_graph import open_code_graph
    from gitsearch.graph.graph_metrics import metrics_of

    code_graph = open_code_graph(select_tree(session, at=request.at, cached=request.cached))
    shape = metrics_of(code_graph.opened.session, code_graph.graph)
    return ArchitectureReport(
        code_graph.opened.tree,
        code_graph.opened.view.coverage(),
        tuple(_components(shape)),
        tuple(_roles(shape)),
        tuple(_cycles(shape)),
        int(shape.aside.sum()),
        code_graph.opened.warnings,
    )


def _components(shape: GraphMetrics) -> Iterator[Component]:
    arrays, names = shape.arrays, shape.names
    needs: list[list[Need]] = [[] for _ in names]
    links = (arrays[name].tolist() for name in ("link_from", "link_to", "link_count"))
    for source, target, count in zip(*links, strict=True):
        needs[source].append(Need(names[target], count))
    for number, name in enumerate(names):
        own = np.flatnonzero(arrays["component"] == number)
        core = own[np.argsort(-shape.rank[own], kind="stable")][:_CORE].tolist()
        yield Component(
            name,
            len(own),
            int(arrays["layer"][number]),
            tuple(os.fsdecode(shape.code.paths[file]) for file in core),
            tuple(sorted(needs[number], key=lambda need: (-need.edges, need.name))),
        )


def _roles(shape: GraphMetrics) -> Iterator[Role]:
    """The role of each file of the main code, by its imports."""
    from gitsearch.graph.components import ROLES, roles

    code, names = shape.code, shape.names
    main = ~shape.aside
    source, target = code.among(main)
    pairs = np.unique(np.stack([source, target], axis=1), axis=0).astype(np.int64)
    into, out = (np.bincount(pairs[:, side], minlength=len(code)) for side in (1, 0))
    numbers = roles(into, out)
    component = shape.arrays["component"].tolist()
    for file in np.flatnonzero(main).tolist():
        name = names[component[file]] if component[file] >= 0 else None
        role = ROLES[int(numbers[file])]
        yield Role(os.fsdecode(code.paths[file]), role, name, int(into[file]), int(out[file]))


def _cycles(shape: GraphMetrics) -> list[tuple[str, ...]]:
    """Cycles of imports, the largest first."""
    circle = shape.arrays["circle"].astype(np.int64)
    cycles = [
        tuple(os.fsdecode(shape.code.paths[file]) for file in np.flatnonzero(circle == number))
        for number in range(int(circle.max(initial=-1)) + 1)
    ]
    return sorted(cycles, key=lambda files: (-len(files), files))
