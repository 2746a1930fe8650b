"""`git search export --parquet`: the index of trees as tables for other programs."""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.commands import repositories, repository_answers
from gitsearch.errors import SearchError, Unwritable
from gitsearch.reports.maintenance import ExportedTree, TablesReport

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.index.session import Session
    from gitsearch.settings import RepositoryNames

# Microseconds are enough.
_DIGITS = 6


def export_tables(
    session: Session, names: RepositoryNames, folder: str, at: str, *, text: bool
) -> TablesReport:
    """Write the tables of a tree of each repository; what is missing is indexed first.

    names: the repositories; without any that of the current folder. text: with the texts of
    chunks. Raises Unwritable, BadRevision, and NotARepository if there is none.
    """
    started = time.monotonic()

    def write(one: Repository) -> ExportedTree:
        return _written(one, session.cwd / folder, text=text)

    answers = repositories.each(session, names, at, write)
    trees = [tree for _, tree in answers.answers]
    own = [(tree.repository, tree.warnings) for tree in trees]
    return TablesReport(
        folder,
        tuple(trees),
        answers.unsearched,
        round(time.monotonic() - started, _DIGITS),
        repository_answers.warnings(answers.unsearched, answers.said, own),
    )


def _written(one: Repository, folder: Path, *, text: bool) -> ExportedTree:
    from gitsearch.commands.exported_tables import TreeTables
    from gitsearch.graph.graph_cache import graph_of
    from gitsearch.index.open_view import ViewOpener
    from gitsearch.store.parquet_files import ParquetFolder

    revision = one.session.resolve(one.at or "HEAD")
    try:
        opened = ViewOpener(one.session, must_write=True).open(revision, [], revision.rev)
    except Unwritable as error:
        raise SearchError(error.message, error.hint) from error
    rows: dict[str, int] = {}
    size = 0
    with closing(ParquetFolder(folder, one.name)) as target:
        for table in TreeTables(opened, partial(graph_of, opened), text=text).each():
            words = {} if table.words is None else {"words": table.words}
            rows[table.name], written = target.write(table.name, table.data, table.query, **words)
            size += written
        target.publish()
    return ExportedTree(one.name, opened.tree, rows, size, opened.warnings)
