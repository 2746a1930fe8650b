"""`git search verify`: check every file of the index against its checksums."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

from gitsearch.reports.maintenance import FileSize, Problem, VerifyReport

if TYPE_CHECKING:
    from gitsearch.index.session import Session


def verify(session: Session) -> VerifyReport:
    """Every file with its size, and what is wrong; nothing is changed."""
    store = session.store
    from gitsearch.graph import definition_cache, graph_cache, graph_metrics
    from gitsearch.index import change_history, fsck
    from gitsearch.store import layout

    definitions = definition_cache.DEFINITIONS_VERSION
    more = {
        f"{layout.DEFINITIONS}{definitions}": definition_cache.check_graph,
        f"{layout.USES}{definitions}": definition_cache.check_facts,
        f"{layout.LANDINGS}{change_history.LANDINGS_VERSION}": change_history.check,
        f"{layout.GRAPH}{graph_cache.GRAPH_VERSION}": graph_cache.check,
        f"{layout.SHAPE}{graph_metrics.SHAPE_VERSION}": graph_metrics.check,
    }
    return VerifyReport(
        tuple(FileSize(*file) for file in store.files() if layout.TEMPORARY not in file[0]),
        tuple(starmap(Problem, fsck.problems(store, more))),
        tuple(fsck.leftovers(store)),
    )
