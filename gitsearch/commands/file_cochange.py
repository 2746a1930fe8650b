"""Files that changed together with others, counted over landings."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Set

    from gitsearch.git.cochange import History

# Once is chance.
LEAST = 2


class Together(NamedTuple):
    """Counts of the changes of a file, with some others and in all, and a score, 0..1.

    score: the cosine of both sets of changes: those together, divided by the root of the product
    of the sizes (Ochiai's coefficient).
    """

    together: int
    changes: int
    score: float


class FileCochange(NamedTuple):
    """The number of landings that changed some files, and what else changed in them, by path."""

    occasions: int
    files: dict[bytes, Together]


def changed_with(history: History, own: Set[bytes]) -> FileCochange:
    """Return the files that changed at least twice with some files, in landings of few files."""
    occasions = [landing for landing in history.small if not own.isdisjoint(landing)]
    together = Counter(path for landing in occasions for path in landing - own)
    changes = Counter(path for landing in history.small for path in landing if path in together)
    files = {
        path: Together(count, changes[path], count / math.sqrt(len(occasions) * changes[path]))
        for path, count in together.items()
        if count >= LEAST
    }
    return FileCochange(len(occasions), files)
