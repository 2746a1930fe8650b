"""`git search gc`: drop what no ref, reflog or worktree reaches, and what older versions left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.asking import settings_of
from gitsearch.git import repo as repository
from gitsearch.upkeep import GcReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def collect(cwd: Path, progress: Progress) -> GcReport:
    """Tidy the index; readers go on undisturbed."""
    repo = repository.open_repo(cwd)
    settings = settings_of(repository.config(repo), repo.top)
    from gitsearch.corpus import tidy
    from gitsearch.corpus.shelf import open_shelf

    return tidy.collect(repo, open_shelf(repo, settings), progress)
