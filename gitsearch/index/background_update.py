"""The background run that hooks start: one at a time, once for many commits, and silent.

A hook makes the file "pending" and starts a process; while the file exists no other hook does. The
process removes it, waits a moment for more commits, and prepares the HEAD of every worktree. If it
fails, the next search does its work.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsearch.errors import Busy, SearchError
from gitsearch.git import reachability
from gitsearch.git import repo as repository
from gitsearch.index import compared_index, garbage_collection
from gitsearch.index.history_index import HistoryIndex
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.update_counts import Counters
from gitsearch.records import Revision
from gitsearch.settings import WAIT
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session

# Seconds in which more commits may come before work begins; their hooks see the file "pending".
DEBOUNCE = 0.2
# Seconds that a run waits for another to end: a search, or a look at who is at work, holds the
# lock for an instant.
_PATIENCE = 0.1
# A rebase calls its last hook a moment before it is over.
_REBASE_ENDS = 3.0
# Seconds that a run may take; what it has extracted until then is kept.
_LIMIT = 900
_LOG_BYTES = 64 << 10


def run(session: Session, folder: Path) -> None:
    """Prepare HEAD of every worktree until no hook asks for more; nothing if another run does."""
    os.nice(19)
    with _limited():
        while True:
            try:
                with lock.alone(folder, layout.WORKER, _PATIENCE):
                    _once(session, folder)
            except Busy:
                return
            # a hook that came after the last look has started nothing if we held the lock
            if not layout.exists(folder / layout.PENDING):
                break
        if session.settings.describe_command:
            describe(session, folder, _trees(session.repo))


def describe(session: Session, folder: Path, trees: Sequence[str]) -> None:
    """Have the chunks of trees described; without a lock that keeps others from indexing."""
    from gitsearch.index import describer

    with logged(folder):
        session.reopened_store()
        done = describer.describe(session, trees)
        said = f"; {done.said}" if done.said else ""
        log(folder, f"describe: {done.calls} calls, {done.failed} failed{said}")


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the lock of the one process that a search starts in the background. Raises Busy.

    It may wait long for another writer, and each further search would start one more that waits.
    """
    layout.prepare(folder)
    with lock.alone(folder, layout.BACKGROUND, _PATIENCE):
        os.nice(19)
        yield


def _once(session: Session, folder: Path) -> None:
    with logged(folder) as counters:
        time.sleep(DEBOUNCE)
        layout.clear(folder / layout.PENDING)
        searched = 0
        for tree in _trees(session.repo) if layout.exists(folder / layout.RECORD) else ():
            opener = ViewOpener(session, must_write=True)
            opened = opener.open(Revision("HEAD", None, tree), [])
            counters.add(opened.counters)
            searched = max(searched, opened.view.count)
        history = HistoryIndex(session)
        head = repository.head(session.repo)
        if history.exists() and head is not None and head.commit is not None:
            history.open(head.commit, WAIT)
        if counters.files_parsed and garbage_collection.due(session.reopened_store(), searched):
            dropped = garbage_collection.collect(session).blobs_dropped
            log(folder, f"gc: {dropped} blobs dropped")
        compared_index.make(session.repo)


@contextmanager
def logged(folder: Path) -> Iterator[Counters]:
    """Log when a block begins and how it ends; an error that has a message is no more than that.

    Yields what the block counts.
    """
    log(folder, "start")
    started, spent = time.monotonic(), sum(os.times()[:4])
    counters = Counters()
    try:
        yield counters
    except SearchError as error:
        log(folder, f"failed: {error.message}")
    except KeyboardInterrupt:
        log(folder, f"stopped after {time.monotonic() - started:.0f} s; the next run goes on")
        raise
    except Exception as error:
        log(folder, f"failed: internal error: {type(error).__name__}: {error}")
        raise
    else:
        cost = f"{time.monotonic() - started:.2f} s, CPU {sum(os.times()[:4]) - spent:.2f} s"
        log(folder, f"done: {counters.files_parsed} files parsed, {cost}")


def _trees(repo: Repo) -> list[str]:
    """Return the trees to prepare: those of worktrees in a rebase only if it ends in a moment."""
    deadline = time.monotonic() + _REBASE_ENDS
    trees, rebasing = reachability.resting_trees(repo)
    while rebasing and time.monotonic() < deadline:
        time.sleep(DEBOUNCE)
        trees, rebasing = reachability.resting_trees(repo)
    return trees


@contextmanager
def _limited() -> Iterator[None]:
    """Interrupt the block after the limit, as Ctrl-C would."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def log(folder: Path, line: str) -> None:
    """Append a line to the log, which is rotated when it is long; ignored if unwritable."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    layout.append(folder / layout.LOG, f"{stamp} {os.getpid()} {line}\n", _LOG_BYTES)
