"""Drop from an index what nothing needs: facts of unreachable blobs, old views, leftovers."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus.counters import Counters
from gitsearch.corpus.prepare import Maker
from gitsearch.errors import Damaged
from gitsearch.git import history
from gitsearch.records import GcReport
from gitsearch.store import layout, lock, matrix
from gitsearch.store.record import Record, copy_kept

if TYPE_CHECKING:
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Progress

_WAIT = 60.0
_BLOCK = 65536


def collect(repo: Repo, shelf: Shelf, progress: Progress) -> GcReport:
    """Tidy under the writer's lock; raises Busy or Unwritable. Readers keep what they opened."""
    before = sum(size for _, size in shelf.files())
    if not (shelf.folder / layout.RECORD).exists():
        return GcReport(0, 0, 0, before, before)
    with lock.writer(shelf.folder, _WAIT):
        for path in layout.leftovers(shelf.folder):
            path.unlink(missing_ok=True)
        dropped, kept = _drop_blobs(repo, shelf)
        views = _drop_views(repo, shelf, everything=dropped > 0)
        maker = Maker(repo, shelf, progress, Counters())
        for tree in history.worktree_trees(repo):
            if shelf.load(tree) is None:
                maker.make(tree)
        _drop_vectors(shelf)
        shelf.seal.add(layout.RECORD)
    after = sum(size for _, size in shelf.files())
    return GcReport(dropped, kept, views, before, after)


def _drop_blobs(repo: Repo, shelf: Shelf) -> tuple[int, int]:
    """Write the record anew without unreachable blobs, if there are any; (dropped, kept)."""
    path = shelf.folder / layout.RECORD
    with Record(path) as record:
        held = record.query("select id, oid from blob order by id")
        meta = record.meta()
        old_name = layout.vectors_name(meta["model"], meta["generation"])
    reachable = history.reachable_blobs(repo)
    kept = np.asarray([oid in reachable for oid in held["oid"]], bool)
    if kept.all():
        return 0, len(kept)
    generation = secrets.token_hex(4)
    fresh = path.with_name(f"{path.name}.{generation}{layout.TEMPORARY}")
    chunks = copy_kept(path, fresh, {"id": held["id"][kept]}, generation)
    _copy_vectors(shelf, meta["model"], old_name, generation, chunks)
    fresh.replace(path)
    return int((~kept).sum()), int(kept.sum())


def _copy_vectors(
    shelf: Shelf, fingerprint: str, old: str, generation: str, chunks: np.ndarray
) -> None:
    """Copy the rows of the chunks that stay; raises Damaged before a bad row gets a good sum."""
    dims = matrix.dims_of(shelf.folder / old)
    rows = matrix.open_rows(shelf.folder / old, dims)
    if len(chunks) and int(chunks.max()) >= len(rows):
        raise Damaged(old, f"ends before row {int(chunks.max())}")
    new = layout.vectors_name(fingerprint, generation)
    for start in range(0, max(len(chunks), 1), _BLOCK):
        part = rows[chunks[start : start + _BLOCK]]
        matrix.check(part, old)
        matrix.append(shelf.folder / new, start, fingerprint, part["vector"], dims)
    shelf.seal.add(new)


def _drop_views(repo: Repo, shelf: Shelf, *, everything: bool) -> int:
    """Remove views that no worktree needs; a base goes when no kept delta stands on it."""
    needed: set[str] = set()
    if not everything:
        for tree in history.worktree_trees(repo):
            try:
                layers = shelf.load(tree) or []
            except Damaged:
                layers = []
            needed.update(shelf.name(str(segment.meta["tree"])) for segment, _ in layers)
    dropped = 0
    for name, _ in shelf.files():
        if name.startswith(layout.VIEWS) and name not in needed:
            (shelf.folder / name).unlink(missing_ok=True)
            dropped += 1
    return dropped


def _drop_vectors(shelf: Shelf) -> None:
    with Record(shelf.folder / layout.RECORD) as record:
        meta = record.meta()
    current = layout.vectors_name(meta["model"], meta["generation"])
    for name, _ in shelf.files():
        if name.startswith(layout.VECTORS) and name != current:
            (shelf.folder / name).unlink(missing_ok=True)
    shelf.seal.add()
