"""`git search dup`: new code that the tree has already."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import check_work_tree, sides
from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.change import DupReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


class DupRequest(NamedTuple):
    """The new code: in the index, of a change, or (neither) in the edited files.

    changed: `A..B`, `A...B`, or a revision with which the working tree is compared.
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
        if ".." in request.changed:
            base, at = sides(session, request.changed, "--changed")
        else:
            check_work_tree(session, "--changed")
            base = session.resolve(request.changed).rev
    selection = select_tree(session, at=at, cached=request.cached)
    from gitsearch.commands.similar_code import THRESHOLD, copies_of
    from gitsearch.git import hunks

    opened = selection.open()
    repo = session.repo
    old = opened.tree.tree if base is None else session.resolve(base).tree
    new = None if at is None else opened.tree.tree
    fresh = hunks.fresh_lines(repo, old, new, cached=request.cached)
    threshold = THRESHOLD if request.threshold is None else request.threshold
    clones = copies_of(opened, fresh, threshold, request.tests)
    warnings = opened.warnings
    if clones.left:
        total = clones.looked + clones.left
        warnings = (*warnings, f"only {clones.looked} of {total} new pieces of code were compared")
    return DupReport(
        opened.tree, opened.view.coverage(), clones.looked, tuple(clones.found), warnings
    )
