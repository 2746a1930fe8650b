"""`git search related --by change`: the files that history changes together with others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.file_cochange import changed_with
from gitsearch.commands.living_lines import commit_of
from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.errors import BadPath, nearest_path
from gitsearch.extract import path_kinds
from gitsearch.reports.history import ChangedTogether, TogetherReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session

_DECIMALS = 6


class ChangedTogetherRequest(NamedTuple):
    """A file or folder, the commit whose history is asked, and the number and kind of results."""

    path: str
    at: str | None = None
    most: int | None = None
    tests: str = "include"


def changed_together(session: Session, request: ChangedTogetherRequest) -> TogetherReport:
    """The files of the tree that changed most often with a file or folder, and seldom without.

    Raises BadRevision, BadPath and GitFailed.
    """
    commit = commit_of(session, request.at)
    files = select_tree(session, at=request.at).files()
    path = placed(session.repo, request.path)
    name = os.fsencode(path)
    own = {one for one in files.entries if not name or one == name or one.startswith(name + b"/")}
    if not own:
        raise BadPath(f"no file '{path}' in {files.tree.rev}", nearest_path(path, files.entries))
    from gitsearch.git.cochange import read_history

    history = read_history(session.repo, commit)
    cochange = changed_with(history, own)
    found = [
        ChangedTogether(os.fsdecode(other), round(one.score, _DECIMALS), one.together, one.changes)
        for other, one in cochange.files.items()
        if other in files.entries and _wanted(other, request.tests)
    ]
    found.sort(key=lambda one: (-one.score, -one.together, one.path))
    note = f"this clone is shallow: its history ends after {len(history.landings)} commits"
    return TogetherReport(
        files.tree,
        path,
        cochange.occasions,
        tuple(found[: request.most or session.settings.max_count]),
        len(history.landings),
        (note,) if history.cut else (),
    )


def _wanted(path: bytes, tests: str) -> bool:
    return tests == "include" or path_kinds.is_test(path) == (tests == "only")
