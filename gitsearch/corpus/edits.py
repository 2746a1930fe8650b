"""Overlays of edited files, kept on disk: who asks again before the next edit does not wait."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch.corpus import formats
from gitsearch.corpus.view import Segment, removal_arrays, removals
from gitsearch.store import keeping, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.corpus.shelf import Layers, Shelf
    from gitsearch.corpus.view import Layer
    from gitsearch.records import DirtyFile
    from gitsearch.store.sections import Sections

SUFFIX = ".edits"

# An overlay of whole other contents is not worth its place.
_LARGEST = 32 << 20


def name_of(shelf: Shelf, layers: Layers, dirty: Sequence[DirtyFile]) -> str:
    """The file of an overlay: a hash of what lies below, the recipe and the edited files."""
    # the view of one tree can be made over another base later, and then its rows are others
    below = [segment.meta.get("tree") for segment, _ in layers]
    return f"{layout.VIEWS}/{digest_of(repr(below), dirty)}-{shelf.recipe}{SUFFIX}"


def digest_of(below: str, dirty: Sequence[DirtyFile]) -> str:
    """A hash of edited files and of what lies below them."""
    digest = hashlib.blake2b(below.encode(), digest_size=20)
    for file in sorted(dirty):
        gone = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, gone, file.skip)).encode())
    return digest.hexdigest()


def load(shelf: Shelf, name: str, layers: Layers) -> Layer | None:
    """A kept overlay over these layers, or None."""
    found = keeping.load(shelf.folder, name, lambda file: check(file, shelf, layers))
    return None if found is None else (Segment(found.arrays, found.meta), removals(found))


def check(found: Sections, shelf: Shelf, layers: Layers | None = None) -> None:
    """Raise Damaged unless a file holds an overlay, over these layers if they are given."""
    formats.check_edits(found, shelf.model)
    if layers is not None:
        formats.check_removals(found, layers)


def keep(shelf: Shelf, name: str, made: Layer) -> None:
    """Keep an overlay if it is worth it, and possible at once."""
    segment, removed = made
    held = {**segment.arrays, **removal_arrays(removed)}
    if sum(array.nbytes for array in held.values()) <= _LARGEST:
        keeping.keep(shelf.folder, name, held, segment.meta, f"*{SUFFIX}")
