"""The users of a definition, and what it uses itself, by the graph of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.context_items import FoundUse, Span, enclosing, symbol_span
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.features import identifiers
from gitsearch.graph.dependents import names_of, using_edges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.code_graph import CodeGraph

# Files that are parsed to find the uses of a definition.
_PARSED = 60

# Shorter names mean something else in most places.
_MIN_NAME = 3


def users_of(code_graph: CodeGraph, span: Span) -> list[FoundUse]:
    """The first use in each other file of a definition, or of a file where it is all of one."""
    graph = code_graph.graph
    file = graph.file(span.path)
    lines: dict[int, int] = {}
    if file < 0:
        return []
    if span.name is None:
        for edge in graph.in_edges(file):
            lines.setdefault(edge.source, graph.line(edge.source, edge.place))
    else:
        names = names_of(span.name)
        using = {edge.source for edge in using_edges(graph, file, names, code_graph.users)}
        among = sorted(using - {file})[:_PARSED]
        for name in sorted(names.used):
            for source, use in code_graph.users.uses_in(among, name):
                if lines.get(source, use.line) >= use.line and use.kind != "import":
                    lines[source] = use.line
    texts = code_graph.texts.lines(lines.items())
    found = []
    for source, line in sorted(lines.items()):
        place = code_graph.opened.view.find(graph.path(source))
        if place is not None:
            segment, own = place
            around = enclosing(segment, own, line + 1, line)
            found.append(FoundUse(Span(segment, own, line, line, around), texts[source, line]))
    return found


def used_by(code_graph: CodeGraph, span: Span, text: str) -> Iterator[Span]:
    """The functions and types that the text of a definition names, its own file's first.

    A member of a type of another file counts if the text names the type, too.
    """
    graph, view = code_graph.graph, code_graph.opened.view
    words = {word for word in identifiers.identifiers(text) if len(word) >= _MIN_NAME}
    own = graph.file(span.path)
    targets = dict.fromkeys((own, *(edge.target for edge in graph.out_edges(own))))
    for segment, file in filter(None, map(view.find, map(graph.path, targets))):
        for symbol in segment.symbols_of(file):
            used = symbol_span(segment, symbol)
            outer = segment.qualified(symbol).split(".")[-2:-1]
            named = segment.name(symbol) in words and (
                used.path == span.path or words.issuperset(outer)
            )
            apart = not (span.has(used) or used.has(span))
            if named and apart and segment.kind(symbol) in FUNCTIONS | TYPES:
                yield used
