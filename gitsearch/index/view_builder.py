"""Make the view of a tree: select its files, record their facts, assemble a segment, publish it.

The caller holds the lock of the index. A reader that finds the view uses it, and comes here only
when it is missing or damaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.git import blobs, trees
from gitsearch.index.facts_writer import (
    FactsWriter,
    FreeIds,
    KnownBlobs,
    generation_of,
    known,
    reembed,
    reopened,
    replaced,
)
from gitsearch.index.file_selection import SelectedFile, select_files, select_some
from gitsearch.index.memory import release
from gitsearch.index.segment_assembly import (
    BuiltSegment,
    SegmentAssembler,
    file_rows,
    keys_of,
    spelt_below,
    unknown_reason,
)
from gitsearch.index.segment_input import Dictionary, concatenated
from gitsearch.index.sibling_facts import known_to
from gitsearch.index.versions import FACTS_VERSION
from gitsearch.index.view import removal_arrays, rows_of
from gitsearch.index.view_parts import ViewParts
from gitsearch.index.view_store import attribute_files
from gitsearch.store import layout, lock
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitsearch.index.fact_columns import BlobKey, KnownParses


@dataclass(slots=True)
class ViewBuilder(SegmentAssembler):
    """Makes views of one repository, and records the facts that they need.

    avoid: trees whose views are about to go, so that no other may be based on them; known: has
    results of parsing; siblings: index folders of other clones, whose records may have them.
    """

    avoid: frozenset[str] = frozenset()
    known: KnownParses | None = None
    siblings: Sequence[Path] = ()

    def make(self, tree: str) -> None:
        """Publish the view of a tree: a delta over the nearest view, or a base."""
        below = self.foundation(tree, avoid=self.avoid)
        if below is None:
            selected = select_files(self.repo, trees.list_tree(self.repo, tree))
            arrays, meta = self._with_facts(selected, Dictionary(self.store.model.tokens), tree)
        else:
            changed = [change.new for change in below.changes if change.new is not None]
            selected = select_some(self.repo, changed, attribute_files(below.layers))
            segments = [segment for segment, _ in below.layers]
            dictionary = Dictionary(lambda terms: spelt_below(segments, self.store.model, terms))
            arrays, meta = self._with_facts(selected, dictionary)
            gone = [change.path for change in below.changes if change.old]
            arrays |= removal_arrays([rows_of(segment, gone) for segment in segments])
            meta["base"] = below.tree
        self.store.publish(tree, arrays, meta)
        self.store.prune()

    def record(self, keys: Sequence[BlobKey]) -> None:
        """Record the facts of those of these blobs that git has, for views to come."""
        writer, have = self._begin(keys, Dictionary(self.store.model.tokens))
        missing = [key for key, oid in zip(keys, have.id.tolist(), strict=True) if oid < 0]
        sizes = blobs.sizes(self.repo, [key.oid for key in missing])
        with writer:
            writer.add([key for key in missing if key.oid in sizes], sizes)

    def _with_facts(
        self, selected: Sequence[SelectedFile], dictionary: Dictionary, tree: str | None = None
    ) -> BuiltSegment:
        """A segment of files, all facts of which are recorded.

        tree: these are all of its files, and parts of its view are published meanwhile.
        """
        keys = keys_of(selected)
        writer, have = self._begin(keys, dictionary)
        held = None
        if len(have.searched()):
            path = self.store.folder / layout.RECORD
            with trace.stage("count words again"), reopened(path, writer.vectors) as record:
                held, have = self.load(record, have, writer.vectors, dictionary)
        missing = [key for key, oid in zip(keys, have.id.tolist(), strict=True) if oid < 0]
        sizes = blobs.sizes(self.repo, [key.oid for key in missing])
        limit = self.store.settings.max_file_size
        wanted = [key for key in missing if sizes.get(key.oid, limit + 1) <= limit]
        if writer.known is None and wanted and self.siblings:
            writer.known = known_to(self.siblings, wanted)
        recorded = None
        if tree is not None:
            done = int(have.size[have.id >= 0].sum())
            total = done + sum(sizes[key.oid] for key in wanted)
            published = ViewParts(self, tree, selected, writer, dictionary, total, done)
            recorded = published.add
        with writer:
            with trace.stage("extract"):
                added = writer.add(wanted, sizes, recorded)
            known_files = self.known_files(keys, have.with_added(keys, added))
            rows = file_rows(selected, known_files, unknown_reason(sizes, limit))
            parts = [held] if held else []
            parts += [batch.facts for batch in added]
            del added, held
            facts = concatenated(parts) if parts else None
            release()
            return self.built(rows, facts, writer.vectors, dictionary)

    def _begin(
        self, keys: Sequence[BlobKey], dictionary: Dictionary
    ) -> tuple[FactsWriter, KnownBlobs]:
        """Return a writer, and what the record knows of the keys.

        A record that is not there yet is opened by the writer: it takes as long as to extract the
        first 5 MB on one core, and is done beside that.
        """
        if layout.exists(self.store.folder / layout.RECORD):
            free, have = self._opened(keys)
            writer = self._writer(dictionary, lambda: free)
            writer.begin()
            return writer, have
        return self._writer(dictionary, lambda: self._opened([])[0]), KnownBlobs.none(len(keys))

    def _opened(self, keys: Sequence[BlobKey]) -> tuple[FreeIds, KnownBlobs]:
        """Open the record for this model, and look the keys up."""
        path = self.store.folder / layout.RECORD
        model, fingerprint = self.store.model, self.store.fingerprint
        with FactsDb(path, write=True) as record:
            generation = generation_of(record)
            # who has locked a folder that is gone would write beside the one who has locked this
            if not lock.is_ours(self.store.folder):
                raise replaced()
            if record.meta().get("facts_version") != FACTS_VERSION:
                raise Damaged(layout.RECORD, "written by another version of this program")
            name = layout.vectors_name(fingerprint, generation)
            if record.meta().get("model") != fingerprint:
                terms = reembed(record, self.repo, self.store.folder / name, model, fingerprint)
                self.counters.terms_embedded += terms
                self.store.checksums.add(name)
            chunks = record.next_id("chunk")
            if self.store.referred().get(name, 0) > chunks:
                # new chunks would get the rows of others that views still show
                raise Damaged(layout.RECORD, "has lost chunks that a view refers to")
            have = known(record, keys)
            # rows that others changed are noticed before new ones are added and sealed with them
            self.store.rows(name, chunks)
            free = FreeIds(name, record.next_id("blob"), chunks)
        self.store.checksums.add(layout.RECORD)
        return free, have

    def _writer(self, dictionary: Dictionary, opening: Callable[[], FreeIds]) -> FactsWriter:
        return FactsWriter(
            self.store.folder,
            self.repo,
            self.store.model,
            self.store.checksums,
            self.progress,
            self.counters,
            dictionary,
            opening,
            self.known,
        )
