"""Texts as bags of tokens, counted and split as the program itself does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from gitsearch.features.term_counts import TermCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CONTINUED = "##"  # begins a token that continues a word, as in WordPiece
LONGEST = 60  # letters of a word that is split at all

_BATCH = 20_000


class Wordpieces:
    """Splits words into the longest tokens of a vocabulary, from the left (WordPiece)."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = list(tokens)
        self._numbers = {token: i for i, token in enumerate(tokens)}
        self._known: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def pieces(self, word: str) -> tuple[int, ...]:
        """The tokens of a word; none where some part of it is unknown."""
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._split(word)
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST:
            return ()
        out: list[int] = []
        at = 0
        while at < len(word):
            lead = CONTINUED if at else ""
            for end in range(len(word), at, -1):
                number = self._numbers.get(lead + word[at:end])
                if number is not None:
                    break
            else:
                return ()
            out.append(number)
            at = end
        return tuple(out)


def counted(
    texts: Sequence[str], scopes: Sequence[Iterable[str]] | None, pieces: Wordpieces
) -> sparse.csr_matrix:
    """Weights of tokens: float32 (texts, tokens), those of enclosing names as in the index."""
    parts = [
        _batch(texts[at : at + _BATCH], scopes and scopes[at : at + _BATCH], pieces)
        for at in range(0, max(len(texts), 1), _BATCH)
    ]
    return sparse.csr_matrix(sparse.vstack(parts, format="csr"))


def _batch(
    texts: Sequence[str], scopes: Sequence[Iterable[str]] | None, pieces: Wordpieces
) -> sparse.csr_matrix:
    counter = TermCounter()
    for i, text in enumerate(texts):
        counter.add(text, scopes[i] if scopes else ())
    counts = counter.counts()
    words = sparse.csr_matrix(
        (counts.weight.astype(np.float32), counts.term.astype(np.int64), counts.indptr),
        (len(texts), len(counts.terms)),
    )
    used = np.zeros(len(counts.terms), bool)
    used[words.indices[words.data > 0]] = True  # compounds weigh nothing
    ids = [
        pieces.pieces(term) if use else () for term, use in zip(counts.terms, used, strict=True)
    ]
    ends = np.zeros(len(ids) + 1, np.int64)
    np.cumsum([len(one) for one in ids], out=ends[1:])
    flat = np.fromiter((i for one in ids for i in one), np.int64, int(ends[-1]))
    spelt = sparse.csr_matrix(
        (np.ones(len(flat), np.float32), flat, ends), (len(ids), len(pieces))
    )
    product = sparse.csr_matrix(words @ spelt)
    product.eliminate_zeros()
    product.sum_duplicates()
    return product


def directions(bags: sparse.csr_matrix, table: np.ndarray) -> np.ndarray:
    """Unit vectors of bags: float32 (bags, dims); a bag without tokens has a row of zeros."""
    sums = np.asarray(bags @ table, np.float32)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.maximum(norms, 1e-9), np.float32)
