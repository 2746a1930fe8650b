"""Check a whole index: each file against its checksums, and the files against each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from gitsearch.errors import BadModel, Busy, Damaged, Unwritable
from gitsearch.index import described_files, history_index, overlay_cache, word_filter
from gitsearch.index import view_store as shelves
from gitsearch.store import layout, lock, sections, vector_file
from gitsearch.store.facts_db import FactsDb
from gitsearch.store.sections import Sections

if TYPE_CHECKING:
    from gitsearch.index.view_store import ViewStore

# The end of the name of a part.
_NUMBER = re.compile(rf"{re.escape(shelves.PART)}\d+$")

# The functions that check the arrays of a kind of file, by the end of its name.
Checks = Mapping[str, Callable[[Sections], None]]


def problems(store: ViewStore, more: Checks) -> Iterator[tuple[str, str]]:
    """Yield each damaged file and the reason; `more` checks files that other layers keep here."""
    for folder in (store.folder, store.folder / layout.VIEWS):
        if why := layout.unlistable(folder):
            yield folder.name, why
    if store.checksums.broken:
        yield layout.SEAL, "missing or damaged"
    for name in store.checksums.names():
        if store.checksums.lost(name):
            yield name, "is missing"
    checks = _checks(store, more)
    for name in layout.names(store.folder):
        if layout.TEMPORARY not in name:
            yield from _one(store, name, checks)


def leftovers(store: ViewStore) -> Iterator[str]:
    """Yield the temporary files of writers that were killed, which the next one removes."""
    for name in layout.names(store.folder):
        # looked at in this order: a writer that has ended since has renamed it
        is_left = layout.TEMPORARY in name and not lock.held(store.folder)
        if is_left and layout.exists(store.folder / name):
            yield name


def _checks(store: ViewStore, more: Checks) -> Checks:
    """Return the checks of files of these settings; none without their model."""
    own = {
        shelves.SUFFIX: store.check_view,
        shelves.PART: store.check_view,
        overlay_cache.SUFFIX: lambda file: overlay_cache.check(file, store),
        word_filter.SUFFIX: word_filter.check,
        described_files.SUFFIX: described_files.check,
    }
    try:
        of_views = {f"-{store.recipe}{end}": check for end, check in {**own, **more}.items()}
        return {**of_views, **history_index.checks(store)}
    except BadModel:
        return {}  # to maintain an index no model is needed


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
            file = sections.read(store.folder, name)
            file.check()
            end = name[name.rfind("-") :]
            if check := checks.get(_NUMBER.sub(shelves.PART, end)):
                check(file)
    except Damaged as damage:
        yield damage.file, damage.reason
    except (Busy, Unwritable) as error:
        yield name, error.message
    except FileNotFoundError:
        return  # dropped by another process since; files that were lost were named above


def _check_vectors(store: ViewStore, name: str) -> None:
    """Check the rows that something refers to; those beyond belong to a writer."""
    needed = max(store.recorded(name), store.referred().get(name, 0))
    rows = vector_file.open_rows(store.folder, name, None)
    if len(rows) < needed:
        raise Damaged(name, f"{len(rows)} rows instead of {needed}")
    vector_file.check(rows[:needed], name)
