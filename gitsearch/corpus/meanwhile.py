"""The view of a tree beside another writer: from what there is, and a little work in memory.

A reader does not wait until the index of a large repository is made. The nearest view and the
files in which its tree differs are as right as a view of the tree; what takes long is pending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.corpus import prepare
from gitsearch.corpus.overlay import overlay
from gitsearch.corpus.shelf import ABSENT
from gitsearch.errors import Damaged
from gitsearch.git import blobs, trees
from gitsearch.records import DirtyFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.corpus.prepare import Maker
    from gitsearch.corpus.shelf import Layers
    from gitsearch.git.repo import Repo
    from gitsearch.records import Change, TreeEntry

# Bytes of text that are extracted while somebody waits: some tenths of a second.
_AT_ONCE = 2 << 20

_TYPE = 0o170000
_REGULAR = 0o100000


def layers(maker: Maker, tree: str) -> Layers:
    """The segments of a tree, in which files may be pending; nothing is written or waited for."""
    try:
        below = maker.foundation(tree, share=float("inf"))
        if below is not None:
            for segment, _ in below.layers:
                segment.ready()
            files = _files(maker.repo, below.changes, maker.shelf.settings.max_file_size)
            made = overlay(maker.repo, maker.shelf, below.layers, files) if files else None
            return [*below.layers, made] if made else below.layers
    except Damaged:
        pass  # who gets the lock heals it
    entries = trees.list_tree(maker.repo, tree)
    if sum(_sizes(maker.repo, entries).values()) > _AT_ONCE:
        return [(maker.partial(tree), [])]
    return [
        (
            prepare.in_memory(maker.repo, maker.shelf, entries, maker.progress, maker.counters),
            [],
        )
    ]


def pending(found: Layers) -> bool:
    """Whether something is left out."""
    return any(prepare.PENDING in segment.meta["reasons"] for segment, _ in found)


def _sizes(repo: Repo, entries: Iterable[TreeEntry]) -> dict[str, int]:
    return blobs.sizes(repo, [one.oid for one in entries if one.mode & _TYPE == _REGULAR])


def _files(repo: Repo, changes: Sequence[Change], limit: int) -> list[DirtyFile]:
    """The new sides of changes, as many with their contents as are worked through at once."""
    sizes = _sizes(repo, (change.new for change in changes if change.new is not None))
    room = _AT_ONCE
    wanted: list[str] = []
    skips: dict[bytes, str] = {}
    for change in changes:
        size = sizes.get(change.new.oid) if change.new else None
        if change.new is None:
            continue
        if size is None:
            skips[change.path] = ABSENT  # what is no file has a reason of its own
        elif size > limit:
            skips[change.path] = "too-large"
        elif size > room:
            skips[change.path] = prepare.PENDING
        else:
            room -= size
            wanted.append(change.new.oid)
    data = dict(blobs.read_blobs(repo, list(dict.fromkeys(wanted))))
    return [_file(change, data, skips) for change in changes]


def _file(change: Change, data: dict[str, bytes | None], skips: dict[bytes, str]) -> DirtyFile:
    if change.new is None:
        return DirtyFile(change.path, "", 0, None)
    skip = skips.get(change.path)
    text = None if skip else data[change.new.oid]
    if text is None:
        skip = skip or ABSENT
    return DirtyFile(change.path, change.new.oid, change.new.mode, text, skip)
