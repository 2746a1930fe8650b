"""`git search report`: the findings on a change."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import GitFailed, UsageError
from gitsearch.git import merge_bases
from gitsearch.git_conventions import MODE_SUBMODULE
from gitsearch.graph.likelihood import POSSIBLE
from gitsearch.reports.change import (
    ChangedFile,
    ChangeReport,
    ComparedTree,
    Place,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.commands.tree_comparison import TreeComparison
    from gitsearch.index.session import Session
    from gitsearch.records import Revision
    from gitsearch.reports.change import MissingCochange, Reviewer
    from gitsearch.reports.lookup import Dependent, RemovedDefinition

# The most entries of each part: the whole report must fit into one document.
MOST = {
    "changes": 1000,
    "dangling": 200,
    "exports": 100,
    "users": 20,
    "dependents": 500,
    "tests": 500,
    "cycles": 20,
    "copies": 50,
    "related": 10,
    "habits": 20,
    "unseen": 100,
}

# Notes on what could not be looked at; renderers say them in words.
SHALLOW, UNRELATED, SUBMODULES = "shallow", "unrelated", "submodules"
HISTORY, LARGE = "history", "large"

# Of dependents and tests that are possible only, so many are named.
_FEW = 20

# Changed files that others are compared with: a larger change resembles everything.
_MOST_COMPARED = 50

Part = TypeVar("Part")


class ReportRequest(NamedTuple):
    """A change: from the merge base of `base` and `head` to `head`, or what is staged.

    base: None for the main branch; check: only what the change breaks is looked for.
    """

    base: str | None = None
    head: str = "HEAD"
    cached: bool = False
    check: bool = False


def report(session: Session, request: ReportRequest) -> ChangeReport:
    """The report on a change; raises BadRevision where this clone lacks one of its ends."""
    from gitsearch.commands.tree_comparison import compare, compare_staged

    notes: tuple[str, ...] = ()
    if request.cached:
        change = compare_staged(session, near=request.check)
        commit, tree = change.new.opened.tree.commit, change.old.opened.tree.tree
        ends = ComparedTree("HEAD", commit, tree), ComparedTree("index", None, None)
    else:
        base, head, notes = _ends(session, request)
        old, new = (select_tree(session, at=end.commit or end.tree) for end in (base, head))
        change = compare(old, new, near=request.check)
        ends = ComparedTree(*base), ComparedTree(*head)
    summary = ChangeReport(
        *ends,
        recipe=_recipe(change),
        coverage=change.new.opened.view.coverage(),
        dangling=tuple(change.broken_references),
        notes=(*notes, *_submodules(change)),
    )
    return summary if request.check else _with_details(summary, change)


def _ends(session: Session, request: ReportRequest) -> tuple[Revision, Revision, tuple[str, ...]]:
    """Base and head as they are compared: the base is their merge base, if one is known."""
    head = session.resolve(request.head)
    name = request.base or merge_bases.usual_base(session.repo)
    if name is None:
        raise UsageError("no branch is known that this one was made from", "say --base <rev>")
    base = session.resolve(name)
    if base.commit is None or head.commit is None:
        return base, head, ()
    parted = merge_bases.parting(session.repo, base.commit, head.commit)
    if parted is None:
        return base, head, (SHALLOW if merge_bases.is_shallow(session.repo) else UNRELATED,)
    return session.resolve(parted)._replace(rev=name), head, ()


# ---------------------------------------------------------------- the parts


class _Limits:
    """Cuts each part to its limit, and counts what is left out."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def first(self, name: str, every: Sequence[Part], most: int | None = None) -> tuple[Part, ...]:
        """The entries of a part that are named: at most so many."""
        most = MOST[name] if most is None else min(most, MOST[name])
        self.left_out[name] += max(len(every) - most, 0)
        return tuple(every[:most])


def _likely(files: Sequence[Dependent]) -> int:
    """Return the number of dependents to name, the likeliest first: the likely ones, or a few."""
    return max(sum(file.label != POSSIBLE for file in files), _FEW)


def _with_details(summary: ChangeReport, change: TreeComparison) -> ChangeReport:
    """The report with what the change touches, forgot and repeats."""
    from gitsearch.commands.similar_code import copies_of, related_to
    from gitsearch.git.hunks import fresh_lines

    code_graph, limits = change.new, _Limits()
    opened, cached = code_graph.opened, code_graph.selection.cached
    repo, base = opened.session.repo, summary.base
    every_dependent = change.dependents().files
    dependents = limits.first("dependents", every_dependent, _likely(every_dependent))
    tests = [file for file in every_dependent if file.test]
    new_lines = fresh_lines(repo, base.tree, None if cached else opened.tree.tree, cached=cached)
    copies = copies_of(opened, new_lines)
    paths = [file.path for file in change.files]
    usual, knowing, cut_history = _from_history(summary, change, paths)
    return replace(
        summary,
        changes=limits.first("changes", _changes(change)),
        dangling=limits.first("dangling", summary.dangling),
        exports=tuple(
            lost._replace(users=limits.first("users", lost.users))
            for lost in limits.first("exports", _exports(change))
        ),
        dependents=dependents,
        components=_components(change, dependents),
        tests=limits.first("tests", [file.path for file in tests], _likely(tests)),
        cycles=limits.first(
            "cycles", [tuple(map(os.fsdecode, cycle)) for cycle in change.delta.cycles]
        ),
        copies=limits.first("copies", copies.found),
        related=limits.first("related", related_to(opened, _spans(new_lines), MOST["related"])),
        habits=limits.first("habits", usual),
        reviewers=knowing,
        unseen=limits.first("unseen", code_graph.unresolved),
        truncated={name: limits.left_out[name] for name in MOST if limits.left_out[name]},
        notes=(*summary.notes, *[LARGE] * bool(copies.left), *[HISTORY] * bool(cut_history)),
    )


def _from_history(
    summary: ChangeReport, change: TreeComparison, paths: Sequence[bytes]
) -> tuple[Sequence[MissingCochange], tuple[Reviewer, ...], bool]:
    """Files that usually change too, who could review, and whether history is missing."""
    from gitsearch.commands.reviewers import reviewers
    from gitsearch.git.cochange import habits

    repo, base, head = change.new.opened.session.repo, summary.base.commit, summary.head.commit
    if base is None:
        return (), (), False
    history = change.old.history
    try:
        usual = habits(repo, base, paths, history)
    except GitFailed:
        return (), (), True
    owned = all(change.new.owners.of(os.fsdecode(path)) for path in paths)
    known: tuple[Reviewer, ...] = ()
    if head is not None and not owned:
        with contextlib.suppress(GitFailed):
            known = reviewers(repo, base, head, history, paths)
    return usual, known, history.cut


def _spans(new_lines: Mapping[bytes, frozenset[int]]) -> list[Place]:
    """The new lines of each file as one place."""
    return [
        Place(os.fsdecode(path), min(lines), max(lines), None)
        for path, lines in sorted(new_lines.items())[:_MOST_COMPARED]
    ]


def _exports(change: TreeComparison) -> list[RemovedDefinition]:
    """The removed and changed definitions that unchanged files use."""
    touched = {os.fsdecode(file.path) for file in change.files}
    exports = []
    for lost in change.exports():
        users = tuple(use for use in lost.users if use[0] not in touched)
        if users:
            exports.append(lost._replace(users=users))
    return exports


def _changes(change: TreeComparison) -> list[ChangedFile]:
    moved = change.moved
    sources = set(moved.values())
    changes = []
    for file in change.files:
        path = os.fsdecode(file.path)
        if file.path in moved:
            changes.append(ChangedFile(path, "renamed", os.fsdecode(moved[file.path])))
        elif file.path not in sources:
            status = "added" if file.old is None else "deleted" if file.new is None else "modified"
            changes.append(ChangedFile(path, status))
    return changes


def _components(change: TreeComparison, dependents: Sequence[Dependent]) -> dict[str, str]:
    """The component of each of these files that is in one."""
    from gitsearch.graph.graph_metrics import metrics_of

    if not dependents:
        return {}
    code_graph = change.new
    shape = metrics_of(code_graph.opened.session, code_graph.graph)
    wanted = {os.fsencode(dependent.path) for dependent in dependents}
    numbers = zip(shape.code.paths, shape.arrays["component"].tolist(), strict=True)
    return {
        os.fsdecode(path): shape.names[number]
        for path, number in numbers
        if number >= 0 and path in wanted
    }


def _submodules(change: TreeComparison) -> list[str]:
    sides = [side for file in change.files for side in (file.old, file.new) if side]
    return [SUBMODULES] if any(side.mode == MODE_SUBMODULE for side in sides) else []


def _recipe(change: TreeComparison) -> str:
    """The versions of facts, views and graphs, and the settings, which decide what is found."""
    from gitsearch.graph.definition_cache import DEFINITIONS_VERSION
    from gitsearch.graph.graph_cache import GRAPH_VERSION
    from gitsearch.graph.graph_metrics import SHAPE_VERSION
    from gitsearch.index.versions import FACTS_VERSION, VIEW_VERSION

    graphs = (GRAPH_VERSION, SHAPE_VERSION, DEFINITIONS_VERSION)
    versions = (FACTS_VERSION, VIEW_VERSION, *graphs)
    return ".".join(map(str, versions)) + "-" + change.new.opened.session.store.recipe
