"""What every verb that asks a tree needs: the repository, the settings, the opened view."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.errors import BadPath, UsageError, brief
from gitsearch.git import repo as repository
from gitsearch.git import trees, worktree
from gitsearch.git_conventions import boolean
from gitsearch.records import TreeChange, TreeEntry
from gitsearch.reports.search import TreeName
from gitsearch.settings import (
    LARGEST_FILE,
    MODES,
    MOST_SHOWN,
    REFRESH,
    Settings,
    whole_number,
)

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo
    from gitsearch.index.open_view import OpenView
    from gitsearch.records import DirtyFile, Revision
    from gitsearch.settings import Progress

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def settings_of(config: dict[str, list[str]], top: Path = Path()) -> Settings:
    """The settings of git config; raises UsageError for a value that makes no sense.

    top: where a relative path begins, as that of a hook does in git: the top of the working tree.
    """
    last = {key.lower(): values[-1] for key, values in config.items() if values}
    default = Settings()
    return Settings(
        max_count=_number(last, "search.maxcount", default.max_count, MOST_SHOWN),
        mode=_one_of(last, "search.mode", MODES, default.mode),
        model=_folder(last.get("search.model", ""), top),
        max_file_size=_number(last, "search.maxfilesize", default.max_file_size, LARGEST_FILE),
        refresh=_one_of(last, "search.refresh", REFRESH, default.refresh),
        hooks=_boolean(last, "search.hooks", default=default.hooks),
    )


def _folder(text: str, top: Path) -> str:
    """A folder by its whole path; "" is none."""
    return str(top / os.path.expanduser(text)) if text else ""  # noqa: PTH111  ~unknown is no bug


def _number(last: dict[str, str], key: str, default: int, most: int) -> int:
    text = last.get(key)
    if text is None:
        return default
    digits = text.lower().rstrip("kmg")
    unit = _UNITS.get(text.lower()[len(digits) :])
    number = whole_number(digits, 1, most)
    if number is None or unit is None or number * unit > most:
        raise UsageError(f"git config {key}: '{brief(text)}' is not a number from 1 to {most}")
    return number * unit


def _boolean(last: dict[str, str], key: str, *, default: bool) -> bool:
    text = last.get(key)
    value = default if text is None else boolean(text)
    if value is None:
        raise UsageError(f"git config {key}: '{brief(str(text).lower())}' is not true or false")
    return value


def _one_of(last: dict[str, str], key: str, allowed: tuple[str, ...], default: str) -> str:
    text = last.get(key, default)
    if text not in allowed:
        raise UsageError(f"git config {key}: '{brief(text)}' is not one of {', '.join(allowed)}")
    return text


class TreeFiles(NamedTuple):
    """The files of one tree by path; `contents` are those that git does not store, by id.

    A file that is not read has an empty id.
    """

    tree: TreeName
    entries: dict[bytes, TreeEntry]
    contents: dict[str, bytes]


@dataclass(slots=True)
class Session:
    """One question to one repository; `open` does what takes time."""

    repo: Repo
    head: Revision | None
    settings: Settings
    progress: Progress
    at: str | None = None
    cached: bool = False
    untracked: bool = False
    refresh: str | None = None
    must_write: bool = False
    _status: repository.Running | None = None

    def placed(self, path: str) -> str:
        """A path as written from the current folder, from the top; "" is the top.

        Raises BadPath for one outside of the repository.
        """
        found = posixpath.normpath(posixpath.join(self.repo.prefix, path))
        if found.startswith(("../", "/")) or found == "..":
            raise BadPath(f"'{path}' is outside the repository")
        return "" if found == "." else found

    def open(self) -> OpenView:
        """The view that is asked for."""
        from gitsearch.index.open_view import ViewOpener

        refresh = self.refresh or self.settings.refresh
        opener = ViewOpener(self.repo, self.settings, self.progress, refresh, self.must_write)
        return opener.open(*self._chosen())

    def abandon(self) -> None:
        """Ask no more: end what git was started for."""
        if self._status is not None:
            self._status.cancel()

    def files(self) -> TreeFiles:
        """The files of the tree that is asked for; no index is needed or made."""
        revision, dirty, rev = self._chosen()
        tree = revision.tree if revision else None
        listed = trees.list_tree(self.repo, tree) if tree else []
        entries = {entry.path: entry for entry in listed}
        for file in dirty:
            entries.pop(file.path, None)
            if file.data is not None or file.skip:
                entries[file.path] = TreeEntry(file.path, file.oid, file.mode)
        contents = {file.oid: file.data for file in dirty if file.data is not None}
        name = TreeName(rev, revision.commit if revision else None, tree, len(dirty))
        return TreeFiles(name, entries, contents)

    def _chosen(self) -> tuple[Revision | None, list[DirtyFile], str]:
        """The tree that is asked for, what lies over it, and what it is called."""
        if self.at is not None:
            return repository.resolve(self.repo, self.at), [], self.at
        if self.cached:
            return self.head, self._staged(), "index"
        # the first: it may find that HEAD has moved
        dirty = self._dirty()
        return self.head, dirty, "HEAD"

    def _staged(self) -> list[DirtyFile]:
        """What the index holds that HEAD does not, with its contents."""
        from gitsearch.index import changed_files

        if self.head is None:
            changes = [
                TreeChange(entry.path, None, entry) for entry in trees.list_index(self.repo)
            ]
        else:
            changes = trees.diff_index(self.repo, self.head.tree)
        return changed_files.files(self.repo, changes, self.settings.max_file_size)

    def _dirty(self) -> list[DirtyFile]:
        if self._status is None:
            return []
        with trace.stage("edited files"):
            state = worktree.read_status(self.repo, self._status, self.settings.max_file_size)
        trace.count("edited files", len(state.dirty))
        if state.head != (self.head.commit if self.head else None):
            # HEAD moved after it was resolved: what git calls edited is so against the new one
            self.head = repository.resolve(self.repo, state.head) if state.head else None
        return state.dirty


def open_session(
    cwd: Path,
    progress: Progress,
    *,
    at: str | None = None,
    cached: bool = False,
    untracked: bool = False,
    refresh: str | None = None,
) -> Session:
    """Find the repository and start what git does beside our own imports."""
    with trace.stage("repository"):
        repo, head = repository.open_at_head(cwd)
    status = None
    if at is None and not cached and repo.worktree is not None:
        status = worktree.start_status(repo, untracked=untracked)
    try:
        settings = settings_of(repository.config(repo), repo.top)
    except UsageError:
        if status is not None:
            status.cancel()
        raise
    return Session(repo, head, settings, progress, at, cached, untracked, refresh, _status=status)
