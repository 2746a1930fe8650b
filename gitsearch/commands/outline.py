"""`git search outline PATH`: the structure of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import BadPath, nearest_path
from gitsearch.reports.lookup import SymbolReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


def outline(session: Session, path: str, at: str | None) -> SymbolReport:
    """The definitions of one file in order; raises BadPath with the nearest names."""
    selection = select_tree(session, at=at)
    from gitsearch.commands import symbol_lines

    opened = selection.open()
    wanted = selection.placed(path)
    place = opened.view.find(os.fsencode(wanted))
    if place is None:
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise BadPath(f"no file '{wanted}' in {opened.tree.rev}", nearest_path(wanted, every))
    segment, file = place
    symbols = [(segment, symbol) for symbol in segment.symbols_of(file)]
    shown = symbol_lines.lines(opened, symbols)
    return SymbolReport(wanted, opened.tree, opened.view.coverage(), shown, opened.warnings)
