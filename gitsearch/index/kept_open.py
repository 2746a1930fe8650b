"""The repository and the mapped files that stay open from one question to the next."""

from __future__ import annotations

import operator
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.errors import NotARepository
from gitsearch.git.kept_repo import KeptRepo, OwnFiles
from gitsearch.git.kept_status import KeptStatus
from gitsearch.git.repository_watch import RepositoryWatch
from gitsearch.git.work_tree_watch import Watches
from gitsearch.index import compared_index
from gitsearch.index.kept_files import KeptFiles
from gitsearch.index.view import View
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.git.worktree import Status
    from gitsearch.records import Revision


# Of so many repositories that are asked together something stays open, a process of git each.
_MOST = 64

# The folders of an index, in the folder of git.
_INDEX_FOLDERS = (layout.FOLDER, f"{layout.FOLDER}/{layout.VIEWS}")


class KeptOpen:
    """A repository with its git process, and the mapped files of its index.

    Each is taken up again only if all files that it was read from are as they were, so that no
    answer differs from that of a new process.

    confined: refuse to open another repository than the first.
    """

    def __init__(
        self,
        *,
        confined: bool = False,
        watches: Watches | None = None,
        own_files: OwnFiles | None = None,
    ) -> None:
        self._own_files = own_files or OwnFiles()
        self._watches = watches or Watches()
        self._looks = RepositoryWatch(self._watches, self._own_files, *_INDEX_FOLDERS)
        self._repo = KeptRepo(self._own_files, self._looks)
        self._status = KeptStatus(self._watches, self._own_files, self._looks)
        self._confined = confined
        self._folder: Path | None = None
        self._beside: OrderedDict[Path, KeptOpen] = OrderedDict()
        self._joined: tuple[Sequence[View], View] | None = None
        self.files = KeptFiles(self._looks)

    def begin(self) -> None:
        """Begin a question: whatever was done before is seen."""
        self._watches.begin()
        self._own_files.begin()

    def beside(self, folder: Path) -> KeptOpen:
        """Return what is kept of the repository in another folder. Raises NotARepository."""
        if self._confined:
            raise NotARepository(
                f"'{folder}' is another repository, and this server answers for one",
                "ask without --in",
            )
        if folder not in self._beside:
            self._beside[folder] = KeptOpen(watches=self._watches, own_files=self._own_files)
        kept = self._beside[folder]
        self._beside.move_to_end(folder)
        if len(self._beside) > _MOST:
            self._beside.popitem(last=False)[1].close()
        return kept

    def repository(self, cwd: Path, *, apart: bool = False) -> tuple[Repo, Revision | None]:
        """Return the repository of a folder, and its HEAD as it is now. Raises NotARepository.

        apart: as for `git.repo.open_at_head`.
        """
        repo, head = self._repo.open_at_head(cwd, apart=apart)
        if repo.common_dir != self._folder:
            if self._confined and self._folder is not None:
                if not self._folder.exists():
                    raise NotARepository(
                        f"'{self._folder}', of which this server answers, was moved or deleted",
                        "start the server again",
                    )
                raise NotARepository(
                    f"'{cwd}' belongs to another repository now, '{repo.top}'",
                    "start the server again",
                )
            self._folder, self.files = repo.common_dir, KeptFiles(self._looks)
        return repo, head

    @property
    def is_open(self) -> bool:
        """True if a repository is kept, which will be found without git if it is as it was."""
        return self._repo.is_open

    def known_config_at(self, cwd: Path) -> dict[str, list[str]] | None:
        """Return what `config_at` found, if there still is no repository around the folder."""
        return self._repo.known_config_at(cwd)

    def config_at(self, cwd: Path) -> dict[str, list[str]]:
        """Return the settings that hold in a folder outside of any repository, as they are now."""
        return self._repo.config_at(cwd)

    def joined(self, views: Sequence[View]) -> View:
        """Return one view of several, the same one as long as they are the same ones."""
        if self._joined is None or not _are_same(self._joined[0], views):
            self._joined = views, View.joined(views)
        return self._joined[1]

    def config(self, repo: Repo) -> dict[str, list[str]]:
        """Return the settings of the repository, as they are now."""
        return self._repo.config(repo)

    def start_status(self, repo: Repo, head: Revision | None) -> Status:
        """Return the state of the working tree, without untracked files, as it is now.

        The settings of the repository have been read for this question.
        """
        compared = partial(compared_index.of, repo)
        return self._status.start(repo, head, self._repo.config_state, compared)

    def close(self) -> None:
        """End the processes of git, and the watches."""
        self._repo.close()
        self._status.close()
        self._looks.close()
        for kept in self._beside.values():
            kept.close()


def _are_same(views: Sequence[View], others: Sequence[View]) -> bool:
    return len(views) == len(others) and all(map(operator.is_, views, others))
