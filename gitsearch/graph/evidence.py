"""Evidence besides the graph that a file belongs to what changed: history, names and folders.

Each piece has a share, from 0 to 1: how often a file with it is one of those that a change of the
target concerns. docs/graph.md explains each constant.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

from gitsearch.features.identifiers import parts
from gitsearch.reports.lookup import ImpactEvidence

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Set

    from gitsearch.git.cochange import History

TOGETHER, NAME, FOLDER = "changed-together", "name", "folder"
MENTIONS, SIMILAR = "mentions", "similar"

# Two changes without the file are added to those that were seen, for few prove little.
_TOGETHER_PRIOR = 2

# The shares of a test with exactly the words of a target in its name, and of one in its folder.
_NAMED, _BESIDE = 0.5, 0.2

# Of more targets each name fits some test.
_MOST_NAMED = 30

# Words that say nothing of what a file or folder is about.
_GENERAL = frozenset(
    {
        *("test", "tests", "testing", "spec", "specs", "it", "e2e", "unit", "suite", "case"),
        *("testcase", "init", "src", "main", "lib", "java", "kotlin", "scala", "python", "ruby"),
        *("js", "ts"),
    }
)
# Files that are named by their folders.
_OF_FOLDER = frozenset({"index", "__init__", "mod", "lib", "main"})


class Evidence:
    """The evidence of files for a set of targets; `tests` are all tests of the tree."""

    def __init__(self, history: History, targets: Collection[bytes], tests: Set[bytes]) -> None:
        self._history = history
        self._targets = sorted(targets)
        self._tests = tests

    def of(self, path: bytes) -> tuple[ImpactEvidence, ...]:
        """Return the evidence of a file, of each kind that with the greatest share."""
        named = self._by_name(path) if path in self._tests else ()
        together = self.together.get(path)
        return (together, *named) if together else tuple(named)

    def supported(self) -> list[bytes]:
        """Return the tests that history or their names lead to, in order of their paths."""
        named = frozenset[str]().union(*(words for _, words, _ in self._names))
        return [
            test
            for test, words in sorted(self._test_words.items())
            if test in self.together or not named.isdisjoint(words)
        ]

    @cached_property
    def together(self) -> Mapping[bytes, ImpactEvidence]:
        """The files that changed with a target, each with the target that it did most often."""
        targets = set(self._targets)
        times: Counter[bytes] = Counter()
        counts: dict[bytes, Counter[bytes]] = {}
        for landing in self._history.small:
            for target in targets & landing:
                times[target] += 1
                counts.setdefault(target, Counter()).update(landing)
        best: dict[bytes, ImpactEvidence] = {}
        for target, others in sorted(counts.items()):
            for other, count in others.items():
                share = count / (times[target] + _TOGETHER_PRIOR)
                if other not in targets and (other not in best or share > best[other].share):
                    told = os.fsdecode(target)
                    best[other] = ImpactEvidence(TOGETHER, told, share, count, times[target])
        return best

    # ---------------------------------------------------------------- names and folders

    def _by_name(self, test: bytes) -> Iterator[ImpactEvidence]:
        words = self._test_words[test]
        likeness = [(self._likeness(words, own), target) for target, own, _ in self._names]
        named = max(likeness, default=(0.0, b""), key=lambda one: one[0])
        beside = self._nearest(test.rpartition(b"/")[0])
        for kind, most, (share, target) in ((NAME, _NAMED, named), (FOLDER, _BESIDE, beside)):
            if share > 0:
                yield ImpactEvidence(kind, os.fsdecode(target), most * share)

    @cached_property
    def _nearest(self) -> Callable[[bytes], tuple[float, bytes]]:
        """The likeness of a folder to that of the nearest target, 0 to 1, and that target."""

        @cache
        def nearest(folder: bytes) -> tuple[float, bytes]:
            words = _folder_words(folder)
            nearness = [
                (1.0 if folder == target.rpartition(b"/")[0] else _common(words, own), target)
                for target, _, own in self._names
            ]
            return max(nearness, default=(0.0, b""), key=lambda one: one[0])

        return nearest

    @cached_property
    def _names(self) -> list[tuple[bytes, frozenset[str], frozenset[str]]]:
        """The targets with the words of their names and folders."""
        targets = self._targets if len(self._targets) <= _MOST_NAMED else []
        return [
            (target, words_of_name(target), _folder_words(target.rpartition(b"/")[0]))
            for target in targets
        ]

    def _likeness(self, words: frozenset[str], others: frozenset[str]) -> float:
        """Return the cosine of two sets of words, each weighted by how few tests have it."""
        common = words & others
        if not common:
            return 0.0
        own, other, shared = map(self._weight, (words, others, common))
        return shared / math.sqrt(own * other)

    @cached_property
    def _weight(self) -> Callable[[frozenset[str]], float]:
        """The sum of the weights of words, which is kept: many tests have some in common."""
        frequency, tests = self._frequency, len(self._tests)

        @cache
        def weight(words: frozenset[str]) -> float:
            return sum(math.log((tests + 1) / (frequency[word] + 0.5)) for word in sorted(words))

        return weight

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(word for words in self._test_words.values() for word in words)

    @cached_property
    def _test_words(self) -> dict[bytes, frozenset[str]]:
        return {test: words_of_name(test) for test in self._tests}


@lru_cache(1 << 12)
def words_of_name(path: bytes) -> frozenset[str]:
    """Return the words of the name of a file, without those that say that it is a test."""
    folder, _, name = os.fsdecode(path).rpartition("/")
    stem = name.partition(".")[0]
    words = frozenset[str]() if stem in _OF_FOLDER else _parts(stem)
    return words or _parts(folder.rpartition("/")[2])


def _folder_words(folder: bytes) -> frozenset[str]:
    return frozenset(word for name in os.fsdecode(folder).split("/") for word in _parts(name))


@lru_cache(1 << 12)
def _parts(name: str) -> frozenset[str]:
    words = [word for piece in name.replace("-", "_").split(".") for word in parts(piece)]
    return frozenset(words) - _GENERAL


def _common(words: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of two sets that they have in common (Jaccard's index)."""
    return len(words & others) / len(words | others) if words and others else 0.0
