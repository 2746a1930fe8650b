"""Nearest chunks to given code, by its vector and by its rarest terms.

Nothing is parsed or embedded: vectors and postings are those of the view.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from gitsearch.features import identifiers
from gitsearch.index import postings
from gitsearch.index.view import View
from gitsearch.retrieval import dense_leg, fusion, lexical_leg
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.chunk_vectors import cosine, vector_of
from gitsearch.retrieval.constants import DEFAULT

# The number of rarest terms of a text that are searched for: enough to identify it, and few
# enough to be fast.
_MAX_TERMS = 48

# The weights of the similarities, and the decay of the scores of further chunks of a file.
_MEANING, _WORDS, _PATH = 0.2, 0.5, 0.3
_FILE_DECAY = 0.7


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """A query made of code: its quantized unit vector, or None, and its rarest terms.

    path: the vector of the words of its path, or None if paths are not compared.
    """

    vector: np.ndarray | None
    terms: tuple[str, ...]
    path: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class NearRows:
    """Rows (int64) with their similarity by vector, terms and path: float64, 0..1 each."""

    rows: np.ndarray
    meaning: np.ndarray
    words: np.ndarray
    path: np.ndarray


def frequency(view: View, term: str) -> int:
    """Return the number of chunks of the tree whose text contains a term."""
    total = 0
    for i, number in _numbers(view, term):
        if view.whole[i]:
            low, high = view.segments[i]["posting_ends"][number : number + 2].tolist()
            total += high - low
        else:
            total += int(np.count_nonzero(view.live[_rows_with(view, i, number)]))
    return total


def _numbers(view: View, term: str) -> list[tuple[int, int]]:
    """The positions of the segments that have a term, with its number in each."""
    numbers = enumerate(segment.term(term) for segment in view.segments)
    return [(i, number) for i, number in numbers if number >= 0]


def _rows_with(view: View, i: int, number: int) -> np.ndarray:
    """The rows of the view, in segment `i`, whose text contains the segment's term `number`."""
    segment = view.segments[i]
    _, rows = postings.rows_of(segment.arrays, np.asarray([number]), segment.chunks)
    return rows + int(view.starts[i])


def _occurs_elsewhere(view: View, term: str, count: int, own: np.ndarray) -> bool:
    """Return True if a term, which is in `count` chunks, is in any other than the rows `own`."""
    return count > len(own) or count > sum(
        int(np.isin(_rows_with(view, i, number), own).sum()) for i, number in _numbers(view, term)
    )


def rarity(view: View, frequency: int) -> float:
    """Return the idf of BM25 for a term in so many chunks, normalized to 0..1."""
    count = max(view.count, 1)
    return idf(count, frequency) / idf(count, 0)


def terms_of(text: str) -> Counter[str]:
    """Count the terms of a text: whole identifiers and their parts."""
    counts: Counter[str] = Counter()
    for word, times in Counter(identifiers.identifiers(text)).items():
        for term in chain(*identifiers.terms(word)):
            counts[term] += times
    return counts


def code_query(
    view: View, rows: np.ndarray, terms: Counter[str], most: int = _MAX_TERMS
) -> CodeQuery:
    """Make a query of chunks: the sum of their vectors, and the `most` rarest of their terms.

    Terms that occur in no other chunk are left out.
    """
    weights: dict[str, float] = {}
    for term, times in terms.items():
        document_frequency = frequency(view, term)
        if _occurs_elsewhere(view, term, document_frequency, rows):
            weights[term] = rarity(view, document_frequency) * (1 + math.log(times))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:most]
    return CodeQuery(vector_of(view, rows), tuple(rarest))


def near(view: View, query: CodeQuery, mask: np.ndarray, count: int) -> NearRows:
    """Return rows among the `count` best by vector or by terms that `mask` allows, ascending."""
    by_words = lexical_leg.scores(view, query.terms, DEFAULT)
    by_words[~mask] = 0.0
    candidates = [_best(by_words, count)]
    if query.vector is not None:
        rows = dense_leg.scan(view, query.vector, mask, 4 * count)
        cosines = cosine(view.vectors(rows), query.vector)
        candidates.append(rows[_best(cosines, count)])
    rows = np.unique(np.concatenate(candidates)).astype(np.int64)
    maximum = max(float(by_words.max(initial=0.0)), 1e-9)
    meaning = _similarity(view.vectors(rows), query.vector)
    files, file_of = np.unique(view.files(rows), return_inverse=True)
    path = _similarity(view.path_vectors(files), query.path)[file_of]
    return NearRows(rows, meaning, by_words[rows] / maximum, path)


def _similarity(vectors: np.ndarray, query: np.ndarray | None) -> np.ndarray:
    """Non-negative cosine of each vector and the query; 0 without a query: float64."""
    if query is None:
        return np.zeros(len(vectors))
    similarity: np.ndarray = np.maximum(cosine(vectors, query), 0.0)
    return similarity


def _best(scores: np.ndarray, count: int) -> np.ndarray:
    """Positions of the best `count` positive scores, all ties with the last included."""
    positive = np.flatnonzero(scores > 0)
    best: np.ndarray = positive[fusion.highest(scores[positive], count)]
    return best


@dataclass(frozen=True, slots=True)
class NearChunk:
    """A similar chunk with its score, and the similarities that it is made of, by name."""

    row: int
    score: float
    why: dict[str, float]


def chunks(view: View, near_rows: NearRows) -> list[NearChunk]:
    """Rank rows by their weighted similarities; the nearest first."""
    meaning, words, path = near_rows.meaning, near_rows.words, near_rows.path
    scores = _MEANING * meaning + _WORDS * words + _PATH * path
    ranked = []
    for i in fusion.order(view, near_rows.rows, scores).tolist():
        parts = (meaning[i], words[i], path[i])
        why = dict(zip(("meaning", "words", "path"), map(float, parts), strict=True))
        ranked.append(NearChunk(int(near_rows.rows[i]), float(scores[i]), why))
    return ranked


def files(view: View, legs: Sequence[NearRows]) -> list[NearChunk]:
    """Return the best chunk of each file, with the file's score over all legs; the best first."""
    best: dict[int, NearChunk] = {}
    total: dict[int, float] = {}
    for leg in legs:
        ranked = chunks(view, leg)
        numbers = view.files(np.asarray([chunk.row for chunk in ranked], np.int64)).tolist()
        before: Counter[int] = Counter()
        for file, chunk in zip(numbers, ranked, strict=True):
            total[file] = total.get(file, 0.0) + chunk.score * _FILE_DECAY ** before[file]
            before[file] += 1
            if file not in best or chunk.score > best[file].score:
                best[file] = chunk
    rows = np.asarray([best[file].row for file in total], np.int64)
    scores = np.asarray(list(total.values())) / max(len(legs) / (1 - _FILE_DECAY), 1.0)
    order = fusion.order(view, rows, scores).tolist()
    nearest = [best[file] for file in total]
    return [replace(nearest[i], score=float(scores[i])) for i in order]
