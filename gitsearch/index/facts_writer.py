"""Bring the record up to the blobs of a tree: the only writer of facts and vectors.

Blobs are read and extracted first; then rows are appended to the vector file and, in one short
transaction, to the record. Vector rows without a record row belong to a writer that died and are
written over by the next one.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.features.ragged import ends_of
from gitsearch.git import blobs
from gitsearch.index import extraction_pool
from gitsearch.index.fact_columns import BlobKey, FactColumns
from gitsearch.index.interrupts import held_back
from gitsearch.index.memory import release
from gitsearch.index.recorded_facts import recounted
from gitsearch.index.segment_input import Dictionary, SegmentFacts, embedded, facts_of_columns
from gitsearch.index.versions import FACTS_VERSION
from gitsearch.index.view_store import ABSENT
from gitsearch.store import layout, vector_file
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor
    from pathlib import Path

    from gitsearch.features.embedding import Model
    from gitsearch.git.repo import Repo
    from gitsearch.index.update_counts import Counters
    from gitsearch.settings import Progress
    from gitsearch.store.checksums import Checksums

# Text that is extracted before it is written: a share of what is written already, so that writing
# goes on beside extraction and the number of transactions grows with the logarithm of the size.
_FLUSH_LEAST = 8 << 20
_FLUSH_MOST = 16 << 20
_FLUSH_SHARE = 1


@dataclass(frozen=True, slots=True)
class KnownBlobs:
    """What is known of some keys, in their order.

    id: int64, -1 where nothing is known; place: int64, position among the facts that are loaded
    (those of the record in the order of the keys, then those that were added), or -1.
    """

    id: np.ndarray
    size: np.ndarray
    skip: list[str]
    language: list[str]
    place: np.ndarray

    def searched(self) -> np.ndarray:
        """Ids of the blobs that have facts to load, in order of their places."""
        return self.id[self.place >= 0]

    def without(self, absent: np.ndarray) -> KnownBlobs:
        """The same where these of the searched blobs are not in git any more: bool by place."""
        skip = [
            ABSENT if place >= 0 and absent[place] else reason
            for place, reason in zip(self.place.tolist(), self.skip, strict=True)
        ]
        return KnownBlobs(self.id, self.size, skip, self.language, self.place)

    def with_added(self, keys: Sequence[BlobKey], added: Sequence[AddedBlobs]) -> KnownBlobs:
        """The same after these facts were added behind those of the record."""
        ids, sizes, place = self.id.copy(), self.size.copy(), self.place.copy()
        skip, language = list(self.skip), list(self.language)
        where = {key: i for i, key in enumerate(keys)}
        behind = len(self.searched())
        for one in added:
            for j, key in enumerate(one.keys):
                i = where[key]
                ids[i], sizes[i], place[i] = 0, one.sizes[j], behind + j
                skip[i], language[i] = one.skips[j], one.languages[j]
            behind += len(one.keys)
        return KnownBlobs(ids, sizes, skip, language, place)


def generation_of(record: FactsDb) -> str:
    """The name of this record's numbering of chunks; a record made anew gets another one."""
    found = record.meta().get("generation")
    if found is None:
        found = secrets.token_hex(4)
        record.set_meta("generation", found)
        record.set_meta("facts_version", FACTS_VERSION)
    return found


def expect(record: FactsDb, vectors: str) -> None:
    """Raise Damaged if this is not the record whose chunks count rows of these vectors.

    Who deletes the folder deletes the lock, and then another process may have begun a new one.
    """
    if not vectors.endswith(f"-{record.meta().get('generation')}.i8"):
        raise Damaged(layout.RECORD, "was replaced while it was in use")


def known(record: FactsDb, keys: Sequence[BlobKey]) -> KnownBlobs:
    """Look keys up in the record."""
    wanted = {
        "position": np.arange(len(keys), dtype=np.uint32),
        "oid": _texts([key.oid for key in keys]),
        "hint": _texts([key.hint for key in keys]),
        "forced": np.asarray([key.forced for key in keys], bool),
    }
    found = record.query(
        "select w.position, b.id, b.size, b.skip, b.language from wanted w join blob b"
        " on b.oid = w.oid and b.hint = w.hint and b.forced = w.forced",
        {"wanted": wanted},
    )
    ids = np.full(len(keys), -1, np.int64)
    sizes = np.zeros(len(keys), np.int64)
    skips, languages = [""] * len(keys), ["text"] * len(keys)
    ids[found["position"]] = found["id"]
    sizes[found["position"]] = found["size"]
    for position, skip, language in zip(
        found["position"].tolist(), found["skip"], found["language"], strict=True
    ):
        skips[position], languages[position] = skip, language
    searched = (ids >= 0) & (np.asarray(skips) == "")
    place = np.where(searched, np.cumsum(searched) - 1, -1)
    return KnownBlobs(ids, sizes, skips, languages, place)


def _texts(values: Sequence[str]) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out


class AddedBlobs(NamedTuple):
    """Blobs that were added: what is said of each, and their facts for a segment."""

    keys: list[BlobKey]
    sizes: np.ndarray
    skips: list[str]
    languages: list[str]
    facts: SegmentFacts


def _thread() -> ThreadPoolExecutor:
    # imported by who writes: a search with edited files, which does not, would wait 4 ms for it
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1)


# A harvest and its vectors.
Written = tuple[FactColumns, np.ndarray]


@dataclass(slots=True)
class FactsWriter:
    """Adds blobs to the record of one index folder; the caller holds the writer's lock.

    vectors: name of the vector file; blob, chunk: the first ids that are free. Writing goes on in
    a thread; leaving the context waits for it, and raises what went wrong there.
    """

    folder: Path
    repo: Repo
    model: Model
    checksums: Checksums
    progress: Progress
    counters: Counters
    dictionary: Dictionary
    vectors: str
    blob: int
    chunk: int
    _total: tuple[int, int] = (0, 0)
    _done: tuple[int, int] = (0, 0)
    _waiting: list[Written] = field(default_factory=list)
    _pending: int = 0
    _writer: ThreadPoolExecutor = field(default_factory=_thread)
    _writing: Future[None] | None = None

    def __enter__(self) -> FactsWriter:
        return self

    def __exit__(self, *_: object) -> None:
        """Write what waits, also after Ctrl-C: what was extracted is kept."""
        with held_back():
            try:
                if self._waiting:
                    self._hand_over()
                if self._writing:
                    self._writing.result()
            finally:
                self._writer.shutdown()

    def add(self, keys: Sequence[BlobKey], sizes: dict[str, int]) -> list[AddedBlobs]:
        """Extract, embed and record these blobs, which the record does not hold yet."""
        added: list[AddedBlobs] = []
        if not keys:
            return added
        self._total = (len(keys), sum(sizes[key.oid] for key in keys))
        first = self.chunk
        known = len(self.dictionary)
        for found in extraction_pool.extracted(self._read(keys), self._total[1]):
            numbers = self.dictionary.numbers(found.terms.terms)
            vector = embedded(self.model, found.terms, self.dictionary, numbers)
            facts = facts_of_columns(found, vector, numbers, first)
            added.append(AddedBlobs(found.keys, found.sizes, found.skips, found.languages, facts))
            first += len(vector)
            self._wait(found, vector)
        if self._waiting:
            self._hand_over()
        self.counters.terms_embedded += len(self.dictionary) - known
        trace.count("terms embedded", len(self.dictionary) - known)
        return added

    def _read(self, keys: Sequence[BlobKey]) -> Iterator[tuple[BlobKey, bytes]]:
        for key, (_, data) in zip(
            keys, blobs.read_blobs(self.repo, [key.oid for key in keys]), strict=True
        ):
            if data is not None:
                self.counters.bytes_read += len(data)
                trace.count("bytes read", len(data))
                yield key, data

    def _wait(self, found: FactColumns, codes: np.ndarray) -> None:
        """Take a harvest to be written with the next ones."""
        size = int(found.sizes.sum())
        self._waiting.append((found, codes))
        self._pending += size
        self._done = (self._done[0] + len(found.keys), self._done[1] + size)
        self.counters.files_parsed += len(found.keys)
        trace.count("files parsed", len(found.keys))
        self.progress.update("indexing", self._done[0], self._total[0], self._done[1])
        wanted = max(_FLUSH_LEAST, (self._done[1] - self._pending) // _FLUSH_SHARE)
        if self._pending >= min(wanted, _FLUSH_MOST):
            self._hand_over()

    def _hand_over(self) -> None:
        """Let the thread write what waits, after what it writes now."""
        with held_back():  # or what is written would still be waiting
            if self._writing:
                self._writing.result()
            self._writing = self._writer.submit(self._write, self._waiting)
            self._waiting, self._pending = [], 0

    def _write(self, waiting: list[Written]) -> None:
        rows = np.concatenate([rows for _, rows in waiting])
        path = self.folder / self.vectors
        vector_file.append(path, self.vectors, self.chunk, rows, self.model.dims)
        with FactsDb(self.folder / layout.RECORD, write=True) as record:
            expect(record, self.vectors)
            for found, own in waiting:
                _insert(record, found, self.blob, self.chunk)
                self.blob += len(found.keys)
                self.chunk += len(own)
        self.checksums.add(layout.RECORD, self.vectors)
        waiting.clear()
        release()


def _insert(record: FactsDb, one: FactColumns, blob: int, chunk: int) -> None:
    """Insert one harvest whose first blob and chunk get these ids."""
    count = len(one.keys)
    chunk_ends = ends_of(one.chunks["blob"], count)
    record.insert(
        "blob",
        {
            "id": np.arange(blob, blob + count, dtype=np.uint32),
            "oid": _texts([key.oid for key in one.keys]),
            "hint": _texts([key.hint for key in one.keys]),
            "forced": np.asarray([key.forced for key in one.keys], bool),
            "language": _texts(one.languages),
            "skip": _texts(one.skips),
            "size": one.sizes,
            "lines": one.lines,
            "first_chunk": (chunk + chunk_ends[:-1]).astype(np.uint32),
            "chunks": np.diff(chunk_ends).astype(np.uint32),
        },
    )
    chunks = len(one.chunks["blob"])
    ids = np.arange(chunk, chunk + chunks, dtype=np.uint32)
    record.insert("chunk", {"id": ids, **one.chunks, "blob": one.chunks["blob"] + np.uint32(blob)})
    owner = one.symbols["blob"]
    firsts = ends_of(owner, count)[:-1][owner] if len(owner) else np.zeros(0, np.int64)
    ordinal = (np.arange(len(owner)) - firsts).astype(np.uint32)
    record.insert("symbol", {**one.symbols, "ordinal": ordinal, "blob": owner + np.uint32(blob)})
    for table, columns in (("reference", one.references), ("import", one.imports)):
        record.insert(table, {**columns, "blob": columns["blob"] + np.uint32(blob)})


def reembed(record: FactsDb, repo: Repo, path: Path, model: Model, fingerprint: str) -> int:
    """Vectors of all chunks anew, from their text: for another model, or a lost vector file.

    Returns the number of terms that were embedded; nothing is parsed.
    """
    dictionary = Dictionary(model.tokens)
    # made aside: views of this model may be in use, and their rows come out the same
    target, path = path, path.with_name(f"{path.name}.{secrets.token_hex(4)}{layout.TEMPORARY}")
    nothing = np.zeros((0, model.dims), np.int8)
    vector_file.append(path, target.name, 0, nothing, model.dims)
    start = 0
    gone: list[np.ndarray] = []
    for counts, absent in recounted(record, repo):
        gone.append(absent)
        rows = embedded(model, counts, dictionary, dictionary.numbers(counts.terms))
        vector_file.append(path, target.name, start, rows, model.dims)
        start += len(rows)
    # what cannot be embedded now is extracted anew when it is there again
    record.forget(np.concatenate(gone) if gone else np.zeros(0, np.int64))
    record.set_meta("model", fingerprint)
    layout.adopt(path, target)
    return len(dictionary)
