"""Files that history says usually change with others."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitsearch.errors import GitFailed
from gitsearch.git.trees import entries_at
from gitsearch.reports.change import MissingCochange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from gitsearch.git.repo import Repo

# Landings that are looked at: commits of the first parents, a merge with all that it brought.
WINDOW = 2000

# A landing of more files says nothing of what belongs together.
_LARGEST = 30

# A habit: the share of occasions, as if there had been one more without (so at least 6 of 6),
# and the latest occasions, all of which are among them. What is shown so is right in 96 % (bench/
# habits); with a share of 0.8 it was in 92 %, and in 91 % without regard to the latest.
_SHARE = 0.85
_LATEST = 2

_CHANGES = ("diff-tree", "--stdin", "-r", "-z", "-M100%", "--name-status", "--no-ext-diff")


@dataclass(frozen=True, slots=True)
class History:
    """The last landings before a commit, the newest first, as sets of paths.

    Paths are as they are called at that commit: one that was moved unchanged is the same file, one
    that was also edited on the way is another. `cut`: this clone does not hold what lies before.
    """

    landings: Sequence[set[bytes]]
    cut: bool = False

    def habits(self, changed: Collection[bytes]) -> list[MissingCochange]:
        """Files that changed with one of these nearly always, and are not among them.

        The surest first: of several pieces of evidence for a file the best.
        """
        occasions: dict[bytes, list[set[bytes]]] = {path: [] for path in changed}
        for landing in self.landings:
            if len(landing) <= _LARGEST:
                for path in landing & occasions.keys():
                    occasions[path].append(landing - occasions.keys())
        best: dict[bytes, tuple[float, int, bytes, int]] = {}
        for path, others in sorted(occasions.items()):
            for other, often in _usual(others):
                evidence = (often / len(others), often, path, len(others))
                best[other] = max(best.get(other, evidence), evidence)
        ranked = sorted(best.items(), key=lambda one: (-one[1][0], -one[1][1], one[0]))
        return [
            MissingCochange(os.fsdecode(other), os.fsdecode(path), often, times)
            for other, (_, often, path, times) in ranked
        ]


def read_history(repo: Repo, commit: str, window: int = WINDOW) -> History:
    """The landings up to a commit, at most so many; raises GitFailed."""
    what = ("--first-parent", "--parents", f"--max-count={window}", "--end-of-options", commit)
    out = repo.run("rev-list", *what)
    lines = [line.split()[:2] for line in out.decode("ascii").splitlines()]
    changes = _changes(repo, [pair for pair in lines if len(pair) > 1])
    return History(list(_renamed(changes)), len(lines) < window and _is_shallow(repo))


def _usual(occasions: list[set[bytes]]) -> Iterator[tuple[bytes, int]]:
    """The paths of nearly all of some occasions, and how often each was there."""
    for path, often in sorted(Counter(path for one in occasions for path in one).items()):
        usual = often >= _SHARE * (len(occasions) + 1)
        if usual and all(path in one for one in occasions[:_LATEST]):
            yield path, often


def habits(
    repo: Repo, base: str, changed: Collection[bytes], window: int = WINDOW
) -> tuple[list[MissingCochange], str | None]:
    """Files of a commit that usually change with these, the surest first; what to know of it.

    The note says that the history was cut, or could not be read.
    """
    try:
        history = read_history(repo, base, window)
    except GitFailed as error:
        return [], f"history could not be read: {error.message}"
    found = history.habits(changed)
    here = entries_at(repo, base, {os.fsencode(one.path) for one in found})
    note = None
    if history.cut:
        note = f"this clone is shallow: its history ends after {len(history.landings)} commits"
    return [one for one in found if os.fsencode(one.path) in here], note


# What happened to one path: the letter of its status, the path, and the new one of a rename.
_Event = tuple[bytes, bytes, bytes]


def _changes(repo: Repo, pairs: Iterable[list[str]]) -> Iterator[list[_Event]]:
    """What each commit changes against its first parent."""
    asked = "".join(f"{commit} {parent}\n" for commit, parent in pairs)
    fields = iter(repo.run(*_CHANGES, stdin=asked.encode("ascii")).split(b"\0"))
    events: list[_Event] = []
    begun = False
    for one in fields:
        if len(one) >= _ID:
            if begun:
                yield events
            events, begun = [], True
        elif one.startswith(b"R"):
            events.append((b"R", next(fields), next(fields)))
        elif one:
            events.append((one, next(fields), b""))
    if begun:
        yield events


# The digits of the shortest id: no status is as long.
_ID = 40


def _renamed(landings: Iterable[list[_Event]]) -> Iterator[set[bytes]]:
    """The paths that each landing changes, by their last names; the newest comes first."""
    later: dict[bytes, bytes] = {}
    for events in landings:
        moved = {path: later.get(new, new) for status, path, new in events if status == b"R"}
        yield {later.get(path, path) for status, path, _ in events if status != b"R"}
        later.update(moved)


def _is_shallow(repo: Repo) -> bool:
    return repo.run("rev-parse", "--is-shallow-repository").strip() == b"true"
