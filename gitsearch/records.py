"""The records that flow between the layers.

Named tuples: to define as many dataclasses would take 10 ms of every search.
"""

from __future__ import annotations

import stat
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# ---------------------------------------------------------------- git


class TreeEntry(NamedTuple):
    """One entry of a tree or of the index: raw path bytes, hex object id, mode (0o100644, ...)."""

    path: bytes
    oid: str
    mode: int

    @property
    def regular(self) -> bool:
        """Whether it is a file: no link and no submodule."""
        return stat.S_ISREG(self.mode)


class Change(NamedTuple):
    """One path that differs between two trees; `old` or `new` is None where it does not exist."""

    path: bytes
    old: TreeEntry | None
    new: TreeEntry | None


class Revision(NamedTuple):
    """A resolved revision: what was asked, the commit (None for a bare tree), the tree."""

    rev: str
    commit: str | None
    tree: str


class DirtyFile(NamedTuple):
    """A file of the working tree that differs from HEAD or the index, as the blob git would store.

    `data` is None where the path is gone from the working tree or where `skip` gives a reason.
    """

    path: bytes
    oid: str
    mode: int
    data: bytes | None
    skip: str | None = None


# ---------------------------------------------------------------- facts of one blob


class Chunk(NamedTuple):
    """A byte range [start, end) of a blob with its 1-based inclusive lines.

    `scope` is the index of the innermost definition that encloses the chunk's first byte of code
    without starting in it, or -1; `symbol` the index of the definition that the chunk is best
    named after (the first that starts in it, else the enclosing one), or -1.
    """

    start: int
    end: int
    first_line: int
    last_line: int
    scope: int
    symbol: int


class Definition(NamedTuple):
    """A named definition: byte range [start, end), 1-based inclusive lines, parent index or -1.

    `signature_end` is the byte where the signature ends (before the body).
    """

    name: str
    qualified: str
    kind: str
    signature: str
    doc: str
    start: int
    end: int
    signature_end: int
    first_line: int
    last_line: int
    parent: int


class Reference(NamedTuple):
    """A use of a name at a 1-based line; kind is call, type, or name."""

    name: str
    kind: str
    line: int


class Import(NamedTuple):
    """A raw import as written; kind is import, from, require, include, use, ...

    `names` are the imported names joined by commas (empty: the whole module); line is 1-based.
    """

    specifier: str
    kind: str
    names: str
    line: int


class Structure(NamedTuple):
    """What the syntax tree of one blob says besides its chunks, each in order of position."""

    definitions: tuple[Definition, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()


# ---------------------------------------------------------------- reports


class Coverage(NamedTuple):
    """How much of the tree is searchable; tracked = searchable + sum(skipped) + pending."""

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


class Result(NamedTuple):
    """One ranked chunk, as shown. `path` is relative to the repository root (surrogateescape).

    `legs` holds the 1-based rank in each leg or None; `context` is the line number and signature
    of the enclosing definition when the chunk starts below it, or None; `explain` holds named
    factors when asked for. `first_shown` is the line number of the first line of `text`, which
    differs from `start` when context lines were asked for.
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


class SearchReport(NamedTuple):
    """The answer to one query."""

    text: str
    mode: str
    tree: TreeName
    coverage: Coverage
    results: tuple[Result, ...]
    counts: tuple[tuple[str, int], ...]
    words: tuple[str, ...]
    warnings: tuple[str, ...]


class SymbolLine(NamedTuple):
    """One definition as `def` and `outline` list it; depth is its nesting level."""

    path: str
    line: int
    end: int
    kind: str
    name: str
    qualified: str
    signature: str
    doc: str
    language: str
    depth: int


class SymbolReport(NamedTuple):
    """The answer of `def` and `outline`."""

    asked: str
    tree: TreeName
    coverage: Coverage
    symbols: tuple[SymbolLine, ...]
    warnings: tuple[str, ...]


class Dependent(NamedTuple):
    """A file that depends on a target: `via` leads from it to the target, hops = len(via) - 1.

    label is "resolved" or "ambiguous"; kind and line are of the import, or of the use of a name,
    that leads to the next file; owners are those that CODEOWNERS names.
    """

    path: str
    hops: int
    via: tuple[str, ...]
    label: str
    kind: str
    line: int
    test: bool
    owners: tuple[str, ...]


class Dark(NamedTuple):
    """A place of which cannot be said what it depends on."""

    reason: str
    path: str
    line: int


class Lost(NamedTuple):
    """A definition that is gone (`after` is empty) or has another signature, and who uses it."""

    path: str
    symbol: str
    before: str
    after: str
    users: tuple[tuple[str, int], ...]


class ImpactDelta(NamedTuple):
    """What a change does to the graph.

    added, removed: edges, the importing path first; gained, lost: dependents of the changed files;
    cycles: files that now import each other in a circle; dangling: path, line, specifier and the
    path that it led to.
    """

    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    dangling: tuple[tuple[str, int, str, str], ...]
    exports: tuple[Lost, ...]


class ImpactReport(NamedTuple):
    """What depends on the targets: paths, each with a symbol or None; `tests` are to be run.

    truncated counts the dependents that were left out because so many were asked for; delta is
    there where the targets are those of a change.
    """

    tree: TreeName
    coverage: Coverage
    targets: tuple[tuple[str, str | None], ...]
    dependents: tuple[Dependent, ...]
    tests: tuple[str, ...]
    unseen: tuple[Dark, ...]
    truncated: int
    warnings: tuple[str, ...]
    delta: ImpactDelta | None = None


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
