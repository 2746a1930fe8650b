"""`git search index`: bring the index up to a tree."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from gitsearch.commands.session import open_session
from gitsearch.errors import Busy
from gitsearch.git.repo import resolve
from gitsearch.reports.maintenance import IndexReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def index_in_background(cwd: Path, at: str, progress: Progress) -> None:
    """Index a revision, unless another process that a search has left behind is at it."""
    from gitsearch.git.repo import open_repo
    from gitsearch.index import background_update
    from gitsearch.store import layout

    with (
        contextlib.suppress(Busy),
        background_update.only_one(open_repo(cwd).common_dir / layout.FOLDER),
    ):
        index(cwd, at, rebuild=False, dry_run=False, progress=progress)


def index(
    cwd: Path, at: str | None, *, rebuild: bool, dry_run: bool, progress: Progress
) -> IndexReport:
    """Index a revision (None: HEAD with the working tree), from nothing with `rebuild`.

    With `dry_run` nothing is written: the report says what would be.
    """
    started = time.monotonic()
    session = open_session(cwd, progress, at=at, refresh="off" if dry_run else "wait")
    from gitsearch.index import repair
    from gitsearch.index.update_counts import Counters
    from gitsearch.index.view_store import open_view_store

    session.must_write = True
    counters = Counters()
    if rebuild and not dry_run:
        revision = resolve(session.repo, at) if at is not None else session.head
        tree = revision.tree if revision else None
        store = open_view_store(session.repo, session.settings)
        try:
            repair.start_over(session.repo, store, tree, progress, counters)
        except BaseException:
            session.abandon()
            raise
    opened = session.open()
    counters.add(opened.counters)
    coverage = opened.view.coverage()
    return IndexReport(
        opened.tree,
        coverage,
        coverage.pending if dry_run else counters.files_parsed,
        counters.terms_embedded,
        counters.bytes_read,
        opened.view.count,
        time.monotonic() - started,
        dry_run,
        opened.warnings if not dry_run else (),
    )
