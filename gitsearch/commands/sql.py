"""`git search sql`: read-only SQL over the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.reports.maintenance import SqlReport
from gitsearch.store import layout
from gitsearch.store.facts_db import rows_of

if TYPE_CHECKING:
    from gitsearch.index.session import Session


def sql(session: Session, query: str) -> SqlReport:
    """Columns and rows of a query; raises SearchError with DuckDB's own words."""
    path = session.repo.common_dir / layout.FOLDER / layout.RECORD
    if not layout.exists(path):
        raise SearchError("there is no index yet", "git search index makes it")
    return SqlReport(*rows_of(query, path))
