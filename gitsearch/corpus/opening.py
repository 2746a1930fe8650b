"""Open the view of what is asked: a tree on the shelf, dirty or staged files laid over it.

The only place where readers meet a missing, damaged or unwritable index: it is made, healed, or
done without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.corpus import edits
from gitsearch.corpus.counters import Counters
from gitsearch.corpus.shelf import ABSENT, Layers, Shelf, arrived, open_shelf
from gitsearch.corpus.view import Layer, Segment, View, live_masks
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.git import detached
from gitsearch.records import TreeName
from gitsearch.store import layout, lock
from gitsearch.store.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.corpus.prepare import Maker
    from gitsearch.git.repo import Repo
    from gitsearch.records import DirtyFile, Revision
    from gitsearch.settings import Progress, Settings

# Another writer's whole first index may have to be waited for; a lock dies with its process.
_PATIENCE = 3600.0
_SHORT = 0.2


@dataclass(frozen=True, slots=True)
class Opened:
    """A view and the name of its tree; `dirty` was laid over it, `contents` is its text."""

    view: View
    tree: TreeName
    contents: dict[str, bytes]
    counters: Counters
    warnings: tuple[str, ...]
    dirty: tuple[DirtyFile, ...] = ()


@dataclass(slots=True)
class Opener:
    """Opens views of one repository; in memory where it cannot write, unless `must_write`."""

    repo: Repo
    settings: Settings
    progress: Progress
    refresh: str = "wait"
    must_write: bool = False
    _said: bool = False

    def open(
        self, revision: Revision | None, dirty: Sequence[DirtyFile], rev: str = "HEAD"
    ) -> Opened:
        """The view of a tree (None: empty) with these files laid over it."""
        counters = Counters()
        warnings: list[str] = []
        shelf = open_shelf(self.repo, self.settings)
        tree = revision.tree if revision else None
        with trace.stage("view"):
            layers = self._layers(shelf, tree, counters, warnings) if tree else []
        if dirty or not layers:
            with trace.stage("overlay"):
                layers.append(self._overlay(shelf, tree, layers, dirty))
        view = _stacked(layers, shelf)
        name = TreeName(rev, revision.commit if revision else None, tree, len(dirty))
        contents = {file.oid: file.data for file in dirty if file.data is not None}
        return Opened(view, name, contents, counters, tuple(warnings), tuple(dirty))

    def _overlay(
        self, shelf: Shelf, tree: str | None, layers: Layers, dirty: Sequence[DirtyFile]
    ) -> Layer:
        """The edited files, as they were laid over the tree before, or made now and kept."""
        name = edits.name_of(shelf, tree, dirty)
        lasting = self.refresh == "wait" and bool(layers) and "tree" in layers[-1][0].meta
        found = edits.load(shelf, name) if lasting else None
        if found is None:
            # parsers are loaded only where something must be extracted
            from gitsearch.corpus.overlay import overlay

            found = overlay(self.repo, shelf, layers, dirty)
            if lasting and ABSENT not in found[0].meta["reasons"]:
                edits.keep(shelf, name, found)
        return found

    def _layers(self, shelf: Shelf, tree: str, counters: Counters, warnings: list[str]) -> Layers:
        for _ in range(3):
            try:
                self._check(shelf)
                found = shelf.load(tree)
                if found is not None and arrived(self.repo, found):
                    self._drop(shelf, found)
                    found = None
                if found is None:
                    found = self._missing(shelf, tree, counters, warnings)
                for segment, _ in found:
                    segment.ready()
            except Damaged as damage:
                if self.refresh != "wait":
                    # asked to change nothing: say it, and answer from what can be read
                    warnings.append(damage.message)
                    return self._missing(shelf, tree, counters, warnings)
                self._say(f"{damage.message}; rebuilding")
                shelf = self._heal(shelf, damage)
            else:
                return found
        return [(self._aside(shelf, tree, counters), [])]

    def _say(self, line: str) -> None:
        """One line about damage is enough, however much of it there is."""
        if not self._said:
            self.progress.note(line)
        self._said = True

    def _check(self, shelf: Shelf) -> None:
        """Notice files that are gone or were changed by others; raises Damaged."""
        if shelf.seal.broken:
            self._say("seal: missing or damaged; every file is checked again")
            shelf.seal.broken = False
        for name in shelf.seal.names():
            if shelf.seal.lost(name):
                shelf.seal.forget(name)
                raise Damaged(name, "is missing")
        path = shelf.folder / layout.RECORD
        if path.exists() and not shelf.seal.holds(layout.RECORD):
            try:
                with Record(path) as record:
                    record.check()
            except Busy:
                return  # its writer will seal it
            shelf.seal.add(layout.RECORD)

    def _drop(self, shelf: Shelf, layers: Layers) -> None:
        for segment, _ in layers:
            name = shelf.name(str(segment.meta["tree"]))
            shelf.seal.forget(name)
            (shelf.folder / name).unlink(missing_ok=True)

    def _missing(self, shelf: Shelf, tree: str, counters: Counters, warnings: list[str]) -> Layers:
        from gitsearch.corpus import prepare

        maker = prepare.Maker(self.repo, shelf, self.progress, counters)
        if self.refresh != "wait":
            warnings.append("the index is not up to date: see pending")
            if self.refresh == "background":
                detached.start(self.repo.top, "index", "--at", tree)
            return [(maker.partial(tree), [])]
        try:
            self._make(maker, tree)
        except Unwritable as error:
            if self.must_write:
                raise
            warnings.append(f"{error.message}; answered from memory")
            return [(self._aside(shelf, tree, counters), [])]
        found = shelf.load(tree)
        if found is None:
            raise Damaged(shelf.name(tree), "is missing")
        return found

    def _make(self, maker: Maker, tree: str) -> None:
        shelf = maker.shelf
        layout.prepare(shelf.folder)
        if not (shelf.folder / layout.RECORD).exists():
            shelf.seal.add()  # so that one that is missing later was lost
        try:
            with lock.writer(shelf.folder, _SHORT):
                _clean(shelf)
                maker.make(tree)
        except Busy:
            self.progress.note("another process is updating the index; waiting for it")
            with lock.writer(shelf.folder, _PATIENCE):
                if shelf.load(tree) is None:
                    maker.make(tree)
        finally:
            self.progress.close()

    def _aside(self, shelf: Shelf, tree: str, counters: Counters) -> Segment:
        from gitsearch.corpus import prepare
        from gitsearch.git import trees

        entries = trees.list_tree(self.repo, tree)
        return prepare.in_memory(self.repo, shelf, entries, self.progress, counters)

    def _heal(self, shelf: Shelf, damage: Damaged) -> Shelf:
        """Drop what is damaged; the next round makes it anew."""
        try:
            with lock.writer(shelf.folder, _PATIENCE):
                if damage.file.startswith(layout.VIEWS):
                    layout.remove(shelf.folder / damage.file)
                    shelf.seal.forget(damage.file)
                else:
                    drop_record(shelf)
        except (Unwritable, OSError):
            pass
        return open_shelf(self.repo, self.settings)


def start_over(shelf: Shelf) -> None:
    """Forget everything, under the lock; raises Unwritable."""
    layout.prepare(shelf.folder)
    with lock.writer(shelf.folder, _PATIENCE):
        drop_record(shelf)


def drop_record(shelf: Shelf) -> None:
    """Remove the record, the vectors and all views: everything is made anew from git."""
    for path in (
        *shelf.folder.glob(f"{layout.RECORD}*"),
        *shelf.folder.glob(f"{layout.VECTORS}*"),
        *(shelf.folder / layout.VIEWS).glob("*"),
        shelf.folder / layout.SEAL,
    ):
        layout.remove(path)


def _clean(shelf: Shelf) -> None:
    for path in layout.leftovers(shelf.folder):
        path.unlink(missing_ok=True)


def _stacked(layers: Layers, shelf: Shelf) -> View:
    """A view of segments, each with the file rows that it takes from those before it."""
    return View(tuple(segment for segment, _ in layers), tuple(live_masks(layers)), shelf.model)
