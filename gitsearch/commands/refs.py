"""`git search refs NAME`: where a name is used, and which definition is meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import PathLine, ReferenceLine, ReferenceReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.graph.name_resolution import ResolvedName
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment
    from gitsearch.records import Use
    from gitsearch.settings import RepositoryNames

    Uses = list[tuple[int, Use]]

# How sure it is which definition is meant: one of those that define the name is reached by
# imports, several are, or nothing but the name says so.
RESOLVED, AMBIGUOUS, BY_NAME = "resolved", "ambiguous", "by-name"


def references(session: Session, name: str, at: str | None) -> ReferenceReport:
    """The uses of a name, qualified or not, by path and line."""
    from gitsearch.commands.code_graph import whole_code_graph
    from gitsearch.commands.name_files import DefiningFiles
    from gitsearch.graph.name_resolution import NameResolver
    from gitsearch.retrieval import symbol_leg

    selection = select_tree(session, at=at)
    opened = selection.open(DefiningFiles(name))
    defined = symbol_leg.defined(opened.view, name)
    if opened.view.rest.files:
        code_graph, uses = _without_index(selection, opened, name, defined)
    else:
        code_graph = whole_code_graph(selection, opened)
        uses = _uses(code_graph, name)
    meanings = _meanings(code_graph, defined)
    resolver = NameResolver(code_graph.graph, meanings, code_graph.users)
    texts = code_graph.texts.lines({(file, use.line) for file, use in uses})
    shown = []
    for file, use in uses:
        targets = resolver.of(file, use)
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
        opened.tree,
        opened.view.coverage(),
        tuple(dict.fromkeys(shown)),
        opened.warnings,
    )


def references_in(
    session: Session, names: RepositoryNames, name: str, at: str | None
) -> ReferenceReport:
    """The uses of a name in many repositories, each with the definitions of its own."""
    from gitsearch.commands import repositories

    answers = repositories.each(
        session, names, at, lambda one: references(one.session, name, one.at)
    )
    uses = (
        use._replace(repository=one.name)
        for one, report in answers.answers
        for use in report.references
    )
    return ReferenceReport(name=name, references=tuple(uses), **repositories.merged(answers))


def _uses(code_graph: CodeGraph, name: str) -> Uses:
    from gitsearch.graph.dependents import names_of

    return [place for used in names_of(name).used for place in code_graph.users.uses_of(used)]


def _without_index(
    selection: TreeSelection,
    opened: OpenView,
    name: str,
    defined: Sequence[tuple[Segment, int]],
) -> tuple[CodeGraph, Uses]:
    """The uses of a name in a tree whose view has only files that define it.

    The graph has the edges that tell which definition is meant, if any are needed: those of the
    languages in which the name is used outside of the files that define it.
    """
    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.graph.dependents import names_of
    from gitsearch.graph.name_resolution import needs_imports
    from gitsearch.graph.project import resolvers_of
    from gitsearch.graph.unindexed_files import UnindexedFiles

    files = UnindexedFiles(opened)
    for used in names_of(name).used:
        # their contents may decide on their languages, of which the graph tells
        files.paths_with(used)
    code_graph = CodeGraph(selection, opened, files.graph(frozenset()), files)
    uses = _uses(code_graph, name)
    graph = code_graph.graph
    own = {meaning.file for meaning in _meanings(code_graph, defined)}
    languages = {
        graph.language(file)
        for file, _ in uses
        if own and needs_imports(graph.language(file), defines=file in own)
    }
    if families := frozenset(resolvers_of(languages)):
        code_graph = replace(code_graph, graph=files.graph(families))
    return code_graph, uses


def _meanings(code_graph: CodeGraph, defined: Sequence[tuple[Segment, int]]) -> list[ResolvedName]:
    """The definitions of a name; a qualified name that a file defines twice counts once."""
    from gitsearch.graph.name_resolution import ResolvedName

    meanings: dict[tuple[int, str], ResolvedName] = {}
    for segment, symbol in defined:
        file = code_graph.graph.file(segment.path(segment.symbol(symbol).file))
        qualified = segment.qualified(symbol)
        line = segment.symbol(symbol).first
        meaning = ResolvedName(file, line, qualified, segment.kind(symbol))
        meanings.setdefault((file, qualified), meaning)
    return list(meanings.values())
