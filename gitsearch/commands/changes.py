"""Two trees with their graphs: what a change does to the files that depend on it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.answers import Lost
from gitsearch.commands.asking import ask
from gitsearch.commands.scene import Target, open_near, open_scene
from gitsearch.git import repo as repository
from gitsearch.git import trees
from gitsearch.graph.backwards import ALL, dependents, names_of, united
from gitsearch.graph.dangling import dangling
from gitsearch.graph.delta import Delta
from gitsearch.graph.offered import Offering
from gitsearch.graph.offers import changed_exports

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from gitsearch.answers import Dependent
    from gitsearch.commands.asking import Asking
    from gitsearch.commands.scene import Scene
    from gitsearch.graph.backwards import Names
    from gitsearch.graph.missing import Dangling
    from gitsearch.records import Change
    from gitsearch.settings import Progress


def between(old: Asking, new: Asking, *, near: bool = False) -> Changed:
    """Open two trees; of the later one the index may be asked for, against the earlier tree.

    near: the later graph is right for what changed and who imports it, which is sooner made.
    """
    first = open_scene(old)
    repo = new.repo
    before = first.opened.tree.tree or trees.EMPTY_TREE[repo.hexsz]
    if new.cached:
        files = trees.diff_index(repo, before)
    else:
        files = trees.diff_trees(repo, before, repository.resolve(repo, str(new.at)).tree)
    if near:
        return Changed(first, open_near(new, first, [one.path for one in files]), files)
    return Changed(first, open_scene(new), files)


def staged(cwd: Path, progress: Progress, *, near: bool = False) -> Changed:
    """What is staged, against HEAD, or against nothing while there is no commit."""
    new = ask(cwd, progress, cached=True)
    base = new.head.tree if new.head else trees.EMPTY_TREE[new.repo.hexsz]
    return between(replace(new, at=base, cached=False), new, near=near)


def dependents_of(
    scene: Scene, targets: Sequence[Target], hops: int | None = None
) -> list[Dependent]:
    """The files that depend on the targets, nearest first."""
    numbers: dict[int, Names] = {}
    for target in targets:
        file = scene.graph.file(target.path)
        own = names_of(target.symbol) if target.symbol else ALL
        # a file that is also asked for as a whole matters as a whole
        numbers[file] = united([numbers.get(file, own), own])
    return scene.dependents(dependents(scene.graph, numbers, scene.users, hops))


@dataclass
class Changed:
    """Two opened trees and the paths in which they differ."""

    old: Scene
    new: Scene
    files: Sequence[Change]

    @property
    def present(self) -> list[Target]:
        """The files that are new or have other content."""
        return [Target(one.path) for one in self.files if one.new is not None]

    @property
    def gone(self) -> list[Target]:
        """The files that are no more."""
        return [Target(one.path) for one in self.files if one.new is None]

    @cached_property
    def delta(self) -> Delta:
        """What the change does to the graph."""
        return Delta(self.old.graph, self.new.graph)

    @cached_property
    def moved(self) -> dict[bytes, bytes]:
        """The old path of each file that has another one now."""
        repo, new = self.new.asking.repo, self.new.opened.tree
        if all(one.old is None for one in self.files) or all(one.new for one in self.files):
            return {}
        before = self.old.opened.tree.tree or trees.EMPTY_TREE[repo.hexsz]
        return trees.renames(repo, before, None if self.new.asking.cached else new.tree)

    def dangling(self) -> list[Dangling]:
        """The imports that lead nowhere now, and the uses of what is gone."""
        old, new = (Offering(one.graph, one.texts) for one in (self.old, self.new))
        return dangling(old, new, self.files, self.moved)

    def dependents(self, hops: int | None = None) -> list[Dependent]:
        """The files that depend on what changed, or did so on what is gone, nearest first."""
        shown = dependents_of(self.new, self.present, hops)
        known = {one.path for one in shown} | {os.fsdecode(one.path) for one in self.present}
        for one in dependents_of(self.old, self.gone, hops):
            if one.path not in known and self.new.graph.file(os.fsencode(one.path)) >= 0:
                shown.append(one)
        shown.sort(key=lambda one: (one.hops, os.fsencode(one.path)))
        return shown

    def exports(self) -> list[Lost]:
        """The definitions that are gone or have another signature, and where they are used."""
        new = self.new
        found = changed_exports(
            new.asking.repo, self.files, self.old.graph, new.graph, self._users
        )
        return [
            Lost(os.fsdecode(one.path), one.symbol, one.before, one.after, self._places(one.users))
            for one in found
        ]

    def _users(self, files: set[int], names: frozenset[str]) -> set[int]:
        """Those of some files that use a name, which is none of their own; comments do not."""
        found = set()
        for file in self.new.users(files, names):
            row = self.new.graph.row(file)
            if names & {qualified.rpartition(".")[2] for qualified, _ in row.definitions}:
                continue
            sure = self.new.refers(file, names)
            if sure or any(self.new.uses_in([file], name) for name in names):
                found.add(file)
        return found

    def _places(self, users: Iterable[tuple[int, str]]) -> tuple[tuple[str, int], ...]:
        """Where files use a name: path and line."""
        found = []
        for file, name in users:
            line = self.new.spelt([file], frozenset([name])).get(file, 1)
            found.append((self.new.path(file), line))
        return tuple(found)
