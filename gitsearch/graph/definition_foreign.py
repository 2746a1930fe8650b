"""Files whose definitions are not followed, and that use files whose definitions are.

Java may be used by Scala, and TypeScript by a component. Such a file is one node: it leads to each
definition that it imports, or of a file it imports whose name it says, and further files of its
kind lead to it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.ragged import unique
from gitsearch.graph.definition_lookup import Lookup
from gitsearch.graph.definition_resolution import Resolver
from gitsearch.graph.definition_table import CLASS, FUNCTION, VARIABLE
from gitsearch.graph.exports import imported_by
from gitsearch.graph.graph import USED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.definition_hierarchy import Hierarchy
    from gitsearch.graph.definition_lookup import DefinitionTree


class ForeignUse(NamedTuple):
    """A file that has the name of a definition, or -1 for one that imports the file `target`."""

    source: int
    target: int
    definition: int
    line: int


def foreign_uses(tree: DefinitionTree, hierarchy: Hierarchy) -> Iterator[ForeignUse]:
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
    row = cache(graph.row)
    resolver = cache(lambda file: Resolver(Lookup(tree, file, hierarchy)))
    for number in np.flatnonzero(foreign & reached[target]).tolist():
        edge = graph.edge(number)
        line = graph.line(edge.source, edge.place)
        yield ForeignUse(edge.source, edge.target, -1, line)
        if followed[edge.target]:
            own = row(edge.source)
            for definition in definitions.of_file(edge.target):
                if definitions.name[definition] in own.names:
                    yield ForeignUse(edge.source, edge.target, definition, line)
            # what is imported may be of another file, or be used in the markup of a component
            for name in imported_by(own.imports[edge.place]) if edge.place != USED else ():
                for value in resolver(edge.target).provided(edge.target, name):
                    if value.kind in (CLASS, FUNCTION, VARIABLE):
                        yield ForeignUse(edge.source, edge.target, value.number, line)
