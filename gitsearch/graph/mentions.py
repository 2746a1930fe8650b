"""Shares of the words of a definition that tests mention: a name in a string often runs code."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from gitsearch.features.identifiers import parts
from gitsearch.graph.evidence import words_of_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from gitsearch.graph.name_users import Words

# A word that a test has in its text alone, against one in the name of its file.
_IN_TEXT = 1 / 3


class Mentions:
    """Compares the words of definitions with those of the tests of a tree."""

    def __init__(self, words: Words, tests: Set[bytes]) -> None:
        self._words = words
        self._tests = tests

    def shares(self, path: bytes, symbol: str) -> Mapping[bytes, float]:
        """Return the share of the words of a definition that each test with one has: 0 to 1.

        The words are those of its qualified name and of the name of its file. Each is weighted by
        the square of its inverse document frequency among tests; one that is in the text of a test
        and not in the name of its file counts a third.
        """
        words = _words(path, symbol)
        having = {word: self._tests & self._words.paths_with(word) for word in words}
        weights = {word: self._weight(len(tests)) for word, tests in having.items() if tests}
        every = math.fsum(weights.values())
        found: defaultdict[bytes, float] = defaultdict(float)
        for word, weight in weights.items():
            for test in having[word]:
                share = 1.0 if word in words_of_name(test) else _IN_TEXT
                found[test] += share * weight / every
        return found

    def _weight(self, having: int) -> float:
        return math.log((len(self._tests) + 1) / (having + 0.5)) ** 2


def _words(path: bytes, symbol: str) -> list[str]:
    """Return the words of a definition, each once, in a fixed order."""
    named = [word for name in symbol.split(".") for word in parts(name)]
    return list(dict.fromkeys([*named, *sorted(words_of_name(path))]))
