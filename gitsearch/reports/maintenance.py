"""What verbs that look after the index report: index, status, hooks, verify, gc, sql.

Apart from the records of a search, which every search loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import Coverage, TreeName


class IndexReport(NamedTuple):
    """What `index` did or, with --dry-run, would do. Sizes in bytes, time in seconds."""

    tree: TreeName
    coverage: Coverage
    files_parsed: int
    terms_embedded: int
    bytes_read: int
    chunks: int
    seconds: float
    dry_run: bool
    warnings: tuple[str, ...]


class HookState(NamedTuple):
    """Where the hook of one event is.

    state: "config" (where: the scope), "file" (where: the file), "pre-commit" (where: the
    configuration) or "absent" (where: what is in the way of installing it, or "").
    """

    event: str
    state: str
    where: str


class StatusReport(NamedTuple):
    """The state of the index in plain figures; a view is a tree, its bytes, and its names."""

    tree: TreeName
    coverage: Coverage
    folder: str
    current: bool
    files: tuple[tuple[str, int], ...]
    blobs: int
    chunks: int
    terms: int
    symbols: int
    views: tuple[tuple[str, int, tuple[str, ...]], ...]
    model: str
    skipped: tuple[tuple[str, str], ...]
    hooks: tuple[HookState, ...]
    warnings: tuple[str, ...]


class HooksReport(NamedTuple):
    """The hooks that prepare the index, and the last lines of what they started."""

    hooks: tuple[HookState, ...]
    pending: bool
    log: tuple[str, ...]


class VerifyReport(NamedTuple):
    """Each file under .git/search, and what is wrong with which; no problems when all is well."""

    checked: tuple[tuple[str, int], ...]
    problems: tuple[tuple[str, str], ...]


class GcReport(NamedTuple):
    """What `gc` dropped: rows, files, bytes freed."""

    blobs_dropped: int
    blobs_kept: int
    views_dropped: int
    bytes_before: int
    bytes_after: int


class SqlReport(NamedTuple):
    """Columns and rows of a read-only query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
