"""Answers of the verbs that look things up: definitions, references, impact, words, rules.

Apart from the records of a search, which every search loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gitsearch.reports.search import (
        Coverage,
        SearchedRepository,
        TreeName,
        UnsearchedRepository,
    )


class SymbolLine(NamedTuple):
    """One definition as `def` and `outline` list it; depth is its nesting level.

    repository: its name where several are asked, here and in other entries.
    """

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
    repository: str | None = None


class SymbolReport(NamedTuple):
    """The answer of `def` and `outline`.

    truncated: the definitions that were left out because so many were asked for. repositories:
    those that answer, and `unsearched` those that do not; None unless others were asked for than
    that of the current folder.
    """

    asked: str
    tree: TreeName
    coverage: Coverage
    symbols: tuple[SymbolLine, ...]
    warnings: tuple[str, ...]
    truncated: int = 0
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


class PathLine(NamedTuple):
    """A line of a file."""

    path: str
    line: int


class ImportedPackage(NamedTuple):
    """A package by whose name another repository is reached; manifest: the path of what names it.

    repository: the one that publishes it.
    """

    name: str
    manifest: str
    repository: str | None


class ReferenceLine(NamedTuple):
    """A use of a name; `target` is where the one definition stands that is meant, or None.

    label is "resolved", "ambiguous" (several definitions are reached by imports) or "by-name".
    package: that by which a target in another repository is reached, the first of several.
    """

    path: str
    line: int
    kind: str
    label: str
    target: PathLine | None
    text: str
    repository: str | None = None
    package: ImportedPackage | None = None


class ReferenceReport(NamedTuple):
    """The answer of `refs`; truncated and repositories as in SymbolReport."""

    name: str
    tree: TreeName
    coverage: Coverage
    references: tuple[ReferenceLine, ...]
    warnings: tuple[str, ...]
    truncated: int = 0
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


class ImpactStep(NamedTuple):
    """A step on the way from a dependent to a target: what leads from a definition to the next.

    symbol: the definition, None for the code of a file outside of all; kind: a kind of edge of
    `graph.definition_graph`; factor: what the likelihood is multiplied with.
    """

    path: str
    symbol: str | None
    line: int
    kind: str
    factor: float


class ImpactEvidence(NamedTuple):
    """Evidence besides the graph that a change of `path`, a target, concerns a file.

    kind: "changed-together" (in `together` of the `times` that `path` changed), "name" (words in
    common), "folder", or "ran": a test was recorded to run it; share: from 0 to 1, how often such
    a file is concerned. "mentions": a test has words of the target; share: how many, by weight.
    "similar": a place in a test is like the target; share: the cosine of the nearest one.
    """

    kind: str
    path: str
    share: float
    together: int = 0
    times: int = 0


class Dependent(NamedTuple):
    """A file that depends on a target: `via` leads from it to the target, hops = len(via) - 1.

    resolution is "resolved" or "ambiguous"; kind and line are of the import, or of the use of a
    name, that leads to the next file; owners are those that CODEOWNERS names. likelihood, from 0
    to 1, is that of running what changed; label is "certain", "likely" or "possible"; support is
    the sum of the likelihoods of all definitions of the file; reasons are the steps whose factors
    the likelihood is the product of before the evidence, none where only imports of files are
    known. A test that nothing but evidence leads to has the kind of the strongest evidence.
    Where several repositories are asked, paths in `via` are after the name of theirs and a colon,
    and package is the one by which another repository reaches the next one on that way.
    """

    path: str
    hops: int
    via: tuple[str, ...]
    resolution: str
    kind: str
    line: int
    test: bool
    owners: tuple[str, ...]
    likelihood: float = 0.0
    label: str = "possible"
    support: float = 0.0
    reasons: tuple[ImpactStep, ...] = ()
    evidence: tuple[ImpactEvidence, ...] = ()
    repository: str | None = None
    package: ImportedPackage | None = None


class UnresolvedImport(NamedTuple):
    """A place whose dependencies are unknown, and why."""

    reason: str
    path: str
    line: int


class BrokenReference(NamedTuple):
    """A broken import, or a use of a `symbol` that its `target` no longer defines.

    target: the path that it led to; symbol: None if all of the target is gone.
    """

    path: str
    line: int
    specifier: str
    target: str
    symbol: str | None = None


class RemovedDefinition(NamedTuple):
    """A definition that is "removed" or "changed" (its signature, then `after`), and its users."""

    path: str
    symbol: str
    change: str
    before: str
    after: str | None
    users: tuple[PathLine, ...]


class GraphChanges(NamedTuple):
    """The differences between the graphs before and after a change.

    added, removed: edges, the importing path first; gained, lost: dependents of the changed files;
    cycles: files that now import each other in a circle; dangling: broken imports.
    """

    added: tuple[tuple[str, str], ...]
    removed: tuple[tuple[str, str], ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    dangling: tuple[BrokenReference, ...]
    exports: tuple[RemovedDefinition, ...]


class ImpactTarget(NamedTuple):
    """A file, or a symbol in it."""

    path: str
    symbol: str | None


class ChangedDefinition(NamedTuple):
    """A definition whose code changed: "new", "removed", its "signature" or only its "body"."""

    path: str
    symbol: str
    change: str


class RecordedRuns(NamedTuple):
    """What data of test runners told: `data` are its files, `tests` the test files that it names.

    files: of how many files of the tree it says which tests ran their lines; other_tests: names
    that mean no one test file of the tree; other_files: paths that are not in the tree;
    other_content: files that had another content when it was recorded, for which it was ignored.
    """

    data: tuple[str, ...]
    tests: int
    files: int
    other_tests: tuple[str, ...] = ()
    other_files: tuple[str, ...] = ()
    other_content: tuple[str, ...] = ()


class ScoredTest(NamedTuple):
    """A test to run; label is "certain", "likely" or "possible"."""

    path: str
    likelihood: float
    label: str


class ImpactReport(NamedTuple):
    """The dependents of the targets, the likeliest first; `tests` are those among both.

    truncated counts the dependents that were left out because so many were asked for; delta is
    there where the targets are those of a change. granularity is "definitions" or, where a target
    is in a language of which the uses of definitions are not known, "files"; unlikely counts files
    that import a target, directly or not, and are no dependents because nothing says that they
    run it; changed are the definitions that a change begins at, where they are known; commands
    run the tests that are certain or likely; recorded is there where data of test runners was
    given. repository: where several are asked, that of the targets, of `tests` and of `unseen`;
    repositories as in SymbolReport.
    """

    tree: TreeName
    coverage: Coverage
    targets: tuple[ImpactTarget, ...]
    dependents: tuple[Dependent, ...]
    tests: tuple[str, ...]
    unseen: tuple[UnresolvedImport, ...]
    truncated: int
    warnings: tuple[str, ...]
    delta: GraphChanges | None = None
    tests_scored: tuple[ScoredTest, ...] = ()
    granularity: str = "definitions"
    unlikely: int = 0
    changed: tuple[ChangedDefinition, ...] = ()
    commands: tuple[str, ...] = ()
    recorded: RecordedRuns | None = None
    repository: str | None = None
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


class WordProof(NamedTuple):
    """The proof that a word is in the tree or not.

    proof: "filter" (the bloom filter has it not), "search" (the text was looked at) or "none"
    (asked to be quick). `line` is None in a binary file, `path` where nothing was looked at.
    """

    word: str
    exists: bool
    proof: str
    path: str | None = None
    line: int | None = None
    repository: str | None = None


class ExistsReport(NamedTuple):
    """The answer of `exists`; `unseen` counts files that were not looked at, by reason.

    Of several repositories there is an entry for each that has a word, and one for a word that
    none has. repositories: as in SymbolReport.
    """

    tree: TreeName
    coverage: Coverage
    words: tuple[WordProof, ...]
    unseen: dict[str, int]
    warnings: tuple[str, ...]
    repositories: tuple[SearchedRepository, ...] | None = None
    unsearched: tuple[UnsearchedRepository, ...] = ()


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
