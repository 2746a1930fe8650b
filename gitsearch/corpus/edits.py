"""Overlays of edited files, kept on disk: who asks again before the next edit waits for nothing.

Named by all they are made of, so a kept one is never stale. Only a few are kept, none is sealed:
each is checked whole when it is read, and one that is bad or gone is made again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch.corpus.view import Segment, removal_arrays, removals
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.store import layout, lock, sections

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gitsearch.corpus.shelf import Layers, Shelf
    from gitsearch.corpus.view import Layer
    from gitsearch.records import DirtyFile

_SUFFIX = ".edits"
_MOST = 4

# An overlay of whole other contents is not worth its place.
_LARGEST = 64 << 20


def name_of(shelf: Shelf, layers: Layers, dirty: Sequence[DirtyFile]) -> str:
    """The file of an overlay: a hash of what lies below, the recipe and the edited files."""
    # the view of one tree can be made over another base later, and then its rows are others
    below = [segment.meta.get("tree") for segment, _ in layers]
    digest = hashlib.blake2b(repr(below).encode(), digest_size=20)
    for file in sorted(dirty):
        gone = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, gone, file.skip)).encode())
    return f"{layout.VIEWS}/{digest.hexdigest()}-{shelf.recipe}{_SUFFIX}"


def load(shelf: Shelf, name: str) -> Layer | None:
    """A kept overlay, or None."""
    try:
        found = sections.read(shelf.folder / name, name)
        found.check()
        return Segment(found.arrays, found.meta), removals(found)
    except (OSError, Damaged):
        return None


def keep(shelf: Shelf, name: str, made: Layer) -> None:
    """Keep an overlay if that is possible at once, and drop the oldest ones."""
    segment, removed = made
    arrays = {**segment.arrays, **removal_arrays(removed)}
    if sum(array.nbytes for array in arrays.values()) > _LARGEST:
        return
    try:
        with lock.writer(shelf.folder, 0.0):
            sections.write(shelf.folder / name, arrays, segment.meta)
            kept = sorted((shelf.folder / layout.VIEWS).glob(f"*{_SUFFIX}"), key=_age)
            for path in kept[_MOST:]:
                path.unlink(missing_ok=True)
    except (Busy, Unwritable, OSError):
        return  # the next one will


def _age(path: Path) -> float:
    return -path.stat().st_mtime
