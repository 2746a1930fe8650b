"""Messages that have the words of a query, ranked by BM25."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.features import identifiers
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        self._lengths: list[int] = []
        # by word the number of each message that has it, once for each time
        self._numbers: dict[str, list[int]] = {}
        for number, message in enumerate(messages):
            text = message[:_LOOKED_AT]
            self._lengths.append(len(text))
            for word in identifiers.identifiers(text):
                self._numbers.setdefault(word, []).append(number)
        # messages say the same words again and again
        self._words: dict[str, list[str]] = {}
        for word in self._numbers:
            for part in identifiers.parts(word):
                self._words.setdefault(part, []).append(word)

    def similar(self, query: Query, count: int) -> list[SimilarMessage]:
        """Return the messages that are most like a query, the best first."""
        wanted = dict.fromkeys(identifiers.parts_of(query.words))
        often = {part: self._often(part) for part in wanted}
        total = len(self._lengths)
        rarity = {part: idf(total, len(counts)) for part, counts in often.items()}
        mean = sum(self._lengths) / max(total, 1)
        most = sum(rarity.values()) * (DEFAULT.k1 + 1)
        scores: dict[int, float] = {}
        for part, counts in often.items():
            for number, tf in counts.items():
                length = DEFAULT.k1 * (1 - DEFAULT.b + DEFAULT.b * self._lengths[number] / mean)
                gained = rarity[part] * tf * (DEFAULT.k1 + 1) / (tf + length)
                scores[number] = scores.get(number, 0.0) + gained
        scored = [SimilarMessage(number, score / most) for number, score in scores.items()]
        return sorted(scored, key=lambda one: (-one.share, one.number))[:count]

    def _often(self, part: str) -> Counter[int]:
        """Count how often each message has a part of a word."""
        return Counter(chain(*(self._numbers[word] for word in self._words.get(part, ()))))
