"""Check an index whole: each file against its checksums, and the files against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from gitsearch.errors import BadModel, Busy, Damaged, Unwritable
from gitsearch.index import overlay_cache, word_filter
from gitsearch.index import view_store as shelves
from gitsearch.store import layout, lock, sections, vector_file
from gitsearch.store.facts_db import FactsDb
from gitsearch.store.sections import Sections

if TYPE_CHECKING:
    from gitsearch.index.view_store import ViewStore

# What checks the arrays of a kind of file, by how its name ends.
Checks = Mapping[str, Callable[[Sections], None]]


def problems(store: ViewStore, more: Checks) -> Iterator[tuple[str, str]]:
    """What is wrong with which file; nothing when all is well.

    more: checks of files that other layers keep here.
    """
    for folder in (store.folder, store.folder / layout.VIEWS):
        if why := layout.unlistable(folder):
            yield folder.name, why
    if store.checksums.broken:
        yield layout.SEAL, "missing or damaged"
    for name in store.checksums.names():
        if store.checksums.lost(name):
            yield name, "is missing"
    checks = _checks(store, more)
    at_work = lock.held(store.folder)
    for name in layout.names(store.folder):
        if layout.TEMPORARY in name:
            if not at_work:
                yield name, "left by a writer that was killed"
        else:
            yield from _one(store, name, checks)


def _checks(store: ViewStore, more: Checks) -> Checks:
    """The checks of what this program has made with these settings.

    None where the settings name no model: who looks after an index need not have it.
    """
    own = {
        shelves.SUFFIX: store.check_view,
        overlay_cache.SUFFIX: lambda found: overlay_cache.check(found, store),
        word_filter.SUFFIX: word_filter.check,
    }
    try:
        return {f"-{store.recipe}{end}": check for end, check in {**own, **more}.items()}
    except BadModel:
        return {}


def _one(store: ViewStore, name: str, checks: Checks) -> Iterator[tuple[str, str]]:
    try:
        if layout.obstructed(store.folder / name):
            raise Damaged(name, "is not a regular file")
        if name == layout.RECORD:
            with FactsDb(store.folder / name) as record:
                record.check()
                for wrong in record.contradictions():
                    yield name, wrong
        elif name.startswith(layout.VECTORS):
            _check_vectors(store, name)
        elif name.startswith(layout.VIEWS):
            _check_kept(sections.read(store.folder, name), checks)
    except Damaged as damage:
        yield damage.file, damage.reason
    except (Busy, Unwritable) as error:
        yield name, error.message
    except FileNotFoundError:
        return  # dropped by another process since; what was lost was said above


def _check_vectors(store: ViewStore, name: str) -> None:
    """All rows that something refers to; those beyond belong to a writer, at work or dead."""
    needed = max(store.recorded(name), store.referred().get(name, 0))
    rows = vector_file.open_rows(store.folder, name, None)
    if len(rows) < needed:
        raise Damaged(name, f"{len(rows)} rows instead of {needed}")
    vector_file.check(rows[:needed], name)


def _check_kept(found: Sections, checks: Checks) -> None:
    """The checksums; of a file of this program and these settings also what is in it."""
    found.check()
    for end, check in checks.items():
        if found.name.endswith(end):
            check(found)
