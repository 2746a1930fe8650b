"""Which tokens the model has: those of the teacher that code can yield, and words of code."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from training.bags import CONTINUED
from training.wording import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scipy import sparse

    from training.mining import Pair

REPOSITORIES = 5  # that use a word of code at least
MOST = 20_000  # words of code at most
_SHORTEST = 3  # letters of a word of code
_QUERY = 4  # what a query with a word counts, against a chunk with it

# What splitting leaves of identifiers and prose (`gitsearch.features.identifiers`).
_POSSIBLE = re.compile(r"(?:##)?(?:[a-z]+|[0-9]+|[^\x00-\x7f]+)")
_WORD = re.compile(r"[a-z]+")


def possible(tokens: Iterable[str]) -> list[str]:
    """Those tokens that a split text can have."""
    return [token for token in tokens if _POSSIBLE.fullmatch(token)]


def words_of_code(
    pairs: Sequence[Pair], repositories: Sequence[str], known: frozenset[str]
) -> list[str]:
    """Words that several repositories use and the teacher would split, the most used first."""
    using: dict[str, set[str]] = {}
    uses: Counter[str] = Counter()
    for one, repository in zip(pairs, repositories, strict=True):
        asked = set(words(one.query))
        for word in asked.union(words(one.text)):
            uses[word] += 1 + _QUERY * (word in asked)
            using.setdefault(word, set()).add(repository)
    found = [
        word
        for word, where in using.items()
        if len(where) >= REPOSITORIES
        and word not in known
        and len(word) >= _SHORTEST
        and _WORD.fullmatch(word)
    ]
    return sorted(found, key=lambda word: (-uses[word], word))[:MOST]


def seen(tokens: Sequence[str], bags: Iterable[sparse.csr_matrix], least: int) -> np.ndarray:
    """Numbers of the tokens that occur so often, and of all single characters, ascending.

    What is left out is spelt by pieces, the smallest of which are always there.
    """
    counts = sum(np.asarray(one.sum(axis=0)).ravel() for one in bags)
    single = np.asarray([len(token.removeprefix(CONTINUED)) == 1 for token in tokens])
    return np.flatnonzero((np.asarray(counts) >= least) | single)
