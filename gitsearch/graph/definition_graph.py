"""The graph of the definitions of one tree: which definition may run another one, and by what."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import gather, runs_of
from gitsearch.graph.graph import FactTable

if TYPE_CHECKING:
    from collections.abc import Mapping

# The languages of which the uses of definitions are extracted: those with a query uses.scm.
LANGUAGES = frozenset(
    {
        *("c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "python"),
        *("ruby", "rust", "tsx", "typescript"),
    }
)

# The kinds of edges, the more certain first: of several between two nodes the first counts.
#   call         a call of a definition, or a read of a property
#   constructor  from a class to what runs when an instance is made
#   declaration  from what declares a function to what defines it
#   subclass     from a class to its base
#   decorator    from a definition to what decorates it
#   nested       from a function to one that is defined in it
#   variable     a use of a variable or constant
#   fixture      from a test to a fixture of pytest that it names, from a file to one that runs
#                for all of its tests
#   value        a function or class that is named without a call, a module that a call has made
#   dynamic      from a call of a member of an unknown value to the name of the member
#   candidate    from a name to each member with it, from a field to each function stored in it
#   override     from a member to one that overrides it, from a class to its own one of many
#   special      from a class to its operators, which the language calls, and to its tests
#   callback     from a class to members that nothing in the tree calls, or that a base may call
#   member       from an access to a member of an unknown value to the name of the member, and
#                from what names a class for a static member to the class
#   type         a name in an annotation
#   sibling      from a class to its other members, or to those that a module gives it
#   import       from a file to a file or a definition that it imports
#   content      from a file to what it defines
#   module       from a definition to the code around it
EDGE_KINDS = (
    "call",
    "constructor",
    "declaration",
    "subclass",
    "decorator",
    "nested",
    "variable",
    "fixture",
    "value",
    "dynamic",
    "candidate",
    "override",
    "special",
    "callback",
    "member",
    "type",
    "sibling",
    "import",
    "content",
    "module",
)


class DefinitionGraph:
    """Definitions, and edges between nodes, in arrays that may be memory-mapped.

    Nodes are the definitions in the order of files and positions, then the files of the tree,
    then names. arrays: definition_ends, one entry a file and one more; definition, definition_kind
    (words), definition_first, definition_last (lines), definition_parent (a definition or -1);
    edge_target, ascending, edge_source, edge_kind, edge_spread, edge_line; name (words).
    """

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = arrays
        self._words = FactTable(arrays)
        self.definitions = len(arrays["definition"])
        self.files = len(arrays["definition_ends"]) - 1
        self.nodes = self.definitions + self.files + len(arrays["name"])

    def of_file(self, file: int) -> range:
        """Return the definitions of a file."""
        ends = self.arrays["definition_ends"]
        return range(int(ends[file]), int(ends[file + 1]))

    def file_node(self, file: int) -> int:
        """Return the node of the code of a file outside of all definitions."""
        return self.definitions + file

    def file_of(self, nodes: np.ndarray) -> np.ndarray:
        """Return the file of each node, -1 for a name: int64."""
        inside = np.searchsorted(self.arrays["definition_ends"], nodes, side="right") - 1
        files = np.where(nodes < self.definitions, inside, nodes - self.definitions)
        result: np.ndarray = np.where(files < self.files, files, -1)
        return result

    def file_of_node(self, node: int) -> int:
        """Return the file of a node, -1 for a name."""
        if node < self.definitions:
            return bisect_right(self._ends, node) - 1
        file = node - self.definitions
        return file if file < self.files else -1

    @cached_property
    def _ends(self) -> list[int]:
        # one number at a time is found in a list in a tenth of the time
        ends: list[int] = self.arrays["definition_ends"].tolist()
        return ends

    def symbol(self, node: int) -> str | None:
        """Return the qualified name of a definition, or a node's name; None for a file."""
        if node < self.definitions:
            return self._words.word(int(self.arrays["definition"][node]))
        name = node - self.definitions - self.files
        return None if name < 0 else self._words.word(int(self.arrays["name"][name]))

    def named(self, file: int, symbol: str, line: int | None = None) -> list[int]:
        """Return the definitions of a file with a name: the one around a line, if one is."""
        numbers = [number for number in self.of_file(file) if self.symbol(number) == symbol]
        first, last = self.arrays["definition_first"], self.arrays["definition_last"]
        around = [] if line is None else [n for n in numbers if first[n] <= line <= last[n]]
        return around or numbers

    def in_edges(self, nodes: np.ndarray) -> np.ndarray:
        """Return the numbers of the edges that lead to nodes, by node: int64."""
        starts, ends = runs_of(self.arrays["edge_target"], nodes)
        return gather(starts, ends - starts)
