"""The repository and the mapped files that stay open from one question to the next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.errors import NotARepository
from gitsearch.git.kept_repo import KeptRepo
from gitsearch.index.kept_files import KeptFiles

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo
    from gitsearch.records import Revision


class KeptOpen:
    """A repository with its git process, and the mapped files of its index.

    Each is taken up again only if all files that it was read from are as they were, so that no
    answer differs from that of a new process.

    confined: refuse to open another repository than the first.
    """

    def __init__(self, *, confined: bool = False) -> None:
        self._repo = KeptRepo()
        self._confined = confined
        self._folder: Path | None = None
        self.files = KeptFiles()

    def repository(self, cwd: Path) -> tuple[Repo, Revision | None]:
        """Return the repository of a folder, and its HEAD as it is now. Raises NotARepository."""
        repo, head = self._repo.open_at_head(cwd)
        if repo.common_dir != self._folder:
            if self._confined and self._folder is not None:
                raise NotARepository(
                    f"'{cwd}' belongs to another repository now, '{repo.top}'",
                    "start the server again",
                )
            self._folder, self.files = repo.common_dir, KeptFiles()
        return repo, head

    def close(self) -> None:
        """End the process of git."""
        self._repo.close()
