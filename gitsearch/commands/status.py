"""`git search status`: what is indexed, how much, how large, what is skipped and why."""

from __future__ import annotations

import os
import time
from itertools import starmap
from typing import TYPE_CHECKING

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.git import hook_installer, reachability
from gitsearch.reports.maintenance import (
    DescriptionCounts,
    FileSize,
    IndexedTree,
    SkippedFile,
    StatusReport,
)
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import View
    from gitsearch.index.view_store import ViewStore
    from gitsearch.records import Revision

_TABLES = ("blob", "chunk", "symbol")

# Seconds that an update is waited for, and one that was asked for and has not begun: if that takes
# longer, its process has died.
_PATIENCE, _STARTS = 60.0, 5.0
_POLL = 0.05


def status(session: Session, *, awaits_update: bool = False) -> StatusReport:
    """The state of the index; nothing is made or changed.

    awaits_update: of an index that is behind HEAD, an update is waited for that is at work, or
    that a hook has asked for.
    """
    if awaits_update:
        _await_update(session)
    selection = select_tree(session, refresh="off")

    store = session.store
    updating = tuple(_updating(store))  # before what such processes change is looked at
    current = _covers(store, selection.head)
    opened = selection.open()
    (blobs, chunks, symbols), warnings = _counts(store)
    return StatusReport(
        opened.tree,
        opened.view.coverage(),
        str(store.folder),
        current and not opened.view.coverage().pending,
        updating,
        tuple(starmap(FileSize, store.files())),
        blobs,
        chunks,
        opened.view.terms,
        symbols,
        _views(selection),
        session.settings.model or "packaged",
        tuple(_skipped(opened.view)),
        tuple(hook_installer.states(session.cwd)),
        warnings,
        _descriptions(opened) if session.settings.describe_command else None,
    )


def _descriptions(opened: OpenView) -> DescriptionCounts:
    from gitsearch.index import describer

    view = opened.view
    words = [view.words_beside(i) for i in range(len(view.segments))]
    unasked = sum(
        segment.chunks
        for segment, one in zip(view.segments, words, strict=True)
        if one is None and "tree" in segment.meta
    )
    return DescriptionCounts(
        sum(one.described for one in words if one is not None),
        sum(one.pending for one in words if one is not None) + unasked,
        describer.configured(opened.session.repo).refusal,
    )


def _await_update(session: Session) -> None:
    """Return when HEAD is indexed, when nothing is going to index it, or after a minute."""
    store = session.store
    started = seen = time.monotonic()
    while not _covers(store, session.head) and (now := time.monotonic()) - started < _PATIENCE:
        if _updating(store):
            seen = now
        elif not layout.exists(store.folder / layout.PENDING) or now - seen > _STARTS:
            break
        time.sleep(_POLL)


def _covers(store: ViewStore, head: Revision | None) -> bool:
    return head is None or layout.exists(store.folder / store.name(head.tree))


def _updating(store: ViewStore) -> list[int]:
    """The processes that update the index, or wait for another that does."""
    names = (layout.LOCK, layout.WORKER, layout.BACKGROUND)
    holders = (lock.holder(store.folder, name) for name in names)
    return sorted({holder for holder in holders if holder is not None})


def _views(selection: TreeSelection) -> tuple[IndexedTree, ...]:
    """The trees that have a view, with their names."""
    names = reachability.names_of_trees(selection.session.repo)
    if selection.head is not None:
        names.setdefault(selection.head.tree, []).insert(0, "HEAD")
    views = selection.session.store.views()
    return tuple(IndexedTree(tree, size, tuple(names.get(tree, ()))) for tree, size in views)


def _counts(store: ViewStore) -> tuple[tuple[int, int, int], tuple[str, ...]]:
    from gitsearch.store.facts_db import FactsDb

    try:
        with FactsDb(store.folder / layout.RECORD) as record:
            blobs, chunks, symbols = (record.count(table) for table in _TABLES)
    except FileNotFoundError:
        return (0, 0, 0), ()
    except (Busy, Damaged, Unwritable) as error:
        return (0, 0, 0), (error.message,)
    return (blobs, chunks, symbols), ()


def _skipped(view: View) -> Iterator[SkippedFile]:
    for segment, file in view.each_file():
        if reason := segment.reason(file):
            yield SkippedFile(os.fsdecode(segment.path(file)), reason)
