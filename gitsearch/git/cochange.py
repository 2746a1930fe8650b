"""Co-change analysis: files that usually change together in history."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.git.merge_bases import is_shallow, where_it_ends
from gitsearch.git.repo import Repo
from gitsearch.git.tree_objects import entries_at

if TYPE_CHECKING:
    from gitsearch.reports.change import MissingCochange

# The most landings that are read: commits along first parents, a merge with all its changes.
WINDOW = 2000

# A landing of more files is no evidence of which of them belong together.
LARGEST = 30

# A habit: the least share of occasions, counted as if there had been one more without the file (so
# at least 6 of 6), and the number of latest occasions that must all have it. The files shown are
# right in 96 % (bench/habits); with a share of 0.8 in 92 %, and in 91 % without the latest.
_SHARE = 0.85
_LATEST = 2

_CHANGES = ("diff-tree", "--stdin", "-r", "-z", "-M100%", "--name-status", "--no-ext-diff")


@dataclass(frozen=True)
class History:
    """The last landings before a commit, the newest first, as sets of paths.

    Paths are those at that commit: exact renames are followed, renames with edits are not. cut:
    the history before these is missing in this clone. commits: the id of each landing, if known.
    """

    landings: Sequence[set[bytes]]
    cut: bool = False
    commits: Sequence[str] = ()

    def where_it_is_cut(self) -> str | None:
        """One line that says after how many commits this clone ends; None if it does not.

        The oldest of them is no landing: what it changed is unknown without its parent.
        """
        return where_it_ends(len(self.landings) + 1) if self.cut else None

    def habits(self, changed: Collection[bytes]) -> list[MissingCochange]:
        """Return files that nearly always changed with one of `changed`, and are not among them.

        Sorted by the best evidence for each file, the strongest first.
        """
        # reports on changes are not wanted where history is only evidence
        from gitsearch.reports.change import MissingCochange

        occasions: dict[bytes, list[set[bytes]]] = {path: [] for path in changed}
        for landing in self.landings:
            if len(landing) <= LARGEST:
                for path in landing & occasions.keys():
                    occasions[path].append(landing - occasions.keys())
        best: dict[bytes, tuple[float, int, bytes, int]] = {}
        for path, others in sorted(occasions.items()):
            for other, count in _usual(others):
                evidence = (count / len(others), count, path, len(others))
                best[other] = max(best.get(other, evidence), evidence)
        ranked = sorted(best.items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))
        return [
            MissingCochange(os.fsdecode(other), os.fsdecode(path), count, times)
            for other, (_, count, path, times) in ranked
        ]

    def together(self, path: bytes) -> tuple[int, Counter[bytes]]:
        """Return how often a file changed, and how often each other file changed with it."""
        occasions = [landing for landing in self.small if path in landing]
        others = Counter(other for landing in occasions for other in landing)
        del others[path]
        return len(occasions), others

    @cached_property
    def small(self) -> list[set[bytes]]:
        """The landings of few enough files to be evidence of which of them belong together."""
        return [landing for landing in self.landings if len(landing) <= LARGEST]


def read_history(repo: Repo, commit: str, window: int = WINDOW) -> History:
    """Read at most `window` landings up to a commit. Raises GitFailed."""
    options = ("--first-parent", "--parents", f"--max-count={window}", "--end-of-options", commit)
    out = repo.run("rev-list", *options)
    lines = [line.split()[:2] for line in out.decode("ascii").splitlines()]
    changes = _changes(repo, [pair for pair in lines if len(pair) > 1])
    cut = len(lines) < window and is_shallow(repo)
    commits = [commit for commit, _ in changes]
    return History(list(_renamed([events for _, events in changes])), cut, commits)


def _usual(occasions: list[set[bytes]]) -> Iterator[tuple[bytes, int]]:
    """Yield (path, count) of the paths in nearly all of some occasions."""
    counts = Counter(path for paths in occasions for path in paths)
    for path, count in sorted(counts.items()):
        usual = count >= _SHARE * (len(occasions) + 1)
        if usual and all(path in paths for paths in occasions[:_LATEST]):
            yield path, count


def habits(
    repo: Repo, base: str, changed: Collection[bytes], history: History
) -> list[MissingCochange]:
    """Return files of a commit that usually change with `changed`, by the history up to it.

    The strongest evidence comes first.
    """
    missing = history.habits(changed)
    existing = entries_at(repo, base, {os.fsencode(habit.path) for habit in missing})
    return [habit for habit in missing if os.fsencode(habit.path) in existing]


# The change of one path: the letter of its status, the path, and the new path of a rename.
_Event = tuple[bytes, bytes, bytes]

# The digits of the shortest id; no status is as long.
_MIN_ID_LENGTH = 40


def _changes(repo: Repo, pairs: Iterable[list[str]]) -> list[tuple[str, list[_Event]]]:
    """Return commits with their changes against their first parents, if there are any."""
    asked = "".join(f"{commit} {parent}\n" for commit, parent in pairs)
    fields = iter(repo.run(*_CHANGES, stdin=asked.encode("ascii")).split(b"\0"))
    landings: list[tuple[str, list[_Event]]] = []
    for field in fields:
        if len(field) >= _MIN_ID_LENGTH:
            landings.append((field.decode("ascii").strip(), []))
        elif field.startswith(b"R"):
            landings[-1][1].append((b"R", next(fields), next(fields)))
        elif field:
            landings[-1][1].append((field, next(fields), b""))
    return landings


def _renamed(landings: Iterable[list[_Event]]) -> Iterator[set[bytes]]:
    """Yield the paths that each landing changes, by their newest names; the newest comes first."""
    later: dict[bytes, bytes] = {}
    for events in landings:
        moved = {path: later.get(new, new) for status, path, new in events if status == b"R"}
        yield {later.get(path, path) for status, path, _ in events if status != b"R"}
        later.update(moved)
