"""`git search verify`: check every file of the index against its checksums."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.session import settings_of
from gitsearch.git import repo as repository
from gitsearch.reports.maintenance import VerifyReport

if TYPE_CHECKING:
    from pathlib import Path


def verify(cwd: Path) -> VerifyReport:
    """Every file with its size, and what is wrong; nothing is changed."""
    repo = repository.open_repo(cwd)
    settings = settings_of(repository.config(repo), repo.top)
    from gitsearch.graph import graph_cache, graph_metrics
    from gitsearch.index import fsck
    from gitsearch.index.view_store import open_view_store
    from gitsearch.store import layout

    store = open_view_store(repo, settings)
    more = {
        f"{layout.GRAPH}{graph_cache.GRAPH_VERSION}": graph_cache.check,
        f"{layout.SHAPE}{graph_metrics.SHAPE_VERSION}": graph_metrics.check,
    }
    return VerifyReport(tuple(store.files()), tuple(fsck.problems(store, more)))
