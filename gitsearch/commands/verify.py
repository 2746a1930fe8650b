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
    from gitsearch.graph import kept, shape
    from gitsearch.store import layout

    shelf = open_shelf(repo, settings)
    more = {
        f"{layout.GRAPH}{kept.GRAPH_VERSION}": kept.check,
        f"{layout.SHAPE}{shape.SHAPE_VERSION}": shape.check,
    }
    return VerifyReport(tuple(shelf.files()), tuple(checking.problems(shelf, more)))
