"""`git search gc`: drop what no ref, reflog or worktree reaches, and what older versions left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.session import settings_of
from gitsearch.git import repo as repository
from gitsearch.reports.maintenance import GcReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def collect(cwd: Path, progress: Progress) -> GcReport:
    """Tidy the index; readers go on undisturbed."""
    repo = repository.open_repo(cwd)
    settings = settings_of(repository.config(repo), repo.top)
    from gitsearch.index import garbage_collection
    from gitsearch.index.view_store import open_view_store

    return garbage_collection.collect(repo, open_view_store(repo, settings), progress)
