"""`git search def NAME`: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.session import open_session
from gitsearch.reports.lookup import SymbolReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def define(cwd: Path, name: str, at: str | None, progress: Progress) -> SymbolReport:
    """Definitions of a name, qualified or not: spelt so, else those that differ in case."""
    session = open_session(cwd, progress, at=at)
    from gitsearch.commands import symbol_lines
    from gitsearch.retrieval import symbol_leg

    opened = session.open()
    shown = symbol_lines.lines(opened, symbol_leg.defined(opened.view, name))
    return SymbolReport(name, opened.tree, opened.view.coverage(), shown, opened.warnings)
