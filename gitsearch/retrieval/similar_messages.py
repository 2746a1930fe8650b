"""Messages that have the words of a query, ranked by BM25."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.features import identifiers
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from gitsearch.retrieval.query import Query

# Characters of a message that are looked at: its subject, and the beginning of what follows.
_LOOKED_AT = 600


class SimilarMessage(NamedTuple):
    """The number of a message, and the share of the query that it has: 0..1, rare words first."""

    number: int
    share: float


class SplitMessages:
    """Messages cut into words, before it is known what is sought."""

    def __init__(self, messages: Iterable[str]) -> None:
        texts = [message[:_LOOKED_AT] for message in messages]
        self._lengths = [len(text) for text in texts]
        self._words = [Counter(identifiers.identifiers(text)) for text in texts]
        # messages say the same words again and again
        self._parts = {
            word: identifiers.parts(word) for word in dict.fromkeys(chain(*self._words))
        }

    def similar(self, query: Query, count: int) -> list[SimilarMessage]:
        """Return the messages that are most like a query, the best first."""
        wanted = dict.fromkeys(identifiers.parts_of(query.words))
        having = {
            word for word, parts in self._parts.items() if not wanted.keys().isdisjoint(parts)
        }
        counts = {
            i: self._counts(words, found, wanted)
            for i, words in enumerate(self._words)
            if (found := having & words.keys())
        }
        often = Counter(chain(*counts.values()))
        rarity = {word: idf(len(self._words), often[word]) for word in wanted}
        mean = sum(self._lengths) / max(len(self._words), 1)
        most = sum(rarity.values()) * (DEFAULT.k1 + 1)
        scored = []
        for i, own in counts.items():
            length = DEFAULT.k1 * (1 - DEFAULT.b + DEFAULT.b * self._lengths[i] / mean)
            score = sum(
                rarity[word] * own[word] * (DEFAULT.k1 + 1) / (own[word] + length)
                for word in wanted
                if word in own
            )
            scored.append(SimilarMessage(i, score / most))
        return sorted(scored, key=lambda one: (-one.share, one.number))[:count]

    def _counts(
        self, words: Mapping[str, int], found: Iterable[str], wanted: Container[str]
    ) -> Counter[str]:
        """Count the parts that are wanted in some of the words of a message."""
        counts: Counter[str] = Counter()
        for word in found:
            for part in self._parts[word]:
                if part in wanted:
                    counts[part] += words[word]
        return counts
