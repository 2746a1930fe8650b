"""The likelihood that a file belongs to a task, from independent pieces of evidence.

Each piece gives a probability; together they give that of at least one of them holding (noisy or,
Pearl 1988). The numbers were fitted to what commits have changed: docs/ranking.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple


class RankLikelihood(NamedTuple):
    """The likelihood of the file at a 1-based rank: first / (1 + (rank - 1) / half) ** power."""

    first: float
    half: float
    power: float = 1.0

    def at(self, rank: int) -> float:
        """Return the likelihood at a rank."""
        return self.first / math.pow(1 + (rank - 1) / self.half, self.power)


# Of the files that a search finds, and of those that it finds among files of one kind.
SEARCH = RankLikelihood(0.4, 0.8, 1.6)
TESTS = RankLikelihood(0.06, 0.3)
DOCS = RankLikelihood(0.13, 0.05)
SETTINGS = RankLikelihood(0.05, 0.05)

# Of the only file of a past commit whose message has the whole task; the power of the share of the
# task that it has; the weight of the logarithm of the number of its files.
PAST = 0.1
PAST_POWER = 1.4
PAST_FILES = 2.0

# Of a file that changed each time that another did, relative to that; how many times without the
# file are added, for few prove little.
TOGETHER = 0.03
TOGETHER_PRIOR = 2.0

# Of all files that are named like another together, and of all users of one, relative to that.
NAMED = 0.1
USED = 0.3


def of_past_commit(share: float, files: int) -> float:
    """Return that of a file of a past commit, whose message has a share of the task's words."""
    return PAST * math.pow(share, PAST_POWER) / (1 + PAST_FILES * math.log(files))


def of_changed_together(count: int, times: int) -> float:
    """Return that of a file that changed `count` of the `times` that another did."""
    return TOGETHER * count / (times + TOGETHER_PRIOR)


class Clue(NamedTuple):
    """One piece of evidence: a likelihood, the kind of item that it makes, and the reason."""

    likelihood: float
    kind: str
    reason: str


class Evidence:
    """The clues to each file, by path."""

    def __init__(self) -> None:
        self._clues: defaultdict[bytes, list[Clue]] = defaultdict(list)

    def add(self, path: bytes, clue: Clue) -> None:
        """Add a clue to a file."""
        self._clues[path].append(clue)

    def likelihood(self, path: bytes) -> float:
        """Return the likelihood of a file; 0 without clues."""
        return 1 - math.prod(1 - clue.likelihood for clue in self._clues.get(path, ()))

    def strongest(self, path: bytes) -> Clue:
        """Return the clue with the highest likelihood, the first of equal ones."""
        return max(self._clues[path], key=lambda clue: clue.likelihood)

    def ranked(self, least: float) -> Iterator[bytes]:
        """Iterate over the files with at least this likelihood, the most likely first."""
        likely = {path: self.likelihood(path) for path in self._clues}
        for path in sorted(likely, key=lambda path: (-likely[path], path)):
            if likely[path] < least:
                return
            yield path
