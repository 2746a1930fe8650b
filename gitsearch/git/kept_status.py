"""The answers of git status, kept from one question to the next while nothing can change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git.kept_repo import OwnFiles, file_state
from gitsearch.git.repo import attribute_files
from gitsearch.git.worktree import StartedStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitsearch.git.kept_repo import Looks
    from gitsearch.git.repo import Repo
    from gitsearch.git.work_tree_watch import WatchedTree, Watches
    from gitsearch.git.worktree import Status, WorktreeState
    from gitsearch.records import Revision

# What is looked at beside the working tree.
_FILES = "files of the status"

# The most bytes of edited files that are kept.
_MOST_KEPT = 32 << 20


class _KnownStatus:
    def __init__(self, state: WorktreeState) -> None:
        self._state = state

    def read(self, _max_size: int, /) -> WorktreeState:
        return self._state

    def cancel(self) -> None:
        pass


class _Basis(NamedTuple):
    """All that a state depends on.

    events: how often the watch of the working tree had told of something; files: the states of
    the others that git reads, its index first.
    """

    tree: WatchedTree
    events: int
    repo: Repo
    head: str | None
    files: Sequence[object]


class _KeptSoonStatus(StartedStatus):
    """git status at work, whose state is handed on."""

    def __init__(
        self, repo: Repo, keeper: KeptStatus, basis: _Basis, compared: Path | None
    ) -> None:
        super().__init__(repo, untracked=False, compared=compared)
        self._keeper = keeper
        self._basis = basis

    def read(self, max_size: int, /) -> WorktreeState:
        state = super().read(max_size)
        self._keeper.keep(self._basis, state)
        return state


class KeptStatus:
    """The state of one working tree, as it was when git last looked at it."""

    def __init__(self, watches: Watches, own_files: OwnFiles, looks: Looks) -> None:
        self._watches = watches
        self._looks = looks
        self._own_files = own_files
        self._tree: WatchedTree | None = None
        # the repository and the state of git's index for which there is a watch, or can be none
        self._watched: tuple[Repo, object] | None = None
        self._known: tuple[_Basis, WorktreeState] | None = None
        self._was_asked = False

    def start(
        self,
        repo: Repo,
        head: Revision | None,
        settings: Sequence[object] | None,
        compared: Callable[[], Path | None] = lambda: None,
    ) -> Status:
        """Return the state that is known, or start git status; untracked files are not looked at.

        settings: the states of the files of git's settings; None if not all of them are known.
        compared: finds the copy of git's index that is read in its place.
        """
        is_first, self._was_asked = not self._was_asked, True
        if is_first or settings is None:
            return StartedStatus(repo, untracked=False, compared=compared())
        commit = None if head is None else head.commit
        if self._known is not None and self._looks.holds(_FILES):
            before = self._known[0]
            same = before.repo is repo and before.head == commit
            if same and before.tree is self._tree and before.events == before.tree.events:
                return _KnownStatus(self._known[1])
        own = map(file_state, (str(repo.index_file), *attribute_files(repo)))
        files = [*own, *self._own_files.attributes, *settings]
        tree = self._watch(repo, files[0])
        if tree is None:
            return StartedStatus(repo, untracked=False, compared=compared())
        basis = _Basis(tree, tree.events, repo, commit, files)
        if self._known is not None and self._known[0] == basis:
            self._looks.looked_at(_FILES)
            return _KnownStatus(self._known[1])
        return _KeptSoonStatus(repo, self, basis, compared())

    def keep(self, basis: _Basis, state: WorktreeState) -> None:
        """Keep a state that was read after all of its basis."""
        size = sum(len(file.data or b"") for file in state.dirty)
        is_fit = state.head == basis.head and size <= _MOST_KEPT
        self._known = (basis, state) if is_fit else None

    def close(self) -> None:
        """Forget the state, and watch no more."""
        if self._tree is not None:
            self._watches.forget(self._tree)
        self._tree = self._watched = self._known = None

    def _watch(self, repo: Repo, index: object) -> WatchedTree | None:
        """The watch of all files that the index of git names; None if there is none yet."""
        is_same = self._watched == (repo, index)
        if is_same and (self._tree is None or self._tree.is_whole):
            return self._tree
        before, self._tree, self._watched = self._tree, None, None
        if self._watches.may_watch:
            paths = repo.run("ls-files", "-z").split(b"\0")[:-1]
            self._tree = self._watches.watch(repo.top, paths)
            self._watched = repo, index
        if before is not None:
            self._watches.forget(before)
        return self._tree
