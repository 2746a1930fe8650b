"""Term counts of many chunks at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import tokens
from gitsearch.features.ragged import ends_of, gather, offsets

if TYPE_CHECKING:
    from collections.abc import Iterable


# The names of the enclosing definitions count twice in a chunk's vector: right lines among the
# first 100 shown .51 with, .45 without (prototype, 122 line-level cases).
SCOPE_WEIGHT = 2

# What one occurrence of a term adds to the weight of its chunk, by how it occurs: in the body or
# in the name of an enclosing definition, as a part of an identifier or as another term of it.
_WEIGHTS = np.asarray([1, SCOPE_WEIGHT, 0, 0], np.int64)
_SCOPE, _COMPOUND = 1, 2
_KINDS = 4

_MOST = 65535


class _Numbering(dict[str, int]):
    """Gives each new key the next number."""

    def __missing__(self, key: str) -> int:
        number = self[key] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Postings of many chunks in CSR form.

    terms: distinct texts; indptr: int64 (chunks + 1); term: uint32, tf: uint16 (occurrences for
    BM25, enclosing names included), weight: uint16 (for the vector, parts alone),
    each of length indptr[-1], sorted by term within a chunk.
    """

    terms: list[str]
    indptr: np.ndarray
    term: np.ndarray
    tf: np.ndarray
    weight: np.ndarray


class TermCounter:
    """Counts terms chunk by chunk; `counts()` expands identifiers all at once."""

    def __init__(self) -> None:
        self._numbers = _Numbering()
        self._words: list[int] = []
        self._lengths: list[int] = []  # of the body, then of the scope, of each chunk

    def add(self, text: str, scope: Iterable[str]) -> None:
        """One chunk: its text and the names of its enclosing definitions."""
        number = self._numbers.__getitem__
        for part in (text, " ".join(scope)):
            before = len(self._words)
            self._words.extend(map(number, tokens.identifiers(part)))
            self._lengths.append(len(self._words) - before)

    def counts(self) -> TermCounts:
        """The postings of all chunks added so far."""
        terms, ends, term, compound = _expansion(self._numbers)
        words = np.asarray(self._words, np.int64)
        origin = np.repeat(np.arange(len(self._lengths), dtype=np.int64), self._lengths)
        sizes = np.diff(ends)[words]
        which = gather(ends[words], sizes)
        origin = np.repeat(origin, sizes)
        kind = (origin & _SCOPE) + compound[which] * _COMPOUND
        # how a term occurs lies in the low bits, so that one sort of plain numbers does it all
        keys = ((origin >> 1) * len(terms) + term[which]) * _KINDS + kind
        keys.sort()
        places = keys // _KINDS
        first = np.flatnonzero(np.diff(places, prepend=-1))
        chunk, found = np.divmod(places[first], max(len(terms), 1))
        tf = np.diff(first, append=len(places))
        weight = np.add.reduceat(_WEIGHTS[keys % _KINDS], first) if len(first) else tf
        return TermCounts(
            terms,
            ends_of(chunk, len(self._lengths) // 2),
            found.astype(np.uint32),
            np.minimum(tf, _MOST).astype(np.uint16),
            np.minimum(weight, _MOST).astype(np.uint16),
        )


def _expansion(words: Iterable[str]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The terms of each word: distinct texts, CSR of their numbers, whether each is no part."""
    numbers = _Numbering()
    terms: list[int] = []
    lengths: list[int] = []
    compounds: list[int] = []
    for word in words:
        pieces = tokens.parts(word)
        terms.extend([numbers[piece] for piece in pieces])
        others = tokens.fragments(word)
        if len(pieces) > 1:
            others.append(tokens.compound(word))
        if others:
            compounds.extend(range(len(terms), len(terms) + len(others)))
            terms.extend([numbers[other] for other in others])
        lengths.append(len(pieces) + len(others))
    compound = np.zeros(len(terms), np.int64)
    compound[compounds] = 1
    return list(numbers), offsets(lengths), np.asarray(terms, np.int64), compound
