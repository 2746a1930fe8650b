"""Messages that have the words of a query, ranked by BM25."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.features import identifiers
from gitsearch.retrieval.constants import DEFAULT
from gitsearch.retrieval.lexical_leg import idf

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitsearch.retrieval.query import Query

# Characters of a message that are looked at: its subject, and the beginning of what follows.
_LOOKED_AT = 600


class SimilarMessage(NamedTuple):
    """The number of a message, and the share of the query that it has: 0..1, rare words first."""

    number: int
    share: float


def similar(query: Query, messages: Sequence[str], count: int) -> list[SimilarMessage]:
    """Return the messages that are most like a query, the best first."""
    wanted = dict.fromkeys(identifiers.parts_of(query.words))
    texts = [message[:_LOOKED_AT] for message in messages]
    counts = {i: found for i, text in enumerate(texts) if (found := _counts(text, wanted))}
    often = Counter(word for found in counts.values() for word in found)
    rarity = {word: idf(len(texts), often[word]) for word in wanted}
    mean = sum(map(len, texts)) / max(len(texts), 1)
    most = sum(rarity.values()) * (DEFAULT.k1 + 1)
    scored = []
    for i, found in counts.items():
        length = DEFAULT.k1 * (1 - DEFAULT.b + DEFAULT.b * len(texts[i]) / mean)
        score = sum(
            rarity[word] * often_here * (DEFAULT.k1 + 1) / (often_here + length)
            for word, often_here in found.items()
        )
        scored.append(SimilarMessage(i, score / most))
    return sorted(scored, key=lambda one: (-one.share, one.number))[:count]


def _counts(text: str, wanted: Collection[str]) -> Counter[str]:
    """Count the words of a text that are wanted."""
    lower = text.lower()
    if not any(word in lower for word in wanted):
        return Counter()  # most texts: to split them would take longer
    return Counter(
        part for part in identifiers.parts_of(identifiers.identifiers(text)) if part in wanted
    )
