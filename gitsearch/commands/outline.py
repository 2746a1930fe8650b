"""`git search outline PATH`: the structure of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.reports.lookup import SymbolReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


def outline(session: Session, path: str, at: str | None) -> SymbolReport:
    """The definitions of one file in order; raises BadPath with the nearest names."""
    wanted = placed(session.repo, path)
    selection = select_tree(session, at=at)
    from gitsearch.commands import symbol_lines
    from gitsearch.commands.name_files import OneFile

    opened = selection.open(OneFile(os.fsencode(wanted)))
    place = opened.view.find(os.fsencode(wanted))
    if place is None:
        every = select_tree(session, at=at).files().entries
        raise selection.absent(wanted, every)
    segment, file = place
    symbols = [(segment, symbol) for symbol in segment.symbols_of(file)]
    shown = symbol_lines.lines(opened, symbols)
    reason = segment.reason(file)
    told = (f"'{wanted}' is not searched: {reason}",) if reason else ()
    warnings = (*opened.warnings, *told)
    return SymbolReport(wanted, opened.tree, opened.view.coverage(), shown, warnings)
