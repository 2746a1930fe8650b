"""Overlays of edited files, kept on disk for the next search before another edit."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch.index import segment_schema
from gitsearch.index.view import Layer, Segment, removal_arrays, removals
from gitsearch.store import cache_files, layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.records import DirtyFile
    from gitsearch.store.sections import Sections

SUFFIX = ".edits"

# An overlay of whole other contents is not worth its place.
_LARGEST = 32 << 20


def name_of(store: ViewStore, layers: Layers, dirty: Sequence[DirtyFile]) -> str:
    """Return the name of an overlay: a hash of the view below and the edited files, the recipe."""
    # the view of one tree can be made over another base later, and then its rows are others
    below = [segment.meta.get("tree") for segment, _ in layers]
    return f"{layout.VIEWS}/{digest_of(repr(below), dirty)}-{store.recipe}{SUFFIX}"


def digest_of(below: str, dirty: Sequence[DirtyFile]) -> str:
    """Return a hash of edited files and of the view below them."""
    digest = hashlib.blake2b(below.encode(), digest_size=20)
    for file in sorted(dirty):
        absent = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, absent, file.skip)).encode())
    return digest.hexdigest()


def load(store: ViewStore, name: str, layers: Layers) -> Layer | None:
    """Return a kept overlay over these layers, or None."""
    file = cache_files.load(store.folder, name, lambda file: check(file, store, layers))
    return None if file is None else (Segment(file.arrays, file.meta), removals(file))


def check(file: Sections, store: ViewStore, layers: Layers | None = None) -> None:
    """Raise Damaged unless a file holds an overlay, over these layers if they are given."""
    segment_schema.check_edits(file, store.model)
    if layers is not None:
        segment_schema.check_removals(file, layers)


def keep(store: ViewStore, name: str, overlay: Layer) -> None:
    """Keep an overlay that is not too large, if that is possible at once."""
    segment, removed = overlay
    arrays = {**segment.arrays, **removal_arrays(removed)}
    if sum(array.nbytes for array in arrays.values()) <= _LARGEST:
        cache_files.keep(store.folder, name, arrays, segment.meta, f"*{SUFFIX}")
