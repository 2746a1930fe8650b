"""The tree that a verb is asked about: a revision, the index, or HEAD with the working tree."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.errors import BadPath, SearchError, UsageError, nearest_path
from gitsearch.git import repo as repository
from gitsearch.git import trees
from gitsearch.git.index_flags import flagged_files
from gitsearch.git.tree_objects import entries_at
from gitsearch.git_conventions import relative_path
from gitsearch.records import TreeChange, TreeEntry
from gitsearch.reports.search import TreeName

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from pathlib import Path

    from gitsearch.git.worktree import Status
    from gitsearch.index.open_view import OpenView, ViewOpener
    from gitsearch.index.session import Session
    from gitsearch.index.tree_files import FileChooser
    from gitsearch.records import DirtyFile, Revision
    from gitsearch.settings import Progress

    SessionOpener = Callable[[Path, Progress], Session]


# A path after it begins at the top, as that of a pathspec of git does.
_TOP = ":/"


class TreeFiles(NamedTuple):
    """The files of one tree by path; `contents` are those that git does not store, by id.

    A file that is not read has an empty id.
    """

    tree: TreeName
    entries: dict[bytes, TreeEntry]
    contents: dict[str, bytes]


@dataclass(slots=True)
class TreeSelection:
    """The tree that one question is about, and the edited files over it; `open` takes time.

    edited: those files, once the tree or its files have been opened.
    """

    session: Session
    head: Revision | None
    at: str | None = None
    cached: bool = False
    untracked: bool = False
    refresh: str | None = None
    must_write: bool = False
    edited: Sequence[DirtyFile] = ()
    _status: Status | None = None
    _opener: ViewOpener | None = None

    def placed(self, path: str) -> str:
        """A path as written from the current folder, from the top; "" is the top.

        Raises BadPath for one outside of the repository.
        """
        return placed(self.session.repo, path)

    def absent(self, wanted: str, among: Iterable[bytes]) -> BadPath:
        """The error for a path from the top that the tree lacks: what is near, or where it is."""
        from gitsearch.git.worktree import is_untracked

        if not wanted:
            return BadPath("the top of the repository is a folder", "name a file")
        repo, path, every = self.session.repo, os.fsencode(wanted), list(among)
        shown = relative_path(wanted, repo.prefix)
        is_folder = any(one.startswith(path + b"/") for one in every)
        in_head = self.at is None and not is_folder and self._is_in_head(path)
        if self.at is None and is_untracked(repo, path):
            told = f"'{shown}' is untracked"
        elif in_head:
            told = f"'{shown}' is not in the {'index' if self.cached else 'working tree'}"
        else:
            rev = self.at or ("index" if self.cached else "HEAD")
            if is_folder:
                return BadPath(f"'{shown}' is a folder in {rev}", "name a file")
            paths = (one.decode("utf-8", "replace") for one in every)
            near = nearest_path(shown, (relative_path(one, repo.prefix) for one in paths))
            return BadPath(f"no file '{shown}' in {rev}", near)
        if in_head:
            return BadPath(told, "HEAD has it: add `--at HEAD`")
        return BadPath(told, "`git add` it first")

    def _is_in_head(self, path: bytes) -> bool:
        """Return True for a file or a folder of HEAD."""
        if self.head is None:
            return False
        listed = trees.list_tree(self.session.repo, self.head.tree)
        return any(one.path == path or one.path.startswith(path + b"/") for one in listed)

    def open(self, chooser: FileChooser | None = None) -> OpenView:
        """The view of the tree; a chooser says which files are read first if there is none."""
        self.prepare()
        assert self._opener is not None
        self._opener.chooser = chooser
        return self._opener.open(*self.chosen())

    def prepare(self) -> None:
        """Read what is there of the view, while git looks for edited files."""
        if self._opener is None:
            from gitsearch.index.open_view import ViewOpener

            refresh = self.refresh or self.session.settings.refresh
            self._opener = ViewOpener(self.session, refresh, self.must_write)
            if self._status is not None and self.head is not None:
                self._opener.prepare(self.head.tree)

    def is_checked_out(self, tree: str) -> bool:
        """Return True if the files of a tree lie in the working tree, but for edited ones."""
        repo = self.session.repo
        return (
            self.head is not None
            and self.head.tree == tree
            and repo.worktree is not None
            and (repo.git_dir / "index").exists()
            and not flagged_files(repo)
        )

    def abandon(self) -> None:
        """Ask no more: end what git was started for."""
        if self._status is not None:
            self._status.cancel()

    def files(self, among: Collection[bytes] | None = None) -> TreeFiles:
        """The files of the tree, or those of some paths and the edited ones; without an index."""
        revision, dirty, rev = self.chosen()
        tree = revision.tree if revision else None
        repo = self.session.repo
        listed: Iterable[TreeEntry] = ()
        if tree is not None and among is None:
            listed = trees.list_tree(repo, tree)
        elif tree is not None and among is not None:
            listed = entries_at(repo, tree, among).values()
        entries = trees.with_edits(listed, dirty)
        contents = {file.oid: file.data for file in dirty if file.data is not None}
        name = TreeName(rev, revision.commit if revision else None, tree, len(dirty))
        return TreeFiles(name, entries, contents)

    @property
    def revision(self) -> Revision | None:
        """The revision, as far as it is known before git has looked for edited files."""
        return self.head if self.at is None else self.session.resolve(self.at)

    def chosen(self) -> tuple[Revision | None, list[DirtyFile], str]:
        """The revision, the edited files over it, and the name of the whole.

        Raises SearchError. May be asked once.
        """
        if self.at is not None:
            return self.session.resolve(self.at), [], self.at
        # at first: it may find that HEAD has moved
        dirty = self._staged() if self.cached else self._dirty()
        self.edited = dirty
        return self.head, dirty, "index" if self.cached else "HEAD"

    def _staged(self) -> list[DirtyFile]:
        """Return the staged files that differ from HEAD, with their contents."""
        from gitsearch.index.nearest_view import changed_files

        repo = self.session.repo
        if self.head is None:
            changes = [TreeChange(entry.path, None, entry) for entry in trees.list_index(repo)]
        else:
            changes = trees.diff_index(repo, self.head.tree)
        return changed_files(repo, changes, self.session.settings.max_file_size)

    def _dirty(self) -> list[DirtyFile]:
        if self._status is None:
            return []
        session = self.session
        with trace.stage("edited files"):
            limit = session.settings.max_file_size
            state = self._status.read(limit)
        trace.count("edited files", len(state.dirty))
        if state.head != (self.head.commit if self.head else None):
            # HEAD moved after it was resolved: what git calls edited is so against the new one
            self.head = session.resolve(state.head) if state.head else None
        return state.dirty


def files_of(opened: OpenView) -> TreeFiles:
    """The files of a tree that is opened, also those that its view lacks."""
    name = opened.tree
    listed = trees.list_tree(opened.session.repo, name.tree) if name.tree else []
    entries = trees.with_edits(listed, opened.dirty)
    return TreeFiles(name, entries, dict(opened.texts.edited))


def placed(repo: repository.Repo, path: str) -> str:
    """A path as written from the current folder, from the top of the repository; "" is the top.

    After ":/" it is written from the top, as a pathspec of git may be. Raises BadPath for one
    outside of the repository, UsageError for an empty one.
    """
    if not path:
        # git has no path without a letter; it comes from a variable that is not set
        raise UsageError("a path is empty", "the current folder is '.'")
    if path.startswith("/") and repo.worktree is not None:
        below = os.path.relpath(repository.without_links(path), os.path.realpath(repo.worktree))
    else:
        folder, written = ("", path[2:]) if path.startswith(_TOP) else (repo.prefix, path)
        below = posixpath.normpath(posixpath.join(folder, written))
    if below.startswith(("../", "/")) or below == "..":
        raise BadPath(f"'{path}' is outside the repository")
    return "" if below == "." else below


def unmatched(session: Session, pathspecs: Sequence[str], *, edited: bool) -> BadPath:
    """The error for pathspecs that no file matches.

    edited: they are looked for in the working tree, without its untracked files.
    """
    shown = " ".join(pathspecs)
    if edited and trees.match_worktree(session.repo, pathspecs, untracked=True):
        hint = "`git add` them, or search with --untracked"
        return BadPath(f"only untracked files match '{shown}'", hint)
    hint = "paths are relative to the current folder"
    if session.apart:
        hint = "pathspecs apply to each repository, from its top"
    if any(pathspec.startswith("-") for pathspec in pathspecs):
        hint = "options go before --"
    return BadPath(f"no file matches '{shown}'", hint)


def open_session(cwd: Path, progress: Progress) -> Session:
    """The session of a folder; nothing is read yet."""
    from gitsearch.index.session import Session

    return Session(cwd, progress)


def session_opener(*, confined: bool = False) -> SessionOpener:
    """Return a function that opens a session for each of many questions to one process.

    Each session takes up what the one before has left open, if it is as it was.

    confined: only the repository of the first one may be opened.
    """
    from gitsearch.index.kept_open import KeptOpen
    from gitsearch.index.session import Session

    kept = KeptOpen(confined=confined)

    def opened(cwd: Path, progress: Progress) -> Session:
        kept.begin()
        return Session(cwd, progress, kept)

    return opened


def select_tree(
    session: Session,
    *,
    at: str | None = None,
    cached: bool = False,
    untracked: bool = False,
    refresh: str | None = None,
) -> TreeSelection:
    """Choose HEAD with the working tree, a revision or the index, and start git's part of it."""
    repo, head = session.repo, session.head
    if cached and repo.worktree is None and not repo.index_file.exists():
        raise SearchError(
            "without a working tree there is no index for --cached",
            "`--at HEAD` asks about the commit",
        )
    status = None
    if at is None and not cached and repo.worktree is not None:
        status = session.start_status(untracked=untracked)
    try:
        session.settings  # noqa: B018  read while git looks for edited files; refused here
    except UsageError:
        if status is not None:
            status.cancel()
        raise
    return TreeSelection(session, head, at, cached, untracked, refresh, _status=status)
