"""The chunks that are nearest to some code: by its vector, and by its rarest terms.

Nothing is parsed or embedded: vectors and postings are those of the view.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import tokens
from gitsearch.features.embedding import query_vector, scales
from gitsearch.index import postings
from gitsearch.retrieval import dense_leg, fusion, lexical_leg
from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import View

# The terms of a text that say most: enough to tell it from all others, few enough to be fast.
_TERMS = 48

# The weights of what makes a chunk related, and of each further chunk of a file.
_MEANING, _WORDS, _PATH = 0.2, 0.5, 0.3
_FURTHER = 0.7

# Steps to one in a sum of unit vectors.
_WHOLE = 1 << 20


@dataclass(frozen=True, slots=True)
class Probe:
    """What is compared with the tree: unit vectors in whole steps, or None, and rare terms.

    path: the vector of the words of a path, where that matters.
    """

    vector: np.ndarray | None
    terms: tuple[str, ...]
    path: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class NearRows:
    """Rows (int64) with their closeness in meaning, words and path: float64, 0..1 each."""

    rows: np.ndarray
    meaning: np.ndarray
    words: np.ndarray
    path: np.ndarray


def frequency(view: View, term: str) -> int:
    """In the text of how many chunks of the tree a term stands."""
    total = 0
    for i, segment in enumerate(view.segments):
        number = segment.term(term)
        if number < 0:
            continue
        if view.whole[i]:
            low, high = segment["posting_ends"][number : number + 2]
            total += int(high) - int(low)
        else:
            total += int(np.count_nonzero(view.live[_holding(view, i, number)]))
    return total


def _holding(view: View, i: int, number: int) -> np.ndarray:
    """The rows of a segment in whose text one of its terms stands."""
    rows, _ = postings.decoded(view.segments[i].arrays, number, view.segments[i].chunks)
    held: np.ndarray = rows + int(view.starts[i])
    return held


def _elsewhere(view: View, term: str, often: int, own: np.ndarray) -> bool:
    """Whether a term that stands in so many chunks stands in others than these."""
    if often > len(own):
        return True
    here = 0
    for i, segment in enumerate(view.segments):
        number = segment.term(term)
        if number >= 0:
            here += int(np.isin(_holding(view, i, number), own).sum())
    return often > here


def rarity(view: View, often: int) -> float:
    """How much a term tells that stands in so many chunks: the weight of BM25, 0..1."""
    count = max(view.count, 1)
    most = math.log(1 + (count + 0.5) / 0.5)
    return math.log(1 + (count - often + 0.5) / (often + 0.5)) / most


def terms_of(text: str) -> Counter[str]:
    """The terms of a text: whole identifiers and their parts, and how often each stands."""
    found: Counter[str] = Counter()
    for word, often in Counter(tokens.identifiers(text)).items():
        pieces = tokens.parts(word)
        for piece in (*pieces, *tokens.fragments(word)):
            found[piece] += often
        if len(pieces) > 1:
            found[tokens.compound(word)] += often
    return found


def probe(view: View, rows: np.ndarray, terms: Counter[str], most: int = _TERMS) -> Probe:
    """What chunks say together: the sum of their vectors, and the rarest terms of their text."""
    vectors = view.vectors(rows)
    # whole numbers, so that their sum does not depend on the order of the rows
    whole = np.rint(vectors * (scales(vectors) * _WHOLE)[:, None]).astype(np.int64)
    summed = whole.sum(axis=0)
    weights: dict[str, float] = {}
    for term, times in terms.items():
        often = frequency(view, term)
        if _elsewhere(view, term, often, rows):
            weights[term] = rarity(view, often) * (1 + math.log(times))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:most]
    return Probe(query_vector(summed) if summed.any() else None, tuple(rarest))


def near(view: View, wanted: Probe, mask: np.ndarray, count: int) -> NearRows:
    """The rows that are among the `count` nearest in meaning or in words, by row."""
    by_words = lexical_leg.scores(view, wanted.terms, DEFAULT)
    by_words[~mask] = 0.0
    found = [_best(by_words, count)]
    if wanted.vector is not None:
        rows = dense_leg.scanned(view, wanted.vector, mask, 4 * count)
        close = dense_leg.cosine(view.vectors(rows), wanted.vector)
        found.append(rows[_best(close, count)])
    rows = np.unique(np.concatenate(found)).astype(np.int64)
    most = max(float(by_words.max(initial=0.0)), 1e-9)
    meaning = _close(view.vectors(rows), wanted.vector)
    files, where = np.unique(view.files(rows), return_inverse=True)
    path = _close(view.path_vectors(files), wanted.path)[where]
    return NearRows(rows, meaning, by_words[rows] / most, path)


def _close(vectors: np.ndarray, wanted: np.ndarray | None) -> np.ndarray:
    if wanted is None:
        return np.zeros(len(vectors))
    close: np.ndarray = np.maximum(dense_leg.cosine(vectors, wanted), 0.0)
    return close


def _best(scores: np.ndarray, count: int) -> np.ndarray:
    """The places of the best positive scores, all ties with the last included."""
    positive = np.flatnonzero(scores > 0)
    if len(positive) <= count:
        return positive
    values = scores[positive]
    least = np.partition(values, len(values) - count)[len(values) - count]
    best: np.ndarray = positive[values >= least]
    return best


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A chunk that is near, how near, and what that is made of, by name."""

    row: int
    score: float
    why: dict[str, float]


def chunks(view: View, one: NearRows) -> list[NearChunk]:
    """The nearest chunks first."""
    scores = _MEANING * one.meaning + _WORDS * one.words + _PATH * one.path
    found = []
    for i in fusion.order(view, one.rows, scores).tolist():
        parts = (one.meaning[i], one.words[i], one.path[i])
        why = dict(zip(("meaning", "words", "path"), map(float, parts), strict=True))
        found.append(NearChunk(int(one.rows[i]), float(scores[i]), why))
    return found


def files(view: View, legs: Sequence[NearRows]) -> list[NearChunk]:
    """The best chunk of each file, the files that are nearest to all of some things first."""
    best: dict[int, NearChunk] = {}
    total: dict[int, float] = {}
    for leg in legs:
        ranked = chunks(view, leg)
        numbers = view.files(np.asarray([one.row for one in ranked], np.int64)).tolist()
        seen: dict[int, int] = {}
        for file, one in zip(numbers, ranked, strict=True):
            times = seen[file] = seen.get(file, 0) + 1
            total[file] = total.get(file, 0.0) + one.score * _FURTHER ** (times - 1)
            if file not in best or one.score > best[file].score:
                best[file] = one
    rows = np.asarray([best[file].row for file in total], np.int64)
    most = len(legs) / (1 - _FURTHER)
    scores = np.asarray(list(total.values())) / max(most, 1.0)
    found = [
        replace(best[file], score=score)
        for file, score in zip(total, scores.tolist(), strict=True)
    ]
    return [found[i] for i in fusion.order(view, rows, scores).tolist()]
