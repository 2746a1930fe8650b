"""`git search verify`: check every file of the index against its checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.asking import settings_of
from gitsearch.git import repo as repository
from gitsearch.upkeep import VerifyReport

if TYPE_CHECKING:
    from pathlib import Path


def verify(cwd: Path) -> VerifyReport:
    """Every file with its size, and what is wrong; nothing is changed."""
    repo = repository.open_repo(cwd)
    settings = settings_of(repository.config(repo), repo.top)
    from gitsearch.corpus import checking
    from gitsearch.corpus.shelf import open_shelf

    shelf = open_shelf(repo, settings)
    return VerifyReport(tuple(shelf.files()), tuple(checking.problems(shelf)))
