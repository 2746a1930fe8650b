"""Answers for reviewers of a change: similar code, copies, and the report on a pull request.

Dataclasses, unlike the other reports: the JSON of a report is read back where it is posted, and
checked there against these types. Paths are relative to the repository root (surrogateescape);
the lines of a place count from one, both ends included.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from gitsearch.reports.lookup import (
    BrokenReference,
    Dependent,
    RemovedDefinition,
    UnresolvedImport,
)
from gitsearch.reports.search import (
    Coverage,
    SearchedRepository,
    TreeName,
    UnsearchedRepository,
)


class Reviewer(NamedTuple):
    """Who knows code that has no owner: lines of it that are alive, commits, their mean share."""

    author: str
    score: float
    lines: int
    commits: int


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, and the definition that they are or lie in, if any."""

    path: str
    start: int
    end: int
    symbol: str | None


@dataclass(frozen=True, slots=True)
class Similar(Place):
    """A place that is like another: `score` in 0..1, and what it is made of, by name."""

    score: float
    why: dict[str, float]
    repository: str | None = None


@dataclass(frozen=True, slots=True)
class RelatedReport:
    """The answer of `related`: the nearest first.

    repositories: those that answer, and `unsearched` those that do not; None unless others were
    asked for than that of the current folder.
    """

    tree: TreeName
    coverage: Coverage
    target: Place
    results: tuple[Similar, ...]
    warnings: tuple[str, ...]
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """New code, and the place that has it already."""

    new: Place
    existing: Similar


@dataclass(frozen=True, slots=True)
class DupReport:
    """The answer of `dup`: copies by path and line; `looked` counts the new chunks."""

    tree: TreeName
    coverage: Coverage
    looked: int
    copies: tuple[Copy, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs: "added", "modified", "deleted" or "renamed" (`old` is its old path)."""

    path: str
    status: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class MissingCochange:
    """A file that changed in `together` of the `times` that `changed` did, and did not now."""

    path: str
    changed: str
    together: int
    times: int


@dataclass(frozen=True, slots=True)
class ComparedTree:
    """One end of a change, as asked for and as it was found; the index has no id of a tree."""

    rev: str
    commit: str | None
    tree: str | None


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """The findings on a change from base to head; each part may be empty.

    recipe: the versions that decide what is found, as `<extract>.<token>...`; components: the
    component of dependents by path; tests: tests that depend on the change and are not touched by
    it; reviewers: who could look at it where nobody owns all of it, the best first; truncated: how
    many of a part were left out, by its name ("users": those of exports); notes: what could not be
    looked at, in one word each: "shallow" and "unrelated" (base and head are compared as they are:
    no commit in common is known), "submodules", "history" (not all of it is in this clone),
    "large" (not all new code was compared).
    """

    base: ComparedTree
    head: ComparedTree
    recipe: str
    coverage: Coverage
    changes: tuple[ChangedFile, ...] = ()
    dangling: tuple[BrokenReference, ...] = ()
    exports: tuple[RemovedDefinition, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    components: dict[str, str] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    copies: tuple[Copy, ...] = ()
    related: tuple[Similar, ...] = ()
    habits: tuple[MissingCochange, ...] = ()
    reviewers: tuple[Reviewer, ...] = ()
    unseen: tuple[UnresolvedImport, ...] = ()
    truncated: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def silent(self) -> bool:
        """Return True if there are no findings; similar code alone is none."""
        worth = (self.dangling, self.exports, self.dependents, self.cycles, self.copies)
        return not any(worth) and not self.habits
