"""`git search status`: what is indexed, how much, how large, what is skipped and why."""

from __future__ import annotations

import os
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

_TABLES = ("blob", "chunk", "symbol")


def status(session: Session) -> StatusReport:
    """The state of the index; nothing is made or changed."""
    selection = select_tree(session, refresh="off")

    store = session.store
    updating = tuple(_updating(store))  # before what such processes change is looked at
    current = selection.head is None or layout.exists(
        store.folder / store.name(selection.head.tree)
    )
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
