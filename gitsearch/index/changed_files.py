"""Changes of a tree as files to lay over the view of another, as edited files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.git import blobs
from gitsearch.index.view_store import ABSENT, PENDING
from gitsearch.records import DirtyFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.git.repo import Repo
    from gitsearch.records import TreeChange


def files(
    repo: Repo, changes: Sequence[TreeChange], limit: int, room: float = float("inf")
) -> list[DirtyFile]:
    """The new sides of changes with their contents; what a tree no longer has is gone.

    Contents larger than `limit` bytes are skipped; what goes beyond `room` bytes is pending.
    """
    new = [change.new for change in changes if change.new is not None]
    sizes = blobs.sizes(repo, [entry.oid for entry in new if entry.regular])
    skips: dict[str, str] = {}
    for entry in new:
        size = sizes.get(entry.oid)
        if size is None:
            skips[entry.oid] = ABSENT  # what is no file has a reason of its own
        elif size > limit:
            skips[entry.oid] = "too-large"
        elif entry.oid not in skips and size > room:
            skips[entry.oid] = PENDING
        else:
            room -= size
    wanted = dict.fromkeys(entry.oid for entry in new if entry.oid not in skips)
    data = dict(blobs.read_blobs(repo, list(wanted)))
    return [_file(change, data, skips) for change in changes]


def _file(change: TreeChange, data: dict[str, bytes | None], skips: dict[str, str]) -> DirtyFile:
    entry = change.new
    if entry is None:
        return DirtyFile(change.path, "", 0, None)
    text = data.get(entry.oid)
    skip = skips.get(entry.oid, ABSENT) if text is None else None
    return DirtyFile(entry.path, entry.oid, entry.mode, text, skip)
