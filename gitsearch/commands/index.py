"""`git search index`: bring the index up to a tree."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import Busy, SearchError, Unwritable
from gitsearch.reports.maintenance import IndexedRepository, IndexesReport, IndexReport

if TYPE_CHECKING:
    from gitsearch.commands.repositories import Repository
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.settings import RepositoryNames

# Microseconds are enough.
_DIGITS = 6


def index_in_background(session: Session, at: str) -> None:
    """Index a revision, unless another process that a search has left behind is at it."""
    from gitsearch.index import background_update
    from gitsearch.store import layout

    folder = session.repo.common_dir / layout.FOLDER
    with (
        contextlib.suppress(Busy),
        background_update.only_one(folder),
        background_update.logged(folder) as counters,
    ):
        report = index(session, at, rebuild=False, dry_run=False)
        counters.files_parsed = report.files_parsed
    if session.settings.describe_command:
        background_update.describe(session, folder, [session.resolve(at).tree])


def index_in(
    session: Session, names: RepositoryNames, at: str | None, *, rebuild: bool, dry_run: bool
) -> IndexesReport:
    """Index many repositories; what the index of one has is not extracted for another."""
    from gitsearch.commands import repositories, repository_answers

    started = time.monotonic()

    def index_one(one: Repository) -> IndexReport:
        try:
            return index(one.session, one.at, rebuild=rebuild, dry_run=dry_run)
        except Unwritable as error:  # the others are indexed
            raise SearchError(error.message, error.hint) from error

    answers = repositories.each(session, names, at, index_one)
    reports = [(one.name, report) for one, report in answers.answers]
    own = [(name, report.warnings) for name, report in reports]
    return IndexesReport(
        tuple(
            IndexedRepository(
                name,
                report.tree,
                report.coverage,
                report.files_parsed,
                report.files_known,
                report.chunks,
            )
            for name, report in reports
        ),
        answers.unsearched,
        round(time.monotonic() - started, _DIGITS),
        dry_run,
        repository_answers.warnings(answers.unsearched, answers.said, own),
    )


def index(session: Session, at: str | None, *, rebuild: bool, dry_run: bool) -> IndexReport:
    """Index a revision (None: HEAD with the working tree), from nothing with `rebuild`.

    With `dry_run` nothing is written: the report says what would be.
    """
    started = time.monotonic()
    selection = select_tree(session, at=at, refresh="off" if dry_run else "wait")
    from gitsearch.index import compared_index, repair
    from gitsearch.index.update_counts import Counters

    selection.must_write = True
    counters = Counters()
    if rebuild and not dry_run:
        revision = session.resolve(at) if at is not None else selection.head
        tree = revision.tree if revision else None
        try:
            repair.start_over(session, tree, counters)
            session.reopened_store()
        except BaseException:
            selection.abandon()
            raise
    opened = selection.open()
    if not dry_run:
        compared_index.make(session.repo)
    counters.add(opened.counters)
    coverage = opened.view.coverage()
    return IndexReport(
        opened.tree,
        coverage,
        coverage.pending if dry_run else counters.files_parsed,
        None if dry_run else counters.terms_embedded,
        _pending_bytes(opened) if dry_run else counters.bytes_read,
        opened.view.count,
        round(time.monotonic() - started, _DIGITS),
        dry_run,
        opened.warnings if not dry_run else (),
        counters.parses_known,
    )


def _pending_bytes(opened: OpenView) -> int:
    """The bytes of the files that are to be parsed, without those that are too large."""
    from gitsearch.git import blobs
    from gitsearch.index.view_store import PENDING

    session = opened.session
    pending = (
        segment.oid(file)
        for segment, file in opened.view.each_file()
        if segment.reason(file) == PENDING
    )
    sizes = blobs.sizes(session.repo, pending).values()
    return sum(size for size in sizes if size <= session.settings.max_file_size)
