"""Commits ranked for a query: words of messages, changes and names, and meaning, added up.

All statistics are taken over the commits of the window, in whole numbers, and each commit is
scored by itself, so that scores do not depend on how the index is cut into segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features.embedding import query_vector, unpacked
from gitsearch.features.ragged import headed, position
from gitsearch.index import postings
from gitsearch.index.history_segment import CHANGE, MESSAGE, NAMES, ROWS, VECTORS
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.chunk_vectors import cosine
from gitsearch.retrieval.constants import DEFAULT
from gitsearch.retrieval.fusion import highest
from gitsearch.retrieval.query import Query, inflected

if TYPE_CHECKING:
    from gitsearch.features.embedding import Model
    from gitsearch.index.history_index import IndexedCommits

# BM25 of each row of a commit: k1 and b. A message is short, and says a word once.
_BM25 = {MESSAGE: (1.2, 0.5), CHANGE: (1.5, 0.75), NAMES: (1.2, 0.5)}
# Weight of the words of a message, against those of the change, and share of its meaning.
_MESSAGE_WORDS = 1.0
_MESSAGE_MEANING = 0.5
# Weight of the words of names against those of messages and changes, and of meaning against words.
_NAMES = 0.3
_MEANING = 0.5
# What the score counts where changes have the same words.
_TIES = 1e-6
# The results of a leg whose rank is told.
_DEPTH = 200
# Vectors that are compared at once.
_BLOCK = 1 << 13


class RankedCommit(NamedTuple):
    """A commit of a segment, its score, and its rank in each leg, from 1, or None."""

    oid: str
    score: float
    legs: dict[str, int | None]


def window_of(segment: IndexedCommits) -> list[str]:
    """Return the ids of the commits of a segment that are in the window."""
    commits = np.asarray(segment.arrays["commit"])[segment.in_window]
    return [row.tobytes().hex() for row in commits]


def distinct(segments: Sequence[IndexedCommits]) -> list[IndexedCommits]:
    """Return segments of several repositories, each commit in the window of the first alone."""
    seen: set[str] = set()
    out = []
    for one in segments:
        own = window_of(one)
        in_window = one.in_window.copy()
        in_window[one.in_window] = [oid not in seen for oid in own]
        seen.update(own)
        out.append(one._replace(in_window=in_window))
    return out


class CommitRanking:
    """The ranking of the commits of some segments for one query; `allowed`: a mask, bool (N)."""

    def __init__(self, segments: Sequence[IndexedCommits], query: Query, model: Model) -> None:
        self._segments = segments
        self._query = query
        self._model = model
        none = np.zeros(0, np.int64)
        self._window = np.concatenate([none > 0, *(one.in_window for one in segments)])
        self._seconds = np.concatenate([none, *(one.arrays["seconds"] for one in segments)])
        every = [one.arrays["length"].astype(np.int64) for one in segments]
        self._length = np.concatenate([np.zeros((0, ROWS), np.int64), *every])
        self.rarity: dict[str, float] = {}

    def best(self, count: int, allowed: Set[str] | None) -> list[RankedCommit]:
        """Return the best commits of the window, of those with an allowed id, the best first."""
        ids = self._ids()
        mask = self._allowed(ids, allowed)
        words, names, _ = self._words()
        legs = {"lexical": words, "dense": self._meaning(), "names": names}
        total = self._total(words, names, legs["dense"])
        ranks = {
            name: {row: rank for rank, row in enumerate(self._top(scores, mask, ids), 1)}
            for name, scores in legs.items()
        }
        chosen = self._top(total, mask, ids, count)
        return [
            RankedCommit(
                ids[row], float(total[row]), {name: of.get(row) for name, of in ranks.items()}
            )
            for row in chosen
        ]

    def changing(self, count: int, allowed: Set[str] | None) -> dict[str, float]:
        """Return commits whose change may be about the query with their scores, the best first.

        A quarter are the best of all; the others have the most words of the query in their change,
        rare ones first. What is sought may be a small part of a large change.
        """
        ids = self._ids()
        mask = self._allowed(ids, allowed)
        words, names, covered = self._words()
        total = self._total(words, names, self._meaning())
        # of the same words the better commit comes first
        share = self._relative(covered + _TIES * self._relative(total))
        rows = dict.fromkeys(self._top(total, mask, ids, count // 4))
        rows |= dict.fromkeys(self._top(share, mask, ids, count))
        both = total + share
        chosen = sorted(islice(rows, count), key=lambda row: (-both[row], ids[row]))
        return {ids[row]: float(both[row]) for row in chosen}

    def with_all_terms(self) -> list[str]:
        """Return the commits whose change or names have all terms, the newest first."""
        mask = self._window.copy()
        for term in self._query.terms:
            mask &= self._frequencies(term)[:, (CHANGE, NAMES)].any(axis=1)
        ids = self._ids()
        return [ids[row] for row in self._top(mask.astype(float), mask, ids, len(ids))]

    def _allowed(self, ids: Sequence[str], allowed: Set[str] | None) -> np.ndarray:
        """The commits of the window with an allowed id: bool (N)."""
        if allowed is None:
            return self._window
        mask: np.ndarray = self._window & np.asarray([oid in allowed for oid in ids], bool)
        return mask

    def _total(self, words: np.ndarray, names: np.ndarray, meaning: np.ndarray) -> np.ndarray:
        """Scores of commits: float64 (N)."""
        total = self._relative(words + _NAMES * names)
        total += _MEANING * self._relative(meaning)
        return total

    def _relative(self, scores: np.ndarray) -> np.ndarray:
        """Scores as shares of the best one of the window; none is below 0."""
        best = float(scores[self._window].max(initial=0))
        shares: np.ndarray = np.maximum(scores, 0) / (best or 1)
        return shares

    def _top(
        self, scores: np.ndarray, mask: np.ndarray, ids: Sequence[str], count: int = _DEPTH
    ) -> list[int]:
        """The best rows: by score, then the newest first, then by id."""
        rows = np.flatnonzero(mask & (scores > 0))
        rows = rows[highest(scores[rows], count)]
        return sorted(
            rows.tolist(), key=lambda row: (-scores[row], -int(self._seconds[row]), ids[row])
        )[:count]

    def _ids(self) -> list[str]:
        return [
            row.tobytes().hex()
            for one in self._segments
            for row in np.asarray(one.arrays["commit"])
        ]

    # ------------------------------------------------------------ words

    def _words(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """BM25 of messages and changes together, and of names: float64 (N).

        And the rarity of all terms together that a change has.
        """
        covered = np.zeros(len(self._window))
        scores = np.zeros((len(self._window), ROWS))
        count = int(np.count_nonzero(self._window))
        lengths = {kind: self._length[:, kind] for kind in _BM25}
        means = {kind: lengths[kind][self._window].sum() / max(count, 1) for kind in _BM25}
        for term in self._query.terms:
            tf = self._frequencies(term)
            for kind, (k1, b) in _BM25.items():
                own = tf[:, kind]
                rows = np.flatnonzero(own)
                rarity = idf(count, int(np.count_nonzero(self._window[rows])))
                if kind == CHANGE:
                    self.rarity[term] = rarity
                    covered[rows] += rarity * np.minimum(own[rows], 1)
                norm = k1 * (1 - b + b * lengths[kind][rows] / max(means[kind], 1e-9))
                scores[rows, kind] += rarity * own[rows] * (k1 + 1) / (own[rows] + norm)
        words = _MESSAGE_WORDS * scores[:, MESSAGE] + scores[:, CHANGE]
        return words, scores[:, NAMES], covered

    def _frequencies(self, term: str) -> np.ndarray:
        """Count a term and, at a lower weight, its forms in each row: float64 (N, 3)."""
        spelt = () if self._query.symbol else inflected(term)
        forms, stem = frozenset(map(str.encode, spelt)), min(spelt, key=len, default="")
        out = np.zeros(ROWS * len(self._window))
        start = 0
        for one in self._segments:
            rows = ROWS * len(one.in_window)
            for number, weight in _terms(one.arrays.arrays, term, forms, stem):
                ((where, tf),) = postings.decoded(one.arrays.arrays, np.asarray([number]), rows)
                out[start + where] += weight * tf
            start += rows
        return out.reshape(-1, ROWS)

    # ------------------------------------------------------------ meaning

    def _meaning(self) -> np.ndarray:
        """Cosines of messages and changes with the query, weighted: float64 (N)."""
        parts = dict.fromkeys(self._query.parts)
        by_word = self._model.tokens(list(parts))
        tokens = [token for word in by_word for token in word]
        query = query_vector(self._model.rows(tokens).astype(np.int64).sum(axis=0))
        if not query.any():
            return np.zeros(len(self._window))
        cosines = [
            cosine(unpacked(vectors[start : start + _BLOCK])[:, : len(query)], query)
            for vectors in (one.arrays["vector"] for one in self._segments)
            for start in range(0, len(vectors), _BLOCK)
        ]
        every = np.concatenate([np.zeros(0), *cosines]).reshape(-1, len(VECTORS))
        share = _MESSAGE_MEANING
        weighted: np.ndarray = share * every[:, 0] + (1 - share) * every[:, 1]
        return weighted


def _terms(
    arrays: Mapping[str, np.ndarray], term: str, forms: frozenset[bytes], stem: str
) -> list[tuple[int, float]]:
    """The numbers of a term and its forms in a segment, with their weights."""
    ends, text = arrays["term_ends"], arrays["term_text"]

    def spelt(row: int) -> bytes:
        return text[int(ends[row]) : int(ends[row + 1])].tobytes()

    count = len(ends) - 1
    own = position(range(count), term.encode("utf-8", "replace"), spelt)
    found = [(own, 1.0)] if own >= 0 else []
    if stem:
        near = headed(range(count), stem.encode(), spelt)
        cuts = ends[near.start : near.stop + 1].astype(np.int64) - int(ends[near.start])
        raw = text[int(ends[near.start]) : int(ends[near.stop])].tobytes()
        spans = zip(near, cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
        found += [(row, DEFAULT.form) for row, a, b in spans if raw[a:b] in forms]
    return found
