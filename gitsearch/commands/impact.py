"""`git search impact`: what depends on files, symbols or a change, nearest first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.answers import ImpactDelta, ImpactReport
from gitsearch.commands.asking import ask
from gitsearch.commands.ranges import sides

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gitsearch.answers import Dependent
    from gitsearch.commands.changes import Changed
    from gitsearch.commands.scene import Scene, Target
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
    """The dependents of the targets, or without any, of a change: `diff`, or else what is staged.

    Raises BadPath for what the tree does not have.
    """
    from gitsearch.commands.changes import between, staged
    from gitsearch.commands.scene import open_scene

    if request.diff is not None:
        base, head = sides(cwd, request.diff, "--diff")
        return _of_change(between(*(ask(cwd, progress, at=one) for one in (base, head))), request)
    if not request.targets:
        return _of_change(staged(cwd, progress), request)
    return answer(open_scene(ask(cwd, progress, at=request.at, cached=request.cached)), request)


def answer(scene: Scene, request: Request) -> ImpactReport:
    """The dependents of the targets in a tree that is opened; raises BadPath."""
    from gitsearch.commands.changes import dependents_of

    targets = [one for text in request.targets for one in scene.targets(text)]
    return _report(scene, targets, dependents_of(scene, targets, request.hops), request)


def _of_change(change: Changed, request: Request) -> ImpactReport:
    targets = [*change.present, *change.gone]
    shown = change.dependents(request.hops)
    return _report(change.new, targets, shown, request, _told(change))


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


def _told(change: Changed) -> ImpactDelta:
    """What a change does to the graph."""
    delta = change.delta
    gained, lost = delta.dependents([one.path for one in change.files])
    return ImpactDelta(
        added=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in delta.added),
        removed=tuple((os.fsdecode(a), os.fsdecode(b)) for a, b in delta.removed),
        gained=tuple(map(os.fsdecode, gained)),
        lost=tuple(map(os.fsdecode, lost)),
        cycles=tuple(tuple(map(os.fsdecode, one)) for one in delta.cycles),
        dangling=tuple(
            (os.fsdecode(one.path), one.line, one.specifier, os.fsdecode(one.target))
            for one in change.dangling()
            if one.symbol is None
        ),
        exports=tuple(change.exports()),
    )
