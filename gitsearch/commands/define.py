"""`git search def NAME`: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import SymbolLine, SymbolReport

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import View
    from gitsearch.settings import RepositoryNames


def define(session: Session, name: str, at: str | None) -> SymbolReport:
    """Definitions of a name, qualified or not: spelt so, else those that differ in case."""
    from gitsearch.commands import symbol_lines
    from gitsearch.retrieval import symbol_leg

    opened = _opened(session, name, at)
    shown = symbol_lines.lines(opened, symbol_leg.defined(opened.view, name))
    warnings = opened.warnings if shown else (*opened.warnings, *_undefined(opened.view, name))
    return SymbolReport(name, opened.tree, opened.view.coverage(), shown, warnings)


def define_in(session: Session, names: RepositoryNames, name: str, at: str | None) -> SymbolReport:
    """The same in many repositories, one after the other: spelt so in any, else in other case."""
    from gitsearch.commands import repositories, symbol_lines
    from gitsearch.commands.repository_answers import OpenedTree
    from gitsearch.index.view import View
    from gitsearch.retrieval import symbol_leg

    def opened_report(one: Repository) -> OpenedTree:
        return OpenedTree.of(_opened(one.session, name, one.at))

    answers = repositories.each(session, names, at, opened_report)
    views = [report.opened.view for _, report in answers.answers]
    defined = symbol_leg.defined(View.joined(views), name)
    shown: list[SymbolLine] = []
    for (one, report), view in zip(answers.answers, views, strict=True):
        own = [(segment, symbol) for segment, symbol in defined if segment in view.segments]
        lines = symbol_lines.lines(report.opened, own)
        shown += [line._replace(repository=one.name) for line in lines]
    return SymbolReport(asked=name, symbols=tuple(shown), **repositories.merged(answers))


def _undefined(view: View, name: str) -> tuple[str, ...]:
    # what it takes is loaded for a miss only
    from gitsearch.commands.missing_names import undefined

    return undefined(view, name)


def _opened(session: Session, name: str, at: str | None) -> OpenView:
    """The view of a tree; without one that of the files that define the name."""
    selection = select_tree(session, at=at)
    from gitsearch.commands.name_files import defining_files

    return selection.open(defining_files(name))
