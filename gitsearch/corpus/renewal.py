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

    from gitsearch.corpus.counters import Counters
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Progress


def damaged(shelf: Shelf, name: str) -> bool:
    """Whether a file that was found damaged or gone still is, for a shelf that was just opened."""
    path = shelf.folder / name
    try:
        if name.startswith(layout.VECTORS) and not layout.exists(path):
            return name in shelf.referred() or name == shelf.current_vectors()
        if not layout.exists(path):
            return shelf.seal.lost(name)
        if name.startswith(layout.VIEWS):
            shelf.load(shelf.tree(name))
        elif name == layout.RECORD:
            shelf.check_record()
        else:
            shelf.rows(name, shelf.referred().get(name, 0))
    except (SearchError, FileNotFoundError):
        return True
    return False


def drop(shelf: Shelf, name: str) -> None:
    """Remove a view, or with another file all that is made from it; raises Unwritable."""
    if name.startswith(layout.VIEWS):
        shelf.seal.forget(name)
        _remove([shelf.folder / name])
    else:
        drop_all(shelf)


def drop_all(shelf: Shelf) -> None:
    """Remove the record, the vectors and all views; raises Unwritable.

    The views go first: over a record that lost chunks they would show the wrong vectors.
    """
    shelf.seal.forget(*shelf.seal.names())
    _remove(layout.matching(shelf.folder / layout.VIEWS, "*"))
    _remove(layout.matching(shelf.folder, f"{layout.RECORD}*"))
    _remove(layout.matching(shelf.folder, f"{layout.VECTORS}*"))
    _remove([shelf.folder / layout.SEAL])


def start_over(
    repo: Repo, shelf: Shelf, tree: str | None, progress: Progress, counters: Counters
) -> None:
    """Make all anew; raises Unwritable, or BadModel before anything is touched.

    Until it is done readers go on with what there is.
    """
    shelf.require_model()
    layout.prepare(shelf.folder)
    with lock.writer(shelf.folder, lock.PATIENCE), layout.swept(shelf.folder):
        if tree is None:
            drop_all(shelf)
        else:
            _replace(repo, shelf, tree, progress, counters)


def _replace(repo: Repo, shelf: Shelf, tree: str, progress: Progress, counters: Counters) -> None:
    from gitsearch.corpus.prepare import Maker

    aside = shelf.folder / f"{secrets.token_hex(4)}{layout.TEMPORARY}"
    layout.prepare(aside)
    fresh = replace(shelf, folder=aside)
    Maker(repo, fresh, progress, counters).make(tree)
    made = [name for name, _ in fresh.files() if name not in layout.BESIDE]
    # each step leaves an index that answers: a view finds its vectors by their names, the record
    # is only read to make more, and a log of the old record would damage the new one
    for name in sorted(made, key=_rank):
        if name == layout.RECORD:
            _remove(layout.matching(shelf.folder, f"{layout.RECORD}.*"))
        layout.adopt(aside / name, shelf.folder / name)
    shelf.seal.add(*made)
    old = [
        name
        for name, _ in shelf.files()
        if name.startswith((layout.VIEWS, layout.VECTORS)) and name not in made
    ]
    shelf.seal.forget(*old)
    _remove(shelf.folder / name for name in sorted(old, key=_rank, reverse=True))


def _rank(name: str) -> int:
    """Vectors, the record, views: first what the others stand on."""
    return 2 if name.startswith(layout.VIEWS) else int(name == layout.RECORD)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            layout.remove(path)
        except OSError as error:
            raise Unwritable(f"cannot write '{path}': {error.strerror}") from error
