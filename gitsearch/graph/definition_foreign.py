"""Files whose definitions are not followed, and that use files whose definitions are.

Java may be used by Scala, and TypeScript by a component. Such a file is one node: it leads to each
definition of a file it imports whose name it says, and further files of its kind lead to it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.definition_lookup import DefinitionTree


class ForeignUse(NamedTuple):
    """A file that says the name of a definition, or -1 for one that imports the file `target`."""

    source: int
    target: int
    definition: int
    line: int


def foreign_uses(tree: DefinitionTree) -> Iterator[ForeignUse]:
    """Yield the uses from files that have no facts, with each file that leads to such a one."""
    graph, definitions = tree.graph, tree.definitions
    source = graph.arrays["edge_source"].astype(np.int64)
    target = graph.arrays["edge_target"].astype(np.int64)
    followed = np.zeros(graph.files, bool)
    followed[tree.rows.files] = True
    reached = followed.copy()
    foreign = ~followed[source]
    # files that lead to followed ones by files that are not followed themselves
    while len(fresh := unique(source[foreign & reached[target] & ~reached[source]])):
        reached[fresh] = True
    names = cache(lambda file: graph.row(file).names)
    for number in np.flatnonzero(foreign & reached[target]).tolist():
        edge = graph.edge(number)
        line = graph.line(edge.source, edge.place)
        yield ForeignUse(edge.source, edge.target, -1, line)
        if followed[edge.target]:
            for definition in definitions.of_file(edge.target):
                if definitions.name[definition] in names(edge.source):
                    yield ForeignUse(edge.source, edge.target, definition, line)
