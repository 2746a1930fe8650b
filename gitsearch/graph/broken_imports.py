"""Imports and uses of names that a change breaks.

Only regressions are reported: an import had a target, or a name was found, in the earlier tree,
and certainly not in the later one. Where that is not certain, nothing is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.exports import JVM, WHOLE, imported_by
from gitsearch.graph.graph import USED
from gitsearch.graph.removed_names import GO, BrokenImport, RemovedNames, TreePair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.exports import ExportLookup
    from gitsearch.records import Import, TreeChange

_SEPARATOR = re.compile(r"::|\.")


class _KeptImport(NamedTuple):
    """An import that both trees have.

    old, new: the importing file in either graph; after: the number of the import in the later one;
    imported: its facts; targets: its targets in the earlier graph.
    """

    old: int
    new: int
    after: int
    imported: Import
    targets: tuple[int, ...]


def broken_imports(
    old: ExportLookup,
    new: ExportLookup,
    changes: Sequence[TreeChange],
    moved: Mapping[bytes, bytes],
) -> list[BrokenImport]:
    """Return the imports and uses that a change breaks, by path and line.

    `moved` maps the new path of a renamed file to the old one.
    """
    finder = _Finder(old, new, [change.path for change in changes], moved)
    distinct = {
        (broken.path, broken.line, broken.specifier, broken.symbol): broken
        for broken in finder.broken()
    }
    return sorted(
        distinct.values(),
        key=lambda broken: (*broken[:3], broken.symbol or "", broken.target),
    )


class _Finder:
    """Compares the importers of the changed files in the two trees."""

    def __init__(
        self,
        old: ExportLookup,
        new: ExportLookup,
        changed: Sequence[bytes],
        moved: Mapping[bytes, bytes],
    ) -> None:
        self._old = old
        self._new = new
        self._pair = TreePair(old, new, {before: after for after, before in moved.items()})
        self._changed = [file for path in changed if (file := old.graph.file(path)) >= 0]
        self._reduced: frozenset[int] = frozenset()
        self._unresolved = {
            (imported.file, imported.place) for imported in new.graph.unresolved_imports()
        }

    def broken(self) -> Iterator[BrokenImport]:
        """Iterate over broken imports and uses, in any order."""
        self._read()
        self._reduced = self._with_wildcard_exporters(
            [file for file in self._changed if not self._provides_all(file)]
        )
        imports = [broken for kept in self._kept_imports() for broken in self._check(kept)]
        yield from imports
        # uses are not reported where the import of the file or of the name is broken already
        known = {(broken.path, broken.target, broken.symbol) for broken in imports}
        for use in RemovedNames(self._pair).of(self._changed):
            key = (use.path, use.target, use.symbol)
            if key not in known and (*key[:2], None) not in known:
                known.add(key)
                yield use

    def _with_wildcard_exporters(self, files: Sequence[int]) -> frozenset[int]:
        """Return the files, and those that re-export all names of one of them, transitively."""
        graph = self._old.graph
        closure, queue = set(files), list(files)
        while queue:
            for edge in graph.in_edges(queue.pop()):
                if edge.place == USED or edge.source in closure:
                    continue
                if self._old.is_wildcard_reexport(edge.source, edge.place):
                    closure.add(edge.source)
                    queue.append(edge.source)
        return frozenset(closure)

    def _read(self) -> None:
        """Read the changed files of both trees in batches, because all are needed."""
        self._old.read([file for file in self._changed if self._old.searched(file)])
        now = (self._new.graph.file(self._old.graph.path(file)) for file in self._changed)
        self._new.read([file for file in now if file >= 0 and self._new.searched(file)])

    def _provides_all(self, file: int) -> bool:
        """Return True if the later tree has a file with all names that it provided before."""
        old, new = self._old, self._new
        now = new.graph.file(old.graph.path(file))
        if now < 0:
            return False
        if not (old.searched(file) and new.searched(now)):
            return True
        rows = old.graph.row(file), new.graph.row(now)
        imports = [[imported[:3] for imported in row.imports] for row in rows]
        return old.names(file) <= new.names(now) and imports[0] == imports[1]

    def _kept_imports(self) -> Iterator[_KeptImport]:
        """Iterate over the kept imports of changed files, and over those of reduced files."""
        graph = self._old.graph
        for file in self._changed:
            yield from self._kept(file)
        importing = {edge.source for file in self._reduced for edge in graph.in_edges(file)}
        for source in sorted(importing.difference(self._changed)):
            for kept in self._kept(source):
                if not self._reduced.isdisjoint(kept.targets):
                    yield kept

    def _kept(self, source: int) -> Iterator[_KeptImport]:
        """Iterate over the imports of a file that had targets and are in the later tree too."""
        new = self._pair.later(source)
        graph, now = self._old.graph, self._new.graph
        targets_of: dict[int, list[int]] = {}
        for edge in graph.out_edges(source) if new >= 0 else ():
            if edge.place != USED and not edge.ambiguous:
                targets_of.setdefault(edge.place, []).append(edge.target)
        if not targets_of:
            return
        imports = graph.row(source).imports
        later: dict[tuple[str, str, str], int] = {}
        for place, imported in enumerate(now.row(new).imports):
            later.setdefault(imported[:3], place)
        for place, targets in targets_of.items():
            after = later.get(imports[place][:3])
            if after is not None:
                yield _KeptImport(source, new, after, imports[place], tuple(targets))

    def _check(self, kept: _KeptImport) -> Iterator[BrokenImport]:
        """Report an import without targets, or the names that its targets lack."""
        if (kept.new, kept.after) in self._unresolved:
            return
        now = self._new.import_targets(kept.new, kept.after)
        if now and self._same(kept.targets, now):
            return
        names = imported_by(kept.imported)
        language = self._old.graph.language(kept.old)
        if not now:
            if not (language in JVM and WHOLE in kept.imported.names):
                yield self._without_target(kept, kept.targets[0])
        elif WHOLE in kept.imported.names:
            return
        elif names and language != GO:
            for name in names:
                yield from self._check_name(kept, name, now)
        elif language == "rust" or language in JVM:
            # the import is of the last name of the path
            yield from self._check_name(kept, _SEPARATOR.split(kept.imported.specifier)[-1], now)

    def _same(self, before: Sequence[int], now: Sequence[int]) -> bool:
        """Return True if the targets are the same files and provide all names as before."""
        if not self._reduced.isdisjoint(before):
            return False
        paths = [self._old.graph.path(file) for file in before]
        return sorted(paths) == sorted(map(self._new.graph.path, now))

    def _without_target(self, kept: _KeptImport, target: int) -> BrokenImport:
        """Report an import whose former target is missing."""
        graph = self._new.graph
        line = graph.line(kept.new, kept.after)
        specifier = kept.imported.specifier
        return BrokenImport(graph.path(kept.new), line, specifier, self._old.graph.path(target))

    def _check_name(
        self, kept: _KeptImport, name: str, now: Sequence[int]
    ) -> Iterator[BrokenImport]:
        """Report a name that a former target had and no present target may have."""
        if name in ("self", "super", "crate", WHOLE):
            return
        provider = self._former_provider(kept, name)
        if provider is None or any(self._may_provide(file, name, kept) for file in now):
            return
        broken = self._without_target(kept, provider)
        moved = self._old.graph.path(provider) in self._pair.moved
        if self._pair.later(provider) >= 0 and not moved:
            yield broken._replace(symbol=name)
        else:
            yield broken

    def _may_provide(self, file: int, name: str, kept: _KeptImport) -> bool:
        """Return False if a present target certainly does not provide a name."""
        new = self._new
        before = self._old.graph.file(new.graph.path(file))
        if before in kept.targets and before not in self._reduced:
            # its names are unchanged, so those that are unknown did not satisfy the import before
            return new.provides(kept.imported, file, name)
        return new.may_provide(kept.imported, file, name)

    def _former_provider(self, kept: _KeptImport, name: str) -> int | None:
        """Return the former target that the name denoted or that certainly had it, or None."""
        old = self._old
        for file in kept.targets:
            if old.imports_module(kept.imported, file, name):
                return file
        ranked = sorted(kept.targets, key=lambda file: not old.defines(file, name))
        return next((file for file in ranked if old.has(file, name)), None)
