"""The facts of some blobs as a segment is made of them, wherever they come from."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.features import embedding
from gitsearch.features.ragged import ends_of, offsets, reordered

if TYPE_CHECKING:
    from gitsearch.features.term_counts import TermCounts
    from gitsearch.index.fact_columns import Columns, FactColumns

# Gives the token ids of terms.
Spell = Callable[[Sequence[str]], list[list[int]]]

CHUNK = ("start", "end", "first_line", "last_line", "scope", "symbol")
SYMBOL = ("name", "qualified", "kind", "start", "signature_end", "first_line", "last_line")


class Spelling:
    """Token ids of terms, of those that are expected before they are asked for."""

    def __init__(self, spell: Spell) -> None:
        """`spell` is asked once for each term."""
        self._spell = spell
        self._known: dict[str, list[int]] = {}

    def expect(self, terms: Sequence[str]) -> None:
        """Let these be known."""
        self._known.update(zip(terms, self._spell(terms), strict=True))

    def __call__(self, terms: Sequence[str]) -> list[list[int]]:
        """The token ids of each term."""
        self.expect([text for text in terms if text not in self._known])
        return [self._known[text] for text in terms]


class Dictionary:
    """Numbers for terms in order of their first use, and the token ids of each."""

    def __init__(self, spell: Spell) -> None:
        """`spell` is asked once for each term."""
        self._spell = spell
        self._numbers: dict[str, int] = {}
        self._ends = array("q", [0])
        self._token = array("I")

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self._numbers)

    def numbers(self, terms: Sequence[str]) -> np.ndarray:
        """The numbers of terms, new ones for those that are new: uint32 (len(terms))."""
        new = [text for text in dict.fromkeys(terms) if text not in self._numbers]
        for text, tokens in zip(new, self._spell(new) if new else [], strict=True):
            self._numbers[text] = len(self._numbers)
            self._token.extend(tokens)
            self._ends.append(len(self._token))
        return np.asarray([self._numbers[text] for text in terms], np.uint32)

    def texts(self) -> list[str]:
        """All terms, by number."""
        return list(self._numbers)

    def tokens(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The token ids of terms as runs: offsets, and uint32."""
        ends = np.frombuffer(self._ends, np.int64)
        token = np.frombuffer(self._token, np.uint32) if self._token else np.zeros(0, np.uint32)
        return reordered(ends, token, numbers)


@dataclass(slots=True)
class SegmentFacts:
    """Facts of blobs, each with its place.

    chunk_ends, symbol_ends: int64 (blobs + 1), runs of chunks and symbols; chunks, symbols:
    columns as in Harvest; indptr/term/tf: postings over chunks, terms by their numbers in a
    dictionary, tf as uint8, at most 255; length: terms of each chunk, int64; code: sign bits of
    the chunks' vectors, uint64 (words, chunks); row: uint32, the chunk's row in the vector file;
    or vector: int8 (chunks, dims).
    """

    chunk_ends: np.ndarray
    chunks: Columns
    indptr: np.ndarray
    term: np.ndarray
    tf: np.ndarray
    length: np.ndarray
    symbol_ends: np.ndarray
    symbols: Columns
    code: np.ndarray
    row: np.ndarray | None = None
    vector: np.ndarray | None = None


def facts_of_columns(
    found: FactColumns, vector: np.ndarray, numbers: np.ndarray, first: int | None = None
) -> SegmentFacts:
    """Facts of a harvest with these vectors, and the numbers of its terms in a dictionary.

    `first` is the first row of the vectors in the vector file.
    """
    count = len(vector)
    return SegmentFacts(
        ends_of(found.chunks["blob"], len(found.keys)),
        {name: found.chunks[name] for name in CHUNK},
        found.terms.indptr,
        numbers[found.terms.term],
        *frequencies(found.terms),
        ends_of(found.symbols["blob"], len(found.keys)),
        {name: found.symbols[name] for name in SYMBOL},
        embedding.sign_codes(vector),
        row=None if first is None else np.arange(first, first + count, dtype=np.uint32),
        vector=vector if first is None else None,
    )


def frequencies(counts: TermCounts) -> tuple[np.ndarray, np.ndarray]:
    """How often each term occurs: uint8, at most 255; and all terms of each chunk: int64."""
    tf = np.minimum(counts.tf, 255).astype(np.uint8)
    return tf, np.diff(offsets(counts.tf)[counts.indptr])


def embedded(
    model: embedding.Model, counts: TermCounts, dictionary: Dictionary, numbers: np.ndarray
) -> np.ndarray:
    """int8 rows of chunks; `numbers` are those of the terms of `counts`."""
    spelt = dictionary.tokens(numbers)
    return embedding.embedded(model, counts.indptr, counts.term, counts.weight, *spelt)


def concatenated(parts: list[SegmentFacts]) -> SegmentFacts:
    """All parts as one, blob after blob; there must be at least one. They are used up."""
    if len(parts) == 1:
        return parts.pop()
    made: dict[str, Any] = {}
    for name, join in _JOINS.items():
        values = [getattr(part, name) for part in parts]
        made[name] = None if values[0] is None else join(values)
        # both at once would be the largest thing in memory
        del values
        for part in parts:
            setattr(part, name, None)
    parts.clear()
    return SegmentFacts(**made)


def _ends(parts: Sequence[np.ndarray]) -> np.ndarray:
    return offsets(np.concatenate([np.diff(ends) for ends in parts]))


def _columns(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([part.pop(name) for part in parts]) for name in list(parts[0])}


def _beside(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


_JOINS: dict[str, Callable[[list[Any]], Any]] = {
    "chunk_ends": _ends,
    "chunks": _columns,
    "indptr": _ends,
    "term": np.concatenate,
    "tf": np.concatenate,
    "length": np.concatenate,
    "symbol_ends": _ends,
    "symbols": _columns,
    "code": _beside,
    "row": np.concatenate,
    "vector": np.concatenate,
}
