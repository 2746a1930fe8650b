"""Segments of the index of history: arrays over some commits, sorted by their ids.

docs/format.md, "Index of history", is normative. A commit has three rows: its message, its change
and the names in it. What a segment says of a commit depends on that commit alone, and on whether
this clone has the files that it changes.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.features import embedding
from gitsearch.features.ragged import joined, narrowed, offsets
from gitsearch.index import postings
from gitsearch.store import layout
from gitsearch.store.section_schema import Array, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.features.embedding import Model
    from gitsearch.index.commit_documents import CommitDocument
    from gitsearch.index.segment_input import Dictionary
    from gitsearch.store.sections import Sections

SUFFIX = ".history"

# The rows of a commit, in this order.
MESSAGE, CHANGE, NAMES = range(3)
ROWS = 3

# Rows that have a vector: those of messages, and those of changes.
VECTORS = (MESSAGE, CHANGE)

# N commits, R = 3 N rows, T terms.
ARRAYS = {
    "commit": Array("uint8", "N x id"),
    "seconds": Array("int64", "N"),
    "merge": Array("uint8", "N"),
    "absent": Array("uint8", "N"),
    "length": Array("uint", "N x 3"),
    "vector": Array("uint8", "V x width"),
    "term_text": Array("uint8", "bytes", text="term_ends", sorted_by="term_ends"),
    "term_ends": Array("uint", "T + 1", cuts="term_text"),
    "posting_ends": Array("uint", "T + 1", ascends=True),
    "posting_tf": Array("uint8", "bytes"),
    "posting_step": Array("uint8", "bytes"),
    "posting_step_ends": Array("uint", "T + 1", cuts="posting_step"),
}

_SHA1, _SHA256 = 20, 32


class CommitFacts(NamedTuple):
    """Facts of some commits, in any order.

    ids: uint8 (N, bytes); seconds: int64 (N); merge, absent: uint8 (N), absent is 1 where git
    could not tell the change; length: terms of each row, int64 (N, 3); vector: packed rows, uint8
    (2 N, bytes); row, term, tf: postings, whose terms are numbers in `terms`.
    """

    ids: np.ndarray
    seconds: np.ndarray
    merge: np.ndarray
    absent: np.ndarray
    length: np.ndarray
    vector: np.ndarray
    terms: list[str]
    row: np.ndarray
    term: np.ndarray
    tf: np.ndarray


def facts_of(
    documents: Sequence[CommitDocument], model: Model, dictionary: Dictionary
) -> CommitFacts:
    """Return the facts of commits; the dictionary learns their terms. Raises BadModel."""
    # who only reads does without these
    from gitsearch.features.term_counts import TermCounter
    from gitsearch.index.segment_input import embedded, frequencies

    counter = TermCounter()
    for document in documents:
        for text in document.texts:
            counter.add(text, ())
    counts = counter.counts()
    tf, length = frequencies(counts)
    vectors = embedded(model, counts, dictionary, dictionary.numbers(counts.terms))
    with_vector = np.arange(len(vectors)).reshape(-1, ROWS)[:, list(VECTORS)].reshape(-1)
    return CommitFacts(
        np.frombuffer(bytes.fromhex("".join(one.oid for one in documents)), np.uint8).reshape(
            len(documents), -1
        ),
        np.asarray([one.seconds for one in documents], np.int64),
        np.asarray([one.merge for one in documents], np.uint8),
        np.asarray([one.absent for one in documents], np.uint8),
        length.reshape(-1, ROWS),
        embedding.packed(vectors[with_vector]),
        counts.terms,
        np.repeat(np.arange(len(length), dtype=np.int64), np.diff(counts.indptr)),
        counts.term.astype(np.int64),
        tf,
    )


def joined_facts(parts: Sequence[CommitFacts]) -> CommitFacts:
    """Return the facts of all commits of some parts, each once: those with its change, if any."""
    numbers: dict[str, int] = {}
    terms, rows, start = [], [], 0
    for part in parts:
        own = [numbers.setdefault(text, len(numbers)) for text in part.terms]
        terms.append(np.asarray(own, np.int64)[part.term])
        rows.append(part.row + start)
        start += ROWS * len(part.ids)
    every = CommitFacts(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.seconds for part in parts]),
        np.concatenate([part.merge for part in parts]),
        np.concatenate([part.absent for part in parts]),
        np.concatenate([part.length for part in parts]),
        np.concatenate([part.vector for part in parts]),
        list(numbers),
        np.concatenate(rows),
        np.concatenate(terms),
        np.concatenate([part.tf for part in parts]),
    )
    best_first = np.argsort(every.absent, kind="stable")
    first = np.unique(keys(every.ids[best_first]), return_index=True)[1]
    return chosen(every, np.sort(best_first[first]))


def keys(ids: np.ndarray) -> np.ndarray:
    """Return ids, uint8 (N, bytes), as values that are compared as a whole."""
    return np.ascontiguousarray(ids).view(f"S{ids.shape[1]}").reshape(-1)


def chosen(facts: CommitFacts, which: np.ndarray) -> CommitFacts:
    """Return the facts of the commits with these numbers, in this order."""
    place = np.full(len(facts.ids), -1, np.int64)
    place[which] = np.arange(len(which))
    commit, kind = np.divmod(facts.row, ROWS)
    kept = place[commit] >= 0
    return CommitFacts(
        facts.ids[which],
        facts.seconds[which],
        facts.merge[which],
        facts.absent[which],
        facts.length[which],
        facts.vector[_rows_of(which, len(VECTORS))],
        facts.terms,
        place[commit[kept]] * ROWS + kind[kept],
        facts.term[kept],
        facts.tf[kept],
    )


def _rows_of(which: np.ndarray, each: int) -> np.ndarray:
    return (which[:, None] * each + np.arange(each)).reshape(-1)


def arrays_of(facts: CommitFacts) -> dict[str, np.ndarray]:
    """Return the arrays of a segment, which depend on nothing but the set of commits."""
    facts = chosen(facts, np.argsort(keys(facts.ids), kind="stable"))
    used = np.flatnonzero(np.bincount(facts.term, minlength=len(facts.terms)))
    encoded = [facts.terms[number].encode("utf-8", "replace") for number in used.tolist()]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    number = np.zeros(len(facts.terms), np.int64)
    number[used[order]] = np.arange(len(order))
    rows = ROWS * len(facts.ids)
    term = number[facts.term]
    every = np.sort(postings.keys_of(facts.row, term, facts.tf, rows))
    ends = offsets(np.bincount(term, minlength=len(order)))
    text, text_ends = joined([encoded[place] for place in order])
    posted = postings.encoded(
        lambda low, high: every[int(ends[low]) : int(ends[high])].copy(), np.diff(ends), rows
    )
    return {
        "commit": facts.ids,
        "seconds": facts.seconds,
        "merge": facts.merge,
        "absent": facts.absent,
        "length": narrowed(facts.length),
        "vector": facts.vector,
        "term_text": text,
        "term_ends": narrowed(text_ends),
        **{name: narrowed(array) for name, array in posted.items()},
    }


def facts_in(file: Sections) -> CommitFacts:
    """Return the facts of the commits of a segment."""
    count = len(file["commit"])
    ends = file["term_ends"].astype(np.int64)
    raw = file["term_text"].tobytes()
    terms = [raw[a:b].decode() for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    term, row = postings.rows_of(file.arrays, np.arange(len(terms)), ROWS * count)
    order = np.lexsort((row, term))
    pairs = file["posting_tf"]
    tf = np.stack([pairs & postings.MOST, pairs >> 4], 1).reshape(-1)[: len(term)]
    return CommitFacts(
        file["commit"],
        file["seconds"],
        file["merge"],
        file["absent"],
        file["length"].astype(np.int64),
        file["vector"],
        terms,
        row[order],
        term[order],
        tf,
    )


def name_of(ids: np.ndarray, recipe: str) -> str:
    """Return the name of the segment of some commits: a hash of their ids, and the recipe."""
    ordered = np.sort(keys(ids)).tobytes()
    digest = hashlib.blake2b(ordered, digest_size=20).hexdigest()
    return f"{layout.VIEWS}/{digest}-{recipe}{SUFFIX}"


def check(file: Sections, width: int) -> None:
    """Raise Damaged unless a file holds a segment whose vectors have so many bytes."""
    check_meta(file.meta, {}, file.name)
    sizes = {"width": width}
    known = check_arrays(file, ARRAYS, {**sizes})
    if known["id"] not in (_SHA1, _SHA256) or known["V"] != len(VECTORS) * known["N"]:
        raise Damaged(file.name, "section 'commit' does not fit the others")
    if (np.diff(np.searchsorted(keys(file["commit"]), keys(file["commit"]))) != 1).any():
        raise Damaged(file.name, "section 'commit' is not sorted")
    if not postings.sound(file.arrays, ROWS * known["N"]):
        raise Damaged(file.name, "section 'posting_step' holds no postings")
