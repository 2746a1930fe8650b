"""`git search refs NAME`: where a name is used, and which definition is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import PathLine, ReferenceLine, ReferenceReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.graph.name_resolution import NameResolver
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment

# How sure it is which definition is meant: one of those that define the name is reached by
# imports, several are, or nothing but the name says so.
RESOLVED, AMBIGUOUS, BY_NAME = "resolved", "ambiguous", "by-name"


def references(session: Session, name: str, at: str | None) -> ReferenceReport:
    """The uses of a name, qualified or not, by path and line."""
    from gitsearch.commands.code_graph import open_code_graph
    from gitsearch.graph.dependents import names_of
    from gitsearch.retrieval import symbol_leg

    code_graph = open_code_graph(select_tree(session, at=at))
    meanings = _meanings(code_graph, symbol_leg.defined(code_graph.opened.view, name))
    uses = [place for used in names_of(name).used for place in code_graph.users.uses_of(used)]
    texts = code_graph.texts.lines({(file, use.line) for file, use in uses})
    shown = []
    for file, use in uses:
        targets = meanings.of(file, use)
        label = RESOLVED if len(targets) == 1 else AMBIGUOUS if targets else BY_NAME
        target = None
        if label == RESOLVED:
            target = PathLine(code_graph.path(targets[0].file), targets[0].line)
        line = ReferenceLine(
            code_graph.path(file), use.line, use.kind, label, target, texts[file, use.line]
        )
        shown.append(line)
    return ReferenceReport(
        name,
        code_graph.opened.tree,
        code_graph.opened.view.coverage(),
        tuple(dict.fromkeys(shown)),
        code_graph.opened.warnings,
    )


def _meanings(code_graph: CodeGraph, defined: Sequence[tuple[Segment, int]]) -> NameResolver:
    """The resolver of a name; a qualified name that a file defines twice counts once."""
    from gitsearch.graph.name_resolution import NameResolver, ResolvedName

    meanings: dict[tuple[int, str], ResolvedName] = {}
    for segment, symbol in defined:
        file = code_graph.graph.file(segment.path(segment.symbol(symbol).file))
        qualified = segment.qualified(symbol)
        line = segment.symbol(symbol).first
        meaning = ResolvedName(file, line, qualified, segment.kind(symbol))
        meanings.setdefault((file, qualified), meaning)
    return NameResolver(code_graph.graph, list(meanings.values()), code_graph.users)
