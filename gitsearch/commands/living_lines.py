"""The commit at which lines of a tree are blamed, and the authors of its living lines."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.errors import BadRevision, GitFailed
from gitsearch.git import blame as blaming
from gitsearch.git import commit_records
from gitsearch.git.index_flags import flagged_files
from gitsearch.git.repo import NO_COMMIT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session

# git needs 10 to 200 ms for a file.
_MOST_AT_ONCE = 4


class LivingLines(NamedTuple):
    """Lines by the name and address of their author; files: of how many they are."""

    authors: Counter[tuple[str, str]]
    files: int


def commit_of(session: Session, at: str | None) -> str:
    """The commit whose history is asked about; raises BadRevision where there is none."""
    revision = session.head if at is None else session.resolve(at)
    if revision is not None and revision.commit is not None:
        return revision.commit
    what = NO_COMMIT if revision is None else f"'{revision.rev}' is a tree"
    raise BadRevision(what, "only a commit has a history")


def blamed_revision(session: Session, at: str | None, commit: str) -> str | None:
    """The commit whose lines are asked about; None for those of the working tree."""
    edited = at is None and session.repo.worktree is not None
    return None if edited else commit


def living_lines(
    repo: Repo, rev: str | None, places: Mapping[bytes, Sequence[tuple[int, int]]]
) -> LivingLines:
    """Count the lines of each author in ranges of files, or in all of a file without ranges.

    Files that git cannot attribute, and binary ones, are left out.
    """
    from concurrent.futures import ThreadPoolExecutor

    flagged = flagged_files(repo) if rev is None else {}

    def counted(path: bytes) -> Counter[str] | None:
        try:
            running = blaming.start_blame(
                repo, path, rev=rev, lines=places[path], followed=False, flagged=flagged
            )
            found = running.result()
        except GitFailed:
            return None
        return None if found.binary else Counter(filter(None, found.commits))

    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_AT_ONCE)) as threads:
        by_file = [counts for counts in threads.map(counted, places) if counts is not None]
    by_commit = sum(by_file, Counter[str]())
    records = commit_records.read_commits(repo, sorted(by_commit))
    authors: Counter[tuple[str, str]] = Counter()
    for oid, count in by_commit.items():
        authors[records[oid].author, records[oid].email] += count
    return LivingLines(authors, len(by_file))
