"""A watch of what a repository has beside its working tree.

What was looked at there need not be looked at again while the system tells of no change in the
folders that it lies in. Where they cannot be watched nothing is known, and all is looked at.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from gitsearch.git.kept_repo import branch_of, path_state

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    from gitsearch.git.kept_repo import OwnFiles
    from gitsearch.git.repo import Repo
    from gitsearch.git.work_tree_watch import WatchedTree, Watches

# What is asked about in the folder of git: by `git.kept_repo`, `git.repo`, and for a rebase.
_FILES = (
    *("HEAD", "config", "config.worktree", "commondir", "packed-refs", "index"),
    *("info/attributes", "info/exclude", "rebase-merge", "rebase-apply"),
)
_FOLDERS = ("info", "refs", "refs/heads")


class RepositoryWatch:
    """A record of looks at the folder of git that nothing has touched since, by names.

    own: folders in the folder of git of which all files are asked about, an outer one first.
    """

    def __init__(self, watches: Watches, own_files: OwnFiles, *own: str) -> None:
        self._watches = watches
        self._own_files = own_files
        self._own = own
        # for which repository, in which folder, there is a watch, or can be none
        self._repo: Repo | None = None
        self._place: object = None
        self._tree: WatchedTree | None = None
        self._moment: object = None
        self._seen: set[Hashable] = set()

    def begin(self, repo: Repo | None, cwd: Path, /) -> None:
        """Begin a question about a repository that is open, asked from a folder.

        What was touched before the question is seen, also of the files of the user.
        """
        moment = None if repo is None else self._moment_of(repo, cwd)
        if moment is None or moment != self._moment:
            self._seen.clear()
            self._moment = moment

    def holds(self, what: Hashable, /) -> bool:
        """Return True if this was looked at, and is as it was."""
        return what in self._seen

    def looked_at(self, what: Hashable, /) -> None:
        """Note that this was looked at since the question began."""
        if self._moment is not None:
            self._seen.add(what)

    def close(self) -> None:
        """Watch no more."""
        if self._tree is not None:
            self._watches.forget(self._tree)
        self._repo = self._tree = self._moment = None
        self._seen.clear()

    def _moment_of(self, repo: Repo, cwd: Path) -> object:
        """Return what changes if anything may have been touched; None if that is not known."""
        is_same = repo is self._repo and self._place == path_state(str(repo.git_dir))
        if not is_same or (self._tree is not None and self._tree.events):
            self._watch(repo, cwd)
        own = self._own_files
        return self._tree and (self._tree, own.settings, own.attributes)

    def _watch(self, repo: Repo, cwd: Path) -> None:
        before, self._repo, self._tree = self._tree, None, None
        if self._watches.may_watch:
            self._repo, self._place = repo, path_state(str(repo.git_dir))
            self._tree = self._watched(repo) if _is_plain(repo, cwd) else None
        if before is not None:
            self._watches.forget(before)

    def _watched(self, repo: Repo) -> WatchedTree | None:
        git_dir, branch = str(repo.git_dir), branch_of(repo)
        folders = [git_dir, *(f"{git_dir}/{name}" for name in (*_FOLDERS, *self._own))]
        files = [f"{git_dir}/{name}" for name in _FILES]
        if branch:
            files.append(f"{git_dir}/{branch}")
            folders += _around(git_dir, branch)
        for name in self._own:
            with suppress(OSError):
                files += (f"{git_dir}/{name}/{file}" for file in os.listdir(f"{git_dir}/{name}"))  # noqa: PTH208
        tree = self._watches.watch_folders(repo.top, folders, files)
        # they are the right folders if these were the same before and after
        if tree is None or (self._place, branch) == (path_state(git_dir), branch_of(repo)):
            return tree
        self._watches.forget(tree)
        return None


def _is_plain(repo: Repo, cwd: Path) -> bool:
    """Return True if all of a repository lies in the folder `.git` of its top, the current one."""
    return (
        repo.worktree == cwd
        and repo.git_dir == repo.common_dir == cwd / ".git"
        and repo.index_file == repo.git_dir / "index"
    )


def _around(git_dir: str, branch: str) -> Sequence[str]:
    """Return the folders around the file of a branch below those of all branches."""
    parts = branch.split("/")
    return [f"{git_dir}/{'/'.join(parts[:size])}" for size in range(3, len(parts))]
