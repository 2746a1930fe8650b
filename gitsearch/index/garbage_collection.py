"""Drop from an index what nothing needs: facts of unreachable blobs, old views, leftovers."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.git import reachability
from gitsearch.index import described_files, history_index, word_filter
from gitsearch.index.update_counts import Counters
from gitsearch.index.view_builder import ViewBuilder
from gitsearch.reports.maintenance import GcReport
from gitsearch.store import layout, lock, vector_file
from gitsearch.store.facts_db import Columns, FactsDb, copy_kept

if TYPE_CHECKING:
    from gitsearch.git.repo import Repo
    from gitsearch.index.session import Session
    from gitsearch.index.view_store import ViewStore
    from gitsearch.settings import Progress

_WAIT = 60.0
_BLOCK = 65536

# Blobs that only past commits hold stay while they have at most this share of all chunks: an index
# has at most 1.5 times the size of a fresh one, and a revert or a switch to a tag costs nothing.
_MOST_PAST = 0.3
# A collection by itself is worth its time when the record holds so many times the chunks that are
# searched, or that the last collection left.
_GROWN = 1.4

# Key of the table meta: the number of chunks that the last collection left.
_LEFT = "left_by_gc"


def due(store: ViewStore, searched: int) -> bool:
    """Return True if a collection is worth its time, where so many chunks are searched."""
    with FactsDb(store.folder / layout.RECORD) as record:
        left = int(record.meta().get(_LEFT, 0))
        return record.next_id("chunk") > _GROWN * max(searched, left)


def collect(session: Session) -> GcReport:
    """Collect under the writer's lock. Raises Busy, Unwritable, or BadModel before it begins."""
    repo, store = session.repo, session.store
    store.require_model()
    before = sum(size for _, size in store.files())
    if not layout.exists(store.folder):
        return GcReport(0, 0, 0, before, before)
    with lock.writer(store.folder, _WAIT), layout.swept(store.folder):
        if not layout.exists(store.folder / layout.RECORD):
            return GcReport(0, 0, 0, before, before)
        store.check_record()
        dropped, kept = _drop_blobs(repo, store)
        _renew_views(repo, store, session.progress)
        views = _drop_unused(repo, store)
        with FactsDb(store.folder / layout.RECORD, write=True) as record:
            record.set_meta(_LEFT, str(record.next_id("chunk")))
        store.checksums.add(layout.RECORD)
    after = sum(size for _, size in store.files())
    return GcReport(dropped, kept, views, before, after)


def _drop_blobs(repo: Repo, store: ViewStore) -> tuple[int, int]:
    """Write the record anew without unreachable blobs, if any; returns (dropped, kept)."""
    path = store.folder / layout.RECORD
    # opened to write, so that a log that a killed writer left is taken into the file
    with FactsDb(path, write=True) as record:
        held = record.query("select id, oid, chunks from blob order by id")
        meta = record.meta()
    if not {"model", "generation"} <= set(meta):
        return 0, 0  # its writer was killed before it wrote anything else
    old_name = layout.vectors_name(meta["model"], meta["generation"])
    kept = _kept(repo, held)
    if kept.all():
        return 0, len(kept)
    generation = secrets.token_hex(4)
    fresh = path.with_name(f"{path.name}.{generation}{layout.TEMPORARY}")
    chunks = copy_kept(path, fresh, {"id": held["id"][kept]}, generation)
    _copy_vectors(store, meta["model"], old_name, generation, chunks)
    layout.adopt(fresh, path)
    store.checksums.add(layout.RECORD)
    return int((~kept).sum()), int(kept.sum())


def _kept(repo: Repo, held: Columns) -> np.ndarray:
    """Return a mask of the blobs that stay: the present ones, and past ones if they are few.

    To look through the whole history takes git longer than all else here.
    """
    present = reachability.present_blobs(repo)
    stays = np.asarray([oid in present for oid in held["oid"]], bool)
    if int(held["chunks"][~stays].sum()) > _MOST_PAST * int(held["chunks"].sum()):
        return stays
    reachable = reachability.reachable_blobs(repo)
    return np.asarray([oid in reachable for oid in held["oid"]], bool)


def _copy_vectors(
    store: ViewStore, fingerprint: str, old: str, generation: str, chunks: np.ndarray
) -> None:
    """Copy the rows of the chunks that stay. Raises Damaged before a bad row gets a good sum."""
    rows = vector_file.open_rows(store.folder, old, None)
    if len(chunks) and int(chunks.max()) >= len(rows):
        raise Damaged(old, f"ends before row {int(chunks.max())}")
    new = layout.vectors_name(fingerprint, generation)
    temporary = store.folder / f"{new}.{generation}{layout.TEMPORARY}"
    for start in range(0, max(len(chunks), 1), _BLOCK):
        part = rows[chunks[start : start + _BLOCK]]
        vector_file.check(part, old)
        vector_file.append(temporary, new, start, part["vector"])
    layout.adopt(temporary, store.folder / new)
    store.checksums.add(new)


def _renew_views(repo: Repo, store: ViewStore, progress: Progress) -> None:
    """Make the views of the worktrees over the current vectors; the old ones serve until then."""
    old = {tree for tree, _ in store.views()} - _usable(store)
    for tree in reachability.worktree_trees(repo):
        if tree in old or store.load(tree) is None:
            ViewBuilder(repo, store, progress, Counters(), frozenset(old)).make(tree)
            old.discard(tree)


def _usable(store: ViewStore) -> set[str]:
    """Return the trees with a sound view of which all segments use the current vectors."""
    current = store.current_vectors()
    usable = set()
    for tree, _ in store.views():
        with contextlib.suppress(Damaged):
            layers = store.load(tree)
            if layers and all(segment.meta["vectors"] == current for segment, _ in layers):
                usable.add(tree)
    return usable


def _drop_unused(repo: Repo, store: ViewStore) -> int:
    """Remove views that no worktree needs, then old vectors; returns the number of the views.

    A base stays while a delta stands on it, and so do the word filters of the worktrees' trees,
    the words of descriptions, and what is known of commits.
    """
    needed = {store.current_vectors()}
    for tree in reachability.worktree_trees(repo):
        layers = store.load(tree) or []
        views = [store.name(str(segment.meta["tree"])) for segment, _ in layers]
        needed.update(views, map(described_files.name_of, views))
        needed.add(word_filter.name_of(store, tree))
    needed.update(history_index.segment_names(store, history_index.recipe_of(store)))
    unused = [name for name, _ in store.files() if name not in needed]
    disposable = [name for name in unused if name.startswith(layout.VIEWS)]
    store.drop(*disposable)
    store.drop(*(name for name in unused if name.startswith(layout.VECTORS)))
    for path in layout.matching(store.folder, f"{layout.COMPARED}*"):
        layout.clear(path)
    return len(disposable)
