"""What is damaged is dropped, what is old is made anew: by the one writer, who holds the lock."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError, Unwritable
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gitsearch.index.session import Session
    from gitsearch.index.update_counts import Counters
    from gitsearch.index.view_store import ViewStore


def damaged(store: ViewStore, name: str) -> bool:
    """Whether a file that was found damaged or gone still is, for a shelf that was just opened."""
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
    """Remove a view, or with another file all that is made from it; raises Unwritable."""
    if name.startswith(layout.VIEWS):
        store.checksums.forget(name)
        _remove([store.folder / name])
    else:
        drop_all(store)


def drop_all(store: ViewStore) -> None:
    """Remove the record, the vectors and all views; raises Unwritable.

    The views go first: over a record that lost chunks they would show the wrong vectors.
    """
    store.checksums.forget(*store.checksums.names())
    _remove(layout.matching(store.folder / layout.VIEWS, "*"))
    _remove(layout.matching(store.folder, f"{layout.RECORD}*"))
    _remove(layout.matching(store.folder, f"{layout.VECTORS}*"))
    _remove([store.folder / layout.SEAL])


def start_over(session: Session, tree: str | None, counters: Counters) -> None:
    """Make all anew; raises Unwritable, or BadModel before anything is touched.

    Until it is done readers go on with what there is.
    """
    store = session.store
    store.require_model()
    layout.prepare(store.folder)
    with lock.writer(store.folder, lock.PATIENCE), layout.swept(store.folder):
        if tree is None:
            drop_all(store)
        else:
            _replace(session, tree, counters)


def _replace(session: Session, tree: str, counters: Counters) -> None:
    from gitsearch.index.view_builder import ViewBuilder

    store = session.store
    aside = store.folder / f"{secrets.token_hex(4)}{layout.TEMPORARY}"
    layout.prepare(aside)
    fresh = replace(store, folder=aside)
    ViewBuilder(session.repo, fresh, session.progress, counters).make(tree)
    made = [name for name, _ in fresh.files() if name not in layout.BESIDE]
    # each step leaves an index that answers: a view finds its vectors by their names, the record
    # is only read to make more, and a log of the old record would damage the new one
    for name in sorted(made, key=_rank):
        if name == layout.RECORD:
            _remove(layout.matching(store.folder, f"{layout.RECORD}.*"))
        layout.adopt(aside / name, store.folder / name)
    store.checksums.add(*made)
    old = [
        name
        for name, _ in store.files()
        if name.startswith((layout.VIEWS, layout.VECTORS)) and name not in made
    ]
    store.checksums.forget(*old)
    _remove(store.folder / name for name in sorted(old, key=_rank, reverse=True))


def _rank(name: str) -> int:
    """Vectors, the record, views: first what the others stand on."""
    return 2 if name.startswith(layout.VIEWS) else int(name == layout.RECORD)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            layout.remove(path)
        except OSError as error:
            raise Unwritable(f"cannot write '{path}': {error.strerror}") from error
