"""The answer of a search, and the records that it shares with other answers.

Named tuples, as the records are. Each costs 0.1 ms when it is loaded: those of other verbs are in
modules of their own.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitsearch.reports.code_match import CodeMatch
    from gitsearch.reports.pages import Page


class Coverage(NamedTuple):
    """Numbers of files: tracked = searchable + sum(skipped) + pending."""

    tracked: int
    searchable: int
    skipped: dict[str, int]
    pending: int


class TreeName(NamedTuple):
    """The tree an answer was computed for."""

    rev: str
    commit: str | None
    tree: str | None
    dirty: int


class Copy(NamedTuple):
    """A file of one of several repositories with the same content as that of a result."""

    repository: str
    path: str


class Result(NamedTuple):
    """One ranked chunk, as shown. `path` is relative to the repository root (surrogateescape).

    `legs` holds the 1-based rank in each leg or None; `context` is the line number and signature
    of the enclosing definition when the chunk starts below it, or None; `explain` holds named
    factors when asked for. `first_shown` is the line number of the first line of `text`, which
    differs from `start` when context lines were asked for. `match` has the columns and captures
    of a match of a pattern of code. `repository` is its name where several are searched, else
    None; the path is relative to its root. `copies` are other files there with the same blob.
    `signature_line` is that on which the signature begins, if this is known to be in the chunk.
    """

    rank: int
    path: str
    start: int
    end: int
    blob: str
    language: str
    kind: str
    symbol: str | None
    score: float
    legs: dict[str, int | None]
    confidence: str
    text: str
    signature: str
    context: tuple[int, str] | None = None
    first_shown: int = 0
    explain: Mapping[str, float] = MappingProxyType({})
    match: CodeMatch | None = None
    repository: str | None = None
    copies: tuple[Copy, ...] = ()
    signature_line: int | None = None

    @property
    def full_path(self) -> str:
        """The path, with the repository before it where several are searched."""
        return self.path if self.repository is None else f"{self.repository}:{self.path}"


class FileCount(NamedTuple):
    """The number of results in a file; `repository` as that of a result."""

    path: str
    results: int
    repository: str | None = None

    @property
    def full_path(self) -> str:
        """The path, with the repository before it where several are searched."""
        return self.path if self.repository is None else f"{self.repository}:{self.path}"


class SearchedRepository(NamedTuple):
    """One of several repositories that were searched: its name and folder, and its tree."""

    repository: str
    folder: str
    tree: TreeName
    coverage: Coverage


class UnsearchedRepository(NamedTuple):
    """A folder that was named and not searched, and why."""

    folder: str
    reason: str


class Respelt(NamedTuple):
    """A word of a query that the tree does not have, and what was searched for in its place."""

    asked: str
    taken: str


class ChangedLines(NamedTuple):
    """The change to whose lines a search was restricted, and how many files and lines it has.

    Sides are the ids of commits or trees; `new` may be "index" or "working tree". `removed`: the
    lines are those that the old side has and the new one lacks.
    """

    old: str
    new: str
    removed: bool
    files: int
    lines: int


class Action(NamedTuple):
    """What may be asked next: the words after `git search`, and what they would show."""

    argv: tuple[str, ...]
    reason: str


class NearMiss(NamedTuple):
    """A filter that left nothing: its name, as it was asked, and the number of results without."""

    option: str
    shown: str
    results: int


class PrintedLines(Protocol):
    """Lines that exact text matches, in order, as `git grep -n` prints them."""

    def __call__(self, *, nul: bool) -> Iterator[tuple[bytes, memoryview]]:
        """Yield the path of a file, and neighbours in its lines with their paths and numbers.

        nul: a NUL stands after path and number instead of a colon.
        """


class Spans(Protocol):
    """Where in lines exact text matches."""

    def __call__(self, path: str, line: int) -> Sequence[tuple[int, int]]:
        """Return the byte offsets of starts and ends in a line of a file, ascending."""


class SearchReport(NamedTuple):
    """The answer to one query.

    `reason` says why its form asked for the mode, if it did. `page` knows the pages before, `more`
    says that further results follow, and `next` is the token for them. `left_out` is the number
    of results that did not fit into the budget of tokens. `changed` is None unless only changed
    lines were asked for. `results` may be made as they are asked for; `lines` are those that exact
    text matches, and `spans` says where in them. `repositories` are those that were searched, and
    `unsearched` those that were not; None unless others were asked for than that of the current
    folder. `read` says that the first results are in the order of the reader. `doubts` are the
    warnings that say why there may be no results.
    """

    text: str
    mode: str
    tree: TreeName
    coverage: Coverage
    results: Sequence[Result]
    counts: Sequence[FileCount]
    words: tuple[str, ...]
    respelt: tuple[Respelt, ...]
    warnings: tuple[str, ...]
    reason: str = ""
    page: Page | None = None
    more: bool = False
    left_out: int = 0
    next: str | None = None
    near_misses: tuple[NearMiss, ...] = ()
    actions: tuple[Action, ...] = ()
    changed: ChangedLines | None = None
    lines: PrintedLines | None = None
    spans: Spans | None = None
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()
    read: bool = False
    doubts: tuple[str, ...] = ()
