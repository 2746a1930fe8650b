"""Bring the record up to the blobs of a tree: the only writer of facts and vectors.

Blobs are read and extracted first; then rows are appended to the vector file and, in one short
transaction, to the record. Vector rows without a record row belong to a writer that died and are
written over by the next one.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.features.embedding import packed
from gitsearch.features.ragged import ends_of
from gitsearch.git import blobs
from gitsearch.index import extraction_pool
from gitsearch.index.child_processes import held_back
from gitsearch.index.fact_columns import BlobKey, Columns, FactColumns, text_column
from gitsearch.index.memory import release
from gitsearch.index.recorded_facts import recounted
from gitsearch.index.segment_input import Dictionary, SegmentFacts, embedded, facts_of_columns
from gitsearch.index.versions import FACTS_VERSION
from gitsearch.index.view_store import ABSENT
from gitsearch.store import layout, vector_file
from gitsearch.store.facts_db import FactsDb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor
    from pathlib import Path

    from gitsearch.features.embedding import Model
    from gitsearch.git.repo import Repo
    from gitsearch.index.fact_columns import KnownParses
    from gitsearch.index.update_counts import Counters
    from gitsearch.settings import Progress
    from gitsearch.store.checksums import Checksums

# Bytes of text that are extracted before they are written: as many as are written already, so that
# writing goes on beside extraction and few transactions are enough.
_FLUSH_LEAST = 8 << 20
_FLUSH_MOST = 16 << 20


@dataclass(frozen=True, slots=True)
class KnownBlobs:
    """Blobs of some keys, in their order, as far as they are known.

    id: int64, -1 where nothing is known; place: int64, position among the facts that are loaded
    (those of the record in the order of the keys, then those that were added), or -1.
    """

    id: np.ndarray
    size: np.ndarray
    skip: list[str]
    language: list[str]
    place: np.ndarray

    def searched(self) -> np.ndarray:
        """Return the ids of the blobs that have facts to load, in order of their places."""
        return self.id[self.place >= 0]

    def without(self, absent: np.ndarray) -> KnownBlobs:
        """Skip those of the searched blobs that are not in git any more: bool by place."""
        skip = [
            ABSENT if place >= 0 and absent[place] else reason
            for place, reason in zip(self.place.tolist(), self.skip, strict=True)
        ]
        return replace(self, skip=skip)

    @classmethod
    def none(cls, count: int) -> KnownBlobs:
        """So many keys of which nothing is known."""
        nowhere = np.full(count, -1, np.int64)
        return cls(nowhere, np.zeros(count, np.int64), [""] * count, ["text"] * count, nowhere)

    def with_added(self, keys: Sequence[BlobKey], added: Sequence[AddedBlobs]) -> KnownBlobs:
        """Return the same with blobs whose facts were added behind those of the record."""
        ids, sizes, place = self.id.copy(), self.size.copy(), self.place.copy()
        skip, language = list(self.skip), list(self.language)
        positions = {key: i for i, key in enumerate(keys)}
        behind = len(self.searched())
        for batch in added:
            for j, key in enumerate(batch.keys):
                i = positions[key]
                ids[i], sizes[i], place[i] = 0, batch.sizes[j], behind + j
                skip[i], language[i] = batch.skips[j], batch.languages[j]
            behind += len(batch.keys)
        return KnownBlobs(ids, sizes, skip, language, place)


def generation_of(record: FactsDb) -> str:
    """Return the name of this record's numbering of chunks; a new record gets a new one."""
    generation = record.meta().get("generation")
    if generation is None:
        generation = secrets.token_hex(4)
        record.set_meta("generation", generation)
        record.set_meta("facts_version", FACTS_VERSION)
    return generation


def replaced() -> Damaged:
    """The error where the folder was taken away, and another process has begun a new one."""
    return Damaged(layout.RECORD, "was replaced while it was in use")


def expect(record: FactsDb, vectors: str) -> None:
    """Raise Damaged if this is not the record whose chunks count rows of these vectors."""
    if not vectors.endswith(f"-{record.meta().get('generation')}.i4"):
        raise replaced()


def reopened(path: Path, vectors: str) -> FactsDb:
    """Open the record again whose chunks count rows of these vectors. Raises as FactsDb.

    It is there, or Damaged is raised.
    """
    try:
        record = FactsDb(path)
    except FileNotFoundError:
        raise replaced() from None
    try:
        expect(record, vectors)
    except BaseException:
        record.close()
        raise
    return record


def known(record: FactsDb, keys: Sequence[BlobKey]) -> KnownBlobs:
    """Look keys up in the record."""
    wanted = {
        "position": np.arange(len(keys), dtype=np.uint32),
        **_key_columns(keys),
    }
    rows = record.query(
        "select w.position, b.id, b.size, b.skip, b.language from wanted w join blob b"
        " on b.oid = w.oid and b.hint = w.hint and b.forced = w.forced",
        {"wanted": wanted},
    )
    found = KnownBlobs.none(len(keys))
    found.id[rows["position"]] = rows["id"]
    found.size[rows["position"]] = rows["size"]
    for i, position in enumerate(rows["position"].tolist()):
        found.skip[position], found.language[position] = rows["skip"][i], rows["language"][i]
    searched = (found.id >= 0) & (np.asarray(found.skip) == "")
    return replace(found, place=np.where(searched, np.cumsum(searched) - 1, -1))


def _key_columns(keys: Sequence[BlobKey]) -> Columns:
    return {
        "oid": text_column([key.oid for key in keys]),
        "hint": text_column([key.hint for key in keys]),
        "forced": np.asarray([key.forced for key in keys], bool),
    }


class AddedBlobs(NamedTuple):
    """Blobs that were added, and their facts for a segment."""

    keys: list[BlobKey]
    sizes: np.ndarray
    skips: list[str]
    languages: list[str]
    facts: SegmentFacts


class FreeIds(NamedTuple):
    """The vector file of a record, and its first ids of blobs and chunks that are free."""

    vectors: str
    blob: int
    chunk: int


# Extracted facts, and the vectors of their chunks.
Written = tuple[FactColumns, np.ndarray]


@dataclass(slots=True)
class FactsWriter:
    """Adds blobs to the record of one index folder; the caller holds the writer's lock.

    opening: opens the record, unless `begin` has been called, while the first blobs are extracted;
    known: results of parsing. Writing goes on in a thread; leaving the context waits for it, and
    raises the errors of the thread.
    """

    folder: Path
    repo: Repo
    model: Model
    checksums: Checksums
    progress: Progress
    counters: Counters
    dictionary: Dictionary
    opening: Callable[[], FreeIds]
    known: KnownParses | None = None
    vectors: str = ""
    first: int = 0  # of the chunks that are added
    blob: int = 0  # the next ones
    chunk: int = 0
    _total: tuple[int, int] = (0, 0)
    _done: tuple[int, int] = (0, 0)
    _waiting: list[Written] = field(default_factory=list)
    _pending: int = 0
    _thread: ThreadPoolExecutor = field(init=False)
    _writing: Future[None] | None = None

    def __enter__(self) -> FactsWriter:
        # imported only here: a search with edited files, which writes none, would wait 4 ms for it
        from concurrent.futures import ThreadPoolExecutor

        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_: object) -> None:
        """Write the facts that wait, also after Ctrl-C."""
        with held_back():
            try:
                if self._waiting:
                    self._hand_over()
                if self._writing:
                    self._writing.result()
            finally:
                self._thread.shutdown()

    def begin(self) -> None:
        """Open the record, if it is not open; `vectors` names its file of vectors from then on."""
        if not self.vectors:
            self.vectors, self.blob, self.first = self.opening()
            self.chunk = self.first

    def add(
        self,
        keys: Sequence[BlobKey],
        sizes: dict[str, int],
        recorded: Callable[[Sequence[AddedBlobs]], None] | None = None,
    ) -> list[AddedBlobs]:
        """Extract, embed and record these blobs, which the record does not hold yet.

        recorded: called with those that are recorded, while more are extracted; nothing is written
        at that time.
        """
        added: list[AddedBlobs] = []
        if not keys:
            self.begin()
            return added
        self._total = (len(keys), sum(sizes[key.oid] for key in keys))
        known = len(self.dictionary)
        told = chunks = 0
        texts, size = self._read(keys), self._total[1]
        for columns in extraction_pool.extracted(texts, size, self.known, self.begin):
            numbers = self.dictionary.numbers(columns.terms.terms)
            vectors = embedded(self.model, columns.terms, self.dictionary, numbers)
            facts = facts_of_columns(columns, vectors, numbers, self.first + chunks)
            per_blob = columns.keys, columns.sizes, columns.skips, columns.languages
            added.append(AddedBlobs(*per_blob, facts))
            chunks += len(vectors)
            self._wait(columns, vectors)
            if recorded and self._writing and self._writing.done():
                self._writing.result()
                handed_over = len(added) - len(self._waiting)
                if handed_over > told:
                    recorded(added[told:handed_over])
                    told = handed_over
        if self._waiting:
            self._hand_over()
        self.counters.terms_embedded += len(self.dictionary) - known
        trace.count("terms embedded", len(self.dictionary) - known)
        return added

    def _read(self, keys: Sequence[BlobKey]) -> Iterator[tuple[BlobKey, bytes]]:
        contents = blobs.read_blobs(self.repo, [key.oid for key in keys])
        for key, (_, data) in zip(keys, contents, strict=True):
            if data is not None:
                self.counters.bytes_read += len(data)
                trace.count("bytes read", len(data))
                yield key, data

    def _wait(self, columns: FactColumns, vectors: np.ndarray) -> None:
        """Let facts wait to be written with the next ones."""
        size = int(columns.sizes.sum())
        self._waiting.append((columns, vectors))
        self._pending += size
        self._done = (self._done[0] + len(columns.keys), self._done[1] + size)
        known = int(columns.known.sum())
        self.counters.parses_known += known
        if self.known is not None:
            claimed = sum(key in self.known for key in columns.keys)
            self.counters.parses_refused += claimed - known
            trace.count("parses known", known)
        self.counters.files_parsed += len(columns.keys) - known
        trace.count("files parsed", len(columns.keys) - known)
        self.progress.update("indexing", self._done[0], self._total[0], self._done[1])
        written = self._done[1] - self._pending
        if self._pending >= min(max(_FLUSH_LEAST, written), _FLUSH_MOST):
            self._hand_over()

    def _hand_over(self) -> None:
        """Let the thread write the facts that wait, after those that it writes now."""
        with held_back():  # or facts that are written would still be waiting
            if self._writing:
                self._writing.result()
            self._writing = self._thread.submit(self._write, self._waiting)
            self._waiting, self._pending = [], 0

    def _write(self, waiting: list[Written]) -> None:
        rows = np.concatenate([rows for _, rows in waiting])
        path = self.folder / self.vectors
        vector_file.append(path, self.vectors, self.chunk, packed(rows))
        with FactsDb(self.folder / layout.RECORD, write=True) as record:
            expect(record, self.vectors)
            for columns, vectors in waiting:
                _insert(record, columns, self.blob, self.chunk)
                self.blob += len(columns.keys)
                self.chunk += len(vectors)
        self.checksums.add(layout.RECORD, self.vectors)
        waiting.clear()
        release()


def _insert(record: FactsDb, facts: FactColumns, blob: int, chunk: int) -> None:
    """Insert extracted facts whose first blob and chunk get these ids."""
    count = len(facts.keys)
    chunk_ends = ends_of(facts.chunks["blob"], count)
    record.insert(
        "blob",
        {
            "id": np.arange(blob, blob + count, dtype=np.uint32),
            **_key_columns(facts.keys),
            "language": text_column(facts.languages),
            "skip": text_column(facts.skips),
            "size": facts.sizes,
            "lines": facts.lines,
            "first_chunk": (chunk + chunk_ends[:-1]).astype(np.uint32),
            "chunks": np.diff(chunk_ends).astype(np.uint32),
        },
    )
    ids = np.arange(chunk, chunk + len(facts.chunks["blob"]), dtype=np.uint32)
    owner = facts.symbols["blob"]
    ordinal = (np.arange(len(owner)) - ends_of(owner, count)[owner]).astype(np.uint32)
    for table, columns in (
        ("chunk", {"id": ids, **facts.chunks}),
        ("symbol", {**facts.symbols, "ordinal": ordinal}),
    ):
        record.insert(table, {**columns, "blob": columns["blob"] + np.uint32(blob)})


def reembed(record: FactsDb, repo: Repo, path: Path, model: Model, fingerprint: str) -> int:
    """Embed all chunks anew from their text, for another model or a lost vector file.

    Returns the number of terms that were embedded; nothing is parsed.
    """
    dictionary = Dictionary(model.tokens)
    # a temporary file: views of this model may be in use, and their rows come out the same
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}{layout.TEMPORARY}")
    nothing = np.zeros((0, model.dims), np.int8)
    vector_file.append(temporary, path.name, 0, packed(nothing))
    start = 0
    gone = [np.zeros(0, np.int64)]
    for counts, absent in recounted(record, repo):
        gone.append(absent)
        rows = embedded(model, counts, dictionary, dictionary.numbers(counts.terms))
        vector_file.append(temporary, path.name, start, packed(rows))
        start += len(rows)
    # blobs that cannot be embedded now are extracted anew when they are there again
    record.forget(np.concatenate(gone))
    record.set_meta("model", fingerprint)
    layout.adopt(temporary, path)
    return len(dictionary)
