"""Overlays of edited files, kept on disk: who asks again before the next edit does not wait."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch.index import segment_schema
from gitsearch.index.view import Segment, removal_arrays, removals
from gitsearch.store import cache_files, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Layer
    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.records import DirtyFile
    from gitsearch.store.sections import Sections

SUFFIX = ".edits"

# An overlay of whole other contents is not worth its place.
_LARGEST = 32 << 20


def name_of(store: ViewStore, layers: Layers, dirty: Sequence[DirtyFile]) -> str:
    """The file of an overlay: a hash of what lies below, the recipe and the edited files."""
    # the view of one tree can be made over another base later, and then its rows are others
    below = [segment.meta.get("tree") for segment, _ in layers]
    return f"{layout.VIEWS}/{digest_of(repr(below), dirty)}-{store.recipe}{SUFFIX}"


def digest_of(below: str, dirty: Sequence[DirtyFile]) -> str:
    """A hash of edited files and of what lies below them."""
    digest = hashlib.blake2b(below.encode(), digest_size=20)
    for file in sorted(dirty):
        gone = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, gone, file.skip)).encode())
    return digest.hexdigest()


def load(store: ViewStore, name: str, layers: Layers) -> Layer | None:
    """A kept overlay over these layers, or None."""
    found = cache_files.load(store.folder, name, lambda file: check(file, store, layers))
    return None if found is None else (Segment(found.arrays, found.meta), removals(found))


def check(found: Sections, store: ViewStore, layers: Layers | None = None) -> None:
    """Raise Damaged unless a file holds an overlay, over these layers if they are given."""
    segment_schema.check_edits(found, store.model)
    if layers is not None:
        segment_schema.check_removals(found, layers)


def keep(store: ViewStore, name: str, made: Layer) -> None:
    """Keep an overlay if it is worth it, and possible at once."""
    segment, removed = made
    held = {**segment.arrays, **removal_arrays(removed)}
    if sum(array.nbytes for array in held.values()) <= _LARGEST:
        cache_files.keep(store.folder, name, held, segment.meta, f"*{SUFFIX}")
