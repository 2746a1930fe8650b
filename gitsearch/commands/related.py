"""`git search related`: the code that is most like a file, or like some lines of it."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.asking import ask
from gitsearch.commands.near_names import near_paths
from gitsearch.errors import BadPath
from gitsearch.reviews import Place, RelatedReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.corpus.opening import Opened
    from gitsearch.git.repo import Repo
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
    place, whole = _target(asking.repo, opened, request.target)
    count = request.most or asking.settings.max_count
    if whole:
        found = likeness.related_to(asking.repo, opened, [place], count, request.tests)
    else:
        found = likeness.like(asking.repo, opened, place, count, request.tests)
    coverage = opened.view.coverage()
    return RelatedReport(opened.tree, coverage, place, tuple(found), opened.warnings)


def _target(repo: Repo, opened: Opened, text: str) -> tuple[Place, bool]:
    """The place that `PATH` or `PATH:LINE` means, and whether it is a whole file."""
    from gitsearch.commands import likeness

    path, _, rest = text.rpartition(":")
    name = _named(repo, text)
    line = None
    if path and rest.isdecimal() and opened.view.find(os.fsencode(name)) is None:
        name, line = _named(repo, path), int(rest)
    found = opened.view.find(os.fsencode(name))
    if found is None:
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise BadPath(f"no file '{name}' in {opened.tree.rev}", near_paths(name, every))
    segment, file = found
    if reason := segment.meta["reasons"][int(segment["reason"][file])]:
        raise BadPath(f"'{name}' is not searched: {reason}", "`git search status --skipped`")
    lines = likeness.Texts(repo, opened).of(segment, file)
    last = len(lines) - (not lines[-1])
    if line is None:
        return Place(name, 1, max(last, 1), None), True
    if not 1 <= line <= last:
        raise BadPath(f"'{name}' has {last} lines, and no line {line}")
    return likeness.around(opened.view, segment, file, line), False


def _named(repo: Repo, text: str) -> str:
    return posixpath.normpath(posixpath.join(repo.prefix, text))
