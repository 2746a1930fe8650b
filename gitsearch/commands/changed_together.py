"""`git search related --by change`: the files that history changes together with others."""

from __future__ import annotations

import math
import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.living_lines import commit_of
from gitsearch.commands.tree_selection import placed, select_tree
from gitsearch.errors import BadPath, nearest_path
from gitsearch.extract import path_kinds
from gitsearch.reports.history import ChangedTogether, TogetherReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session

# Once is chance.
_LEAST = 2
_DECIMALS = 6


class ChangedTogetherRequest(NamedTuple):
    """A file or folder, the commit whose history is asked, and the number and kind of results."""

    path: str
    at: str | None = None
    most: int | None = None
    tests: str = "include"


def changed_together(session: Session, request: ChangedTogetherRequest) -> TogetherReport:
    """The files of the tree that changed most often with a file or folder, and seldom without.

    Their score is the cosine of both sets of changes: those together, divided by the root of the
    product of the sizes (Ochiai's coefficient). Raises BadRevision, BadPath and GitFailed.
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
    occasions = [landing for landing in history.small if not own.isdisjoint(landing)]
    together = Counter(one for landing in occasions for one in landing - own)
    changes = Counter(one for landing in history.small for one in landing if one in together)
    found = [
        ChangedTogether(
            os.fsdecode(one),
            round(count / math.sqrt(len(occasions) * changes[one]), _DECIMALS),
            count,
            changes[one],
        )
        for one, count in together.items()
        if count >= _LEAST and one in files.entries and _wanted(one, request.tests)
    ]
    found.sort(key=lambda one: (-one.score, -one.together, one.path))
    note = f"this clone is shallow: its history ends after {len(history.landings)} commits"
    return TogetherReport(
        files.tree,
        path,
        len(occasions),
        tuple(found[: request.most or session.settings.max_count]),
        len(history.landings),
        (note,) if history.cut else (),
    )


def _wanted(path: bytes, tests: str) -> bool:
    return tests == "include" or path_kinds.is_test(path) == (tests == "only")
