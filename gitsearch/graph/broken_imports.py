"""What a change breaks: imports that lead nowhere now, and uses of names that are gone.

Only what was fine before is told: where an import led to a file, or a name was found, and the
later tree surely has neither. Where it cannot be told, nothing is said.
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


class _Place(NamedTuple):
    """An import that was followed: by whom in either graph, which it is now, where it led."""

    old: int
    new: int
    after: int
    said: Import
    targets: tuple[int, ...]


def broken_imports(
    old: ExportLookup,
    new: ExportLookup,
    changes: Sequence[TreeChange],
    moved: Mapping[bytes, bytes],
) -> list[BrokenImport]:
    """What a change breaks, by path and line; `moved`: the old path of a renamed file."""
    finder = _Finder(old, new, [one.path for one in changes], moved)
    found = {(one.path, one.line, one.specifier, one.symbol): one for one in finder.found()}
    return sorted(found.values(), key=lambda one: (*one[:3], one.symbol or "", one.target))


class _Finder:
    """Compares who depended on the changed files with who does now."""

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
        self._apart: frozenset[int] = frozenset()
        self._blind = {(one.file, one.place) for one in new.graph.blind()}

    def found(self) -> Iterator[BrokenImport]:
        """All of it, in any order."""
        self._read()
        self._apart = self._with_handing_on(
            [file for file in self._changed if not self._as_before(file)]
        )
        told = [one for place in self._places() for one in self._import(place)]
        yield from told
        # who cannot import a file, or a name of it, is not told that it cannot use it
        known = {(one.path, one.target, one.symbol) for one in told}
        for one in RemovedNames(self._pair).of(self._changed):
            key = (one.path, one.target, one.symbol)
            if key not in known and (*key[:2], None) not in known:
                known.add(key)
                yield one

    def _with_handing_on(self, files: Sequence[int]) -> frozenset[int]:
        """Some files, and those that hand on all that one of them has."""
        graph = self._old.graph
        found, todo = set(files), list(files)
        while todo:
            for edge in graph.into(todo.pop()):
                if edge.place == USED or edge.source in found:
                    continue
                if self._old.hands_on_all(edge.source, edge.place):
                    found.add(edge.source)
                    todo.append(edge.source)
        return frozenset(found)

    def _read(self) -> None:
        """Read what has to be looked at anyway at once."""
        self._old.read([file for file in self._changed if self._old.searched(file)])
        now = (self._new.graph.file(self._old.graph.path(file)) for file in self._changed)
        self._new.read([file for file in now if file >= 0 and self._new.searched(file)])

    def _as_before(self, file: int) -> bool:
        """Whether a file is there and offers all that it did."""
        old, new = self._old, self._new
        now = new.graph.file(old.graph.path(file))
        if now < 0:
            return False
        if not (old.searched(file) and new.searched(now)):
            return True
        rows = old.graph.row(file), new.graph.row(now)
        said = [[one[:3] for one in row.imports] for row in rows]
        return old.names(file) <= new.names(now) and said[0] == said[1]

    def _places(self) -> Iterator[_Place]:
        """The imports in changed files, and those that led to one, that are still written."""
        graph = self._old.graph
        for file in self._changed:
            yield from self._kept(file)
        importing = {edge.source for file in self._apart for edge in graph.into(file)}
        for source in sorted(importing.difference(self._changed)):
            for place in self._kept(source):
                if not self._apart.isdisjoint(place.targets):
                    yield place

    def _kept(self, source: int) -> Iterator[_Place]:
        """The imports of a file that led to some file and are still written."""
        new = self._pair.later(source)
        graph, now = self._old.graph, self._new.graph
        led: dict[int, list[int]] = {}
        for edge in graph.out_of(source) if new >= 0 else ():
            if edge.place != USED and not edge.ambiguous:
                led.setdefault(edge.place, []).append(edge.target)
        if not led:
            return
        imports = graph.row(source).imports
        written: dict[tuple[str, str, str], int] = {}
        for place, one in enumerate(now.row(new).imports):
            written.setdefault(one[:3], place)
        for place, targets in led.items():
            after = written.get(imports[place][:3])
            if after is not None:
                yield _Place(source, new, after, imports[place], tuple(targets))

    def _import(self, place: _Place) -> Iterator[BrokenImport]:
        if (place.new, place.after) in self._blind:
            return
        now = self._new.led(place.new, place.after)
        if now and self._same(place.targets, now):
            return
        names = imported_by(place.said)
        spoken = self._old.graph.language(place.old)
        if not now:
            if not (spoken in JVM and WHOLE in place.said.names):
                yield self._gone(place, place.targets[0])
        elif WHOLE in place.said.names:
            return
        elif names and spoken != GO:
            for name in names:
                yield from self._named(place, name, now)
        elif spoken == "rust" or spoken in JVM:
            # the last name of the path is what is imported
            yield from self._named(place, _SEPARATOR.split(place.said.specifier)[-1], now)

    def _same(self, before: Sequence[int], now: Sequence[int]) -> bool:
        """Whether an import leads to the same files, which offer what they did."""
        if not self._apart.isdisjoint(before):
            return False
        paths = [self._old.graph.path(file) for file in before]
        return sorted(paths) == sorted(map(self._new.graph.path, now))

    def _gone(self, place: _Place, target: int) -> BrokenImport:
        graph = self._new.graph
        line = graph.line(place.new, place.after)
        specifier = place.said.specifier
        return BrokenImport(graph.path(place.new), line, specifier, self._old.graph.path(target))

    def _named(self, place: _Place, name: str, now: Sequence[int]) -> Iterator[BrokenImport]:
        """Whether a name was found where an import leads, and is not any more."""
        if name in ("self", "super", "crate", WHOLE):
            return
        had = self._having(place, name)
        if had is None or any(self._stands_in(file, name, place) for file in now):
            return
        gone = self._gone(place, had)
        if self._pair.later(had) >= 0 and self._old.graph.path(had) not in self._pair.moved:
            yield gone._replace(symbol=name)
        else:
            yield gone

    def _stands_in(self, file: int, name: str, place: _Place) -> bool:
        """Whether a file that an import leads to now may have a name."""
        new = self._new
        before = self._old.graph.file(new.graph.path(file))
        if before in place.targets and before not in self._apart:
            # it has what it had: what cannot be told of it was no reason for the import before
            return new.gives(place.said, file, name)
        return new.may_give(place.said, file, name)

    def _having(self, place: _Place, name: str) -> int | None:
        """The file that a name was, or that surely had it; None where there was none."""
        old = self._old
        for file in place.targets:
            if old.takes(place.said, file, name):
                return file
        ranked = sorted(place.targets, key=lambda file: not old.defines(file, name))
        return next((file for file in ranked if old.has(file, name)), None)
