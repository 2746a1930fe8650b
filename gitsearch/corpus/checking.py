"""Check an index whole: each file against its checksums, and the files against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus import wordfilter
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.store import layout, lock, matrix, sections
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
    at_work = lock.held(shelf.folder)
    for name, _ in shelf.files():
        if layout.TEMPORARY in name:
            if not at_work:
                yield name, "left by a writer that was killed"
        else:
            yield from _one(shelf, name)


def _one(shelf: Shelf, name: str) -> Iterator[tuple[str, str]]:
    path = shelf.folder / name
    try:
        if name == layout.RECORD:
            with Record(path) as record:
                record.check()
                for wrong in record.contradictions():
                    yield name, wrong
        elif name.startswith(layout.VECTORS):
            _check_vectors(shelf, name)
        elif name.startswith(layout.VIEWS):
            found = sections.read(path, name)
            found.check()
            if name.endswith(wordfilter.SUFFIX):
                wordfilter.check(found)
            else:
                yield from _view(found, name)
    except Damaged as damage:
        yield name, damage.reason
    except (Busy, Unwritable) as error:
        yield name, error.message
    except FileNotFoundError:
        return  # dropped by another process since; what was lost was said above


def _check_vectors(shelf: Shelf, name: str) -> None:
    """All rows that something refers to; those beyond belong to a writer, at work or dead."""
    needed = max(shelf.recorded(name), shelf.referred().get(name, 0))
    rows = matrix.open_rows(shelf.folder / name, None)
    if len(rows) < needed:
        raise Damaged(name, f"{len(rows)} rows instead of {needed}")
    matrix.check(rows[:needed], name)


def _view(found: sections.Sections, name: str) -> Iterator[tuple[str, str]]:
    """What does not fit together inside a view."""
    if name.endswith(".view") and "row" in found:
        rows = found["row"]
        if len(rows) and int(rows.max()) >= int(found.meta["rows"]):
            yield name, f"refers to row {int(rows.max())} of {found.meta['rows']}"
    if layout.GRAPH in name:
        files = len(found["path_ends"]) - 1
        bounds = [(array, "file", files) for array in ("edge_source", "edge_target")]
    elif layout.SHAPE in name:
        components = len(found["layer"])
        bounds = [
            (array, "component", components) for array in ("component", "link_from", "link_to")
        ]
    else:
        files, chunks = int(found.meta["files"]), int(found.meta["chunks"])
        bounds = [("chunk_file", "file", files), ("symbol_file", "file", files)]
        bounds.append(("symbol_chunk", "chunk", chunks))
    for array, owner, count in bounds:
        values: np.ndarray = found[array]
        if len(values) and int(values.max()) >= count:
            yield name, f"section '{array}' refers to {owner} {int(values.max())} of {count}"
