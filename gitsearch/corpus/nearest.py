"""The view of a tree without writing one: the nearest there is, and the files that differ.

These are laid over it as edited files are, which is as right as a view of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.corpus import changed, prepare
from gitsearch.corpus.shelf import ABSENT, PENDING, Base
from gitsearch.errors import Damaged
from gitsearch.git import blobs, trees

if TYPE_CHECKING:
    from gitsearch.corpus.prepare import Foundation, Maker

# Bytes of text that are extracted while somebody waits: some tenths of a second.
AT_ONCE = 2 << 20

# Files and bytes of text that take longer to record than to extract: as an ordinary commit has.
_FEW = 8
_LITTLE = 128 << 10


def small(maker: Maker, tree: str) -> Base | None:
    """The view that a tree differs from by so little that recording it would take longer.

    None where the difference is larger, and where the record may know some of it: what is known
    is never extracted again.
    """
    below = maker.foundation(tree, share=float("inf"))
    if below is None or len(below.changes) > _FEW:
        return None
    fresh = [change.new.oid for change in below.changes if change.new is not None]
    if maker.shelf.holds(fresh):
        return None
    found = _laid(maker, below, _LITTLE)
    return None if any(file.skip in (ABSENT, PENDING) for file in found.changed) else found


def at_once(maker: Maker, tree: str) -> Base:
    """What can be said of a tree soon: files of which more would take long are pending."""
    try:
        below = maker.foundation(tree, share=float("inf"))
        if below is not None:
            return _laid(maker, below, AT_ONCE)
    except Damaged:
        pass  # who gets the lock heals it
    entries = trees.list_tree(maker.repo, tree)
    sizes = blobs.sizes(maker.repo, [entry.oid for entry in entries if entry.regular])
    if sum(sizes.values()) > AT_ONCE:
        return Base([(maker.partial(tree), [])])
    whole = prepare.in_memory(maker.repo, maker.shelf, entries, maker.progress, maker.counters)
    return Base([(whole, [])])


def _laid(maker: Maker, below: Foundation, room: int) -> Base:
    for segment, _ in below.layers:
        segment.ready()
    limit = maker.shelf.settings.max_file_size
    return Base(below.layers, changed.files(maker.repo, below.changes, limit, room))
