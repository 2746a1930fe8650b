"""`git search impact`: what depends on files, symbols or a change, nearest first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.asking import ask
from gitsearch.commands.ranges import sides
from gitsearch.reports import Dependent, ImpactDelta, ImpactReport, Lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gitsearch.commands.scene import Scene, Target
    from gitsearch.graph.backwards import Names
    from gitsearch.graph.delta import Delta
    from gitsearch.settings import Progress


class Request(NamedTuple):
    """What is asked: targets as written or a range, how far, which and how many to list."""

    targets: tuple[str, ...] = ()
    at: str | None = None
    cached: bool = False
    diff: str | None = None
    hops: int | None = None
    tests: str = "include"
    most: int | None = None


def impact(cwd: Path, request: Request, progress: Progress) -> ImpactReport:
    """The dependents of the targets; raises BadPath for what the tree does not have."""
    from gitsearch.commands.scene import open_scene

    if request.diff is not None:
        return _of_change(cwd, request, progress)
    return answer(open_scene(ask(cwd, progress, at=request.at, cached=request.cached)), request)


def answer(scene: Scene, request: Request) -> ImpactReport:
    """The dependents of the targets in a tree that is opened; raises BadPath."""
    targets = [one for text in request.targets for one in scene.targets(text)]
    shown = _dependents(scene, targets, request.hops)
    return _report(scene, targets, shown, request)


def _dependents(scene: Scene, targets: Sequence[Target], hops: int | None) -> list[Dependent]:
    from gitsearch.graph.backwards import ALL, dependents, names_of, united

    numbers: dict[int, Names] = {}
    for target in targets:
        file = scene.graph.file(target.path)
        own = names_of(target.symbol) if target.symbol else ALL
        # a file that is also asked for as a whole matters as a whole
        numbers[file] = united([numbers.get(file, own), own])
    return scene.dependents(dependents(scene.graph, numbers, scene.users, hops))


def _report(
    scene: Scene,
    targets: Sequence[Target],
    shown: Sequence[Dependent],
    request: Request,
    delta: ImpactDelta | None = None,
) -> ImpactReport:
    every = request.tests == "include"
    chosen = [one for one in shown if every or one.test == (request.tests == "only")]
    kept = chosen[: request.most]
    files = [file for one in targets if (file := scene.graph.file(one.path)) >= 0]
    own_tests = [scene.path(file) for file in files if scene.is_test(file)]
    return ImpactReport(
        scene.opened.tree,
        scene.opened.view.coverage(),
        tuple((os.fsdecode(one.path), one.symbol) for one in targets),
        tuple(kept),
        tuple(sorted({*own_tests, *(one.path for one in shown if one.test)})),
        scene.unseen,
        len(chosen) - len(kept),
        scene.opened.warnings,
        delta,
    )


# ---------------------------------------------------------------- a change


def _of_change(cwd: Path, request: Request, progress: Progress) -> ImpactReport:
    """What depends on the files that differ between two revisions, and what the change does."""
    from gitsearch.commands.scene import Target, open_scene
    from gitsearch.git import repo as repository
    from gitsearch.git import trees
    from gitsearch.graph.delta import Delta
    from gitsearch.graph.offers import changed_exports

    base, head = sides(cwd, str(request.diff), "--diff")
    new = open_scene(ask(cwd, progress, at=head))
    old = open_scene(ask(cwd, progress, at=base))
    repo = new.asking.repo
    ends = (repository.resolve(repo, base).tree, repository.resolve(repo, head).tree)
    changes = trees.diff_trees(repo, *ends)
    present = [Target(change.path) for change in changes if change.new is not None]
    gone = [Target(change.path) for change in changes if change.new is None]
    delta = Delta(old.graph, new.graph)
    shown = _dependents(new, present, request.hops)
    known = {one.path for one in shown} | {os.fsdecode(one.path) for one in present}
    for one in _dependents(old, gone, request.hops):
        if one.path not in known and new.graph.file(os.fsencode(one.path)) >= 0:
            shown.append(one)
    shown.sort(key=lambda one: (one.hops, os.fsencode(one.path)))
    told = _told(delta, [change.path for change in changes])
    lost = [
        Lost(os.fsdecode(one.path), one.symbol, one.before, one.after, _places(new, one.users))
        for one in changed_exports(repo, changes, old.graph, new.graph, new.users)
    ]
    report = told._replace(exports=tuple(lost))
    return _report(new, [*present, *gone], shown, request, report)


def _told(delta: Delta, changed: Sequence[bytes]) -> ImpactDelta:
    gained, lost = delta.dependents(changed)
    return ImpactDelta(
        added=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in delta.added),
        removed=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in delta.removed),
        gained=tuple(map(os.fsdecode, gained)),
        lost=tuple(map(os.fsdecode, lost)),
        cycles=tuple(tuple(map(os.fsdecode, one)) for one in delta.cycles),
        dangling=tuple(
            (os.fsdecode(one.path), one.line, one.specifier, os.fsdecode(one.target))
            for one in delta.dangling
        ),
        exports=(),
    )


def _places(scene: Scene, users: Iterable[tuple[int, str]]) -> tuple[tuple[str, int], ...]:
    """Where files use a name: path and line."""
    found = []
    for file, name in users:
        line = scene.spelt([file], frozenset([name])).get(file, 1)
        found.append((os.fsdecode(scene.graph.path(file)), line))
    return tuple(found)
