"""The lines to which `--changed` and `--removed` restrict a search, and the tree that has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch.commands.line_ranges import check_work_tree, sides
from gitsearch.errors import BadRevision, UsageError, brief
from gitsearch.git import line_changes, merge_bases, worktree
from gitsearch.git.trees import EMPTY_TREE
from gitsearch.reports.search import ChangedLines

if TYPE_CHECKING:
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.records import LineRanges, Revision
    from gitsearch.settings import SearchRequest


@dataclass(frozen=True, slots=True)
class Change:
    """Two sides of a change, of which one is searched: the new one, or with `removed` the old one.

    old: None for HEAD. new: None for the index (`cached`) or the working tree. said: the change
    in words, behind a verb.
    """

    old: Revision | None
    new: Revision | None
    said: str
    cached: bool = False
    untracked: bool = False
    removed: bool = False

    @property
    def at(self) -> str | None:
        """The revision that is searched; None for the index or the working tree."""
        side = self.old if self.removed else self.new
        return side.rev if side is not None else "HEAD" if self.removed else None

    def lines(self, selection: TreeSelection) -> LineRanges:
        """The lines of the searched side that the other one lacks, by path; raises GitFailed.

        selection: of the searched side; it has read which files are edited.
        """
        repo = selection.session.repo
        old = _tree(repo, self.old or selection.head)
        if self.new is not None:
            return line_changes.between_trees(repo, old, self.new.tree, removed=self.removed)
        if not (self.cached or worktree.has_index(repo)):
            return {}  # nothing was ever checked out
        ranges = line_changes.since_tree(repo, old, cached=self.cached, removed=self.removed)
        return {**ranges, **_untracked(selection)} if self.untracked else ranges

    def report(self, selection: TreeSelection, lines: LineRanges) -> ChangedLines:
        """The sides, and how many files and lines differ."""
        old, new = self.old or selection.head, self.new
        counted = [
            [last - first + 1 for first, last in ranges if last < line_changes.END]
            for ranges in lines.values()
        ]
        return ChangedLines(
            old=(old.commit or old.tree) if old else EMPTY_TREE[selection.session.repo.hexsz],
            new=(new.commit or new.tree) if new else "index" if self.cached else "working tree",
            removed=self.removed,
            files=sum(map(bool, counted)),
            lines=sum(map(sum, counted)),
        )

    def nothing(self) -> str:
        """One line that says that no line differs."""
        return f"no line was {'removed' if self.removed else 'added'} {self.said}"


def change_of(session: Session, request: SearchRequest) -> Change:
    """The change that a request names; raises UsageError and BadRevision.

    Of `A..B` and `A...B` both sides are commits. A single revision is the old side (by default
    HEAD, with `at` its first parent), and the new one is the tree that is searched anyway.
    """
    removed = request.changed is None
    option = "--removed" if removed else "--changed"
    text = (request.removed if removed else request.changed) or ""
    _check(session, request, option, text)
    if ".." in text:
        base, head = (session.resolve(rev) for rev in sides(session, text, option))
        return Change(base, head, f"in {text}", removed=removed)
    old = session.resolve(text) if text else None
    if request.at is not None:
        new = session.resolve(request.at)
        if old is None:
            parent = _first_parent(session, new, option)
            return Change(parent, new, f"by the commit {new.rev}", removed=removed)
        return Change(old, new, f"in {text}..{new.rev}", removed=removed)
    if removed and old is None and session.head is None:
        old = session.resolve(EMPTY_TREE[session.repo.hexsz])
    said = f"in the index since {text or 'HEAD'}" if request.cached else f"since {text or 'HEAD'}"
    return Change(old, None, said, request.cached, request.untracked, removed)


def _check(session: Session, request: SearchRequest, option: str, text: str) -> None:
    """Raise UsageError for what contradicts itself, SearchError without a tree to compare."""
    trees = {"--at": request.at, "--cached": request.cached, "--untracked": request.untracked}
    other = next((name for name, value in trees.items() if value), None)
    if ".." in text and other:
        hint = "the range says which tree is searched"
        raise UsageError(f"{option}={brief(text)} and {other} cannot be used together", hint)
    if option == "--removed" and request.untracked:
        raise UsageError("--removed and --untracked cannot be used together")
    if not (".." in text or request.at or request.cached):
        check_work_tree(session, option)


def _first_parent(session: Session, new: Revision, option: str) -> Revision:
    """The first parent of a commit; the empty tree, if it has none."""
    if new.commit is None:
        raise BadRevision(
            f"'{new.rev}' is a tree, and has no parent", f"say what to compare: {option}=<rev>"
        )
    parents = merge_bases.parents(session.repo, new.commit)
    return session.resolve(parents[0] if parents else EMPTY_TREE[session.repo.hexsz])


def _tree(repo: Repo, revision: Revision | None) -> str:
    return revision.tree if revision else EMPTY_TREE[repo.hexsz]


def _untracked(selection: TreeSelection) -> LineRanges:
    """All lines of the untracked files."""
    untracked = worktree.untracked(selection.session.repo)
    counts = {
        file.path: _line_count(file.data or b"")
        for file in selection.edited
        if file.path in untracked
    }
    return {path: [(1, count)] for path, count in counts.items() if count}


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)
