"""Reports of the verbs that maintain the index: index, status, hooks, verify, gc, share, sql.

Apart from the records of a search, which every search loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import Coverage, TreeName, UnsearchedRepository


class IndexReport(NamedTuple):
    """The work that `index` did or, with --dry-run, would do. Sizes in bytes, time in seconds.

    terms_embedded: None with --dry-run, which reads no file. files_known: those that were not
    parsed because the index of another clone had their facts.
    """

    tree: TreeName
    coverage: Coverage
    files_parsed: int
    terms_embedded: int | None
    bytes_read: int
    chunks: int
    seconds: float
    dry_run: bool
    warnings: tuple[str, ...]
    files_known: int = 0


class IndexedRepository(NamedTuple):
    """The work that `index --in` did in one repository."""

    repository: str
    tree: TreeName
    coverage: Coverage
    files_parsed: int
    files_known: int
    chunks: int


class IndexesReport(NamedTuple):
    """The work that `index --in` did, and what was not indexed; in seconds."""

    repositories: tuple[IndexedRepository, ...]
    unsearched: tuple[UnsearchedRepository, ...]
    seconds: float
    dry_run: bool
    warnings: tuple[str, ...]


class HookState(NamedTuple):
    """The state of the hook of one event.

    state: "config" (where: the scope), "file" or, not by us, "by-hand" (where: the file),
    "pre-commit" (where: the configuration) or "absent" (where: what is in the way, or "").
    """

    event: str
    state: str
    where: str


class FileSize(NamedTuple):
    """A file below .git/search and its size in bytes."""

    name: str
    bytes: int


class IndexedTree(NamedTuple):
    """A tree with a view, the bytes of the view, and the names of the tree."""

    tree: str
    bytes: int
    names: tuple[str, ...]


class SkippedFile(NamedTuple):
    """A file that is not searched, and why."""

    path: str
    reason: str


class Problem(NamedTuple):
    """A file below .git/search that is damaged, and how."""

    name: str
    problem: str


class DescriptionCounts(NamedTuple):
    """How many chunks have a description by `search.describeCommand`, and how many will be asked.

    refusal: why the command that is configured is not run; "" if it is.
    """

    described: int
    pending: int
    refusal: str


class StatusReport(NamedTuple):
    """The state of the index in plain figures; `updating`: ids of processes that are at work.

    descriptions: None where no command describes code.
    """

    tree: TreeName
    coverage: Coverage
    folder: str
    current: bool
    updating: tuple[int, ...]
    files: tuple[FileSize, ...]
    blobs: int
    chunks: int
    terms: int
    symbols: int
    views: tuple[IndexedTree, ...]
    model: str
    skipped: tuple[SkippedFile, ...]
    hooks: tuple[HookState, ...]
    warnings: tuple[str, ...]
    descriptions: DescriptionCounts | None = None


class HooksReport(NamedTuple):
    """The hooks that prepare the index, and the last lines of what they started."""

    hooks: tuple[HookState, ...]
    pending: bool
    log: tuple[str, ...]


class VerifyReport(NamedTuple):
    """Each file under .git/search, and what is wrong with which; no problems when all is well.

    leftovers: temporary files of writers that were killed; they are in nobody's way.
    """

    checked: tuple[FileSize, ...]
    problems: tuple[Problem, ...]
    leftovers: tuple[str, ...] = ()


class GcReport(NamedTuple):
    """The rows and files that `gc` dropped, and sizes in bytes."""

    blobs_dropped: int
    blobs_kept: int
    views_dropped: int
    bytes_before: int
    bytes_after: int


class ExportReport(NamedTuple):
    """The file that `share export` wrote. bytes: its size; blobs: how many it has; in seconds."""

    file: str
    trees: tuple[TreeName, ...]
    blobs: int
    bytes: int
    seconds: float
    warnings: tuple[str, ...]


class ExportedTree(NamedTuple):
    """The tables of one repository: how many rows each has, and bytes of all."""

    repository: str
    tree: TreeName
    rows: dict[str, int]
    bytes: int
    warnings: tuple[str, ...]


class TablesReport(NamedTuple):
    """The tables that `export` wrote to a folder, and what was not exported; in seconds."""

    folder: str
    repositories: tuple[ExportedTree, ...]
    unsearched: tuple[UnsearchedRepository, ...]
    seconds: float
    warnings: tuple[str, ...]


class ImportReport(NamedTuple):
    """What `share import` took from a file of this size in bytes; time in seconds.

    blobs: those of the file = added + known (recorded before) + dropped (not in this clone, or too
    large) + refused (their facts do not fit their text, so they were parsed); sampled: those that
    were parsed to check the file; files_parsed: those of HEAD that had to be parsed, refused ones
    included.
    """

    file: str
    trees: tuple[str, ...]
    blobs: int
    bytes: int
    added: int
    known: int
    dropped: int
    refused: int
    sampled: int
    files_parsed: int
    seconds: float
    warnings: tuple[str, ...]


class SqlReport(NamedTuple):
    """Columns and rows of a read-only query.

    repositories: those whose records were asked, and `unsearched` those that were not; None unless
    others were asked than that of the current folder.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    warnings: tuple[str, ...] = ()
    repositories: tuple[str, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()
