"""Make the view of a tree: survey it, bring the record up to it, compile, publish.

A reader that finds the view uses it, and comes here only when it is missing or damaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, GitFailed, Unwritable
from gitsearch.extract.facts import skip_reason
from gitsearch.features import tokens
from gitsearch.git import blobs, trees
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git_conventions import ATTRIBUTES_FILE, MODE_FILE
from gitsearch.index import segment
from gitsearch.index.extraction_pool import extract_in_parallel
from gitsearch.index.fact_columns import extract_columns
from gitsearch.index.facts_writer import (
    FactsWriter,
    KnownBlobs,
    expect,
    generation_of,
    known,
    reembed,
)
from gitsearch.index.file_selection import SelectedFile, select_files
from gitsearch.index.memory import release
from gitsearch.index.recorded_facts import load_facts
from gitsearch.index.segment import FileRow
from gitsearch.index.segment_input import (
    Dictionary,
    SegmentFacts,
    Spelling,
    concatenated,
    embedded,
    facts_of_columns,
)
from gitsearch.index.versions import FACTS_VERSION
from gitsearch.index.view import Segment, live_masks, removal_arrays, row_of
from gitsearch.index.view_store import ABSENT, PENDING, arrived
from gitsearch.records import TreeChange, TreeEntry
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.git.repo import Repo
    from gitsearch.index.extraction_pool import Batch
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.segment_input import Spell
    from gitsearch.index.update_counts import Counters
    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.settings import Progress

# A delta is laid over a view while fewer files changed than this share of what its last segment
# holds. So each segment is at most a quarter of the one below, a view has few of them, and a file
# is compiled again only when what lies above its segment has grown as large: in geometric steps.
MOST_CHANGED = 0.25


@dataclass(frozen=True, slots=True)
class BaseView:
    """A view on the shelf, and what differs from its tree in another."""

    tree: str
    layers: Layers
    changes: list[TreeChange]


@dataclass(slots=True)
class ViewBuilder:
    """Makes views of one repository; the caller holds the writer's lock (or works in memory).

    avoid: trees whose views are about to go, so that no other may stand on them.
    """

    repo: Repo
    store: ViewStore
    progress: Progress
    counters: Counters
    avoid: frozenset[str] = frozenset()

    def make(self, tree: str) -> None:
        """Publish the view of a tree: a delta over the fitting view that is nearest, or a base."""
        below = self.foundation(tree)
        if below is None:
            selected = select_files(self.repo, trees.list_tree(self.repo, tree))
            self._publish(tree, *self._settled(selected, Dictionary(self.store.model.tokens)))
            return
        changed = [change.new for change in below.changes if change.new is not None]
        selected = select_files(self.repo, [*changed, *attribute_files(below.layers)])
        fresh = {entry.path for entry in changed}
        segments = [segment for segment, _ in below.layers]
        dictionary = Dictionary(lambda terms: spelt_below(segments, self.store.model, terms))
        made = self._settled([one for one in selected if one.path in fresh], dictionary)
        gone = [change.path for change in below.changes if change.old]
        removed = [rows_of(segment, gone) for segment in segments]
        self._publish(tree, *made, removal_arrays(removed), below.tree)

    def _publish(
        self,
        tree: str,
        arrays: dict[str, np.ndarray],
        meta: dict[str, Any],
        more: dict[str, np.ndarray] | None = None,
        base: str | None = None,
    ) -> None:
        self.store.publish(tree, {**arrays, **(more or {})}, {**meta, "base": base})
        self.store.prune()

    def _built(
        self, files: list[FileRow], facts: SegmentFacts, vectors_name: str, dictionary: Dictionary
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        with trace.stage("compile"):
            made, about = segment.build(files, facts, self.store.model, dictionary)
        count = int(made["row"].max()) + 1 if len(made.get("row", ())) else 0
        return made, {**about, "base": None, "vectors": vectors_name, "rows": count}

    def foundation(self, tree: str, share: float | None = None) -> BaseView | None:
        """The view that differs least from a tree, of those to which the difference is small.

        share: how many files may have changed, of those in the last segment of the view.
        """
        most = MOST_CHANGED if share is None else share
        found: BaseView | None = None
        for name in self.store.foundations():
            if name == tree:
                continue  # nothing stands on itself
            layers = self.store.load(name) if name not in self.avoid else None
            if layers is None or arrived(self.repo, layers):
                continue
            try:
                changes = diff_trees(self.repo, name, tree)
            except GitFailed:
                continue  # the tree is gone, or the index was copied from another repository
            # other attributes may change what is said of files that did not change
            if any(change.path.endswith(ATTRIBUTES_FILE) for change in changes):
                continue
            fits = len(changes) <= most * layers[-1][0].files
            if fits and (found is None or len(changes) < len(found.changes)):
                found = BaseView(name, layers, changes)
        return found

    def partial(self, tree: str) -> Segment:
        """A segment of a tree from what the record holds already; the rest is pending."""
        selected = select_files(self.repo, trees.list_tree(self.repo, tree))
        try:
            arrays, meta = self._recorded(selected)
        except (FileNotFoundError, Damaged, Busy, Unwritable):
            rows = [
                FileRow(one.path, one.key.oid, _shown(one.key), one.reason or PENDING, -1)
                for one in selected
            ]
            nothing = Dictionary(self.store.model.tokens)
            arrays, meta = self._built(rows, self._nothing(), "", nothing)
        return self.store.segment(arrays, meta)

    def _nothing(self) -> SegmentFacts:
        model = self.store.model
        return facts_of_columns(
            extract_columns([]), np.zeros((0, model.dims), np.int8), np.zeros(0, np.uint32)
        )

    def _recorded(
        self, selected: Sequence[SelectedFile]
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays of all files with the facts that are known, others pending."""
        keys = list(dict.fromkeys(one.key for one in selected if not one.reason))
        dictionary = Dictionary(self.store.model.tokens)
        with FactsDb(self.store.folder / layout.RECORD) as record:
            meta = record.meta()
            made_by = meta.get("facts_version"), meta.get("model")
            if made_by != (FACTS_VERSION, self.store.fingerprint):
                raise FileNotFoundError(layout.RECORD)
            name = layout.vectors_name(self.store.fingerprint, meta.get("generation", ""))
            have = known(record, keys)
            held, have = self._load(record, have, name, dictionary)
        rows = self._rows(selected, keys, have, None)
        return self._built(rows, held or self._nothing(), name, dictionary)

    def _load(
        self, record: FactsDb, have: KnownBlobs, name: str, dictionary: Dictionary
    ) -> tuple[SegmentFacts | None, KnownBlobs]:
        """Facts of the known blobs that are searched, in order of place; what is still known."""
        ids = have.searched()
        if not len(ids):
            return None, have
        rows = self.store.rows(name, record.next_id("chunk"))
        facts, absent = load_facts(record, self.repo, ids, rows, dictionary)
        return facts, have.without(absent)

    def _settled(
        self, selected: Sequence[SelectedFile], dictionary: Dictionary
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and meta of a segment of these files, facts recorded."""
        keys = list(dict.fromkeys(one.key for one in selected if not one.reason))
        updater, have = self._begin(keys, dictionary)
        held = None
        if len(have.searched()):
            path = self.store.folder / layout.RECORD
            with trace.stage("count words again"), FactsDb(path) as record:
                expect(record, updater.vectors)
                held, have = self._load(record, have, updater.vectors, dictionary)
        missing = [key for key, i in zip(keys, have.id.tolist(), strict=True) if i < 0]
        sizes = blobs.sizes(self.repo, [key.oid for key in missing])
        limit = self.store.settings.max_file_size
        wanted = [key for key in missing if sizes.get(key.oid, limit + 1) <= limit]
        with updater:
            with trace.stage("extract"):
                added = updater.add(wanted, sizes)
            rows = self._rows(selected, keys, have.with_added(keys, added), sizes)
            parts = [held] if held else []
            parts += [one.facts for one in added]
            del added, held
            facts = concatenated(parts) if parts else self._nothing()
            release()
            return self._built(rows, facts, updater.vectors, dictionary)

    def _begin(
        self, keys: Sequence[BlobKey], dictionary: Dictionary
    ) -> tuple[FactsWriter, KnownBlobs]:
        """Open the record for this model, and look the keys up."""
        path = self.store.folder / layout.RECORD
        model, fingerprint = self.store.model, self.store.fingerprint
        with FactsDb(path, write=True) as record:
            generation = generation_of(record)
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
            first = record.next_id("blob"), chunks
        self.store.checksums.add(layout.RECORD)
        updater = FactsWriter(
            self.store.folder,
            self.repo,
            model,
            self.store.checksums,
            self.progress,
            self.counters,
            dictionary,
            name,
            *first,
        )
        return updater, have

    def _rows(
        self,
        selected: Sequence[SelectedFile],
        keys: Sequence[BlobKey],
        have: KnownBlobs,
        sizes: dict[str, int] | None,
    ) -> list[FileRow]:
        """One row a file; without `sizes` unknown blobs are pending."""
        limit = self.store.settings.max_file_size
        place = {key: i for i, key in enumerate(keys)}
        rows = []
        for one in selected:
            reason, language, blob = one.reason, _shown(one.key), -1
            i = place[one.key] if not reason else -1
            if i >= 0 and have.id[i] >= 0:
                reason, language = have.skip[i], have.language[i]
                if not reason and have.size[i] > limit:
                    reason = "too-large"
                blob = -1 if reason else int(have.place[i])
            elif not reason:
                reason = _unknown_reason(one.key, sizes, limit) if sizes is not None else PENDING
            rows.append(FileRow(one.path, one.key.oid, language, reason, blob, one.documentation))
        return rows


def _shown(key: BlobKey) -> str:
    return "text" if key.hint.startswith("?") else key.hint


def _unknown_reason(key: BlobKey, sizes: dict[str, int], limit: int) -> str:
    """Why a blob has no facts although nothing spoke against it."""
    size = sizes.get(key.oid)
    if size is None:
        return ABSENT
    return "too-large" if size > limit else "unreadable"


def attribute_files(layers: Layers) -> list[TreeEntry]:
    """The .gitattributes files of a view, as entries."""
    found: list[TreeEntry] = []
    for (one, _), live in zip(layers, live_masks(layers), strict=True):
        if ATTRIBUTES_FILE not in one["path_text"].tobytes():
            continue
        for row in np.flatnonzero(live).tolist():
            path = one.path(row)
            if path.endswith(ATTRIBUTES_FILE):
                found.append(TreeEntry(path, one.oid(row), MODE_FILE))
    return found


def rows_of(below: Segment, paths: Sequence[bytes]) -> np.ndarray:
    """File rows of a segment, of the paths that it has."""
    return np.asarray(
        sorted(row for path in paths if (row := row_of(below, path)) >= 0), np.uint32
    )


def in_memory(
    repo: Repo,
    store: ViewStore,
    entries: Sequence[TreeEntry],
    progress: Progress,
    counters: Counters,
) -> Segment:
    """A segment of these entries without touching the disk, as a base view would hold them."""
    selected = select_files(repo, entries)
    sizes = blobs.sizes(repo, [one.key.oid for one in selected if not one.reason])
    limit = store.settings.max_file_size
    keys = [
        one.key
        for one in selected
        if not one.reason and sizes.get(one.key.oid, limit + 1) <= limit
    ]
    contents = _read(repo, keys, progress, counters)
    return segment_of(selected, contents, sizes, store, store.model.tokens)


def _read(
    repo: Repo, keys: Sequence[BlobKey], progress: Progress, counters: Counters
) -> Iterator[tuple[BlobKey, bytes]]:
    distinct = list(dict.fromkeys(keys))
    found = blobs.read_blobs(repo, [key.oid for key in distinct])
    for i, (key, (_, data)) in enumerate(zip(distinct, found, strict=True)):
        if data is not None:
            counters.files_parsed += 1
            counters.bytes_read += len(data)
            progress.update("indexing", i + 1, len(distinct), counters.bytes_read)
            yield key, data


def segment_of(
    selected: Sequence[SelectedFile],
    contents: Iterator[tuple[BlobKey, bytes]],
    sizes: dict[str, int],
    store: ViewStore,
    spell: Spell,
) -> Segment:
    """A segment of surveyed files with these contents, vectors inline."""
    limit = store.settings.max_file_size
    batch = list(contents)
    spelling = Spelling(spell)
    with trace.stage("extract"):
        # children are at work: the tokeniser is loaded beside them, if it is needed at all
        found = extract_in_parallel(batch, lambda: spelling.expect(_terms_of(batch)))
    keys = [key for one in found for key in one.keys]
    skips = [reason for one in found for reason in one.skips]
    languages = [language for one in found for language in one.languages]
    trace.count("files parsed", len(keys))
    place = {key: i for i, key in enumerate(keys)}
    rows = []
    for file in selected:
        i = place.get(file.key, -1) if not file.reason else -1
        reason, language = file.reason, _shown(file.key)
        if i >= 0:
            reason, language = skips[i], languages[i]
        elif not reason:
            reason = _unknown_reason(file.key, sizes, limit)
        blob = -1 if reason else i
        rows.append(FileRow(file.path, file.key.oid, language, reason, blob, file.documentation))
    dictionary = Dictionary(spelling)
    parts = []
    for one in found:
        numbers = dictionary.numbers(one.terms.terms)
        vectors = embedded(store.model, one.terms, dictionary, numbers)
        parts.append(facts_of_columns(one, vectors, numbers))
    trace.count("terms embedded", len(dictionary))
    facts = concatenated(parts)
    arrays, meta = segment.build(rows, facts, store.model, dictionary)
    return Segment(arrays, {**meta, "base": None})


def _terms_of(batch: Batch) -> list[str]:
    """The terms of texts, those that no chunk shows included."""
    words: set[str] = set()
    for key, data in batch:
        if not skip_reason(data, key.hint):
            words.update(tokens.identifiers(data.decode("utf-8", "replace")))
    return list(dict.fromkeys(segment.word_terms(words)))


def spelt_below(below: Sequence[Segment], model: Model, terms: Sequence[str]) -> list[list[int]]:
    """Token ids of terms: from the segments below where they can, which saves the tokeniser."""
    out: dict[str, list[int]] = {}
    for one in below:
        out.update(one.spelt([text for text in terms if text not in out]))
    unknown = [text for text in terms if text not in out]
    out.update(zip(unknown, model.tokens(unknown), strict=True))
    return [out[text] for text in terms]
