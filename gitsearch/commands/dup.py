"""`git search dup`: new code that the tree has already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import sides
from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.change import DupReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


class DupRequest(NamedTuple):
    """The new code: in the index, between two revisions, or (neither) in the edited files.

    threshold: the least score of a copy, in 0..1; None for the usual one.
    """

    cached: bool = False
    changed: str | None = None
    threshold: float | None = None
    tests: str = "include"


def dup(session: Session, request: DupRequest) -> DupReport:
    """The new code that repeats existing code; raises SearchError."""
    at = base = None
    if request.changed is not None:
        base, at = sides(session, request.changed, "--changed")
    selection = select_tree(session, at=at, cached=request.cached)
    from gitsearch.commands.similar_code import THRESHOLD, copies_of
    from gitsearch.git import hunks

    opened = selection.open()
    repo = session.repo
    if base is not None:
        old = session.resolve(base).tree
        fresh = hunks.fresh_lines(repo, old, opened.tree.tree)
    else:
        fresh = hunks.fresh_lines(repo, opened.tree.tree, cached=request.cached)
    threshold = THRESHOLD if request.threshold is None else request.threshold
    clones = copies_of(opened, fresh, threshold, request.tests)
    warnings = opened.warnings
    if clones.left:
        total = clones.looked + clones.left
        warnings = (*warnings, f"only {clones.looked} of {total} new pieces of code were compared")
    return DupReport(
        opened.tree, opened.view.coverage(), clones.looked, tuple(clones.found), warnings
    )
