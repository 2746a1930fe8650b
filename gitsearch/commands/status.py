"""`git search status`: what is indexed, how much, how large, what is skipped and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.asking import ask
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.git import history, hookfiles
from gitsearch.store import layout
from gitsearch.upkeep import StatusReport

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.commands.asking import Asking
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.corpus.view import View
    from gitsearch.settings import Progress

_TABLES = ("blob", "chunk", "symbol")


def status(cwd: Path, progress: Progress) -> StatusReport:
    """The state of the index; nothing is made or changed."""
    asking = ask(cwd, progress, refresh="off")
    from gitsearch.corpus.shelf import open_shelf

    shelf = open_shelf(asking.repo, asking.settings)
    current = asking.head is None or layout.exists(shelf.folder / shelf.name(asking.head.tree))
    opened = asking.open()
    (blobs, chunks, symbols), warnings = _counts(shelf)
    return StatusReport(
        opened.tree,
        opened.view.coverage(),
        str(shelf.folder),
        current and not opened.view.coverage().pending,
        tuple(shelf.files()),
        blobs,
        chunks,
        opened.view.terms,
        symbols,
        _views(asking, shelf),
        asking.settings.model or "packaged",
        tuple(_skipped(opened.view)),
        tuple(hookfiles.states(cwd)),
        warnings,
    )


def _views(asking: Asking, shelf: Shelf) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """The trees that are prepared, with what they are called."""
    names = history.names_of_trees(asking.repo)
    if asking.head is not None:
        names.setdefault(asking.head.tree, []).insert(0, "HEAD")
    return tuple((tree, size, tuple(names.get(tree, ()))) for tree, size in shelf.views())


def _counts(shelf: Shelf) -> tuple[tuple[int, int, int], tuple[str, ...]]:
    from gitsearch.store.record import Record

    try:
        with Record(shelf.folder / layout.RECORD) as record:
            blobs, chunks, symbols = (record.count(table) for table in _TABLES)
    except FileNotFoundError:
        return (0, 0, 0), ()
    except (Busy, Damaged, Unwritable) as error:
        return (0, 0, 0), (error.message,)
    return (blobs, chunks, symbols), ()


def _skipped(view: View) -> list[tuple[str, str]]:
    out = []
    for segment, file in view.each_file():
        reason = segment.meta["reasons"][int(segment["reason"][file])]
        if reason:
            out.append((segment.path(file).decode("utf-8", "surrogateescape"), str(reason)))
    return out
