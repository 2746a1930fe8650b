"""Reviewers of a change: authors of living lines around it, and of commits to its files."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from gitsearch.commands.living_lines import living_lines
from gitsearch.git import commit_changes, commit_records
from gitsearch.reports.change import Reviewer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gitsearch.git.cochange import History
    from gitsearch.git.repo import Repo

# Authors that are named.
MOST = 3
# What is read of the change, the lines around each hunk, and the most files that are blamed, for
# each of which git needs up to 0.2 s.
_BOUNDS = commit_changes.Bounds(text=1 << 20, file=64 << 10, files=1000)
_AROUND, _BLAMED = 20, 12
# The commits of the change whose authors are left out, and earlier ones to its files.
_OWN, _EARLIER = 1000, 200


def reviewers(
    repo: Repo, base: str, head: str, history: History, paths: Collection[bytes]
) -> tuple[Reviewer, ...]:
    """Return those who know the code that commits change, from `base` to `head`, the best first.

    Counted are the lines within 20 of the change in at most 12 files, those with the most changed
    lines, and the commits of `history`, which leads to `base`, to the changed `paths`. Who made
    the change is left out. Raises GitFailed.
    """
    (change,) = commit_changes.read_changes(repo, [(head, base)], _BOUNDS)
    changed: Counter[bytes] = Counter()
    ranges: dict[bytes, list[tuple[int, int]]] = {}
    existing = {old for new, old in change.paths}
    for hunk in change.hunks:
        # the lines before a new file are nobody's
        if hunk.old_path in existing and (hunk.old_first or hunk.removed):
            changed[hunk.old_path] += len(hunk.lines)
            last = hunk.old_first + hunk.removed + _AROUND
            around = max(hunk.old_first - _AROUND, 1), last
            ranges.setdefault(hunk.old_path, []).append(around)
    chosen = sorted(changed, key=lambda path: (-changed[path], path))[:_BLAMED]
    lines = living_lines(repo, base, {path: ranges[path] for path in chosen})
    commits = _authors(repo, _landed(repo, history, paths))
    own = _authors(repo, commit_records.commits_between(repo, base, head, _OWN))
    return tuple(_ranked(lines.authors, commits, {email for _, email in own}))


def _landed(repo: Repo, history: History, paths: Collection[bytes]) -> list[str]:
    """The newest commits that changed one of some paths; of a merge what it brought last."""
    wanted = frozenset(paths)
    touching = (
        commit
        for commit, landing in zip(history.commits, history.landings, strict=True)
        if not wanted.isdisjoint(landing)
    )
    records = commit_records.read_commits(repo, islice(touching, _EARLIER))
    return [(*one.parents[1:], oid)[0] for oid, one in records.items()]


def _authors(repo: Repo, commits: Iterable[str]) -> Counter[tuple[str, str]]:
    records = commit_records.read_commits(repo, commits)
    return Counter((record.author, record.email) for record in records.values())


def _ranked(
    lines: Counter[tuple[str, str]], commits: Counter[tuple[str, str]], own: Collection[str]
) -> list[Reviewer]:
    """The authors with the largest mean share of lines and commits, without some addresses."""
    all_lines, all_commits = max(lines.total(), 1), max(commits.total(), 1)
    found = [
        Reviewer(
            name,
            round(lines[name, email] / all_lines / 2 + commits[name, email] / all_commits / 2, 6),
            lines[name, email],
            commits[name, email],
        )
        for name, email in lines | commits
        if email not in own
    ]
    return sorted(found, key=lambda one: (-one.score, one.author))[:MOST]
