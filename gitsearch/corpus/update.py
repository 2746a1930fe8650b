"""Bring the record up to the blobs of a tree: the only writer of facts and vectors.

Blobs are read and extracted first; then rows are appended to the vector file and, in one short
transaction, to the record. Vector rows without a record row belong to a writer that died and are
written over by the next one.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.corpus import workers
from gitsearch.corpus.counters import Counters
from gitsearch.corpus.harvest import BlobKey, Harvest
from gitsearch.corpus.interrupts import held_back
from gitsearch.corpus.segment import csr_of, embedded, ends_of
from gitsearch.corpus.versions import FACTS_VERSION
from gitsearch.git import blobs
from gitsearch.store import layout, matrix
from gitsearch.store.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gitsearch.features.vectors import Model
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Progress
    from gitsearch.store.seal import Seal

# Text that is extracted before it is written: a share of what is written already, so that writing
# goes on beside extraction and the number of transactions grows with the logarithm of the size.
_FLUSH_LEAST = 2 << 20
_FLUSH_MOST = 48 << 20
_FLUSH_SHARE = 2

# Chunks that are embedded anew at once.
_EMBED_BLOCK = 65536


@dataclass(frozen=True, slots=True)
class Known:
    """What the record holds of some keys, in their order; id is -1 where it holds nothing."""

    id: np.ndarray
    size: np.ndarray
    skip: list[str]
    language: list[str]


def generation_of(record: Record) -> str:
    """The name of this record's numbering of chunks; a record made anew gets another one."""
    found = record.meta().get("generation")
    if found is None:
        found = secrets.token_hex(4)
        record.set_meta("generation", found)
        record.set_meta("facts_version", FACTS_VERSION)
    return found


def known(record: Record, keys: Sequence[BlobKey]) -> Known:
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
    return Known(ids, sizes, skips, languages)


def _texts(values: Sequence[str]) -> np.ndarray:
    out = np.empty(len(values), object)
    out[:] = values
    return out


@dataclass(slots=True)
class Updater:
    """Adds blobs to the record of one index folder; the caller holds the writer's lock."""

    folder: Path
    repo: Repo
    model: Model
    fingerprint: str
    seal: Seal
    progress: Progress
    counters: Counters = field(default_factory=Counters)
    total: tuple[int, int] = (0, 0)
    done: tuple[int, int] = (0, 0)

    def add(self, keys: Sequence[BlobKey], sizes: dict[str, int]) -> None:
        """Extract, embed and record these blobs, which the record does not hold yet."""
        if not keys:
            return
        self.total = (len(keys), sum(sizes[key.oid] for key in keys))
        waiting: list[Harvest] = []
        try:
            for found in workers.harvests(self._read(keys), self.total[1]):
                waiting.append(found)
                size = int(found.sizes.sum())
                self.done = (self.done[0] + len(found.keys), self.done[1] + size)
                self.progress.update("indexing", self.done[0], self.total[0], self.done[1])
                pending = sum(int(one.sizes.sum()) for one in waiting)
                wanted = max(_FLUSH_LEAST, (self.done[1] - pending) // _FLUSH_SHARE)
                if pending >= min(wanted, _FLUSH_MOST):
                    with held_back():
                        self._flush(waiting)
        finally:
            # on Ctrl-C too: what was extracted is kept
            if waiting:
                with held_back():
                    self._flush(waiting)

    def _read(self, keys: Sequence[BlobKey]) -> Iterator[tuple[BlobKey, bytes]]:
        for key, (_, data) in zip(
            keys, blobs.read_blobs(self.repo, [key.oid for key in keys]), strict=True
        ):
            if data is not None:
                self.counters.bytes_read += len(data)
                yield key, data

    def _flush(self, waiting: list[Harvest]) -> None:
        texts = sorted({text for one in waiting for text in one.terms.terms})
        path = self.folder / layout.RECORD
        with Record(path, write=True) as record:
            generation = generation_of(record)
            start = {table: record.next_id(table) for table in ("blob", "chunk", "term")}
            numbers, spelt = _known_terms(record, texts)
        new = [text for text in texts if text not in numbers]
        spelt.update(zip(new, self.model.tokens(new), strict=True))
        numbers.update({text: start["term"] + i for i, text in enumerate(new)})
        self.counters.terms_embedded += len(new)
        name = layout.vectors_name(self.fingerprint, generation)
        self._append_vectors(self.folder / name, waiting, start["chunk"], spelt)
        with Record(path, write=True) as record:
            _insert_terms(record, new, numbers, spelt)
            blob, chunk = start["blob"], start["chunk"]
            for one in waiting:
                _insert(record, one, blob, chunk, numbers)
                blob += len(one.keys)
                chunk += len(one.chunks["blob"])
        self.counters.files_parsed += sum(len(one.keys) for one in waiting)
        self.seal.add(layout.RECORD, name)
        waiting.clear()

    def _append_vectors(
        self, path: Path, waiting: list[Harvest], first: int, spelt: dict[str, list[int]]
    ) -> None:
        for one in waiting:
            terms = one.terms
            ends, token = csr_of([spelt[text] for text in terms.terms])
            rows, scales = embedded(
                self.model, terms.indptr, terms.term, terms.weight, ends, token
            )
            matrix.append(path, first, self.fingerprint, rows, scales)
            first += len(rows)


def _known_terms(
    record: Record, texts: Sequence[str]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Ids and token ids of the texts that the record knows."""
    wanted = {"text": _texts(texts)}
    found = record.query(
        "select t.id, t.text from wanted w join term t on t.text = w.text", {"wanted": wanted}
    )
    numbers = dict(zip(found["text"].tolist(), found["id"].tolist(), strict=True))
    tokens = record.query(
        "select k.term, k.token from wanted w join token k on k.term = w.id", {"wanted": found}
    )
    names = {number: text for text, number in numbers.items()}
    spelt: dict[str, list[int]] = {text: [] for text in numbers}
    for term, token in zip(tokens["term"].tolist(), tokens["token"].tolist(), strict=True):
        spelt[names[term]].append(token)
    return numbers, spelt


def _insert_terms(
    record: Record, new: list[str], numbers: dict[str, int], spelt: dict[str, list[int]]
) -> None:
    ids = np.asarray([numbers[text] for text in new], np.uint32)
    record.insert("term", {"id": ids, "text": _texts(new)})
    ends, token = csr_of([spelt[text] for text in new])
    record.insert("token", {"term": np.repeat(ids, np.diff(ends)), "token": token})


def _insert(record: Record, one: Harvest, blob: int, chunk: int, numbers: dict[str, int]) -> None:
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
    terms = one.terms
    global_term = np.asarray([numbers[text] for text in terms.terms], np.uint32)
    record.insert(
        "posting",
        {
            "chunk": np.repeat(ids, np.diff(terms.indptr)),
            "term": global_term[terms.term] if len(terms.term) else terms.term,
            "tf": terms.tf,
            "weight": terms.weight,
        },
    )
    owner = one.symbols["blob"]
    firsts = ends_of(owner, count)[:-1][owner] if len(owner) else np.zeros(0, np.int64)
    ordinal = (np.arange(len(owner)) - firsts).astype(np.uint32)
    record.insert("symbol", {**one.symbols, "ordinal": ordinal, "blob": owner + np.uint32(blob)})
    for table, columns in (("reference", one.references), ("import", one.imports)):
        record.insert(table, {**columns, "blob": columns["blob"] + np.uint32(blob)})


def reembed(record: Record, path: Path, model: Model, fingerprint: str) -> int:
    """Vectors of all chunks anew, from their postings: for another model, or a lost vector file.

    Returns the number of terms that were embedded; nothing is parsed.
    """
    terms = record.query("select id, text from term order by id")
    texts = terms["text"].tolist()
    ends, token = csr_of(model.tokens(texts))
    record.execute("delete from token")
    ids = terms["id"].astype(np.uint32)
    record.insert("token", {"term": np.repeat(ids, np.diff(ends)), "token": token})
    chunks = record.next_id("chunk")
    path.unlink(missing_ok=True)
    matrix.append(
        path, 0, fingerprint, np.zeros((0, model.dims), np.int8), np.zeros(0, np.float32)
    )
    for start in range(0, chunks, _EMBED_BLOCK):
        count = min(_EMBED_BLOCK, chunks - start)
        found = record.query(
            "select chunk, term, weight from posting"
            f" where chunk >= {start} and chunk < {start + count} order by chunk, term"
        )
        indptr = ends_of(found["chunk"].astype(np.int64) - start, count)
        rows, scales = embedded(model, indptr, found["term"], found["weight"], ends, token)
        matrix.append(path, start, fingerprint, rows, scales)
    record.set_meta("model", fingerprint)
    return len(texts)
