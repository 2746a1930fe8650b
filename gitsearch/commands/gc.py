"""`git search gc`: drop what no ref, reflog or worktree reaches, and what older versions left."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.index.session import Session
    from gitsearch.reports.maintenance import GcReport


def collect(session: Session) -> GcReport:
    """Tidy the index; readers go on undisturbed."""
    from gitsearch.index import garbage_collection

    return garbage_collection.collect(session)
