"""The rarity of a term in BM25, without numpy."""

from __future__ import annotations

import math


def idf(count: int, frequency: int) -> float:
    """Return the inverse document frequency of a term in `frequency` of `count` documents."""
    # the variant that is never negative (Lucene, Lv and Zhai 2011)
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
