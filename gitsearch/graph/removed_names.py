"""Remaining uses of names that a change removed from a file, where they certainly refer to it.

A use is qualified by the name of the module, package or type (`module.name`), or unqualified where
the files of a package share one namespace.
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

# An import names a package there, whose files share one namespace.
GO = "go"

# Kinds whose uses extraction does not list.
_VALUES = frozenset({"constant", "variable"})


class BrokenImport(NamedTuple):
    """An import of a removed file, or, with `symbol`, a use of a name removed from `target`."""

    path: bytes
    line: int
    specifier: str
    target: bytes
    symbol: str | None = None


class TreePair(NamedTuple):
    """An earlier and a later tree; `moved` maps old to new paths of renamed files."""

    old: ExportLookup
    new: ExportLookup
    moved: Mapping[bytes, bytes]

    def later(self, file: int) -> int:
        """Return the number in the later tree of a file of the earlier one, or -1."""
        path = self.old.graph.path(file)
        now = self.new.graph.file(path)
        return now if now >= 0 else self.new.graph.file(self.moved.get(path, path))


class RemovedNames:
    """Finds remaining uses of names that a change removed."""

    def __init__(self, pair: TreePair) -> None:
        self._pair = pair

    def of(self, targets: Iterable[int]) -> Iterator[BrokenImport]:
        """Return the remaining uses of names that a change removed from `targets`."""
        graph = self._pair.old.graph
        removed: dict[int, set[str]] = {}
        uses: dict[int, dict[int, list[Edge]]] = {}
        for target in targets:
            removed[target] = self._removed(target)
            for edge in graph.in_edges(target) if removed[target] else ():
                if not edge.ambiguous or edge.place == USED:
                    uses.setdefault(edge.source, {}).setdefault(target, []).append(edge)
        now = {source: self._pair.later(source) for source in uses}
        readable = {file for file in now.values() if file >= 0 and self._pair.new.searched(file)}
        self._pair.new.read(sorted(readable))
        for source, used in uses.items():
            if now[source] in readable:
                yield from self._uses_in(now[source], used, removed)

    def _removed(self, target: int) -> set[str]:
        """Return the names that a file certainly had and certainly has no longer."""
        old, new = self._pair.old, self._pair.new
        if not old.searched(target):
            return set()
        now = new.graph.file(old.graph.path(target))
        names = {name for name, _ in old.graph.row(target).definitions if "." not in name}
        language = old.graph.language(target)
        if language in ECMASCRIPT:
            names = set(old.names(target))
        gone = names if now < 0 else {name for name in names if not new.may_have(now, name)}
        if language in JVM:
            # the facts do not list members
            gone |= old.members(target) - (new.members(now) if now >= 0 else frozenset())
        return gone

    def _uses_in(
        self, now: int, used: Mapping[int, Sequence[Edge]], removed: Mapping[int, set[str]]
    ) -> Iterator[BrokenImport]:
        """Return the uses of removed names in one file; `used`: its former edges by target."""
        new = self._pair.new
        mentions = NameOccurrences(new.code(now), go=new.graph.language(now) == GO)
        for target, edges in used.items():
            names = removed[target] & new.words(now)
            if not names:
                continue
            qualifiers = {
                name for edge in edges for name in self._qualifiers(target, edge, mentions)
            }
            if qualifiers:
                uses = mentions.qualified(qualifiers, names)
                providers = self._replacements(target, now, qualifiers)
                yield from self._broken(uses, target, now, mentions, providers)
            if any(edge.place == USED for edge in edges):
                yield from self._unqualified(target, now, names, mentions)

    def _unqualified(
        self, target: int, now: int, removed: set[str], mentions: NameOccurrences
    ) -> Iterator[BrokenImport]:
        """Return unqualified uses, in languages where the files of a package share a namespace."""
        old, new = self._pair.old, self._pair.new
        language = new.graph.language(now)
        kinds = {name: kind for name, kind in old.row(target).definitions if "." not in name}
        names = removed & kinds.keys()
        used = new.row(now).names
        if language == GO:
            names = {name for name in names if name in used or kinds[name] in _VALUES}
            names -= new.bound_in_go(now)
            providers = self._siblings(target)
        elif language in JVM:
            names &= used
            providers = self._targets(now)
        else:
            return
        uses = mentions.alone(names)
        yield from self._broken(uses, target, now, mentions, [now, *providers])

    def _replacements(self, target: int, now: int, qualifiers: set[str]) -> list[int]:
        """Return the files of the later tree that may provide names with these qualifiers."""
        graph = self._pair.new.graph
        language = graph.language(now)
        if language == GO:
            return self._siblings(target)
        files = [
            file for file in self._targets(now) if module_name(graph.path(file)) in qualifiers
        ]
        if language in JVM and (later := graph.file(self._pair.old.graph.path(target))) >= 0:
            # a type may inherit the name
            bases = self._pair.new.inherited(later) - qualifiers
            files += [
                file for file in self._targets(later) if module_name(graph.path(file)) in bases
            ]
        return files

    def _qualifiers(self, target: int, edge: Edge, mentions: NameOccurrences) -> Iterator[str]:
        """Iterate over the qualifiers by which the source of an edge refers to the target."""
        graph = self._pair.old.graph
        name = module_name(graph.path(target))
        language = graph.language(edge.source)
        if edge.place == USED:
            if language in JVM:
                yield name
            return
        imported = self._pair.old.row(edge.source).imports[edge.place]
        if language == GO:
            yield from self._go_package(target, imported)
        elif not imported.names or imported.names == WHOLE:
            yield name
            if language == "python":
                yield imported.specifier
                yield from mentions.aliases(imported.specifier)
        else:
            for part in imported.names.strip("{} ").split(","):
                first, _, alias = part.strip().partition(" as ")
                if first in (name, WHOLE, "self"):
                    yield alias.strip() or name

    def _go_package(self, target: int, imported: Import) -> Iterator[str]:
        """Iterate over the name of an imported Go package: its alias, else its package clause."""
        if imported.names and imported.names not in ("_", "."):
            yield imported.names
        for clause in self._pair.old.row(target).imports[:1]:
            if clause.kind == "package" and not imported.names:
                yield clause.specifier

    def _broken(
        self,
        uses: Iterable[Occurrence],
        target: int,
        now: int,
        mentions: NameOccurrences,
        providers: Sequence[int],
    ) -> Iterator[BrokenImport]:
        """Report the uses of names that none of the providers may have."""
        graph = self._pair.new.graph
        path = self._pair.old.graph.path(target)
        for use in uses:
            if not self._may_provide(use.name, providers):
                symbol = use.name if graph.file(path) >= 0 else None
                line = mentions.line(use.offset)
                yield BrokenImport(graph.path(now), line, use.text, path, symbol)

    def _may_provide(self, name: str, files: Iterable[int]) -> bool:
        """Return False if certainly none of the files of the later tree has the name."""
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
        """Return the files that a file of the later tree depends on."""
        return sorted({edge.target for edge in self._pair.new.graph.out_edges(file)})

    def _siblings(self, target: int) -> list[int]:
        """Return the files of the later tree in the folder of a file of the earlier one."""
        graph = self._pair.new.graph
        folder = self._pair.old.graph.path(target).rpartition(b"/")[0]
        depth = folder.count(b"/") + bool(folder)
        return [file for file in graph.under(folder) if graph.path(file).count(b"/") == depth]
