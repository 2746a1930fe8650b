"""`git search outline PATH`: the structure of a file."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.commands.asking import ask
from gitsearch.errors import BadPath
from gitsearch.reports import SymbolReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.corpus.view import View
    from gitsearch.settings import Progress


def outline(cwd: Path, path: str, at: str | None, progress: Progress) -> SymbolReport:
    """The definitions of one file in order; raises BadPath with the nearest names."""
    asking = ask(cwd, progress, at=at)
    from gitsearch.commands import symbol_lines

    opened = asking.open()
    wanted = posixpath.normpath(posixpath.join(asking.repo.prefix, path))
    place = opened.view.find(os.fsencode(wanted))
    if place is None:
        raise BadPath(f"no file '{wanted}' in {opened.tree.rev}", _near(opened.view, wanted))
    segment, file = place
    found = [(segment, int(i)) for i in np.flatnonzero(segment["symbol_file"] == file)]
    shown = symbol_lines.lines(asking.repo, opened, found)
    return SymbolReport(wanted, opened.tree, opened.view.coverage(), shown, opened.warnings)


def _near(view: View, wanted: str) -> str:
    from difflib import get_close_matches

    paths = [segment.path(file).decode("utf-8", "replace") for segment, file in view.each_file()]
    name = wanted.rpartition("/")[2]
    same = [path for path in paths if path.rpartition("/")[2] == name]
    near = same[:3] or get_close_matches(wanted, paths, 3)
    return "did you mean " + " or ".join(f"'{path}'" for path in near) + "?" if near else ""
