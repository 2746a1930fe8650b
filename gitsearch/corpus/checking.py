"""Check an index whole: each file against its checksums, and the files against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.errors import Busy, Damaged
from gitsearch.store import layout, matrix, sections
from gitsearch.store.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.corpus.shelf import Shelf


def problems(shelf: Shelf) -> Iterator[tuple[str, str]]:
    """What is wrong with which file; nothing when all is well."""
    if not shelf.folder.is_dir():
        return
    if shelf.seal.broken:
        yield layout.SEAL, "missing or damaged"
    for name in shelf.seal.names():
        if shelf.seal.lost(name):
            yield name, "is missing"
    for name, _ in shelf.files():
        if name.endswith(layout.TEMPORARY):
            yield name, "left by a writer that was killed"
        else:
            yield from _one(shelf, name)


def _one(shelf: Shelf, name: str) -> Iterator[tuple[str, str]]:
    path = shelf.folder / name
    try:
        if name == layout.RECORD:
            with Record(path) as record:
                record.check()
        elif name.startswith(layout.VECTORS):
            matrix.check(matrix.open_rows(path, None)[: shelf.recorded(name) or None], name)
        elif name.startswith(layout.VIEWS):
            sections.read(path, name).check()
    except Damaged as damage:
        yield name, damage.reason
    except Busy as busy:
        yield name, busy.message
    except FileNotFoundError:
        yield name, "is missing"
