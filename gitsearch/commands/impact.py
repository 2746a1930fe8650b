"""`git search impact`: the dependents of files, symbols or a change, the likeliest first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import sides
from gitsearch.commands.runner_commands import runner_commands
from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import UsageError
from gitsearch.graph.likelihood import CERTAIN, LABELS, LIKELY, POSSIBLE
from gitsearch.reports.lookup import GraphChanges, ImpactReport, ImpactTarget, ScoredTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.code_graph import CodeGraph, Target
    from gitsearch.commands.likely_dependents import LikelyDependents
    from gitsearch.commands.ran_tests import RanTests
    from gitsearch.commands.repositories import Repository
    from gitsearch.commands.tree_comparison import TreeComparison
    from gitsearch.index.session import Session
    from gitsearch.settings import RepositoryNames


class ImpactRequest(NamedTuple):
    """Targets as written or a range of revisions, and limits of the answer.

    label: the least likely of "certain", "likely" and "possible" that is told. coverage: files
    that test runners wrote; recorded_at: the commit whose files they were run on, by default those
    of the tree, or of a change those before it.
    """

    targets: tuple[str, ...] = ()
    at: str | None = None
    cached: bool = False
    diff: str | None = None
    hops: int | None = None
    tests: str = "include"
    most: int | None = None
    label: str = POSSIBLE
    coverage: tuple[str, ...] = ()
    recorded_at: str | None = None


def impact(session: Session, request: ImpactRequest) -> ImpactReport:
    """The dependents of the targets, or without any, of a change: `diff`, or else what is staged.

    Raises BadPath for what the tree does not have.
    """
    if request.diff is not None or not request.targets:
        return _of_change(session, request)
    from gitsearch.commands.code_graph import open_code_graph

    return answer(
        open_code_graph(select_tree(session, at=request.at, cached=request.cached)), request
    )


def answer(code_graph: CodeGraph, request: ImpactRequest) -> ImpactReport:
    """The dependents of the targets in a tree that is opened; raises BadPath, BadCoverage."""
    from gitsearch.commands.likely_dependents import likely_dependents

    targets = [target for text in request.targets for target in code_graph.targets(text)]
    found = likely_dependents(code_graph, targets, request.hops)
    return _report(code_graph, targets, found, request, runs=_Runs(code_graph, targets))


def impact_in(session: Session, names: RepositoryNames, request: ImpactRequest) -> ImpactReport:
    """The same in many repositories: dependents in others are reached by packages they import.

    Raises BadPath if the targets are in none, and UsageError if they are in several.
    """
    from gitsearch.commands import repositories
    from gitsearch.commands.code_graph import open_code_graph
    from gitsearch.commands.likely_dependents import in_order, likely_dependents
    from gitsearch.commands.linked_dependents import linked_dependents
    from gitsearch.commands.linked_repositories import LinkedRepositories
    from gitsearch.commands.repository_answers import OpenedTree

    opened: dict[str, CodeGraph] = {}

    def open_tree(one: Repository) -> OpenedTree:
        opened[one.name] = open_code_graph(select_tree(one.session, at=one.at))
        return OpenedTree.of(opened[one.name].opened)

    answers = repositories.each(session, names, request.at, open_tree)
    placed = [repositories.holding(session, answers, target) for target in request.targets]
    if len({one.name for one, _ in placed}) > 1:
        raise UsageError("the paths are in several repositories", "name those of one")
    own = placed[0][0].name
    code_graph = opened[own]
    targets = [target for _, path in placed for target in code_graph.targets(path)]
    linked = LinkedRepositories(list(opened.items()))
    others = linked_dependents(linked, linked.names.index(own), targets, request.hops)
    found = likely_dependents(code_graph, targets, request.hops)
    files = [
        one._replace(repository=own, via=tuple(f"{own}:{path}" for path in one.via))
        for one in found.files
    ]
    found = found._replace(files=sorted([*files, *others], key=in_order))
    report = _report(code_graph, targets, found, request)
    return report._replace(repository=own, **repositories.merged(answers))


def _of_change(session: Session, request: ImpactRequest) -> ImpactReport:
    # what compares trees is imported only where there are two
    from gitsearch.commands.tree_comparison import compare, compare_staged

    if request.diff is None:
        change = compare_staged(session)
    else:
        base, head = sides(session, request.diff, "--diff")
        change = compare(*(select_tree(session, at=rev) for rev in (base, head)))
    targets = [*change.present, *change.gone]
    shown = change.dependents(request.hops)
    later = request.recorded_at is not None and (
        session.resolve(request.recorded_at).tree == change.new.opened.tree.tree
    )
    runs = _Runs(change.new, change.later) if later else _Runs(change.old, change.earlier)
    found = _report(change.new, targets, shown, request, _told(change), runs)
    return found._replace(changed=tuple(change.changed_definitions))


class _Runs(NamedTuple):
    """The tree whose files tests were run on, and the targets as they are called there."""

    code_graph: CodeGraph
    targets: Sequence[Target]


def _recorded(runs: _Runs, request: ImpactRequest) -> RanTests | None:
    """Return the tests that ran by data of test runners; None where none is given."""
    if not request.coverage:
        return None
    from gitsearch.commands.ran_tests import RanTests
    from gitsearch.git.tree_objects import entries_at

    ran = RanTests(runs.code_graph, request.coverage)
    if request.recorded_at is not None:
        session = runs.code_graph.opened.session
        tree = session.resolve(request.recorded_at).tree
        entries = entries_at(session.repo, tree, ran.paths)
        ran.ignore_changed({path: entry.oid for path, entry in entries.items()})
    return ran


def _report(
    code_graph: CodeGraph,
    targets: Sequence[Target],
    found: LikelyDependents,
    request: ImpactRequest,
    delta: GraphChanges | None = None,
    runs: _Runs | None = None,
) -> ImpactReport:
    ran = _recorded(runs, request) if runs else None
    if runs and ran:
        from gitsearch.commands.ran_tests import with_runs

        found = found._replace(files=with_runs(code_graph, runs.targets, found.files, ran))
    every = request.tests == "include"
    labels = LABELS[: LABELS.index(request.label) + 1]
    shown = [one for one in found.files if one.label in labels]
    chosen = [one for one in shown if every or one.test == (request.tests == "only")]
    kept = chosen[: request.most]
    files = [file for one in targets if (file := code_graph.graph.file(one.path)) >= 0]
    own_tests = sorted({code_graph.path(file) for file in files if code_graph.is_test(file)})
    tests = [ScoredTest(path, 1.0, CERTAIN) for path in own_tests]
    # those of other repositories are among the dependents: other commands run them
    tests += [
        ScoredTest(one.path, one.likelihood, one.label)
        for one in shown
        if one.test and one.package is None
    ]
    return ImpactReport(
        code_graph.opened.tree,
        code_graph.opened.view.coverage(),
        tuple(ImpactTarget(os.fsdecode(one.path), one.symbol) for one in targets),
        tuple(kept),
        tuple(test.path for test in tests),
        code_graph.unresolved,
        len(chosen) - len(kept),
        code_graph.opened.warnings,
        delta,
        tuple(tests),
        found.granularity,
        found.unlikely,
        commands=runner_commands(
            code_graph, [one.path for one in tests if one.label in (CERTAIN, LIKELY)]
        ),
        recorded=ran.summary if ran else None,
    )


def _told(change: TreeComparison) -> GraphChanges:
    """The changes of the graph, as they are reported."""
    delta = change.delta
    added, removed = delta.edges()
    gained, lost = delta.dependents([one.path for one in change.files])
    return GraphChanges(
        added=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in added),
        removed=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in removed),
        gained=tuple(map(os.fsdecode, gained)),
        lost=tuple(map(os.fsdecode, lost)),
        cycles=tuple(tuple(map(os.fsdecode, one)) for one in delta.cycles),
        dangling=tuple(broken for broken in change.broken_references if not broken.symbol),
        exports=tuple(change.exports()),
    )
