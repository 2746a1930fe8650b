"""`git search index`: bring the index up to a tree."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gitsearch.commands.asking import ask
from gitsearch.records import IndexReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.settings import Progress


def index(
    cwd: Path, at: str | None, *, rebuild: bool, dry_run: bool, progress: Progress
) -> IndexReport:
    """Index a revision (None: HEAD with the working tree), from nothing with `rebuild`.

    With `dry_run` nothing is written: the report says what would be.
    """
    started = time.monotonic()
    asking = ask(cwd, progress, at=at, refresh="off" if dry_run else "wait")
    from gitsearch.corpus import opening
    from gitsearch.corpus.shelf import open_shelf

    asking.must_write = True
    if rebuild and not dry_run:
        opening.start_over(open_shelf(asking.repo, asking.settings))
    opened = asking.open()
    counters = opened.counters
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
