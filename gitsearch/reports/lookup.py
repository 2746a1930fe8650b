"""What verbs that look things up answer: definitions, references, impact, words, rules.

Apart from the records of a search, which every search loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import Coverage, TreeName


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


class UnresolvedImport(NamedTuple):
    """A place of which cannot be said what it depends on."""

    reason: str
    path: str
    line: int


class RemovedDefinition(NamedTuple):
    """A definition that is gone (`after` is empty) or has another signature, and who uses it."""

    path: str
    symbol: str
    before: str
    after: str
    users: tuple[tuple[str, int], ...]


class GraphChanges(NamedTuple):
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
    exports: tuple[RemovedDefinition, ...]


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
    unresolved: tuple[UnresolvedImport, ...]
    truncated: int
    warnings: tuple[str, ...]
    delta: GraphChanges | None = None


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


class ConventionFile(NamedTuple):
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
    files: tuple[ConventionFile, ...]
    owners: tuple[str, ...]
    warnings: tuple[str, ...]
