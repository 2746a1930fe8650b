"""Drop from an index what nothing needs: facts of unreachable blobs, old views, leftovers."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus import wordfilter
from gitsearch.corpus.counters import Counters
from gitsearch.corpus.prepare import Maker
from gitsearch.errors import Damaged, Unwritable
from gitsearch.git import history
from gitsearch.store import layout, lock, matrix
from gitsearch.store.record import Record, copy_kept
from gitsearch.upkeep import GcReport

if TYPE_CHECKING:
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Progress
    from gitsearch.store.record import Columns

_WAIT = 60.0
_BLOCK = 65536

# Blobs that only past commits hold stay while they have at most this share of all chunks: an index
# has at most 1.5 times the size of a fresh one, and a revert or a switch to a tag costs nothing.
_MOST_PAST = 0.3
# Tidying by itself is worth its time when the record holds so many times what is searched, or what
# the last tidying left.
_GROWN = 1.4

# Key of the table meta: how many chunks the last tidying left.
_LEFT = "left_by_gc"


def due(shelf: Shelf, searched: int) -> bool:
    """Whether tidying is worth its time, where so many chunks are searched."""
    with Record(shelf.folder / layout.RECORD) as record:
        left = int(record.meta().get(_LEFT, 0))
        return record.next_id("chunk") > _GROWN * max(searched, left)


def collect(repo: Repo, shelf: Shelf, progress: Progress) -> GcReport:
    """Tidy under the writer's lock; raises Busy, Unwritable, or BadModel before it begins.

    Readers keep what they opened.
    """
    shelf.require_model()
    before = sum(size for _, size in shelf.files())
    if not layout.exists(shelf.folder):
        return GcReport(0, 0, 0, before, before)
    with lock.writer(shelf.folder, _WAIT), layout.swept(shelf.folder):
        if not layout.exists(shelf.folder / layout.RECORD):
            return GcReport(0, 0, 0, before, before)
        shelf.check_record()
        dropped, kept = _drop_blobs(repo, shelf)
        _renew_views(repo, shelf, progress)
        views = _drop_views(repo, shelf)
        _drop_vectors(shelf)
        with Record(shelf.folder / layout.RECORD, write=True) as record:
            record.set_meta(_LEFT, str(record.next_id("chunk")))
        shelf.seal.add(layout.RECORD)
    after = sum(size for _, size in shelf.files())
    return GcReport(dropped, kept, views, before, after)


def _drop_blobs(repo: Repo, shelf: Shelf) -> tuple[int, int]:
    """Write the record anew without unreachable blobs, if there are any; (dropped, kept)."""
    path = shelf.folder / layout.RECORD
    # opened to write, so that a log that a killed writer left is taken into the file
    with Record(path, write=True) as record:
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
    _copy_vectors(shelf, meta["model"], old_name, generation, chunks)
    layout.adopt(fresh, path)
    shelf.seal.add(layout.RECORD)
    return int((~kept).sum()), int(kept.sum())


def _kept(repo: Repo, held: Columns) -> np.ndarray:
    """Which blobs stay: what history reaches as long as it is little, what is present in any case.

    To look through the whole history takes git longer than all else here.
    """
    present = history.present_blobs(repo)
    stays = np.asarray([oid in present for oid in held["oid"]], bool)
    if int(held["chunks"][~stays].sum()) > _MOST_PAST * int(held["chunks"].sum()):
        return stays
    reachable = history.reachable_blobs(repo)
    return np.asarray([oid in reachable for oid in held["oid"]], bool)


def _copy_vectors(
    shelf: Shelf, fingerprint: str, old: str, generation: str, chunks: np.ndarray
) -> None:
    """Copy the rows of the chunks that stay; raises Damaged before a bad row gets a good sum."""
    rows = matrix.open_rows(shelf.folder, old, None)
    dims = rows.dtype["vector"].shape[0]
    if len(chunks) and int(chunks.max()) >= len(rows):
        raise Damaged(old, f"ends before row {int(chunks.max())}")
    new = layout.vectors_name(fingerprint, generation)
    made = shelf.folder / f"{new}.{generation}{layout.TEMPORARY}"
    for start in range(0, max(len(chunks), 1), _BLOCK):
        part = rows[chunks[start : start + _BLOCK]]
        matrix.check(part, old)
        matrix.append(made, new, start, part["vector"], dims)
    layout.adopt(made, shelf.folder / new)
    shelf.seal.add(new)


def _renew_views(repo: Repo, shelf: Shelf, progress: Progress) -> None:
    """Make the views of the worktrees over the current vectors; the old ones serve until then."""
    old = {tree for tree, _ in shelf.views()} - _usable(shelf)
    for tree in history.worktree_trees(repo):
        if tree in old or shelf.load(tree) is None:
            Maker(repo, shelf, progress, Counters(), frozenset(old)).make(tree)
            old.discard(tree)


def _usable(shelf: Shelf) -> set[str]:
    """Trees with a view that is sound, and all over the current vectors."""
    current = shelf.current_vectors()
    found = set()
    for tree, _ in shelf.views():
        try:
            layers = shelf.load(tree)
        except Damaged:
            continue
        if layers and all(segment.meta["vectors"] == current for segment, _ in layers):
            found.add(tree)
    return found


def _drop_views(repo: Repo, shelf: Shelf) -> int:
    """Remove views that no worktree needs; a base goes when no kept delta stands on it.

    The filters of words of the worktrees' trees stay, too.
    """
    needed: set[str] = set()
    for tree in history.worktree_trees(repo):
        layers = shelf.load(tree) or []
        needed.update(shelf.name(str(segment.meta["tree"])) for segment, _ in layers)
        needed.add(wordfilter.name_of(shelf, tree))
    views = [name for name, _ in shelf.files() if name.startswith(layout.VIEWS)]
    return _drop(shelf, [name for name in views if name not in needed])


def _drop_vectors(shelf: Shelf) -> None:
    current = shelf.current_vectors()
    files = [name for name, _ in shelf.files() if name.startswith(layout.VECTORS)]
    _drop(shelf, [name for name in files if name != current])


def _drop(shelf: Shelf, names: list[str]) -> int:
    """Forget files, then remove them: a reader must not take them for lost."""
    shelf.seal.forget(*names)
    for name in names:
        try:
            layout.remove(shelf.folder / name)
        except OSError as error:
            raise Unwritable(f"cannot write '{shelf.folder}': {error.strerror}") from error
    return len(names)
