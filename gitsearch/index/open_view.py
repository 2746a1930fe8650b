"""Open the view of what is asked: a tree on the shelf, dirty or staged files laid over it.

The only place where readers meet a missing, damaged or unwritable index: it is made, healed, or
done without.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, SearchError, Unwritable
from gitsearch.git import background_process
from gitsearch.git.blob_cache import BlobCache
from gitsearch.index import compared_index, overlay_cache, repair
from gitsearch.index.update_counts import Counters
from gitsearch.index.view import Layer, Segment, View, live_masks
from gitsearch.index.view_store import (
    ABSENT,
    PENDING,
    BaseLayers,
    arrived,
)
from gitsearch.reports.search import TreeName
from gitsearch.settings import BACKGROUND, SOON, WAIT
from gitsearch.store import layout, lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gitsearch.index.fact_columns import BlobKey, KnownParses
    from gitsearch.index.session import Session
    from gitsearch.index.tree_files import FileChooser
    from gitsearch.index.view_builder import ViewBuilder
    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.records import DirtyFile, Revision

# Seconds that a question waits for another writer, which often makes just what is asked for.
_SHORT = 0.5

# Files that are found damaged, once or again, before the answer is made in memory.
_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class OpenView:
    """A view and the name of its tree; `dirty` was laid over it, `texts` has its blobs."""

    session: Session
    view: View
    tree: TreeName
    texts: BlobCache
    counters: Counters
    warnings: tuple[str, ...]
    dirty: tuple[DirtyFile, ...] = ()


@dataclass(slots=True)
class ViewOpener:
    """Opens views of one repository; in memory where it cannot write, unless `must_write`.

    chooser: chooses the files to read for an answer that does not wait for a view; known: has
    results of parsing.
    """

    session: Session
    refresh: str = WAIT
    must_write: bool = False
    chooser: FileChooser | None = None
    known: KnownParses | None = None
    _said: bool = False
    _given_up: set[str] = field(default_factory=set)
    _edited: dict[bytes, DirtyFile] = field(default_factory=dict)
    # a tree, and the segments of its view
    _prepared: tuple[str, Layers] | None = None

    def prepare(self, tree: str) -> None:
        """Read the view of a tree, if there is a sound one, for an `open` that follows soon.

        What else there is to say or to do about an index is left to that.
        """
        # a model of the user's own is read once, before anything else is looked at
        if self.must_write or self.session.is_lasting or self.session.settings.model:
            return
        with trace.stage("view"), contextlib.suppress(SearchError):
            layers = self._sound(self.session.store, tree)
            self._prepared = None if layers is None else (tree, layers)

    def open(
        self, revision: Revision | None, dirty: Sequence[DirtyFile], rev: str = "HEAD"
    ) -> OpenView:
        """The view of a tree (None: empty) with these files laid over it."""
        counters = Counters()
        warnings: list[str] = []
        tree = revision.tree if revision else None
        name = TreeName(rev, revision.commit if revision else None, tree, len(dirty))
        if tree and not (dirty or self.must_write):
            kept = self.session.store.kept_view(tree)
            if kept is not None:
                texts = BlobCache(self.session.repo, {})
                view = self._described(self.session.store, tree, kept)
                return OpenView(self.session, view, name, texts, counters, ())
        prepared = None
        if self._prepared is not None and self._prepared[0] == tree:
            prepared = self._prepared[1]
        store = self.session.reopened_store() if prepared is None else self.session.store
        store.require_model()
        if self.must_write:
            _sweep(store.folder)
        with trace.stage("view"):
            self._edited = {file.path: file for file in dirty}
            if prepared is not None:
                base = BaseLayers(list(prepared))
            else:
                base = self._base(store, tree, counters, warnings) if tree else BaseLayers([])
            layers, changed, rest, said = base
        if dirty or changed or not layers:
            laid = [*dirty, *(file for file in changed if file.path not in self._edited)]
            with trace.stage("overlay"):
                layers.append(self._overlay(store, layers, laid))
        view = replace(_stacked(layers, store), rest=rest)
        if said and (pending := view.coverage().pending):
            tracked = view.coverage().tracked
            warnings.append(f"answered from {tracked - pending:,} of {tracked:,} files; {said}")
        warnings += _absences(view)
        if tree and not (dirty or changed or rest.files or warnings):
            store.keep_view(tree, view)
        view = self._described(store, tree, view)
        contents = {file.oid: file.data for file in dirty if file.data is not None}
        texts = BlobCache(self.session.repo, contents)
        return OpenView(self.session, view, name, texts, counters, tuple(warnings), tuple(dirty))

    def _described(self, store: ViewStore, tree: str | None, view: View) -> View:
        """The view with the words of descriptions; a process is left behind to make others."""
        command = self.session.settings.describe_command
        if tree is None or not command:
            return view
        from gitsearch.index import described_files, descriptions

        name = descriptions.name_of(command)
        segments = [segment for segment in view.segments if "tree" in segment.meta]
        words = [described_files.load(store, segment, name) for segment in segments]
        undone = any(one is None or one.pending for one in words)
        if undone and self.refresh in (SOON, BACKGROUND) and not view.rest.files:
            from gitsearch.index import describer

            if describer.configured(self.session.repo).command:
                self.make_meanwhile(tree)
        return replace(view, described=tuple(words))

    def record(self, keys: Sequence[BlobKey], counters: Counters) -> None:
        """Record the facts of those of these blobs that git has, for views to come."""
        store = self.session.reopened_store()
        layout.prepare(store.folder)
        try:
            with self._writer(store):
                layout.sweep(store.folder)
                self._builder(store, counters).record(keys)
        finally:
            self.session.progress.close()

    def _overlay(self, store: ViewStore, layers: Layers, dirty: Sequence[DirtyFile]) -> Layer:
        """These files, as they were laid over the tree before, or made now and kept."""
        name = overlay_cache.name_of(store, layers, dirty)
        lasting = self.refresh in (WAIT, SOON) and bool(layers) and "tree" in layers[-1][0].meta
        layer = overlay_cache.load(store, name, layers) if lasting else None
        if layer is None:
            # parsers are loaded only where something must be extracted
            from gitsearch.index.overlay import overlay

            layer = overlay(self.session.repo, store, layers, dirty)
            if lasting and {ABSENT, PENDING}.isdisjoint(layer[0].meta["reasons"]):
                overlay_cache.keep(store, name, layer)
        return layer

    def _base(
        self, store: ViewStore, tree: str, counters: Counters, warnings: list[str]
    ) -> BaseLayers:
        seen: list[str] = []
        while len(seen) < _ROUNDS:
            try:
                layers = self._sound(store, tree)
                if layers is None:
                    return self._missing(store, tree, counters, warnings)
            except Damaged as damage:
                if self.refresh not in (WAIT, SOON):
                    # asked to change nothing: say it, and answer from what can be read
                    warnings.append(damage.message)
                    return self._missing(store, tree, counters, warnings)
                if damage.file in self._given_up:
                    break
                seen.append(damage.file)
                try:
                    store = self._heal(store, damage, seen.count(damage.file))
                except Busy:
                    base = self._meanwhile(store, tree, counters)
                    if base is not None:
                        return base
                    with self._writer(store, patient=True):
                        store = self.session.reopened_store()
            else:
                return BaseLayers(layers)
        return BaseLayers([(self._in_memory(store, tree, counters), [])])

    def _sound(self, store: ViewStore, tree: str) -> Layers | None:
        """The segments of the view of a tree; None if it is to be made. Raises Damaged."""
        self._check(store)
        layers = store.load(tree)
        if layers is None or arrived(self.session.repo, layers):
            return None
        for segment, _ in layers:
            segment.ready()
        return layers

    def _say(self, line: str) -> None:
        """One line about damage is enough, however much of it there is."""
        if not self._said:
            self.session.progress.note(line)
        self._said = True

    def _check(self, store: ViewStore) -> None:
        """Notice files that are gone or were changed by others; raises Damaged."""
        if store.checksums.broken:
            self._say("seal: missing or damaged; every file is checked again")
            store.checksums.broken = False
        for name in store.checksums.names():
            if name not in self._given_up and store.checksums.lost(name):
                raise Damaged(name, "is missing")
        if layout.RECORD in self._given_up:
            return
        with contextlib.suppress(Busy, Unwritable, FileNotFoundError):  # its writer will seal it
            store.check_record()

    def _missing(
        self, store: ViewStore, tree: str, counters: Counters, warnings: list[str]
    ) -> BaseLayers:
        builder = self._builder(store, counters)
        base = self._without_view(builder, tree, warnings)
        if base is not None:
            return base
        try:
            try:
                self._make(builder, tree)
            except Busy:
                base = self._meanwhile(store, tree, counters)
                if base is not None:
                    return base
                self._make(builder, tree, patient=True)
        except Unwritable as error:
            if self.must_write:
                raise
            warnings.append(f"{error.message}; answered from memory")
            return BaseLayers([(self._in_memory(store, tree, counters), [])])
        if not self.must_write:  # whoever must write ends with this, whether a view is new or not
            compared_index.make(self.session.repo)
        made = store.load(tree)
        if made is None:
            raise Damaged(store.name(tree), "is missing")
        for segment, _ in made:
            segment.ready()
        return BaseLayers(made)

    def _without_view(
        self, builder: ViewBuilder, tree: str, warnings: list[str]
    ) -> BaseLayers | None:
        """The layers that answer a question without a view; None if one is to be made first."""
        from gitsearch.index import nearest_view

        store = builder.store
        if self.refresh in (WAIT, SOON) and not (self.must_write or _orphaned(store.folder)):
            near = nearest_view.small(builder, tree)
            if near is not None:
                return near
        if self.refresh in (SOON, BACKGROUND):
            first = self._first(builder, tree, waits=self.refresh == SOON)
            if first is not None:
                return first._replace(said=self.make_meanwhile(tree))
        if self.refresh in (WAIT, SOON):
            return None
        warnings.append("the index is not up to date: see pending")
        if self.refresh == BACKGROUND:
            self.make_meanwhile(tree)
        return BaseLayers([(builder.partial(tree), [])])

    def _first(self, builder: ViewBuilder, tree: str, *, waits: bool) -> BaseLayers | None:
        """A view of some files of a tree, and of those that are indexed already.

        None if nobody chooses files, or if the user `waits` for the whole one, which is made in
        about two seconds.
        """
        from gitsearch.index import first_view

        if self.chooser is None:
            return None
        parts = builder.store.load_parts(tree)
        nearest = builder.foundation(tree, share=float("inf"))
        edited = self._edited
        if nearest is not None:
            same = sum(int(live.sum()) for live in live_masks(nearest.layers))
            same -= sum(change.old is not None for change in nearest.changes)
            if same >= sum(part.files for part, _ in parts):
                return first_view.of_changes(
                    builder,
                    nearest,
                    tree,
                    self.chooser,
                    edited=edited,
                    waits=waits,
                    sharing=self.session.sharing,
                )
        return first_view.of_tree(
            builder,
            tree,
            self.chooser,
            parts=parts,
            edited=edited,
            waits=waits,
            sharing=self.session.sharing,
        )

    def make_meanwhile(self, tree: str) -> str:
        """Let another process make the view, if one may be left behind; returns what is said."""
        asked = self.refresh == BACKGROUND or self.session.settings.refresh_is_set
        if os.environ.get("CI") and not asked:
            return "git search index makes the rest searchable"
        if not self.session.background.take():
            return "other indexes are made first"
        try:
            layout.prepare(self.session.store.folder)
        except Unwritable as error:
            return error.message
        beside = [f"--beside={folder}" for folder in self._recorded_siblings()]
        words = ("index", "--background", "--at", tree, *beside)
        background_process.start(self.session.repo, *words)
        return "the index is being made: git search status"

    def _recorded_siblings(self) -> list[Path]:
        """The index folders of other clones that have a record."""
        own = self.session.store.folder
        return [
            folder
            for folder in self.session.siblings
            if folder != own and layout.exists(folder / layout.RECORD)
        ]

    def _make(self, builder: ViewBuilder, tree: str, *, patient: bool = False) -> None:
        store = builder.store
        layout.prepare(store.folder)
        if not layout.exists(store.folder / layout.RECORD):
            store.checksums.add()  # so that one that is missing later was lost
        try:
            with self._writer(store, patient=patient), layout.swept(store.folder):
                _unmark(store.folder)
                layers = store.load(tree)
                if layers is not None and arrived(self.session.repo, layers):
                    for segment, _ in layers:
                        repair.drop(store, store.name(str(segment.meta["tree"])))
                    layers = None
                if layers is None:
                    builder.make(tree)
        finally:
            self.session.progress.close()

    @contextlib.contextmanager
    def _writer(self, store: ViewStore, *, patient: bool = False) -> Iterator[None]:
        """Hold the lock; who only asks gets Busy at first, before a long wait for another."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(lock.writer(store.folder, _SHORT))
            except Busy:
                if not (self.must_write or patient):
                    raise
                self.session.progress.note("another process is updating the index; waiting for it")
                self.session.repo.end_idle()
                stack.enter_context(lock.writer(store.folder, lock.PATIENCE))
            yield

    def _meanwhile(self, store: ViewStore, tree: str, counters: Counters) -> BaseLayers | None:
        """A view of a tree while another process updates the index; None: wait for it."""
        with contextlib.suppress(Damaged):
            layers = store.load(tree)  # it may have made just this
            if layers is not None and not arrived(self.session.repo, layers):
                for segment, _ in layers:
                    segment.ready()
                return BaseLayers(layers)
        from gitsearch.index import nearest_view

        builder = self._builder(store, counters)
        base = nearest_view.at_once(builder, tree)
        if base is None and self.refresh != WAIT:
            with contextlib.suppress(Damaged):
                base = self._first(builder, tree, waits=False)
        self.session.progress.close()
        said = "another process is updating the index: git search status"
        return None if base is None else base._replace(said=said)

    def _in_memory(self, store: ViewStore, tree: str, counters: Counters) -> Segment:
        from gitsearch.git import trees

        assembler = self._builder(store, counters)
        return assembler.in_memory(trees.list_tree(self.session.repo, tree))

    def _builder(self, store: ViewStore, counters: Counters) -> ViewBuilder:
        from gitsearch.index.view_builder import ViewBuilder

        repo, progress = self.session.repo, self.session.progress
        siblings = self._recorded_siblings()
        return ViewBuilder(repo, store, progress, counters, known=self.known, siblings=siblings)

    def _heal(self, store: ViewStore, damage: Damaged, times: int) -> ViewStore:
        """Drop what is damaged; the next round makes it anew. Raises Busy.

        At first it is only looked at again, for another process may have replaced it since.
        """
        if times > 1:
            try:
                with self._writer(store):
                    now = self.session.reopened_store()
                    if times > 2 or repair.damaged(now, damage.file):
                        self._say(f"{damage.message}; rebuilding")
                        repair.drop(now, damage.file)
                    elif not layout.exists(now.folder / damage.file):
                        # dropped by a writer that could not, or not yet, say so in the seal
                        now.checksums.forget(damage.file)
                        self._given_up.add(damage.file)
            except Unwritable:
                self._say(f"{damage.message}; left as it is")
                self._given_up.add(damage.file)
        return self.session.reopened_store()


def _absences(view: View) -> list[str]:
    """One line if this clone lacks objects of the tree, as a partial one does."""
    if not any(ABSENT in segment.meta["reasons"] for segment in view.segments):
        return []
    covered = view.coverage()
    absent = covered.skipped[ABSENT]
    return [f"{absent} of {covered.tracked} files are not in this clone"] if absent else []


def _stacked(layers: Layers, store: ViewStore) -> View:
    """A view of segments, each with the file rows that it takes from those before it."""
    return View(tuple(segment for segment, _ in layers), tuple(live_masks(layers)), store.model)


def _orphaned(folder: Path) -> bool:
    """Return True if hooks have asked for a run that has died, or has not begun yet."""
    if not layout.exists(folder / layout.PENDING):
        return False
    try:
        with lock.alone(folder, layout.WORKER, 0.0):
            return True
    except (Busy, Unwritable):
        return False


def _sweep(folder: Path) -> None:
    """Remove what a killed writer left, also where there is nothing else to write."""
    if layout.leftovers(folder):
        with contextlib.suppress(Busy, Unwritable), lock.writer(folder, 0.0):
            layout.sweep(folder)


def _unmark(folder: Path) -> None:
    """Take away the mark of a run that died; one that is at work looks for it itself."""
    mark = folder / layout.PENDING
    if layout.exists(mark):
        with contextlib.suppress(Busy, Unwritable), lock.alone(folder, layout.WORKER, 0.0):
            layout.clear(mark)
