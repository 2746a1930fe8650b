"""Answers about the past of code: who wrote it, in which commits, and why.

Paths are relative to the repository root (surrogateescape); dates are in ISO 8601; names and
addresses of authors are those of .mailmap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import TreeName, UnsearchedRepository

# What git says of lines, and what is only likely.
EXACT, INFERRED = "exact", "inferred"


class BlamedLines(NamedTuple):
    """Lines of a file, both ends included, and the definition that they are, if asked for so."""

    path: str
    start: int
    end: int
    symbol: str | None


class CommitShare(NamedTuple):
    """A commit that wrote some of the lines.

    share: of all lines, 0..1; references: issues and pull requests that its message names; path:
    the file in which it wrote them; oldest: this clone ends here, and the lines may be older.
    """

    commit: str
    share: float
    lines: int
    date: str
    author: str
    subject: str
    references: tuple[str, ...]
    path: str
    oldest: bool
    label: str = EXACT


class RelatedCommit(NamedTuple):
    """A commit that did not write the lines, and whose message is like those that did."""

    commit: str
    score: float
    date: str
    author: str
    subject: str
    references: tuple[str, ...]
    label: str = INFERRED


class CommitWindow(NamedTuple):
    """The newest commits, which a search looks at; `cut`: `limit` left older ones out."""

    commits: int
    limit: int
    cut: bool


class FoundCommit(NamedTuple):
    """A commit that a search has found, and the hunk of it that answers best.

    path, start, end: lines of the new side, of a hunk that only removes the line before; None and
    0 for a commit without hunks. text: its lines with their signs. legs: ranks by leg, from 1.
    """

    rank: int
    commit: str
    date: str
    author: str
    subject: str
    references: tuple[str, ...]
    path: str | None
    start: int
    end: int
    score: float
    legs: dict[str, int | None]
    text: str
    repository: str | None = None


class SearchedHistory(NamedTuple):
    """One of many repositories whose history was searched: its name, its folder, the commit."""

    repository: str
    folder: str
    commit: str


class HistoryReport(NamedTuple):
    """The answer of `history`; commits_behind: commits of the window that are not indexed yet.

    repositories: those that answer, and `unsearched` those that do not; None unless others were
    asked for than that of the current folder. commit is None then, window the sum of theirs.
    """

    query: str
    rev: str
    commit: str | None
    window: CommitWindow
    commits_behind: int
    complete: bool
    results: tuple[FoundCommit, ...]
    words: tuple[str, ...]
    warnings: tuple[str, ...]
    repositories: tuple[SearchedHistory, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


class RemovedCode(NamedTuple):
    """A commit that took away what was looked for, and the lines that it removed.

    commit: None for what is not committed, with an empty date, author and subject; last: the last
    commit that had the lines; path, start, end: where they stood in it, both ends included;
    replaced_by: the file to which they went, that defines their names, or that has others in
    their place, or None.
    """

    rank: int
    commit: str | None
    date: str
    author: str
    subject: str
    references: tuple[str, ...]
    path: str
    start: int
    end: int
    last: str
    replaced_by: str | None
    score: float
    text: str


class RemovedReport(NamedTuple):
    """The answer of `--removed` without a range, of a search, of `history` and of `def`.

    The best comes first, of `def` the newest.
    """

    query: str
    rev: str
    commit: str
    window: CommitWindow
    commits_behind: int
    complete: bool
    results: tuple[RemovedCode, ...]
    words: tuple[str, ...]
    warnings: tuple[str, ...]


class HistoryIndexReport(NamedTuple):
    """The answer of `index --history`: the commits of the window, and how many were added now."""

    commit: str
    window: CommitWindow
    added: int
    warnings: tuple[str, ...]


class WhyReport(NamedTuple):
    """The answer of `why`, by share of the lines.

    uncommitted: lines that no commit has; ignored: lines of which a commit that is ignored was
    the last to change them (blame.ignoreRevsFile).
    """

    tree: TreeName
    lines: BlamedLines
    exact: tuple[CommitShare, ...]
    related: tuple[RelatedCommit, ...]
    uncommitted: int
    ignored: int
    warnings: tuple[str, ...]


class Expert(NamedTuple):
    """An author: the lines that are alive, the recent commits, and their mean share, 0..1.

    last: the date of the newest of these commits, or None.
    """

    author: str
    email: str
    score: float
    lines: int
    commits: int
    last: str | None


class ExpertsReport(NamedTuple):
    """The answer of `experts`, the best first.

    query: what was searched for, or None; path: the file or folder that was asked about, or None;
    files: how many files matter, and `blamed` of how many the lines were looked at; lines and
    commits: how many were counted; window: the newest commits that were looked at.
    """

    query: str | None
    path: str | None
    tree: TreeName
    experts: tuple[Expert, ...]
    files: int
    blamed: int
    lines: int
    commits: int
    window: int
    warnings: tuple[str, ...]


class ChangedTogether(NamedTuple):
    """A file: its score, 0..1, how often it changed together with the others, and at all.

    symbol: the definition of it that did; None for the file.
    """

    path: str
    score: float
    together: int
    changes: int
    symbol: str | None = None


class TogetherReport(NamedTuple):
    """The answer of `related --by change`, the best first.

    changes: how often the file or folder `path` changed, or its definition `symbol`; window: the
    newest landings that were looked at, commits along first parents.
    """

    tree: TreeName
    path: str
    changes: int
    results: tuple[ChangedTogether, ...]
    window: int
    warnings: tuple[str, ...]
    symbol: str | None = None
