"""What the commands answer, as the renderers take it.

Named tuples, as the records are.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


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


class Respelt(NamedTuple):
    """A word of a query that the tree does not have, and what was searched for in its place."""

    asked: str
    taken: str


class SearchReport(NamedTuple):
    """The answer to one query."""

    text: str
    mode: str
    tree: TreeName
    coverage: Coverage
    results: tuple[Result, ...]
    counts: tuple[tuple[str, int], ...]
    words: tuple[str, ...]
    respelt: tuple[Respelt, ...]
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


class ReferenceLine(NamedTuple):
    """A use of a name; `target` is where the one definition stands that is meant, or None.

    label is "resolved", "ambiguous" (several definitions are reached by imports) or "by-name".
    """

    path: str
    line: int
    kind: str
    label: str
    target: tuple[str, int] | None
    text: str


class ReferenceReport(NamedTuple):
    """The answer of `refs`."""

    name: str
    tree: TreeName
    coverage: Coverage
    references: tuple[ReferenceLine, ...]
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


class WordProof(NamedTuple):
    """Whether a word is in the tree, and what says so.

    proof: "filter" (the bloom filter has it not), "search" (the text was looked at) or "none"
    (asked to be quick). `line` is None in a binary file, `path` where nothing was looked at.
    """

    word: str
    exists: bool
    proof: str
    path: str | None = None
    line: int | None = None


class ExistsReport(NamedTuple):
    """The answer of `exists`; `unseen` counts files that were not looked at, by reason."""

    tree: TreeName
    coverage: Coverage
    words: tuple[WordProof, ...]
    unseen: dict[str, int]
    warnings: tuple[str, ...]


class RuleText(NamedTuple):
    """A file with rules for contributors: what kind, whose, for which folder ("": for all).

    `size` and `text` are None where the file was not read; `link` is the target of a link.
    """

    path: str
    kind: str
    tool: str
    scope: str
    prose: bool
    size: int | None
    text: str | None
    link: str | None = None


class ConventionsReport(NamedTuple):
    """The answer of `conventions`, for the path `asked` (None: for all) with its owners."""

    asked: str | None
    tree: TreeName
    files: tuple[RuleText, ...]
    owners: tuple[str, ...]
    warnings: tuple[str, ...]


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
