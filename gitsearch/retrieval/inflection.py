"""Inflected forms of an English word: caches, cached and caching for cache.

Terms of code are not stemmed, because names that differ mean different things. But a question of
how retries are counted is also about code that says retry or retrying; so the query is expanded
with these forms, at a lower weight.
"""

from __future__ import annotations

# Suffixes that are stripped and appended.
_ENDINGS = frozenset(
    (
        *("s", "es", "d", "ed", "r", "er", "ers", "or", "ors", "e", "y", "ies", "ing", "ings"),
        *("ion", "ions", "ation", "ations", "able", "al", "ly", "ity"),
        *("ment", "ments"),  # codespell:ignore ment
    )
)
_LONGEST = max(map(len, _ENDINGS))

# Suffixes before which a final consonant is doubled: stopped, mapping, logger.
_DOUBLING = ("ed", "er", "ers", "ing")

# The least length of a stem.
_MIN_STEM = 4


def of(word: str) -> list[str]:
    """Return possible forms of a lower-case word, sorted, without itself; some are no words."""
    if len(word) < _MIN_STEM or not (word.isascii() and word.isalpha()):
        return []
    stem = _stem(word)
    forms = {stem, *(stem + ending for ending in _ENDINGS)}
    forms.update(stem + stem[-1] + ending for ending in _DOUBLING)
    return sorted(forms - {word})


def _stem(word: str) -> str:
    """Strip the longest suffix that leaves a stem of the least length."""
    longest = 0 if word.endswith("ss") else min(_LONGEST, len(word) - _MIN_STEM)
    return next((word[:-size] for size in range(longest, 0, -1) if word[-size:] in _ENDINGS), word)
