"""Files with the words of descriptions, each beside the view file of a segment.

docs/format.md, "Words of descriptions", is normative. They are apart from the view, so that it is
the same with and without them, and that no more is read than before where nobody describes code.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.index.described_words import DescribedWords, arrays_of
from gitsearch.index.versions import DESCRIBED_VERSION
from gitsearch.store import cache_files
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitsearch.index.view import Segment
    from gitsearch.index.view_store import ViewStore
    from gitsearch.store.sections import Sections

SUFFIX = ".described"

# The most files of this kind: one for each view that is kept.
_MOST = 64
_META = {
    "version": "number",
    "command": "text",
    "segment": "text",
    "described": "number",
    "pending": "number",
}
ARRAYS: Arrays = {
    "term_text": Array("uint8", "bytes", text="term_ends", sorted_by="term_ends"),
    "term_ends": Array("uint", "T + 1", cuts="term_text"),
    "row_ends": Array("uint", "T + 1", cuts="row"),
    "row": Array("uint", "P"),
    "often": Array("uint", "P"),
}


def load(store: ViewStore, segment: Segment, command: str) -> DescribedWords | None:
    """Return the words by a command (`descriptions.name_of`) of a segment; None without any."""
    own = _identity(segment)

    def fits(file: Sections) -> None:
        check(file)
        if (file.meta["command"], file.meta["segment"]) != (command, own):
            raise Damaged(file.name, "is of another view or command")
        if len(file["row"]) and int(file["row"].max()) >= segment.chunks:
            raise Damaged(file.name, "refers to a chunk that is not there")

    file = cache_files.load(store.folder, _name(store, segment), fits)
    if file is None:
        return None
    digest = f"{command}{sorted(file.crcs.items())}"
    return DescribedWords(file.arrays, file.meta["described"], file.meta["pending"], digest)


def keep(
    store: ViewStore, segment: Segment, command: str, lines: Mapping[int, str], pending: int
) -> None:
    """Keep the words of descriptions by row, if that is possible at once."""
    meta: dict[str, Any] = {
        "version": DESCRIBED_VERSION,
        "command": command,
        "segment": _identity(segment),
        "described": len(lines),
        "pending": pending,
    }
    name = _name(store, segment)
    cache_files.keep(store.folder, name, arrays_of(lines), meta, f"*{SUFFIX}", _MOST)


def check(file: Sections) -> None:
    """Raise Damaged if a file holds no words of this version."""
    check_meta(file.meta, _META, file.name)
    if file.meta["version"] != DESCRIBED_VERSION:
        raise Damaged(file.name, "made by another version")
    check_arrays(file, ARRAYS, {})


def name_of(view: str) -> str:
    """Return the name of the file beside a view."""
    return f"{view.rpartition('.')[0]}{SUFFIX}"


def _name(store: ViewStore, segment: Segment) -> str:
    return name_of(store.name(str(segment.meta["tree"])))


def _identity(segment: Segment) -> str:
    """Return a hash of the chunks of a segment in their order.

    The view of one tree can be made over another base later, and then its rows are others.
    """
    digest = blake2b(digest_size=16)
    for name in ("oid", "chunk_file", "chunk_start"):
        digest.update(np.ascontiguousarray(segment[name]).data)
    return digest.hexdigest()
