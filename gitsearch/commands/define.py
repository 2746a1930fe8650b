"""`git search def NAME`: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.lookup import SymbolReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


def define(session: Session, name: str, at: str | None) -> SymbolReport:
    """Definitions of a name, qualified or not: spelt so, else those that differ in case."""
    selection = select_tree(session, at=at)
    from gitsearch.commands import symbol_lines
    from gitsearch.commands.name_files import DefiningFiles
    from gitsearch.retrieval import symbol_leg

    opened = selection.open(DefiningFiles(name))
    shown = symbol_lines.lines(opened, symbol_leg.defined(opened.view, name))
    return SymbolReport(name, opened.tree, opened.view.coverage(), shown, opened.warnings)
