"""The types above others, by the names in their headers: a call through one may run both.

Nothing is resolved: a name means all types of the graph that have it. In Go a type implements an
interface without naming it, in Rust a trait in another place than its header.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.extract.symbol_kinds import TYPES
from gitsearch.features.ragged import unique

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_resolution import ResolvedName
    from gitsearch.graph.name_users import FileTexts

# The kind of a type that others implement without naming it in their headers.
_IMPLEMENTED = {"go": "interface", "rust": "trait"}

# The name of a type, and the rest of its header as far as it is looked at.
_TYPE = r"\b(?:class|interface|enum|record|struct|trait|object|protocol)\s++(\w++)"
_HEADER = re.compile(_TYPE + r"(?=([^{;]{0,500}+))")
_PYTHON_HEADER = re.compile(_TYPE + r"(?=([^:]{0,500}+))")
_RUBY_HEADER = re.compile(_TYPE + r"(?=([^\n]{0,500}+))")
_HEADER_OF = {"python": _PYTHON_HEADER, "ruby": _RUBY_HEADER}

# The most types above one, and files of one name, that are looked at.
_MOST = 100

_NAME = re.compile(r"\w+")


class TypeBases:
    """The types of a graph, each with the names of those above it."""

    def __init__(self, graph: Graph, texts: FileTexts) -> None:
        self._graph = graph
        self._texts = texts
        self._above: dict[str, frozenset[str]] = {}

    def related(
        self, members: Iterable[ResolvedName], others: Collection[ResolvedName]
    ) -> list[ResolvedName]:
        """Return the members that may override one of the others, or the other way round."""
        return [one for one in members if any(self._are_related(one, other) for other in others)]

    def _are_related(self, one: ResolvedName, other: ResolvedName) -> bool:
        if not (one.outer and other.outer):
            return False
        language = self._graph.language(one.file)
        if language in _IMPLEMENTED and language == self._graph.language(other.file):
            kind = _IMPLEMENTED[language]
            return any(self._kind_around(member) == kind for member in (one, other))
        return one.outer in self.above(other.outer) or other.outer in self.above(one.outer)

    def above(self, name: str) -> frozenset[str]:
        """Return the names of the types above those with a name."""
        if name not in self._above:
            known, todo = {name}, [name]
            while todo and len(known) < _MOST:
                fresh = self._named_by(todo.pop()) - known
                known |= fresh
                todo += sorted(fresh)
            self._above[name] = frozenset(known - {name})
        return self._above[name]

    def _named_by(self, name: str) -> set[str]:
        """The types that the headers of those with a name mention."""
        named: set[str] = set()
        for file, text in self._texts.read(self._files.get(name, [])[:_MOST]).items():
            header = _HEADER_OF.get(self._graph.language(file), _HEADER)
            for own, rest in header.findall(text.decode("utf-8", "replace")):
                if own == name:
                    named.update(_NAME.findall(rest))
        return {each for each in named if each in self._files}

    def _kind_around(self, member: ResolvedName) -> str | None:
        return dict(self._graph.row(member.file).definitions).get(member.within)

    @cached_property
    def _files(self) -> dict[str, list[int]]:
        """The files that define types, by their names."""
        table, ends = self._graph.table, self._graph.arrays["definition_ends"]
        kinds = unique(table["definition_kind"])
        types = [kind for kind in kinds.tolist() if table.word(kind) in TYPES]
        numbers = np.flatnonzero(np.isin(table["definition_kind"], types))
        files = np.searchsorted(ends, numbers, side="right") - 1
        named: dict[str, list[int]] = defaultdict(list)
        for word, file in zip(table["definition"][numbers].tolist(), files.tolist(), strict=True):
            named[table.word(word).rpartition(".")[2]].append(file)
        return named
