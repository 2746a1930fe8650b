"""Drop damaged files, or make the whole index anew; the caller or this module holds the lock."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.index.session import Session
    from gitsearch.index.update_counts import Counters
    from gitsearch.index.view_store import ViewStore


def damaged(store: ViewStore, name: str) -> bool:
    """Return True if a file that was damaged or missing still is; the store was just opened."""
    path = store.folder / name
    try:
        if name.startswith(layout.VECTORS) and not layout.exists(path):
            return name in store.referred() or name == store.current_vectors()
        if not layout.exists(path):
            return store.checksums.lost(name)
        if name.startswith(layout.VIEWS):
            store.load(store.tree(name))
        elif name == layout.RECORD:
            store.check_record()
        else:
            store.rows(name, store.referred().get(name, 0))
    except (SearchError, FileNotFoundError):
        return True
    return False


def drop(store: ViewStore, name: str) -> None:
    """Remove a view, or for another file all that is made from it. Raises Unwritable."""
    if name.startswith(layout.VIEWS):
        store.drop(name)
    else:
        drop_all(store)


def drop_all(store: ViewStore) -> None:
    """Remove the record, the vectors and all views. Raises Unwritable.

    The views go first: over a record that lost chunks they would show the wrong vectors.
    """
    store.checksums.forget(*store.checksums.names())
    _remove(store.folder / layout.VIEWS, "*")
    for pattern in (f"{layout.RECORD}*", f"{layout.VECTORS}*", layout.SEAL):
        _remove(store.folder, pattern)


def start_over(session: Session, tree: str | None, counters: Counters) -> None:
    """Make the whole index anew. Raises Unwritable, or BadModel before anything is touched."""
    store = session.store
    store.require_model()
    layout.prepare(store.folder)
    with lock.writer(store.folder, lock.PATIENCE), layout.swept(store.folder):
        if tree is None:
            drop_all(store)
        else:
            _replace(session, tree, counters)


def _replace(session: Session, tree: str, counters: Counters) -> None:
    import secrets

    from gitsearch.index.view_builder import ViewBuilder

    store = session.store
    temporary = store.folder / f"{secrets.token_hex(4)}{layout.TEMPORARY}"
    layout.prepare(temporary)
    fresh = replace(store, folder=temporary)
    with lock.writer(temporary, 0.0):  # nobody else knows its name
        ViewBuilder(session.repo, fresh, session.progress, counters).make(tree)
    made = [name for name, _ in fresh.files() if name not in layout.BESIDE]
    # each step leaves an index that answers: a view finds its vectors by their names, the record
    # is only read to make more, and a log of the old record would damage the new one
    for name in sorted(made, key=_rank):
        if name == layout.RECORD:
            _remove(store.folder, f"{layout.RECORD}.*")
        layout.adopt(temporary / name, store.folder / name)
    store.checksums.add(*made)
    old = [
        name
        for name, _ in store.files()
        if name.startswith((layout.VIEWS, layout.VECTORS)) and name not in made
    ]
    store.drop(*sorted(old, key=_rank, reverse=True))


def _rank(name: str) -> int:
    """Return 0 for vectors, 1 for the record, 2 for views, which refer to the others."""
    return 2 if name.startswith(layout.VIEWS) else int(name == layout.RECORD)


def _remove(folder: Path, pattern: str) -> None:
    for path in layout.matching(folder, pattern):
        with layout.writing(path):
            layout.remove(path)
