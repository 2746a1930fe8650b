"""`git search related`: the code that is most like a file, or like some lines of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.asking import ask
from gitsearch.commands.ranges import line_number
from gitsearch.errors import BadPath, nearest_path
from gitsearch.reviews import Place, RelatedReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.commands.asking import Asking
    from gitsearch.corpus.opening import Opened
    from gitsearch.settings import Progress


class Request(NamedTuple):
    """What is asked: `PATH` or `PATH:LINE`, in which tree, how many results, tests or not."""

    target: str
    at: str | None = None
    cached: bool = False
    most: int | None = None
    tests: str = "include"


def related(cwd: Path, request: Request, progress: Progress) -> RelatedReport:
    """What is most like a file or a place in it; raises BadPath."""
    asking = ask(cwd, progress, at=request.at, cached=request.cached)
    from gitsearch.commands import likeness

    opened = asking.open()
    place, whole = _target(asking, opened, request.target)
    count = request.most or asking.settings.max_count
    if whole:
        found = likeness.related_to(asking.repo, opened, [place], count, request.tests)
    else:
        found = likeness.like(asking.repo, opened, place, count, request.tests)
    coverage = opened.view.coverage()
    return RelatedReport(opened.tree, coverage, place, tuple(found), opened.warnings)


def _target(asking: Asking, opened: Opened, text: str) -> tuple[Place, bool]:
    """The place that `PATH` or `PATH:LINE` means, and whether it is a whole file."""
    from gitsearch.commands import likeness

    path, _, rest = text.rpartition(":")
    name = asking.placed(text)
    line = None
    if path and opened.view.find(os.fsencode(name)) is None:
        line = line_number(rest)
        name = name if line is None else asking.placed(path)
    found = opened.view.find(os.fsencode(name))
    if found is None:
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise BadPath(f"no file '{name}' in {opened.tree.rev}", nearest_path(name, every))
    segment, file = found
    if reason := segment.meta["reasons"][int(segment["reason"][file])]:
        raise BadPath(f"'{name}' is not searched: {reason}", "`git search status --skipped`")
    lines = likeness.Texts(asking.repo, opened).of(segment, file)
    last = len(lines) - (not lines[-1])
    if line is None:
        return Place(name, 1, max(last, 1), None), True
    if not 1 <= line <= last:
        raise BadPath(f"'{name}' has {last} lines, and no line {line}")
    return likeness.around(opened.view, segment, file, line), False
