"""`git search report`: what a change breaks, touches, forgot and repeats."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import BadRevision, UsageError
from gitsearch.git import merge_bases
from gitsearch.git_conventions import MODE_SUBMODULE
from gitsearch.reports.change import (
    BrokenReference,
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
    from gitsearch.reports.lookup import Dependent, RemovedDefinition

# At most so many of each part are named: more is not read, and all must fit into one document.
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

# What a note says is told where it is shown.
SHALLOW, UNRELATED, SUBMODULES = "shallow", "unrelated", "submodules"
HISTORY, LARGE = "history", "large"

# Files of a change that others are compared with: a larger change is like everything.
_LOOKED = 50


class ReportRequest(NamedTuple):
    """Which change: from where `head` parted from `base` (None: the usual one), or what is staged.

    check: only what the change breaks is looked for.
    """

    base: str | None = None
    head: str = "HEAD"
    cached: bool = False
    check: bool = False


def report(session: Session, request: ReportRequest) -> ChangeReport:
    """The report on a change; raises BadRevision where this clone lacks one of its ends."""
    from gitsearch.commands.tree_comparison import compare, compare_staged

    if request.cached:
        change = compare_staged(session, near=request.check)
        commit = change.new.opened.tree.commit
        base = ComparedTree("HEAD", commit, change.old.opened.tree.tree)
        return _told(change, base, ComparedTree("index", None, None), (), request)
    first, second, notes = _ends(session, request)
    asked = (select_tree(session, at=one.commit or one.tree) for one in (first, second))
    base, head = (ComparedTree(one.rev, one.commit, one.tree) for one in (first, second))
    return _told(compare(*asked, near=request.check), base, head, notes, request)


def _ends(session: Session, request: ReportRequest) -> tuple[Revision, Revision, tuple[str, ...]]:
    """Base and head as they are compared: the base is where the head parted from it, if known."""
    head = _resolved(session, request.head)
    name = request.base or merge_bases.usual_base(session.repo)
    if name is None:
        raise UsageError("no branch is known that this one was made from", "say --base <rev>")
    base = _resolved(session, name)
    if base.commit is None or head.commit is None:
        return base, head, ()
    parted = merge_bases.parting(session.repo, base.commit, head.commit)
    if parted is None:
        return base, head, (SHALLOW if merge_bases.is_shallow(session.repo) else UNRELATED,)
    return session.resolve(parted)._replace(rev=name), head, ()


def _resolved(session: Session, rev: str) -> Revision:
    try:
        return session.resolve(rev)
    except BadRevision as error:
        raise merge_bases.absent(session.repo, rev, error) from None


# ---------------------------------------------------------------- what is told


def _told(
    change: TreeComparison,
    base: ComparedTree,
    head: ComparedTree,
    notes: Sequence[str],
    request: ReportRequest,
) -> ChangeReport:
    parts: dict[str, Sequence[Any]] = dict.fromkeys(MOST, ())
    parts["dangling"] = _dangling(change)
    if not request.check:
        parts |= _more(change, base)
    users = parts.pop("users")
    more = parts.pop("notes", ())
    # what a change breaks is all told where nothing else is
    most = {name: None if request.check else MOST[name] for name in parts}
    kept = {name: tuple(every[: most[name]]) for name, every in parts.items()}
    truncated = {name: len(every) - len(kept[name]) for name, every in parts.items()}
    truncated["users"] = sum(users)
    return ChangeReport(
        base=base,
        head=head,
        recipe=_recipe(change),
        coverage=change.new.opened.view.coverage(),
        components=_components(change, kept["dependents"]),
        truncated={name: count for name, count in truncated.items() if count > 0},
        notes=(*notes, *_notes(change), *more),
        **kept,
    )


def _more(change: TreeComparison, base: ComparedTree) -> dict[str, Sequence[Any]]:
    """What a change touches, forgot and repeats; `users`: how many of each export are left out."""
    told = change.dependents()
    exports = _exports(change)
    return {
        "changes": _changes(change),
        "exports": [one._replace(users=one.users[: MOST["users"]]) for one in exports],
        "users": [max(len(one.users) - MOST["users"], 0) for one in exports],
        "dependents": told,
        "tests": [one.path for one in told if one.test],
        "cycles": [tuple(map(os.fsdecode, one)) for one in change.delta.cycles],
        "unseen": change.new.unresolved,
        **_alike(change, base),
    }


def _alike(change: TreeComparison, base: ComparedTree) -> dict[str, Sequence[Any]]:
    """What exists already, what is like the change, and what history says of it."""
    from gitsearch.commands.similar_code import copies_of, related_to
    from gitsearch.git.cochange import habits
    from gitsearch.git.hunks import fresh_lines

    code_graph = change.new
    repo, opened = code_graph.opened.session.repo, code_graph.opened
    cached = code_graph.selection.cached
    fresh = fresh_lines(repo, base.tree, None if cached else opened.tree.tree, cached=cached)
    copies = copies_of(opened, fresh)
    paths = [one.path for one in change.files]
    usual, cut = habits(repo, base.commit, paths) if base.commit else ([], None)
    notes = [LARGE] * bool(copies.left) + [HISTORY] * (cut is not None)
    return {
        "copies": copies.found,
        "related": related_to(opened, _spans(fresh), MOST["related"]),
        "habits": usual,
        "notes": notes,
    }


def _spans(fresh: Mapping[bytes, frozenset[int]]) -> list[Place]:
    """The new lines of each file as one place."""
    return [
        Place(os.fsdecode(path), min(lines), max(lines), None)
        for path, lines in sorted(fresh.items())[:_LOOKED]
    ]


def _dangling(change: TreeComparison) -> list[BrokenReference]:
    return [
        BrokenReference(
            os.fsdecode(one.path), one.line, one.specifier, os.fsdecode(one.target), one.symbol
        )
        for one in change.dangling()
    ]


def _exports(change: TreeComparison) -> list[RemovedDefinition]:
    """The definitions that are gone or changed and that files use which the change left alone."""
    touched = {os.fsdecode(one.path) for one in change.files}
    found = []
    for one in change.exports():
        users = tuple(use for use in one.users if use[0] not in touched)
        if users:
            found.append(one._replace(users=users))
    return found


def _changes(change: TreeComparison) -> list[ChangedFile]:
    moved = change.moved
    sources = set(moved.values())
    found = []
    for one in change.files:
        path = os.fsdecode(one.path)
        if one.path in moved:
            found.append(ChangedFile(path, "renamed", os.fsdecode(moved[one.path])))
        elif one.path not in sources:
            status = "added" if one.old is None else "deleted" if one.new is None else "modified"
            found.append(ChangedFile(path, status))
    return found


def _components(change: TreeComparison, dependents: Sequence[Dependent]) -> dict[str, str]:
    """The component of each of these files that is in one."""
    from gitsearch.graph.graph_metrics import metrics_of

    if not dependents:
        return {}
    code_graph = change.new
    shape = metrics_of(code_graph.opened.session, code_graph.graph)
    wanted = {os.fsencode(one.path) for one in dependents}
    numbers = zip(shape.code.paths, shape.arrays["component"].tolist(), strict=True)
    return {
        os.fsdecode(path): shape.names[number]
        for path, number in numbers
        if number >= 0 and path in wanted
    }


def _notes(change: TreeComparison) -> list[str]:
    modules = [one for one in change.files if MODE_SUBMODULE in {s.mode for s in one[1:] if s}]
    return [SUBMODULES] if modules else []


def _recipe(change: TreeComparison) -> str:
    """What decides what is found: versions of facts, views, graphs and shapes, and settings."""
    from gitsearch.graph.graph_cache import GRAPH_VERSION
    from gitsearch.graph.graph_metrics import SHAPE_VERSION
    from gitsearch.index.versions import FACTS_VERSION, VIEW_VERSION

    versions = (FACTS_VERSION, VIEW_VERSION, GRAPH_VERSION, SHAPE_VERSION)
    return ".".join(map(str, versions)) + "-" + change.new.opened.session.store.recipe
