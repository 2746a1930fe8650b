"""Segments of a tree from facts that are recorded, and from contents; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, GitFailed, Unwritable
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.features import identifiers
from gitsearch.git import blobs, trees
from gitsearch.git.tree_objects import diff_trees
from gitsearch.git_conventions import ATTRIBUTES_FILE
from gitsearch.index import segment
from gitsearch.index.extraction_pool import extract_in_parallel
from gitsearch.index.fact_columns import extract_columns
from gitsearch.index.facts_writer import KnownBlobs, known
from gitsearch.index.file_selection import SelectedFile, select_files
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
from gitsearch.index.view import Segment
from gitsearch.index.view_store import ABSENT, LISTED, PENDING, arrived
from gitsearch.records import TreeChange, TreeEntry
from gitsearch.store import layout
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from gitsearch.features.embedding import Model
    from gitsearch.git.repo import Repo
    from gitsearch.index.extraction_pool import Batch
    from gitsearch.index.fact_columns import BlobKey, FactColumns
    from gitsearch.index.facts_writer import AddedBlobs
    from gitsearch.index.segment_input import Spell
    from gitsearch.index.update_counts import Counters
    from gitsearch.index.view_store import Layers, ViewStore
    from gitsearch.settings import Progress

_TOO_LARGE = "too-large"

# Bytes of a skipped file whose words are listed.
_LARGEST_LISTED = 8 << 20

# A delta is laid over a view while fewer files changed than this share of what its last segment
# holds. So each segment is at most a quarter of the one below, a view has few of them, and a file
# is compiled again only when what lies above its segment has grown as large: in geometric steps.
MOST_CHANGED = 0.25


@dataclass(frozen=True, slots=True)
class BaseView:
    """A stored view, and the differences between its tree and another."""

    tree: str
    layers: Layers
    changes: list[TreeChange]


class KnownFile(NamedTuple):
    """The skip reason ("": none) and language of a blob, and its place among the facts, or -1."""

    skip: str
    language: str
    place: int


class BuiltSegment(NamedTuple):
    """A segment as it is published: its arrays by name, and its meta data."""

    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]


@dataclass(slots=True)
class SegmentAssembler:
    """Assembles segments of one repository in memory."""

    repo: Repo
    store: ViewStore
    progress: Progress
    counters: Counters

    def foundation(
        self, tree: str, share: float | None = None, avoid: frozenset[str] = frozenset()
    ) -> BaseView | None:
        """Return the stored view with the fewest differences from a tree; None if all have many.

        share: how many files may have changed, of those in the last segment of the view; avoid:
        trees whose views are not taken.
        """
        most = MOST_CHANGED if share is None else share
        nearest: BaseView | None = None
        for name in self.store.foundations():
            if name == tree:
                continue  # a view cannot be based on itself
            layers = self.store.load(name) if name not in avoid else None
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
            if fits and (nearest is None or len(changes) < len(nearest.changes)):
                nearest = BaseView(name, layers, changes)
        return nearest

    def partial(self, tree: str) -> Segment:
        """Return a segment of a tree from the recorded facts; the other files are pending."""
        selected = select_files(self.repo, trees.list_tree(self.repo, tree))
        try:
            built = self._recorded(selected)
        except (FileNotFoundError, Damaged, Busy, Unwritable):
            rows = file_rows(selected, {})
            built = self.built(rows, None, "", Dictionary(self.store.model.tokens))
        return self.store.segment(*built)

    def _recorded(self, selected: Sequence[SelectedFile]) -> BuiltSegment:
        """A segment of all files: those without recorded facts are pending."""
        keys = keys_of(selected)
        dictionary = Dictionary(self.store.model.tokens)
        with FactsDb(self.store.folder / layout.RECORD) as record:
            meta = record.meta()
            if (meta.get("facts_version"), meta.get("model")) != (
                FACTS_VERSION,
                self.store.fingerprint,
            ):
                raise FileNotFoundError(layout.RECORD)
            name = layout.vectors_name(self.store.fingerprint, meta.get("generation", ""))
            facts, have = self.load(record, known(record, keys), name, dictionary)
        rows = file_rows(selected, self.known_files(keys, have))
        return self.built(rows, facts, name, dictionary)

    def load(
        self, record: FactsDb, have: KnownBlobs, name: str, dictionary: Dictionary
    ) -> tuple[SegmentFacts | None, KnownBlobs]:
        """Return the facts of known blobs that are searched, by place, and what is still known.

        name: the file of their vectors.
        """
        ids = have.searched()
        if not len(ids):
            return None, have
        rows = self.store.rows(name, record.next_id("chunk"))
        facts, absent = load_facts(record, self.repo, ids, rows, dictionary)
        return facts, have.without(absent)

    def known_files(self, keys: Sequence[BlobKey], have: KnownBlobs) -> dict[BlobKey, KnownFile]:
        """Return what is known of each key; larger blobs than the setting allows are skipped."""
        limit = self.store.settings.max_file_size
        return {
            key: KnownFile(skip or _TOO_LARGE * (size > limit), language, place)
            for key, oid, skip, size, language, place in zip(
                keys,
                have.id.tolist(),
                have.skip,
                have.size.tolist(),
                have.language,
                have.place.tolist(),
                strict=True,
            )
            if oid >= 0
        }

    def built(
        self,
        rows: list[FileRow],
        facts: SegmentFacts | None,
        vectors_name: str,
        dictionary: Dictionary,
    ) -> BuiltSegment:
        """Return a segment without a base, whose vectors are in a file of that name.

        facts: None if no file has any.
        """
        model = self.store.model
        if facts is None:
            vectors = np.zeros((0, model.dims), np.int8)
            facts = facts_of_columns(extract_columns([]), vectors, np.zeros(0, np.uint32))
        with trace.stage("words of skipped files"):
            rows = with_unlisted(self.repo, rows)
        with trace.stage("compile"):
            arrays, meta = segment.build(rows, facts, model, dictionary)
        count = int(arrays["row"].max()) + 1 if len(arrays.get("row", ())) else 0
        meta |= {"base": None, "vectors": vectors_name, "rows": count}
        return BuiltSegment(arrays, meta)

    # ---------------------------------------------------------------- from contents

    def in_memory(self, entries: Sequence[TreeEntry]) -> Segment:
        """Return a segment of entries with the facts of their contents, as in a base view."""
        return self.of_files(select_files(self.repo, entries))

    def of_files(self, selected: Sequence[SelectedFile]) -> Segment:
        """Return a segment of selected files with the facts of their contents."""
        sizes = blobs.sizes(self.repo, [file.key.oid for file in selected if not file.reason])
        limit = self.store.settings.max_file_size
        keys = [key for key in keys_of(selected) if sizes.get(key.oid, limit + 1) <= limit]
        contents = []
        texts = blobs.read_blobs(self.repo, [key.oid for key in keys])
        for i, (key, (_, data)) in enumerate(zip(keys, texts, strict=True)):
            if data is not None:
                self.counters.files_parsed += 1
                self.counters.bytes_read += len(data)
                self.progress.update("indexing", i + 1, len(keys), self.counters.bytes_read)
                contents.append((key, data))
        return segment_of(selected, contents, sizes, self.store, self.store.model.tokens)


def segment_of(
    selected: Sequence[SelectedFile],
    contents: Batch,
    sizes: Mapping[str, int],
    store: ViewStore,
    spell: Spell,
) -> Segment:
    """Return a segment of files with these contents and sizes by object id, vectors included."""
    spelling = Spelling(spell)
    with trace.stage("extract"):
        # children are at work: the tokeniser is loaded beside them, if it is needed at all
        batches = extract_in_parallel(contents, lambda: spelling.expect(_terms_of(contents)))
    known_files = files_in_order(batches)
    trace.count("files parsed", len(known_files))
    rows = file_rows(selected, known_files, unknown_reason(sizes, store.settings.max_file_size))
    dictionary = Dictionary(spelling)
    parts = []
    for batch in batches:
        numbers = dictionary.numbers(batch.terms.terms)
        vectors = embedded(store.model, batch.terms, dictionary, numbers)
        parts.append(facts_of_columns(batch, vectors, numbers))
    trace.count("terms embedded", len(dictionary))
    arrays, meta = segment.build(rows, concatenated(parts), store.model, dictionary)
    return Segment(arrays, {**meta, "base": None})


def _terms_of(batch: Batch) -> list[str]:
    """The terms of texts, including those that no chunk has."""
    words: set[str] = set()
    for key, data in batch:
        if not skip_reason(data, key.hint):
            words.update(identifiers.identifiers(data.decode("utf-8", "replace")))
    return list(dict.fromkeys(segment.word_terms(words)))


def spelt_below(below: Sequence[Segment], model: Model, terms: Sequence[str]) -> list[list[int]]:
    """Token ids of terms: from the segments below where they can, which saves the tokeniser."""
    known_terms: dict[str, list[int]] = {}
    for lower in below:
        known_terms.update(lower.spelt([text for text in terms if text not in known_terms]))
    unknown = [text for text in terms if text not in known_terms]
    known_terms.update(zip(unknown, model.tokens(unknown), strict=True))
    return [known_terms[text] for text in terms]


# ---------------------------------------------------------------- rows of files


def keys_of(selected: Iterable[SelectedFile]) -> list[BlobKey]:
    """Return the distinct blobs of files that are not skipped."""
    return list(dict.fromkeys(file.key for file in selected if not file.reason))


def _pending(_: BlobKey) -> str:
    return PENDING


def file_rows(
    selected: Iterable[SelectedFile],
    known_files: Mapping[BlobKey, KnownFile],
    unknown: Callable[[BlobKey], str] = _pending,
) -> list[FileRow]:
    """Return a row for each file; `unknown` is the skip reason of a blob without known facts."""
    rows = []
    for file in selected:
        reason, blob = file.reason, -1
        language = "text" if file.key.hint.startswith("?") else file.key.hint
        if not reason:
            match = known_files.get(file.key)
            if match is None:
                reason = unknown(file.key)
            else:
                reason, language, blob = match
        blob = -1 if reason else blob
        rows.append(FileRow(file.path, file.key.oid, language, reason, blob, file.documentation))
    return rows


def with_unlisted(repo: Repo, rows: Sequence[FileRow]) -> list[FileRow]:
    """Return the files, those that are skipped as `LISTED` says with their words."""
    sizes = blobs.sizes(repo, [row.oid for row in rows if row.reason in LISTED])
    wanted = [oid for oid, size in sizes.items() if size <= _LARGEST_LISTED]
    words = {
        oid: identifiers.unlisted_words(data or b"")
        for oid, data in blobs.read_blobs(repo, wanted)
    }
    any_word = identifiers.ANY.encode()
    return [
        replace(row, unlisted=words.get(row.oid, any_word)) if row.reason in LISTED else row
        for row in rows
    ]


def files_in_order(batches: Iterable[FactColumns | AddedBlobs]) -> dict[BlobKey, KnownFile]:
    """Return what is known of blobs whose facts are joined in this order."""
    known_files: dict[BlobKey, KnownFile] = {}
    for batch in batches:
        for key, skip, language in zip(batch.keys, batch.skips, batch.languages, strict=True):
            known_files[key] = KnownFile(skip, language, len(known_files))
    return known_files


def unknown_reason(sizes: Mapping[str, int], limit: int) -> Callable[[BlobKey], str]:
    """Return what tells why a blob has no facts, by the sizes of those that git has."""

    def reason(key: BlobKey) -> str:
        size = sizes.get(key.oid)
        if size is None:
            return ABSENT
        return _TOO_LARGE if size > limit else "unreadable"

    return reason
