"""Two trees with their graphs: what a change does to the files that depend on it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.commands.code_graph import Target, open_code_graph, open_nearest_code_graph
from gitsearch.commands.likely_dependents import in_order, likely_dependents
from gitsearch.commands.tree_selection import select_tree
from gitsearch.git import trees
from gitsearch.git.tree_objects import diff_trees
from gitsearch.graph.broken_imports import broken_imports
from gitsearch.graph.definition_changes import NEW, REMOVED, CodeChanges, code_changes
from gitsearch.graph.exports import ExportLookup
from gitsearch.graph.file_versions import file_versions
from gitsearch.graph.graph_diff import GraphDiff, changed_exports
from gitsearch.reports.lookup import (
    BrokenReference,
    ChangedDefinition,
    PathLine,
    RemovedDefinition,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.commands.likely_dependents import LikelyDependents
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.graph.file_versions import FileVersion
    from gitsearch.index.session import Session
    from gitsearch.records import TreeChange, TreeEntry


def compare(old: TreeSelection, new: TreeSelection, *, near: bool = False) -> TreeComparison:
    """Open two trees; of the later one the index may be asked for, against the earlier tree.

    near: the later graph is right for what changed and who imports it, which is sooner made.
    """
    first = open_code_graph(old)
    session = new.session
    before = first.opened.tree.tree or trees.EMPTY_TREE[session.repo.hexsz]
    if new.cached:
        files = trees.diff_index(session.repo, before)
    else:
        files = diff_trees(session.repo, before, session.resolve(str(new.at)).tree)
    if near:
        return TreeComparison(
            first, open_nearest_code_graph(new, first, [change.path for change in files]), files
        )
    return TreeComparison(first, open_code_graph(new), files)


def compare_staged(session: Session, *, near: bool = False) -> TreeComparison:
    """Compare the index with HEAD, or with the empty tree before the first commit."""
    new = select_tree(session, cached=True)
    base = new.head.tree if new.head else trees.EMPTY_TREE[session.repo.hexsz]
    return compare(replace(new, at=base, cached=False), new, near=near)


@dataclass
class TreeComparison:
    """Two opened trees and the paths in which they differ."""

    old: CodeGraph
    new: CodeGraph
    files: Sequence[TreeChange]

    @property
    def present(self) -> list[Target]:
        """The files that are new or have other content."""
        return [Target(file.path) for file in self.files if file.new is not None]

    @property
    def gone(self) -> list[Target]:
        """The deleted files."""
        return [Target(file.path) for file in self.files if file.new is None]

    @cached_property
    def delta(self) -> GraphDiff:
        """The differences of the two graphs."""
        return GraphDiff(self.old.graph, self.new.graph)

    @cached_property
    def moved(self) -> dict[bytes, bytes]:
        """The old path of each file that has another one now."""
        repo, new = self.new.opened.session.repo, self.new.opened.tree
        if all(file.old is None for file in self.files) or all(file.new for file in self.files):
            return {}
        before = self.old.opened.tree.tree or trees.EMPTY_TREE[repo.hexsz]
        return trees.renames(repo, before, None if self.new.selection.cached else new.tree)

    @cached_property
    def broken_references(self) -> list[BrokenReference]:
        """The imports that the change breaks, and the uses of removed definitions."""
        old, new = (ExportLookup(one.graph, one.texts.read) for one in (self.old, self.new))
        return [
            BrokenReference(
                os.fsdecode(one.path), one.line, one.specifier, os.fsdecode(one.target), one.symbol
            )
            for one in broken_imports(old, new, self.files, self.moved)
        ]

    def dependents(self, hops: int | None = None) -> LikelyDependents:
        """The files that depend on changed files, or did on deleted ones, the likeliest first."""
        # what the change itself does is no evidence
        self.new.history = self.old.history
        found = likely_dependents(self.new, self.present, hops, self.code)
        shown = {file.path: file for file in found.files}
        own = {os.fsdecode(file.path) for file in self.present}
        gone = [*self.gone, *self._removed]
        for file in likely_dependents(self.old, gone, hops).files if gone else ():
            known = shown.get(file.path)
            is_here = self.new.graph.file(os.fsencode(file.path)) >= 0 and file.path not in own
            if is_here and (known is None or known.likelihood < file.likelihood):
                shown[file.path] = file
        return found._replace(files=sorted(shown.values(), key=in_order))

    @cached_property
    def code(self) -> dict[bytes, CodeChanges]:
        """The definitions whose code changed, by file, in languages where they are followed."""
        moved = self.moved
        before = {file.path: file.old for file in self.files}
        pairs = [
            (file.path, file.old or before.get(moved.get(file.path, b"")), file.new)
            for file in self.files
            if file.new is not None
        ]
        return code_changes(self._versions, pairs)

    @cached_property
    def _versions(self) -> dict[TreeEntry, FileVersion]:
        """The definitions of both sides of the changed files, parsed beside other work."""
        entries = [one for file in self.files for one in (file.old, file.new) if one]
        repo = self.new.opened.session.repo
        return file_versions(repo, entries, lambda: self.broken_references)

    @property
    def earlier(self) -> list[Target]:
        """The definitions and files that the change touches, as the earlier tree calls them."""
        known = {file.path for file in self.files if file.old is not None}
        present = [(file.path, self.moved.get(file.path, file.path)) for file in self.files]
        pairs = [(path, old) for path, old in present if old in known]
        return self._touched(pairs, NEW)

    @property
    def later(self) -> list[Target]:
        """What the change touches, as it is called in the later tree."""
        return self._touched([(target.path, target.path) for target in self.present], REMOVED)

    def _touched(self, paths: Iterable[tuple[bytes, bytes]], without: str) -> list[Target]:
        """Return changed definitions; a file as a whole where its other code changed, too."""
        targets: list[Target] = []
        for path, called in paths:
            change = self.code.get(path)
            if change is None or change.outside:
                targets.append(Target(called))
            else:
                symbols = change.definitions.items()
                targets += [Target(called, one) for one, how in symbols if how != without]
        return targets

    @property
    def _removed(self) -> list[Target]:
        """The definitions that files lack now, as targets of the earlier tree."""
        return [
            Target(self.moved.get(path, path), symbol)
            for path, change in self.code.items()
            for symbol, how in change.definitions.items()
            if how == REMOVED
        ]

    @property
    def changed_definitions(self) -> list[ChangedDefinition]:
        """The definitions whose code changed, by path and name."""
        return [
            ChangedDefinition(os.fsdecode(path), symbol, how)
            for path, change in sorted(self.code.items())
            for symbol, how in change.definitions.items()
        ]

    def exports(self) -> list[RemovedDefinition]:
        """The removed and changed definitions, and where they are used."""
        new = self.new
        changes = changed_exports(
            self._versions,
            self.files,
            self.old.graph,
            new.graph,
            new.users,
        )
        return [
            RemovedDefinition(
                os.fsdecode(export.path),
                export.symbol,
                "changed" if export.after else "removed",
                export.before,
                export.after or None,
                tuple(PathLine(new.path(file), line) for file, line in export.users),
            )
            for export in changes
        ]
