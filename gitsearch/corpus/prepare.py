"""Make the view of a tree: survey it, bring the record up to it, compile, publish.

A reader that finds the view uses it, and comes here only when it is missing or damaged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.corpus import segment
from gitsearch.corpus.compile import load_facts
from gitsearch.corpus.harvest import harvest
from gitsearch.corpus.segment import FileRow, Spell
from gitsearch.corpus.survey import Surveyed, survey
from gitsearch.corpus.update import Known, Updater, generation_of, known, reembed
from gitsearch.corpus.versions import FACTS_VERSION
from gitsearch.corpus.view import Segment, row_of
from gitsearch.corpus.workers import isolated
from gitsearch.errors import Damaged, GitFailed
from gitsearch.git import blobs, trees
from gitsearch.records import Change, TreeEntry
from gitsearch.store import layout
from gitsearch.store.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.corpus.counters import Counters
    from gitsearch.corpus.harvest import BlobKey
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Progress

# A delta is compiled while fewer files than this share of its base changed; beyond that a new
# base costs little more and searches faster.
MOST_CHANGED = 0.25

PENDING = "pending"

_ATTRIBUTES = b".gitattributes"
_BLOB_MODE = 0o100644


@dataclass(slots=True)
class Maker:
    """Makes views of one repository; the caller holds the writer's lock (or works in memory)."""

    repo: Repo
    shelf: Shelf
    progress: Progress
    counters: Counters

    def make(self, tree: str) -> None:
        """Publish the view of a tree: a delta over the newest fitting base, or a base."""
        base = self._base_for(tree)
        if base is None:
            rows, vectors_name = self._settled(survey(self.repo, trees.list_tree(self.repo, tree)))
            self._publish(tree, rows, vectors_name, {}, {})
            return
        below, changes = base
        changed = [change.new for change in changes if change.new is not None]
        rules = attribute_files(below)
        surveyed = survey(self.repo, [*changed, *rules])
        fresh = {entry.path for entry in changed}
        rows, vectors_name = self._settled([one for one in surveyed if one.path in fresh])
        removed = rows_of(below, [change.path for change in changes if change.old])
        meta = {"base": str(below.meta["tree"])}
        self._publish(tree, rows, vectors_name, {"removed": removed}, meta)

    def _publish(
        self,
        tree: str,
        files: list[FileRow],
        vectors_name: str,
        arrays: dict[str, np.ndarray],
        meta: dict[str, str],
    ) -> None:
        made, about = self._built(files, vectors_name)
        self.shelf.publish(tree, {**made, **arrays}, {**about, **meta})
        self.shelf.prune()

    def _built(
        self, files: list[FileRow], vectors_name: str
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        ids = np.unique([file.blob for file in files if file.blob >= 0]).astype(np.int64)
        if len(ids):
            with Record(self.shelf.folder / layout.RECORD) as record:
                rows = self.shelf.rows(vectors_name, record.next_id("chunk"))
                facts = load_facts(record, ids, rows)
        else:
            facts = segment.facts_of(harvest([]), self.shelf.model, self.shelf.model.tokens)
        numbered = [
            replace(file, blob=int(np.searchsorted(ids, file.blob)) if file.blob >= 0 else -1)
            for file in files
        ]
        model = self.shelf.model
        made, about = segment.build(numbered, facts, model, model.tokens)
        count = int(made["row"].max()) + 1 if len(made.get("row", ())) else 0
        return made, {**about, "base": None, "vectors": vectors_name, "rows": count}

    def _base_for(self, tree: str) -> tuple[Segment, list[Change]] | None:
        """The base that differs least from a tree, with the differences, if any is near enough."""
        found: tuple[Segment, list[Change]] | None = None
        for other in self.shelf.bases():
            loaded = self.shelf.load(other)
            if loaded is None:
                continue
            below = loaded[0][0]
            try:
                changes = trees.diff_trees(self.repo, other, tree)
            except GitFailed:
                continue  # the tree is gone, or the index was copied from another repository
            # other attributes may change what is said of files that did not change
            if any(change.path.endswith(_ATTRIBUTES) for change in changes):
                continue
            fits = len(changes) <= MOST_CHANGED * below.files
            if fits and (found is None or len(changes) < len(found[1])):
                found = below, changes
        return found

    def partial(self, tree: str) -> Segment:
        """A segment of a tree from what the record holds already; the rest is pending."""
        surveyed = survey(self.repo, trees.list_tree(self.repo, tree))
        try:
            arrays, meta = self._built(*self._recorded(surveyed))
        except (FileNotFoundError, Damaged):
            rows = [
                FileRow(one.path, one.key.oid, _shown(one.key), one.reason or PENDING, -1)
                for one in surveyed
            ]
            arrays, meta = self._built(rows, "")
        return self.shelf.segment(arrays, meta)

    def _recorded(self, surveyed: Sequence[Surveyed]) -> tuple[list[FileRow], str]:
        """Rows of all files with the facts that are known, others pending."""
        keys = list(dict.fromkeys(one.key for one in surveyed if not one.reason))
        with Record(self.shelf.folder / layout.RECORD) as record:
            meta = record.meta()
            if (meta["facts_version"], meta["model"]) != (FACTS_VERSION, self.shelf.fingerprint):
                raise FileNotFoundError(layout.RECORD)
            name = layout.vectors_name(self.shelf.fingerprint, meta["generation"])
            have = known(record, keys)
        return self._rows(surveyed, keys, have, None), name

    def _settled(self, surveyed: Sequence[Surveyed]) -> tuple[list[FileRow], str]:
        """Rows of all files, facts recorded; and the name of the vector file."""
        keys = list(dict.fromkeys(one.key for one in surveyed if not one.reason))
        vectors_name, have = self._begin(keys)
        missing = [key for key, i in zip(keys, have.id.tolist(), strict=True) if i < 0]
        sizes = blobs.sizes(self.repo, [key.oid for key in missing])
        limit = self.shelf.settings.max_file_size
        wanted = [key for key in missing if sizes.get(key.oid, limit + 1) <= limit]
        Updater(
            self.shelf.folder,
            self.repo,
            self.shelf.model,
            self.shelf.fingerprint,
            self.shelf.seal,
            self.progress,
            self.counters,
        ).add(wanted, sizes)
        with Record(self.shelf.folder / layout.RECORD) as record:
            have = known(record, keys)
        self.shelf.seal.add(layout.RECORD)
        return self._rows(surveyed, keys, have, sizes), vectors_name

    def _begin(self, keys: Sequence[BlobKey]) -> tuple[str, Known]:
        """Open the record for this model, and look the keys up."""
        path = self.shelf.folder / layout.RECORD
        with Record(path, write=True) as record:
            generation = generation_of(record)
            if record.meta()["facts_version"] != FACTS_VERSION:
                raise Damaged(layout.RECORD, "written by another version of this program")
            name = layout.vectors_name(self.shelf.fingerprint, generation)
            if record.meta().get("model") != self.shelf.fingerprint:
                self.counters.terms_embedded += reembed(
                    record, self.shelf.folder / name, self.shelf.model, self.shelf.fingerprint
                )
                self.shelf.seal.add(name)
            have = known(record, keys)
            # rows that others changed are noticed before new ones are added and sealed with them
            self.shelf.rows(name, record.next_id("chunk"))
        self.shelf.seal.add(layout.RECORD)
        return name, have

    def _rows(
        self,
        surveyed: Sequence[Surveyed],
        keys: Sequence[BlobKey],
        have: Known,
        sizes: dict[str, int] | None,
    ) -> list[FileRow]:
        """One row a file; without `sizes` unknown blobs are pending."""
        limit = self.shelf.settings.max_file_size
        place = {key: i for i, key in enumerate(keys)}
        rows = []
        for one in surveyed:
            reason, language, blob = one.reason, _shown(one.key), -1
            i = place[one.key] if not reason else -1
            if i >= 0 and have.id[i] >= 0:
                reason, language = have.skip[i], have.language[i]
                if not reason and have.size[i] > limit:
                    reason = "too-large"
                blob = -1 if reason else int(have.id[i])
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
        return "absent"
    return "too-large" if size > limit else "unreadable"


def attribute_files(below: Segment) -> list[TreeEntry]:
    """The .gitattributes files of a base, as entries."""
    text = below["path_text"].tobytes()
    if _ATTRIBUTES not in text:
        return []
    paths = [(i, below.path(i)) for i in range(below.files)]
    return [
        TreeEntry(path, below["oid"][i].tobytes().hex(), _BLOB_MODE)
        for i, path in paths
        if path.endswith(_ATTRIBUTES)
    ]


def rows_of(below: Segment, paths: Sequence[bytes]) -> np.ndarray:
    """File rows of a segment, of the paths that it has."""
    return np.asarray(
        sorted(row for path in paths if (row := row_of(below, path)) >= 0), np.uint32
    )


def in_memory(
    repo: Repo, shelf: Shelf, entries: Sequence[TreeEntry], progress: Progress, counters: Counters
) -> Segment:
    """A segment of these entries without touching the disk, as a base view would hold them."""
    surveyed = survey(repo, entries)
    sizes = blobs.sizes(repo, [one.key.oid for one in surveyed if not one.reason])
    limit = shelf.settings.max_file_size
    keys = [
        one.key
        for one in surveyed
        if not one.reason and sizes.get(one.key.oid, limit + 1) <= limit
    ]
    contents = _read(repo, keys, progress, counters)
    return segment_of(surveyed, contents, sizes, shelf, shelf.model.tokens)


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
    surveyed: Sequence[Surveyed],
    contents: Iterator[tuple[BlobKey, bytes]],
    sizes: dict[str, int],
    shelf: Shelf,
    spell: Spell,
) -> Segment:
    """A segment of surveyed files with these contents, vectors inline."""
    limit = shelf.settings.max_file_size
    one = isolated(list(contents))
    place = {key: i for i, key in enumerate(one.keys)}
    rows = []
    for file in surveyed:
        i = place.get(file.key, -1) if not file.reason else -1
        reason, language = file.reason, _shown(file.key)
        if i >= 0:
            reason, language = one.skips[i], one.languages[i]
        elif not reason:
            reason = _unknown_reason(file.key, sizes, limit)
        blob = -1 if reason else i
        rows.append(FileRow(file.path, file.key.oid, language, reason, blob, file.documentation))
    model = shelf.model
    arrays, meta = segment.build(rows, segment.facts_of(one, model, spell), model, spell)
    return Segment(arrays, {**meta, "base": None})
