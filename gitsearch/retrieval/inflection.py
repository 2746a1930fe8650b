"""Other forms of an English word: caches, cached and caching for cache.

Words of code are not stemmed, for a name means what it says. But who asks how retries are counted
also means what calls itself retry or retrying; so a question looks for these too, for less.
"""

from __future__ import annotations

# Endings that are taken off and put on.
_ENDINGS = frozenset(
    (
        *("s", "es", "d", "ed", "r", "er", "ers", "or", "ors", "e", "y", "ies", "ing", "ings"),
        *("ion", "ions", "ation", "ations", "able", "al", "ly", "ity"),
        *("ment", "ments"),  # codespell:ignore ment
    )
)
_LONGEST = max(map(len, _ENDINGS))

# Endings before which a last consonant is doubled: stopped, mapping, logger.
_DOUBLING = ("ed", "er", "ers", "ing")

# Letters that must be left of a word without its ending.
_SHORTEST = 4


def of(word: str) -> list[str]:
    """The forms that a lower-case word may have, without itself; not all of them are words."""
    if len(word) < _SHORTEST or not (word.isascii() and word.isalpha()):
        return []
    stem = _stem(word)
    found = {stem, *(stem + ending for ending in _ENDINGS)}
    found.update(stem + stem[-1] + ending for ending in _DOUBLING)
    return sorted(found - {word})


def _stem(word: str) -> str:
    """A word without the longest ending that leaves enough of it."""
    longest = 0 if word.endswith("ss") else min(_LONGEST, len(word) - _SHORTEST)
    return next((word[:-size] for size in range(longest, 0, -1) if word[-size:] in _ENDINGS), word)
