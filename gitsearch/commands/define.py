"""`git search def NAME`: where a name is defined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.answers import SymbolReport
from gitsearch.commands.asking import ask

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def define(cwd: Path, name: str, at: str | None, progress: Progress) -> SymbolReport:
    """Definitions of a name, qualified or not: spelt so, else those that differ in case."""
    asking = ask(cwd, progress, at=at)
    from gitsearch.commands import symbol_lines
    from gitsearch.retrieval import names

    opened = asking.open()
    found = names.defined(opened.view, name)
    shown = symbol_lines.lines(asking.repo, opened, found)
    return SymbolReport(name, opened.tree, opened.view.coverage(), shown, opened.warnings)
