"""The view of a tree without writing one: the nearest there is, and the files that differ.

These are laid over it as edited files are, which is as right as a view of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import Damaged
from gitsearch.git import blobs, trees
from gitsearch.index import changed_files, view_builder
from gitsearch.index.view_store import ABSENT, PENDING, BaseLayers

if TYPE_CHECKING:
    from gitsearch.index.view_builder import BaseView, ViewBuilder

# Bytes of text that are extracted while somebody waits: some tenths of a second.
AT_ONCE = 2 << 20

# Files and bytes of text that take longer to record than to extract: as an ordinary commit has.
_FEW = 8
_LITTLE = 128 << 10


def small(builder: ViewBuilder, tree: str) -> BaseLayers | None:
    """The view that a tree differs from by so little that recording it would take longer.

    None where the difference is larger, and where the record may know some of it: what is known
    is never extracted again.
    """
    below = builder.foundation(tree, share=float("inf"))
    if below is None or len(below.changes) > _FEW:
        return None
    fresh = [change.new.oid for change in below.changes if change.new is not None]
    if builder.store.holds(fresh):
        return None
    found = _laid(builder, below, _LITTLE)
    return None if any(file.skip in (ABSENT, PENDING) for file in found.changed) else found


def at_once(builder: ViewBuilder, tree: str) -> BaseLayers:
    """What can be said of a tree soon: files of which more would take long are pending."""
    try:
        below = builder.foundation(tree, share=float("inf"))
        if below is not None:
            return _laid(builder, below, AT_ONCE)
    except Damaged:
        pass  # who gets the lock heals it
    entries = trees.list_tree(builder.repo, tree)
    sizes = blobs.sizes(builder.repo, [entry.oid for entry in entries if entry.regular])
    if sum(sizes.values()) > AT_ONCE:
        return BaseLayers([(builder.partial(tree), [])])
    whole = view_builder.in_memory(
        builder.repo, builder.store, entries, builder.progress, builder.counters
    )
    return BaseLayers([(whole, [])])


def _laid(builder: ViewBuilder, below: BaseView, room: int) -> BaseLayers:
    for segment, _ in below.layers:
        segment.ready()
    limit = builder.store.settings.max_file_size
    return BaseLayers(below.layers, changed_files.files(builder.repo, below.changes, limit, room))
