"""`git search sql`: read-only SQL over the record, or over those of many repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.reports.maintenance import SqlReport
from gitsearch.store import layout
from gitsearch.store.facts_db import check_sound, rows_of, rows_of_many

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.commands.repositories import Repository
    from gitsearch.index.session import Session
    from gitsearch.settings import RepositoryNames


def sql(session: Session, query: str) -> SqlReport:
    """Columns and rows of a query; raises SearchError with DuckDB's own words."""
    return SqlReport(*rows_of(query, _record(session)))


def sql_in(session: Session, names: RepositoryNames, query: str) -> SqlReport:
    """The same over the records of many repositories, whose tables have a column `repository`."""
    from gitsearch.commands import repositories, repository_answers

    def sound(one: Repository) -> Path:
        path = _record(one.session)
        check_sound(path)
        return path

    answers = repositories.each(session, names, None, sound)
    records = [(one.name, path) for one, path in answers.answers]
    said = repository_answers.warnings(answers.unsearched, answers.said, ())
    asked = tuple(name for name, _ in records)
    return SqlReport(*rows_of_many(query, records), said, asked, answers.unsearched)


def _record(session: Session) -> Path:
    path = session.repo.common_dir / layout.FOLDER / layout.RECORD
    if not layout.exists(path):
        raise SearchError("there is no index yet", "git search index makes it")
    return path
