"""Uses of names that a file had and has no more, where it is certain that they are meant.

A use stands behind the name of the module, package or type (`module.name`), or by itself where
the files of a package share their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.exports import ECMASCRIPT, JVM, WHOLE, module_name
from gitsearch.graph.graph import USED
from gitsearch.graph.name_occurrences import NameOccurrences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitsearch.graph.exports import ExportLookup
    from gitsearch.graph.graph import Edge
    from gitsearch.graph.name_occurrences import Occurrence
    from gitsearch.records import Import

# There an import means a package, of which all files share one space of names.
GO = "go"

# Kinds of which extraction lists no uses.
_VALUES = frozenset({"constant", "variable"})


class BrokenImport(NamedTuple):
    """An import of a file that is gone; with `symbol`, a use of what `target` has no more."""

    path: bytes
    line: int
    specifier: str
    target: bytes
    symbol: str | None = None


class TreePair(NamedTuple):
    """An earlier and a later tree; `moved`: the new path of a renamed file."""

    old: ExportLookup
    new: ExportLookup
    moved: Mapping[bytes, bytes]

    def later(self, file: int) -> int:
        """The number that a file of the earlier tree has in the later one, or -1."""
        path = self.old.graph.path(file)
        now = self.new.graph.file(path)
        return now if now >= 0 else self.new.graph.file(self.moved.get(path, path))


class RemovedNames:
    """Looks for uses of what files have no more."""

    def __init__(self, pair: TreePair) -> None:
        self._pair = pair

    def of(self, targets: Iterable[int]) -> Iterator[BrokenImport]:
        """Who still says the names that files had and have no more, and surely means them."""
        graph = self._pair.old.graph
        lost: dict[int, set[str]] = {}
        uses: dict[int, dict[int, list[Edge]]] = {}
        for target in targets:
            lost[target] = self._lost(target)
            for edge in graph.into(target) if lost[target] else ():
                if not edge.ambiguous or edge.place == USED:
                    uses.setdefault(edge.source, {}).setdefault(target, []).append(edge)
        now = {source: self._pair.later(source) for source in uses}
        readable = {one for one in now.values() if one >= 0 and self._pair.new.searched(one)}
        self._pair.new.read(sorted(readable))
        for source, used in uses.items():
            if now[source] in readable:
                yield from self._user(now[source], used, lost)

    def _lost(self, target: int) -> set[str]:
        """The names that a file surely had and surely has no more."""
        old, new = self._pair.old, self._pair.new
        if not old.searched(target):
            return set()
        now = new.graph.file(old.graph.path(target))
        mine = {name for name, _ in old.graph.row(target).definitions if "." not in name}
        spoken = old.graph.language(target)
        if spoken in ECMASCRIPT:
            mine = set(old.names(target))
        gone = mine if now < 0 else {n for n in mine if not new.may_have(now, n)}
        if spoken in JVM:
            # members are not listed
            gone |= old.members(target) - (new.members(now) if now >= 0 else frozenset())
        return gone

    def _user(
        self, now: int, used: Mapping[int, Sequence[Edge]], lost: Mapping[int, set[str]]
    ) -> Iterator[BrokenImport]:
        """What one file still says of those that it depended on."""
        new = self._pair.new
        mentions = NameOccurrences(new.code(now), go=new.graph.language(now) == GO)
        for target, edges in used.items():
            said = lost[target] & new.words(now)
            calls = {
                call for edge in edges if said for call in self._called(target, edge, mentions)
            }
            if calls:
                found = mentions.qualified(calls, said)
                given = self._replaced(target, now, calls)
                yield from self._said(found, target, now, mentions, given)
            if said and any(edge.place == USED for edge in edges):
                yield from self._bare(target, now, said, mentions)

    def _bare(
        self, target: int, now: int, said: set[str], mentions: NameOccurrences
    ) -> Iterator[BrokenImport]:
        """Uses of names without anything before them, in languages where a package shares them."""
        old, new = self._pair.old, self._pair.new
        spoken = new.graph.language(now)
        kinds = {n: kind for n, kind in old.row(target).definitions if "." not in n}
        names = said & kinds.keys()
        called = new.row(now).names
        if spoken == GO:
            names = {n for n in names if n in called or kinds[n] in _VALUES}
            names -= new.bound_in_go(now)
            given = self._beside(target)
        elif spoken in JVM:
            names &= called
            given = self._targets(now)
        else:
            return
        yield from self._said(mentions.alone(names), target, now, mentions, [now, *given])

    def _replaced(self, target: int, now: int, calls: set[str]) -> list[int]:
        """The files that may have a name now that was said to be one of a file."""
        graph = self._pair.new.graph
        spoken = graph.language(now)
        if spoken == GO:
            return self._beside(target)
        found = [file for file in self._targets(now) if module_name(graph.path(file)) in calls]
        if spoken in JVM and (later := graph.file(self._pair.old.graph.path(target))) >= 0:
            # what a type inherits
            above = self._pair.new.inherited(later) - calls
            found += [
                file for file in self._targets(later) if module_name(graph.path(file)) in above
            ]
        return found

    def _called(self, target: int, edge: Edge, mentions: NameOccurrences) -> Iterator[str]:
        """What stands before a name of a file where another says it."""
        graph = self._pair.old.graph
        name = module_name(graph.path(target))
        spoken = graph.language(edge.source)
        if edge.place == USED:
            if spoken in JVM:
                yield name
            return
        said = self._pair.old.row(edge.source).imports[edge.place]
        if spoken == GO:
            yield from self._package(target, said)
        elif not said.names or said.names == WHOLE:
            yield name
            if spoken == "python":
                yield said.specifier
                yield from mentions.aliases(said.specifier)
        else:
            for part in said.names.strip("{} ").split(","):
                first, _, alias = part.strip().partition(" as ")
                if first in (name, WHOLE, "self"):
                    yield alias.strip() or name

    def _package(self, target: int, said: Import) -> Iterator[str]:
        if said.names and said.names not in ("_", "."):
            yield said.names
        for one in self._pair.old.row(target).imports[:1]:
            if one.kind == "package" and not said.names:
                yield one.specifier

    def _said(
        self,
        found: Iterable[Occurrence],
        target: int,
        now: int,
        mentions: NameOccurrences,
        given: Sequence[int],
    ) -> Iterator[BrokenImport]:
        """Those mentions of names that none of some files may have."""
        graph = self._pair.new.graph
        path = self._pair.old.graph.path(target)
        for one in found:
            if not self._has(one.name, given):
                symbol = one.name if graph.file(path) >= 0 else None
                line = mentions.line(one.offset)
                yield BrokenImport(graph.path(now), line, one.text, path, symbol)

    def _has(self, name: str, files: Iterable[int]) -> bool:
        new = self._pair.new
        for file in files:
            if not new.searched(file):
                continue
            if new.may_have(file, name):
                return True
            if new.graph.language(file) in JVM and name in new.members(file):
                return True
        return False

    def _targets(self, file: int) -> list[int]:
        return sorted({edge.target for edge in self._pair.new.graph.out_of(file)})

    def _beside(self, target: int) -> list[int]:
        """The files in the folder of a file."""
        graph = self._pair.new.graph
        folder = self._pair.old.graph.path(target).rpartition(b"/")[0]
        depth = folder.count(b"/") + bool(folder)
        return [file for file in graph.under(folder) if graph.path(file).count(b"/") == depth]
