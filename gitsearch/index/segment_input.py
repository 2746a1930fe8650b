"""Facts of blobs in the form that segments are made of, new ones or those of the record."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.features import embedding
from gitsearch.features.ragged import ends_of, offsets, reordered
from gitsearch.index.fact_columns import CHUNK, Columns, FactColumns

if TYPE_CHECKING:
    from gitsearch.features.term_counts import TermCounts

# Returns the token ids of terms.
Spell = Callable[[Sequence[str]], list[list[int]]]

SYMBOL = ("name", "qualified", "kind", "start", "signature_end", "first_line", "last_line")


class Spelling:
    """Token ids of terms, which `spell` is asked for once, and beforehand for those expected."""

    def __init__(self, spell: Spell) -> None:
        self._spell = spell
        self._known: dict[str, list[int]] = {}

    def expect(self, terms: Sequence[str]) -> None:
        """Ask for the token ids of terms now."""
        self._known.update(zip(terms, self._spell(terms), strict=True))

    def __call__(self, terms: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each term."""
        self.expect([text for text in terms if text not in self._known])
        return [self._known[text] for text in terms]


class Dictionary:
    """Numbers for terms in order of their first use, and the token ids of each from `spell`."""

    def __init__(self, spell: Spell) -> None:
        self._spell = spell
        self._numbers: dict[str, int] = {}
        self._ends = array("q", [0])
        self._token = array("I")

    def __len__(self) -> int:
        return len(self._numbers)

    def numbers(self, terms: Sequence[str]) -> np.ndarray:
        """Return the numbers of terms, which new ones get now: uint32 (len(terms))."""
        new = [text for text in dict.fromkeys(terms) if text not in self._numbers]
        for text, tokens in zip(new, self._spell(new) if new else [], strict=True):
            self._numbers[text] = len(self._numbers)
            self._token.extend(tokens)
            self._ends.append(len(self._token))
        return np.asarray([self._numbers[text] for text in terms], np.uint32)

    def texts(self) -> list[str]:
        """Return all terms, by number."""
        return list(self._numbers)

    def tokens(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the token ids of terms as runs: offsets (int64), and values (uint32)."""
        ends = np.frombuffer(self._ends, np.int64)
        token = np.frombuffer(self._token, np.uint32) if self._token else np.zeros(0, np.uint32)
        return reordered(ends, token, numbers)

    def only(self, numbers: np.ndarray) -> tuple[Dictionary, np.ndarray]:
        """Return a dictionary of no other terms than these, and their numbers in it."""
        used = np.bincount(numbers, minlength=len(self)) > 0
        terms = np.flatnonzero(used)
        texts = self.texts()
        part = Dictionary(self._spell)
        part._numbers = {texts[number]: i for i, number in enumerate(terms.tolist())}
        ends, token = self.tokens(terms)
        part._ends = array("q", ends.astype(np.int64).tobytes())
        part._token = array("I", token.astype(np.uint32).tobytes())
        return part, (np.cumsum(used) - 1).astype(np.uint32)[numbers]


@dataclass(slots=True)
class SegmentFacts:
    """Facts of blobs, each with its place.

    chunk_ends, symbol_ends: int64 (blobs + 1), runs of chunks and symbols; chunks, symbols:
    columns as in FactColumns; indptr/term/tf: postings over chunks, terms by their numbers in a
    dictionary, tf as uint8, at most 255; length: terms of each chunk, int64; unlisted_ends,
    unlisted: words that are no terms, as in TermCounts; code: sign bits of the chunks' vectors,
    uint64 (words, chunks); row: uint32, the chunk's row in the vector file; or vector: int8
    (chunks, dims).
    """

    chunk_ends: np.ndarray
    chunks: Columns
    indptr: np.ndarray
    term: np.ndarray
    tf: np.ndarray
    length: np.ndarray
    unlisted_ends: np.ndarray
    unlisted: np.ndarray
    symbol_ends: np.ndarray
    symbols: Columns
    code: np.ndarray
    row: np.ndarray | None = None
    vector: np.ndarray | None = None


def facts_of_columns(
    columns: FactColumns, vector: np.ndarray, numbers: np.ndarray, first: int | None = None
) -> SegmentFacts:
    """Return extracted facts with the vectors of their chunks.

    numbers: of their terms in a dictionary; first: the first row of the vectors in the vector
    file, if they are there.
    """
    rows = None if first is None else np.arange(first, first + len(vector), dtype=np.uint32)
    return SegmentFacts(
        ends_of(columns.chunks["blob"], len(columns.keys)),
        {name: columns.chunks[name] for name in CHUNK},
        columns.terms.indptr,
        numbers[columns.terms.term],
        *frequencies(columns.terms),
        columns.terms.unlisted_ends,
        columns.terms.unlisted,
        ends_of(columns.symbols["blob"], len(columns.keys)),
        {name: columns.symbols[name] for name in SYMBOL},
        embedding.sign_codes(vector),
        rows,
        vector if rows is None else None,
    )


def frequencies(counts: TermCounts) -> tuple[np.ndarray, np.ndarray]:
    """Return how often each term occurs (uint8, at most 255), and each chunk's terms (int64)."""
    tf = np.minimum(counts.tf, 255).astype(np.uint8)
    return tf, np.diff(offsets(counts.tf)[counts.indptr])


def embedded(
    model: embedding.Model, counts: TermCounts, dictionary: Dictionary, numbers: np.ndarray
) -> np.ndarray:
    """Return vectors of chunks, int8 (chunks, dims); `numbers` are of the terms of `counts`."""
    token_runs = dictionary.tokens(numbers)
    postings = counts.indptr, counts.term, counts.weight
    return embedding.embedded(model, *postings, *token_runs, rounding=embedding.quantised)


def concatenated(parts: list[SegmentFacts]) -> SegmentFacts:
    """Join parts, of which there is at least one, blob after blob; they are used up."""
    if len(parts) == 1:
        return parts.pop()
    joined: dict[str, Any] = {}
    for name in (field.name for field in fields(SegmentFacts)):
        values = [getattr(part, name) for part in parts]
        join = _JOINS.get(name, np.concatenate)
        joined[name] = None if values[0] is None else join(values)
        # both at once would be the largest thing in memory
        del values
        for part in parts:
            setattr(part, name, None)
    parts.clear()
    return SegmentFacts(**joined)


def _ends(parts: Sequence[np.ndarray]) -> np.ndarray:
    return offsets(np.concatenate([np.diff(ends) for ends in parts]))


def _columns(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}


def _beside(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


# How the values of a field are joined, where not one after the other.
_JOINS: dict[str, Callable[[list[Any]], Any]] = {
    **dict.fromkeys(("chunk_ends", "indptr", "unlisted_ends", "symbol_ends"), _ends),
    **dict.fromkeys(("chunks", "symbols"), _columns),
    "code": _beside,
}
