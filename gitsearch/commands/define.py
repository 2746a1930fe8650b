"""`git search def NAME`: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.file_filter import EVERY_FILE, FileFilter, left_out
from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import SymbolLine, SymbolReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitsearch.commands.repositories import Repository
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment, View
    from gitsearch.settings import RepositoryNames


def define(
    session: Session, name: str, at: str | None, which: FileFilter = EVERY_FILE
) -> SymbolReport:
    """Definitions of a name, qualified or not: spelt so, else those that differ in case."""
    from gitsearch.commands import symbol_lines
    from gitsearch.retrieval import symbol_leg

    opened, passes = _opened(session, name, at, which)
    defined = symbol_leg.defined(opened.view, name)
    chosen, more = which.first([one for one in defined if passes(_path(*one))])
    warnings = opened.warnings if defined else (*opened.warnings, *_undefined(opened.view, name))
    if not chosen:
        warnings += left_out(len(defined), "definition", "definitions")
    shown = symbol_lines.lines(opened, chosen)
    return SymbolReport(name, opened.tree, opened.view.coverage(), shown, warnings, more)


def define_in(
    session: Session,
    names: RepositoryNames,
    name: str,
    at: str | None,
    which: FileFilter = EVERY_FILE,
) -> SymbolReport:
    """The same in many repositories, one after the other: spelt so in any, else in other case."""
    from gitsearch.commands import repositories, symbol_lines
    from gitsearch.commands.repository_answers import OpenedTree
    from gitsearch.index.view import View
    from gitsearch.retrieval import symbol_leg

    passing: dict[str, Callable[[bytes], bool]] = {}

    def opened_report(one: Repository) -> OpenedTree:
        opened, passing[one.name] = _opened(one.session, name, one.at, which)
        return OpenedTree.of(opened)

    answers = repositories.each(session, names, at, opened_report)
    views = [report.opened.view for _, report in answers.answers]
    defined = symbol_leg.defined(View.joined(views), name)
    shown: list[SymbolLine] = []
    for (one, report), view in zip(answers.answers, views, strict=True):
        passes = passing[one.name]
        own = [
            (segment, symbol)
            for segment, symbol in defined
            if segment in view.segments and passes(_path(segment, symbol))
        ]
        lines = symbol_lines.lines(report.opened, own)
        shown += [line._replace(repository=one.name) for line in lines]
    symbols, more = which.first(shown)
    merged = repositories.merged(answers)
    if not symbols:
        merged["warnings"] += left_out(len(defined), "definition", "definitions")
    return SymbolReport(asked=name, symbols=symbols, truncated=more, **merged)


def _path(segment: Segment, symbol: int) -> bytes:
    return segment.path(segment.symbol(symbol).file)


def _undefined(view: View, name: str) -> tuple[str, ...]:
    # what it takes is loaded for a miss only
    from gitsearch.commands.missing_names import undefined

    return undefined(view, name)


def _opened(
    session: Session, name: str, at: str | None, which: FileFilter
) -> tuple[OpenView, Callable[[bytes], bool]]:
    """The view of a tree, or that of the files that define the name; and which paths pass."""
    selection = select_tree(session, at=at)
    from gitsearch.commands.name_files import defining_files

    opened = selection.open(defining_files(name))
    return opened, which.in_tree(selection, opened.tree.tree)
