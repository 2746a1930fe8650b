"""Check an index whole: each file against its checksums, and the files against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from gitsearch.corpus import edits, wordfilter
from gitsearch.corpus import shelf as shelves
from gitsearch.errors import BadModel, Busy, Damaged, Unwritable
from gitsearch.store import layout, lock, matrix, sections
from gitsearch.store.record import Record
from gitsearch.store.sections import Sections

if TYPE_CHECKING:
    from gitsearch.corpus.shelf import Shelf

# What checks the arrays of a kind of file, by how its name ends.
Checks = Mapping[str, Callable[[Sections], None]]


def problems(shelf: Shelf, more: Checks) -> Iterator[tuple[str, str]]:
    """What is wrong with which file; nothing when all is well.

    more: checks of files that other layers keep here.
    """
    for folder in (shelf.folder, shelf.folder / layout.VIEWS):
        if why := layout.unlistable(folder):
            yield folder.name, why
    if shelf.seal.broken:
        yield layout.SEAL, "missing or damaged"
    for name in shelf.seal.names():
        if shelf.seal.lost(name):
            yield name, "is missing"
    checks = _checks(shelf, more)
    at_work = lock.held(shelf.folder)
    for name in layout.names(shelf.folder):
        if layout.TEMPORARY in name:
            if not at_work:
                yield name, "left by a writer that was killed"
        else:
            yield from _one(shelf, name, checks)


def _checks(shelf: Shelf, more: Checks) -> Checks:
    """The checks of what this program has made with these settings.

    None where the settings name no model: who looks after an index need not have it.
    """
    own = {
        shelves.SUFFIX: shelf.check_view,
        edits.SUFFIX: lambda found: edits.check(found, shelf),
        wordfilter.SUFFIX: wordfilter.check,
    }
    try:
        return {f"-{shelf.recipe}{end}": check for end, check in {**own, **more}.items()}
    except BadModel:
        return {}


def _one(shelf: Shelf, name: str, checks: Checks) -> Iterator[tuple[str, str]]:
    try:
        if layout.obstructed(shelf.folder / name):
            raise Damaged(name, "is not a regular file")
        if name == layout.RECORD:
            with Record(shelf.folder / name) as record:
                record.check()
                for wrong in record.contradictions():
                    yield name, wrong
        elif name.startswith(layout.VECTORS):
            _check_vectors(shelf, name)
        elif name.startswith(layout.VIEWS):
            _check_kept(sections.read(shelf.folder, name), checks)
    except Damaged as damage:
        yield damage.file, damage.reason
    except (Busy, Unwritable) as error:
        yield name, error.message
    except FileNotFoundError:
        return  # dropped by another process since; what was lost was said above


def _check_vectors(shelf: Shelf, name: str) -> None:
    """All rows that something refers to; those beyond belong to a writer, at work or dead."""
    needed = max(shelf.recorded(name), shelf.referred().get(name, 0))
    rows = matrix.open_rows(shelf.folder, name, None)
    if len(rows) < needed:
        raise Damaged(name, f"{len(rows)} rows instead of {needed}")
    matrix.check(rows[:needed], name)


def _check_kept(found: Sections, checks: Checks) -> None:
    """The checksums; of a file of this program and these settings also what is in it."""
    found.check()
    for end, check in checks.items():
        if found.name.endswith(end):
            check(found)
