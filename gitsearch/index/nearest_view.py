"""Files in which a tree differs from another, and the view of a tree made of the nearest one.

The files are laid over the nearest view as edited files are, with the same answers as a view of
the tree, and nothing is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import Damaged
from gitsearch.git import blobs, trees
from gitsearch.index.view_store import ABSENT, PENDING, BaseLayers
from gitsearch.records import DirtyFile, TreeChange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.index.segment_assembly import BaseView, SegmentAssembler

# Bytes of text that are extracted while the user waits: some tenths of a second.
AT_ONCE = 2 << 20

# Files and bytes of text that take longer to record than to extract: as an ordinary commit has.
_FEW = 8
_LITTLE = 128 << 10


def small(assembler: SegmentAssembler, tree: str) -> BaseLayers | None:
    """Return the view that differs from a tree by so little that recording it would take longer.

    None if the difference is larger, or if the record may have facts of some of it: these are
    never extracted again.
    """
    nearest = assembler.foundation(tree, share=float("inf"))
    if nearest is None or len(nearest.changes) > _FEW:
        return None
    if assembler.store.holds([change.new.oid for change in nearest.changes if change.new]):
        return None
    base = _laid(assembler, nearest, _LITTLE)
    return None if any(file.skip in (ABSENT, PENDING) for file in base.changed) else base


def at_once(assembler: SegmentAssembler, tree: str) -> BaseLayers | None:
    """Return a view of a tree that is made soon in memory; None if that would take long."""
    try:
        nearest = assembler.foundation(tree, share=float("inf"))
        if nearest is not None:
            base = _laid(assembler, nearest, AT_ONCE)
            return None if any(file.skip == PENDING for file in base.changed) else base
    except Damaged:
        pass  # the process that gets the lock heals it
    entries = trees.list_tree(assembler.repo, tree)
    sizes = blobs.sizes(assembler.repo, [entry.oid for entry in entries if entry.regular])
    if sum(sizes.values()) > AT_ONCE:
        return None
    return BaseLayers([(assembler.in_memory(entries), [])])


def _laid(assembler: SegmentAssembler, nearest: BaseView, room: int) -> BaseLayers:
    for segment, _ in nearest.layers:
        segment.ready()
    limit = assembler.store.settings.max_file_size
    return BaseLayers(nearest.layers, changed_files(assembler.repo, nearest.changes, limit, room))


def changed_files(
    repo: Repo, changes: Sequence[TreeChange], limit: int, room: float = float("inf")
) -> list[DirtyFile]:
    """Return the new sides of changes with their contents; None is that of a deleted file.

    Contents larger than `limit` bytes are skipped; those beyond `room` bytes together are pending.
    """
    new = [change.new for change in changes if change.new is not None]
    sizes = blobs.sizes(repo, [entry.oid for entry in new if entry.regular])
    skips: dict[str, str] = {}
    for entry in new:
        size = sizes.get(entry.oid)
        if size is None:
            skips[entry.oid] = ABSENT  # links and submodules have a reason of their own
        elif size > limit:
            skips[entry.oid] = "too-large"
        elif entry.oid not in skips and size > room:
            skips[entry.oid] = PENDING
        else:
            room -= size
    wanted = dict.fromkeys(entry.oid for entry in new if entry.oid not in skips)
    data = dict(blobs.read_blobs(repo, list(wanted)))
    files = []
    for path, _, side in changes:
        if side is None:
            files.append(DirtyFile(path, "", 0, None))
        else:
            text = data.get(side.oid)
            skip = skips.get(side.oid, ABSENT) if text is None else None
            files.append(DirtyFile(side.path, side.oid, side.mode, text, skip))
    return files
