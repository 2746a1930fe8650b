"""Imports and uses of names that a change breaks.

Only regressions are reported: an import had a target, or a name was found, in the earlier tree,
and certainly not in the later one. Where that is not certain, nothing is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.code_text import (
    NameOccurrences,
    bound_in_go,
    identifiers,
    jvm_declared_names,
    jvm_inherited_names,
)
from gitsearch.graph.exports import ECMASCRIPT, JVM, WHOLE, imported_by, module_name
from gitsearch.graph.graph import USED, reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.graph.code_text import Occurrence
    from gitsearch.graph.exports import ExportLookup
    from gitsearch.graph.graph import Edge
    from gitsearch.records import Import, TreeChange

# An import names a package there, whose files share one namespace.
_GO = "go"

# Kinds whose uses extraction does not list.
_VALUES = frozenset({"constant", "variable"})

_SEPARATOR = re.compile(r"::|\.")


class BrokenImport(NamedTuple):
    """An import of a removed file, or, with `symbol`, a use of a name removed from `target`."""

    path: bytes
    line: int
    specifier: str
    target: bytes
    symbol: str | None = None


class _KeptImport(NamedTuple):
    """An import that both trees have.

    file, place: the importing file and the number of the import in the later graph; imported: its
    facts; targets: its targets in the earlier graph.
    """

    file: int
    place: int
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
    comparison = _Comparison(old, new, moved)
    changed = [file for change in changes if (file := old.graph.file(change.path)) >= 0]
    # all changed files of both trees are needed, so they are read in batches
    old.read(filter(old.searched, changed))
    now = [file for file in map(comparison.same_path, changed) if file >= 0]
    new.read(filter(new.searched, now))
    broken = list(comparison.broken_imports(changed))
    # uses are not reported where the import of the file or of the name is broken already
    known = {(each.path, each.target, each.symbol) for each in broken}
    for use in comparison.broken_uses(changed):
        key = (use.path, use.target, use.symbol)
        if known.isdisjoint([key, (use.path, use.target, None)]):
            known.add(key)
            broken.append(use)
    distinct = {(each.path, each.line, each.specifier, each.symbol): each for each in broken}
    return sorted(distinct.values(), key=lambda each: (*each[:3], each.symbol or "", each.target))


class _Comparison:
    """An earlier and a later tree; `moved` maps the new path of a renamed file to the old one."""

    def __init__(self, old: ExportLookup, new: ExportLookup, moved: Mapping[bytes, bytes]) -> None:
        self._old = old
        self._new = new
        self._moved = {before: after for after, before in moved.items()}
        self._unresolved = {
            (imported.file, imported.place) for imported in new.graph.unresolved_imports()
        }
        self._reduced: frozenset[int] = frozenset()

    def same_path(self, file: int) -> int:
        """Return the file of the later tree with the path of one of the earlier tree, or -1."""
        return self._new.graph.file(self._old.graph.path(file))

    def _later(self, file: int) -> int:
        """Return the number in the later tree of a file of the earlier one, or -1."""
        path, now = self._old.graph.path(file), self.same_path(file)
        return now if now >= 0 else self._new.graph.file(self._moved.get(path, path))

    def broken_imports(self, changed: Sequence[int]) -> Iterator[BrokenImport]:
        """Iterate over the broken imports of the changed files, and of their importers."""
        graph = self._old.graph
        # the files that provide fewer names, and those that re-export all names of one of them
        reduced = [file for file in changed if not self._provides_all(file)]
        self._reduced = frozenset(reachable(reduced, self._wildcard_reexporters))
        for source in changed:
            for kept in self._kept(source):
                yield from self._check(kept)
        importing = {edge.source for file in self._reduced for edge in graph.in_edges(file)}
        for source in sorted(importing.difference(changed)):
            for kept in self._kept(source):
                if not self._reduced.isdisjoint(kept.targets):
                    yield from self._check(kept)

    def _wildcard_reexporters(self, file: int) -> list[int]:
        return [
            edge.source
            for edge in self._old.graph.in_edges(file)
            if edge.place != USED and self._old[edge.source].is_wildcard_reexport(edge.place)
        ]

    def _provides_all(self, file: int) -> bool:
        """Return True if the later tree has a file with all names that it provided before."""
        now = self.same_path(file)
        if now < 0:
            return False
        if not (self._old.searched(file) and self._new.searched(now)):
            return True
        before, after = self._old[file], self._new[now]
        imports = [[imported[:3] for imported in each.row.imports] for each in (before, after)]
        return before.names <= after.names and imports[0] == imports[1]

    def _kept(self, source: int) -> Iterator[_KeptImport]:
        """Iterate over the imports of a file that had targets and are in the later tree too."""
        new = self._later(source)
        graph = self._old.graph
        targets_of: dict[int, list[int]] = {}
        for edge in graph.out_edges(source) if new >= 0 else ():
            if edge.place != USED and not edge.ambiguous:
                targets_of.setdefault(edge.place, []).append(edge.target)
        if not targets_of:
            return
        imports = graph.row(source).imports
        now = list(enumerate(self._new.graph.row(new).imports))
        # of equal imports the first one counts
        later = {imported[:3]: place for place, imported in reversed(now)}
        for place, targets in targets_of.items():
            after = later.get(imports[place][:3])
            if after is not None:
                yield _KeptImport(new, after, imports[place], tuple(targets))

    def _check(self, kept: _KeptImport) -> Iterator[BrokenImport]:
        """Report an import without targets, or the names that its targets lack."""
        # a path of Rust may begin with another name now, which hides that of the crate
        if (kept.file, kept.place) in self._unresolved or kept.imported.kind == "path":
            return
        now = self._new[kept.file].import_targets.get(kept.place, [])
        before = sorted(map(self._old.graph.path, kept.targets))
        same_files = before == sorted(map(self._new.graph.path, now))
        if now and same_files and self._reduced.isdisjoint(kept.targets):
            return
        names = imported_by(kept.imported)
        language = self._new.graph.language(kept.file)
        whole = WHOLE in kept.imported.names
        if not now and not (whole and language in JVM):
            yield self._without_target(kept, kept.targets[0])
        if not now or whole:
            return
        if names and language != _GO:
            for name in names:
                yield from self._check_name(kept, name, now)
        elif language == "rust" or language in JVM:
            # the import is of the last name of the path
            yield from self._check_name(kept, _SEPARATOR.split(kept.imported.specifier)[-1], now)

    def _without_target(self, kept: _KeptImport, target: int) -> BrokenImport:
        graph = self._new.graph
        line = graph.line(kept.file, kept.place)
        specifier = kept.imported.specifier
        return BrokenImport(graph.path(kept.file), line, specifier, self._old.graph.path(target))

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
        removed = self._later(provider) < 0 or broken.target in self._moved
        yield broken if removed else broken._replace(symbol=name)

    def _may_provide(self, file: int, name: str, kept: _KeptImport) -> bool:
        before = self._old.graph.file(self._new.graph.path(file))
        if before in kept.targets and before not in self._reduced:
            # its names are unchanged, so those that are unknown did not satisfy the import before
            return self._new.provides(kept.imported, file, name)
        return self._new.may_provide(kept.imported, file, name)

    def _former_provider(self, kept: _KeptImport, name: str) -> int | None:
        """Return the former target that the name denoted or that certainly had it, or None."""
        old = self._old
        for file in kept.targets:
            if old.imports_module(kept.imported, file, name):
                return file
        ranked = sorted(kept.targets, key=lambda file: name not in old[file].own)
        return next((file for file in ranked if old.has(file, name)), None)

    def broken_uses(self, targets: Iterable[int]) -> Iterator[BrokenImport]:
        """Iterate over the remaining uses of names that a change removed from `targets`.

        A use is qualified by the name of the module, package or type (`module.name`), or
        unqualified where the files of a package share one namespace.
        """
        removed: dict[int, set[str]] = {}
        uses: dict[int, dict[int, list[Edge]]] = {}
        for target in targets:
            removed[target] = self._removed(target)
            for edge in self._old.graph.in_edges(target) if removed[target] else ():
                if not edge.ambiguous or edge.place == USED:
                    uses.setdefault(edge.source, {}).setdefault(target, []).append(edge)
        now = {source: self._later(source) for source in uses}
        readable = {file for file in now.values() if file >= 0 and self._new.searched(file)}
        self._new.read(sorted(readable))
        for source, used in uses.items():
            if now[source] in readable:
                yield from self._uses_in(now[source], used, removed)

    def _removed(self, target: int) -> set[str]:
        """Return the names that a file certainly had and certainly has no longer."""
        if not self._old.searched(target):
            return set()
        now = self.same_path(target)
        before = self._old[target]
        names = {name for name, _ in before.row.definitions if "." not in name}
        if before.language in ECMASCRIPT:
            names = set(before.names)
        if now >= 0:
            names = {name for name in names if not self._new.may_have([now], name)}
        if before.language in JVM:
            # the facts do not list members
            remaining = self._new[now].scan(jvm_declared_names) if now >= 0 else frozenset()
            names |= before.scan(jvm_declared_names) - remaining
        return names

    def _uses_in(
        self, now: int, used: Mapping[int, Sequence[Edge]], removed: Mapping[int, set[str]]
    ) -> Iterator[BrokenImport]:
        """Return the uses of removed names in one file; `used`: its former edges by target."""
        file = self._new[now]
        mentions = NameOccurrences(file.code, go=file.language == _GO)
        for target, edges in used.items():
            names = removed[target] & file.scan(identifiers)
            if not names:
                continue
            qualifiers = {
                name for edge in edges for name in self._qualifiers(target, edge, mentions)
            }
            if qualifiers:
                uses = mentions.qualified(qualifiers, names)
                providers = self._replacements(target, now, qualifiers)
                yield from self._broken(uses, target, now, providers)
            if any(edge.place == USED for edge in edges):
                yield from self._unqualified(target, now, names, mentions)

    def _unqualified(
        self, target: int, now: int, removed: set[str], mentions: NameOccurrences
    ) -> Iterator[BrokenImport]:
        """Return unqualified uses, in languages where the files of a package share a namespace."""
        file = self._new[now]
        definitions = self._old[target].row.definitions
        kinds = {name: kind for name, kind in definitions if "." not in name}
        names = removed & kinds.keys()
        used = file.row.names
        if file.language == _GO:
            names = {name for name in names if name in used or kinds[name] in _VALUES}
            names -= file.scan(bound_in_go)
            providers = self._siblings(target)
        elif file.language in JVM:
            names &= used
            providers = self._targets(now)
        else:
            return
        uses = mentions.unqualified(names)
        yield from self._broken(uses, target, now, [now, *providers])

    def _replacements(self, target: int, now: int, qualifiers: set[str]) -> list[int]:
        """Return the files of the later tree that may provide names with these qualifiers."""
        language = self._new[now].language
        if language == _GO:
            return self._siblings(target)
        files = self._targets(now, qualifiers)
        if language in JVM and (later := self.same_path(target)) >= 0:
            # a type may inherit the name
            files += self._targets(later, self._new[later].scan(jvm_inherited_names) - qualifiers)
        return files

    def _qualifiers(self, target: int, edge: Edge, mentions: NameOccurrences) -> Iterator[str]:
        """Iterate over the qualifiers by which the source of an edge refers to the target."""
        name = module_name(self._old.graph.path(target))
        source = self._old[edge.source]
        if edge.place == USED:
            if source.language in JVM:
                yield name
            return
        imported = source.row.imports[edge.place]
        if source.language == _GO:
            yield from self._go_package(target, imported)
        elif not imported.names or imported.names == WHOLE:
            yield name
            if source.language == "python":
                yield imported.specifier
                yield from mentions.aliases.get(imported.specifier, ())
        elif imported.names.startswith("as "):
            yield imported.names.removeprefix("as ")
        else:
            for part in imported.names.strip("{} ").split(","):
                first, _, alias = part.strip().partition(" as ")
                if first in (name, WHOLE, "self"):
                    yield alias.strip() or name

    def _go_package(self, target: int, imported: Import) -> Iterator[str]:
        """Iterate over the name of an imported Go package: its alias, else its package clause."""
        if imported.names and imported.names not in ("_", "."):
            yield imported.names
        for clause in self._old[target].row.imports[:1]:
            if clause.kind == "package" and not imported.names:
                yield clause.specifier

    def _broken(
        self, uses: Iterable[Occurrence], target: int, now: int, providers: Sequence[int]
    ) -> Iterator[BrokenImport]:
        """Report the uses of names that none of the providers may have."""
        new = self._new
        path = self._old.graph.path(target)
        searched = list(filter(new.searched, providers))
        jvm = [new[file] for file in searched if new[file].language in JVM]
        for use in uses:
            if new.may_have(searched, use.name) or any(
                use.name in file.scan(jvm_declared_names) for file in jvm
            ):
                continue
            symbol = use.name if new.graph.file(path) >= 0 else None
            yield BrokenImport(new.graph.path(now), use.line, use.text, path, symbol)

    def _targets(self, file: int, names: set[str] | frozenset[str] | None = None) -> list[int]:
        """Return the files that a file of the later tree depends on, with some module names."""
        graph = self._new.graph
        targets = sorted({edge.target for edge in graph.out_edges(file)})
        return [
            target
            for target in targets
            if names is None or module_name(graph.path(target)) in names
        ]

    def _siblings(self, target: int) -> list[int]:
        """Return the files of the later tree in the folder of a file of the earlier one."""
        graph = self._new.graph
        folder = self._old.graph.path(target).rpartition(b"/")[0]
        depth = folder.count(b"/") + bool(folder)
        return [file for file in graph.under(folder) if graph.path(file).count(b"/") == depth]
