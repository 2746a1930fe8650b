"""Reports made by hand, to be rendered."""

from __future__ import annotations

from itertools import starmap
from typing import Any

from gitsearch.reports.change import (
    ChangedFile,
    ChangeReport,
    ComparedTree,
    Copy,
    DupReport,
    MissingCochange,
    Place,
    RelatedReport,
    Reviewer,
    Similar,
)
from gitsearch.reports.context import ContextItem, ContextQuery, ContextReport, TokenBudget
from gitsearch.reports.history import (
    BlamedLines,
    ChangedTogether,
    CommitShare,
    CommitWindow,
    Expert,
    ExpertsReport,
    FoundCommit,
    HistoryReport,
    RelatedCommit,
    RemovedCode,
    RemovedReport,
    TogetherReport,
    WhyReport,
)
from gitsearch.reports.lookup import (
    BrokenReference,
    ConventionFile,
    ConventionsReport,
    Dependent,
    ExistsReport,
    PathLine,
    RemovedDefinition,
    SymbolLine,
    SymbolReport,
    UnresolvedImport,
    WordProof,
)
from gitsearch.reports.overview import (
    ArchitectureReport,
    Component,
    MapReport,
    Module,
    Need,
    Role,
    SignatureLine,
)
from gitsearch.reports.search import Coverage, FileCount, Result, SearchReport, TreeName

TREE = TreeName("HEAD", "c" * 40, "d" * 40, 2)
COVERAGE = Coverage(12, 9, {"binary": 2, "generated": 0, "too-large": 1}, 0)

RETRY = Result(
    rank=1,
    path="src/retry.py",
    start=10,
    end=12,
    blob="b" * 40,
    language="python",
    kind="method",
    symbol="Policy.retries",
    score=0.9312345678,
    legs={"lexical": 1, "dense": 3, "symbol": None},
    confidence="high",
    text="    def retries(self):\n        # where retries are configured\n        return 3",
    signature="def retries(self):",
    context=(4, "class Policy:"),
    first_shown=10,
    explain={"definition": 1.5},
)
SAME_FILE = RETRY._replace(
    rank=2, start=30, end=31, first_shown=30, text="x = 1\ny = 2", context=None, symbol=None
)
OTHER_FILE = RETRY._replace(rank=3, path="docs/a b.md", symbol=None, context=None, signature="")


def found(*results: Result, **changes: Any) -> SearchReport:
    """The report of a search with these results."""
    counts: dict[str, int] = {}
    for result in results:
        counts[result.path] = counts.get(result.path, 0) + 1
    report = SearchReport(
        text="where are retries configured",
        mode="hybrid",
        tree=TREE,
        coverage=COVERAGE,
        results=results,
        counts=tuple(starmap(FileCount, counts.items())),
        words=("where", "are", "retries", "configured"),
        respelt=(),
        warnings=(),
    )
    return report._replace(**changes)


def symbols(*lines: SymbolLine, **changes: Any) -> SymbolReport:
    """The report of `def` or `outline`."""
    return SymbolReport("retries", TREE, COVERAGE, lines, ())._replace(**changes)


THERE = WordProof("retries", True, "search", "src/retry.py", 10)
MISSING = WordProof("nowhere", exists=False, proof="filter")


def existence(*words: WordProof, **changes: Any) -> ExistsReport:
    """The report of `exists`."""
    return ExistsReport(TREE, COVERAGE, words, {}, ())._replace(**changes)


RULES = ConventionFile(
    "CLAUDE.md", "agents", "Claude Code", "", True, 40, "# Rules\n\n## Build\n\nmake\n\n## Test\n"
)


def rules(*files: ConventionFile, **changes: Any) -> ConventionsReport:
    """The report of `conventions`."""
    return ConventionsReport(None, TREE, files, (), ())._replace(**changes)


CLASS = SymbolLine(
    "src/retry.py", 4, 40, "class", "Policy", "Policy", "class Policy:", "", "python", 0
)
METHOD = SymbolLine(
    "src/retry.py",
    10,
    12,
    "method",
    "retries",
    "Policy.retries",
    "def retries(self):",
    "How often.",
    "python",
    1,
)

_POLICY = SignatureLine(4, "class Policy")
CHART = MapReport(
    tree=TREE,
    coverage=COVERAGE,
    paths=("src",),
    query="retries",
    budget=2000,
    tokens=40,
    files=9,
    modules=(
        Module("src/retry.py", "python", "core", 0.25, "Tries again.", (_POLICY,)),
        Module("src/a b.py", "python", "core", 0.125, "", ()),
        Module("src/c.py", "python", "peripheral", 0.0625, "", ()),
    ),
    left_out=6,
    too_large=("src/large.py",),
    warnings=(),
)
ARCHITECTURE = ArchitectureReport(
    tree=TREE,
    coverage=COVERAGE,
    components=(
        Component("src", 8, 0, ("src/retry.py",), ()),
        Component("app", 2, 1, ("app/main.py",), (Need("src", 3),)),
    ),
    files=(
        Role("app/main.py", "entry", "app", 0, 3),
        Role("src/retry.py", "leaf", "src", 3, 0),
        Role("src/y.py", "leaf", "src", 2, 0),
        Role("src/log.py", "hub", "src", 7, 5),
        Role("src/net.py", "hub", "src", 6, 4),
        Role("src/text.py", "hub", "src", 8, 6),
        Role("src/x.py", "peripheral", None, 0, 0),
        Role("src/c.py", "peripheral", "src", 1, 1),
        Role("src/d.py", "peripheral", "src", 1, 1),
        Role("src/z.py", "peripheral", None, 0, 0),
        Role("src/w.py", "peripheral", None, 0, 0),
    ),
    cycles=(("src/c.py", "src/d.py"), ("src/log.py", "src/net.py", "src/text.py")),
    aside=6,
    warnings=(),
)


OLD = Similar("src/a b.py", 3, 9, "load", 0.91234, {"shape": 1.0, "names": 0.5, "renamed": 1.0})
RELATED = RelatedReport(TREE, COVERAGE, Place("src/new.py", 1, 20, None), (OLD,), ())
HISTORY = HistoryReport(
    "pause",
    "HEAD",
    "d" * 40,
    CommitWindow(50, 50000, cut=False),
    0,
    True,
    (
        FoundCommit(
            *(1, "a" * 40, "2023-11-14T22:13:20+00:00", "Ann", "Cap the pause", ("#7",)),
            *("src/a.py", 2, 3, 0.0156, {"lexical": 1, "dense": 2, "names": None}),
            "-    pause = 2\n+    pause = min(2, 60)\n+    return pause",
        ),
        FoundCommit(
            *(2, "b" * 40, "2022-01-02T00:00:00+00:00", "Bob", "Merge", (), None, 0, 0, 0.01),
            *({"lexical": None, "dense": 1, "names": None}, ""),
        ),
    ),
    ("pause",),
    (),
)
REMOVED = RemovedReport(
    "pause",
    HISTORY.rev,
    "c" * 40,
    *HISTORY[3:6],
    (
        RemovedCode(
            *(1, "a" * 40, "2023-11-14T22:13:20+00:00", "Ann", "Clean up", (), "src/a.py"),
            *(1, 2, "b" * 40, "src/new.py", 0.5, "def pause():\n    return 2"),
        ),
    ),
    ("pause",),
    (),
)
TOGETHER = TogetherReport(
    TREE,
    "src/a.py",
    7,
    (
        ChangedTogether("tests/test_a.py", 0.845154, 5, 5),
        ChangedTogether("src/b c.py", 0.377964, 2, 4),
    ),
    90,
    (),
)
WHY = WhyReport(
    TREE,
    BlamedLines("src/a.py", 3, 10, "wait"),
    (
        CommitShare(
            *("a" * 40, 0.75, 6, "2023-11-14T22:13:20+00:00", "Ann", "Cap the pause", ("#7",)),
            *("src/a.py", False),
        ),
        CommitShare(
            *("b" * 40, 0.125, 1, "2022-01-02T00:00:00+00:00", "Bob", "Add it (#1)", ("#1",)),
            *("src/old.py", True),
        ),
    ),
    (RelatedCommit("c" * 40, 0.4, "2021-03-04T00:00:00+00:00", "Cem", "Document the pause", ()),),
    1,
    0,
    (),
)
EXPERTS = ExpertsReport(
    "pauses",
    None,
    TREE,
    (
        Expert("Ann", "ann@x.org", 0.75, 12, 1, "2023-11-14T22:13:20+00:00"),
        Expert("Bob", "bob@x.org", 0.25, 1, 0, None),
    ),
    *(50, 40, 13, 1, 2000),
    (),
)
DUP = DupReport(TREE, COVERAGE, 4, (Copy(Place("src/new.py", 12, 18, "fetch"), OLD),), ())


def pull(*names: str, **changes: Any) -> ChangeReport:
    """A report on a change in which each of these names stands wherever a name can stand."""
    places = tuple(Place(name, 3, 9, name) for name in names)
    alike = tuple(Similar(name, 3, 9, name, 0.875, {"terms": 0.5}) for name in names)
    parts: dict[str, Any] = {
        "base": ComparedTree("main", "a" * 40, "b" * 40),
        "head": ComparedTree("topic", "c" * 40, "d" * 40),
        "recipe": "1.1.1-abcdef01",
        "coverage": COVERAGE,
        "changes": tuple(ChangedFile(name, "modified") for name in names),
        "dangling": tuple(
            BrokenReference(name, 7, name, name, symbol)
            for name in names
            for symbol in (None, name)
        ),
        "exports": tuple(
            RemovedDefinition(name, name, change, name, after, (PathLine(name, 2),) * 6)
            for name in names
            for change, after in (("removed", None), ("changed", name))
        ),
        "dependents": tuple(
            Dependent(n, 2, (n, n, n), "ambiguous", "import", 5, True, (n,)) for n in names
        ),
        "components": {name: name for name in names},
        "tests": names,
        "cycles": tuple((name, name) for name in names),
        "copies": tuple(Copy(p, one) for p, one in zip(places, alike, strict=True)),
        "related": alike,
        "habits": tuple(MissingCochange(name, name, 7, 9) for name in names),
        "reviewers": tuple(Reviewer(name, 0.75, 12, 1) for name in names),
        "unseen": tuple(UnresolvedImport("dynamic-import", name, 4) for name in names),
        "truncated": {},
        "notes": (),
        **changes,
    }
    return ChangeReport(**parts)


CONTEXT = ContextReport(
    ContextQuery("retry later"),
    TREE,
    COVERAGE,
    TokenBudget(400, 99, 2),
    (
        ContextItem(
            *("place", "src/a b.py", 10, 12, "Policy.retries", "has retry", "code"),
            "    def retries(self):\n\n        return 3\x1b",
            (4, "class Policy"),
        ),
        ContextItem("place", "src/c.py", 3, 9, "wait", "has later", "signature", "def wait(n)"),
        ContextItem("test", "tests/test_c.py", 1, 1, None, "named like src/c.py"),
    ),
    ("half of the files",),
)
