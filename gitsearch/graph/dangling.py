"""What a change breaks: imports that lead nowhere now, and uses of names that are gone.

Only what was fine before is told: where an import led to a file, or a name was found, and the
later tree surely has neither. Where it cannot be told, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.graph import USED
from gitsearch.graph.offered import (
    ECMASCRIPT,
    JVM,
    WHOLE,
    imported_by,
    module_name,
)
from gitsearch.graph.plaintext import line_of, members_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.graph.graph import Edge, Graph
    from gitsearch.graph.offered import Offering
    from gitsearch.records import Change, Import

# There an import means a package, of which all files share one space of names.
_GO = "go"

# Kinds of which extraction lists no uses.
_VALUES = frozenset({"constant", "variable"})

_EXTENDING = re.compile(r"\b(?:extends|implements)\b")


class Dangling(NamedTuple):
    """An import of a file that is gone; with `symbol`, a use of what `target` has no more."""

    path: bytes
    line: int
    specifier: str
    target: bytes
    symbol: str | None = None


class _Place(NamedTuple):
    """An import that was followed: by whom in either graph, which it is now, where it led."""

    old: int
    new: int
    after: int
    said: Import
    targets: tuple[int, ...]


def dangling(
    old: Offering, new: Offering, changes: Sequence[Change], moved: Mapping[bytes, bytes]
) -> list[Dangling]:
    """What a change breaks, by path and line; `moved`: the old path of a renamed file."""
    finder = _Finder(old, new, [one.path for one in changes], moved)
    found = {(one.path, one.line, one.specifier, one.symbol): one for one in finder.found()}
    return sorted(found.values(), key=lambda one: (*one[:3], one.symbol or "", one.target))


class _Finder:
    """Compares who depended on the changed files with who does now."""

    def __init__(
        self,
        old: Offering,
        new: Offering,
        changed: Sequence[bytes],
        moved: Mapping[bytes, bytes],
    ) -> None:
        self._old = old
        self._new = new
        self._moved = {before: after for after, before in moved.items()}
        self._changed = [file for path in changed if (file := old.graph.file(path)) >= 0]
        self._apart: frozenset[int] = frozenset()
        self._blind = {(one.file, one.place) for one in new.graph.blind()}

    def found(self) -> Iterator[Dangling]:
        """All of it, in any order."""
        self._read()
        self._apart = self._with_handing_on(
            [file for file in self._changed if not self._as_before(file)]
        )
        told = [one for place in self._places() for one in self._import(place)]
        yield from told
        # who cannot import a file, or a name of it, is not told that it cannot use it
        known = {(one.path, one.target, one.symbol) for one in told}
        for target in self._changed:
            for one in self._uses(target):
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
        self._old.read([file for file in self._changed if self._searched(self._old.graph, file)])
        now = (self._new.graph.file(self._old.graph.path(file)) for file in self._changed)
        self._new.read(
            [file for file in now if file >= 0 and self._searched(self._new.graph, file)]
        )

    @staticmethod
    def _searched(graph: Graph, file: int) -> bool:
        return bool(graph.arrays["searched"][file])

    def _later(self, file: int) -> int:
        """The number that a file of the earlier graph has in the later one, or -1."""
        path = self._old.graph.path(file)
        now = self._new.graph.file(path)
        return now if now >= 0 else self._new.graph.file(self._moved.get(path, path))

    # ------------------------------------------------------------ written imports

    def _as_before(self, file: int) -> bool:
        """Whether a file is there and offers all that it did."""
        old, new = self._old, self._new
        now = new.graph.file(old.graph.path(file))
        if now < 0:
            return False
        if not (self._searched(old.graph, file) and self._searched(new.graph, now)):
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
        new = self._later(source)
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

    def _import(self, place: _Place) -> Iterator[Dangling]:
        if (place.new, place.after) in self._blind:
            return
        now = [one.target for one in self._new.graph.out_of(place.new) if one.place == place.after]
        if now and self._same(place.targets, now):
            return
        names = imported_by(place.said)
        spoken = self._old.graph.language(place.old)
        if not now:
            if not (spoken in JVM and WHOLE in place.said.names):
                yield self._gone(place, place.targets[0])
        elif WHOLE in place.said.names:
            return
        elif names and spoken != _GO:
            for name in names:
                yield from self._named(place, name, now)
        elif spoken == "rust" or spoken in JVM:
            # the last name of the path is what is imported
            yield from self._named(place, re.split(r"::|\.", place.said.specifier)[-1], now)

    def _same(self, before: Sequence[int], now: Sequence[int]) -> bool:
        """Whether an import leads to the same files, which offer what they did."""
        if not self._apart.isdisjoint(before):
            return False
        paths = [self._old.graph.path(file) for file in before]
        return sorted(paths) == sorted(map(self._new.graph.path, now))

    def _gone(self, place: _Place, target: int) -> Dangling:
        graph = self._new.graph
        line = graph.line(place.new, place.after)
        specifier = place.said.specifier
        return Dangling(graph.path(place.new), line, specifier, self._old.graph.path(target))

    def _named(self, place: _Place, name: str, now: Sequence[int]) -> Iterator[Dangling]:
        """Whether a name was found where an import leads, and is not any more."""
        if name in ("self", "super", "crate", WHOLE):
            return
        had = self._having(self._old, name, place.targets)
        if had is None or any(self._new.is_or_may_have(file, name) for file in now):
            return
        gone = self._gone(place, had)
        if self._later(had) >= 0 and self._old.graph.path(had) not in self._moved:
            yield gone._replace(symbol=name)
        else:
            yield gone

    @staticmethod
    def _having(side: Offering, name: str, targets: Sequence[int]) -> int | None:
        """The file that a name is, or that surely has it; None where there is none."""
        for file in targets:
            if module_name(side.graph.path(file)) == name:
                return file
        ranked = sorted(targets, key=lambda file: not side.defines(file, name))
        return next((file for file in ranked if side.has(file, name)), None)

    # ------------------------------------------------------------ uses of names

    def _uses(self, target: int) -> Iterator[Dangling]:
        """Who still says the names that a file had and has no more, and surely means them."""
        lost = self._lost(target)
        if not lost:
            return
        into: dict[int, list[Edge]] = {}
        for edge in self._old.graph.into(target):
            if not edge.ambiguous or edge.place == USED:
                into.setdefault(edge.source, []).append(edge)
        sources = {source: now for source in into if (now := self._later(source)) >= 0}
        readable = [now for now in sources.values() if self._searched(self._new.graph, now)]
        self._new.read(readable)
        for source, now in sources.items():
            if self._searched(self._new.graph, now):
                yield from self._user(target, into[source], now, lost)

    def _lost(self, target: int) -> set[str]:
        """The names that a file surely had and surely has no more."""
        old, new = self._old, self._new
        if not self._searched(old.graph, target):
            return set()
        now = new.graph.file(old.graph.path(target))
        mine = {name for name, _ in old.graph.row(target).definitions if "." not in name}
        spoken = old.graph.language(target)
        if spoken in ECMASCRIPT:
            mine = set(old.names(target))
        gone = mine if now < 0 else {n for n in mine if not new.may_have(now, n)}
        if spoken in JVM:
            # members are not listed
            gone |= members_of(old.code(target)) - (
                members_of(new.code(now)) if now >= 0 else frozenset()
            )
        return gone

    def _user(
        self, target: int, edges: Sequence[Edge], now: int, lost: set[str]
    ) -> Iterator[Dangling]:
        said = lost & words_of(self._new.code(now))
        if not said:
            return
        calls = {call for edge in edges for call in self._called(target, edge)}
        if calls:
            either = _either(calls)
            pattern = rf"(?<![\w.$])(?:{either})(?:\.|::)({_either(said)})(?![\w$])"
            given = self._replaced(target, now, calls)
            yield from self._said(pattern, target, now, given)
        if any(edge.place == USED for edge in edges):
            yield from self._bare(target, now, said)

    def _bare(self, target: int, now: int, said: set[str]) -> Iterator[Dangling]:
        """Uses of names without anything before them, in languages where a package shares them."""
        graph = self._new.graph
        spoken = graph.language(now)
        kinds = {n: kind for n, kind in self._old.graph.row(target).definitions if "." not in n}
        names = said & kinds.keys()
        called = graph.row(now).names
        if spoken == _GO:
            code = self._new.code(now)
            names = {n for n in names if n in called or kinds[n] in _VALUES}
            names = {n for n in names if not _bound(n, code)}
            follows = r"(?=[(\[{.,)\s])(?!\s*:)"
        elif spoken in JVM:
            names &= called
            follows = r"(?!\w)"
        else:
            return
        if names:
            pattern = rf"(?<![\w.])({_either(names)}){follows}"
            given = [now, *self._beside(target)] if spoken == _GO else self._targets(now)
            yield from self._said(pattern, target, now, [now, *given])

    def _replaced(self, target: int, now: int, calls: set[str]) -> list[int]:
        """The files that may have a name now that was said to be one of a file."""
        graph = self._new.graph
        spoken = graph.language(now)
        if spoken == _GO:
            return self._beside(target)
        found = [file for file in self._targets(now) if module_name(graph.path(file)) in calls]
        if spoken in JVM and (later := graph.file(self._old.graph.path(target))) >= 0:
            # what a type inherits
            found += self._targets(later) if _EXTENDING.search(self._new.code(later)) else []
        return found

    def _called(self, target: int, edge: Edge) -> Iterator[str]:
        """What stands before a name of a file where another says it."""
        graph = self._old.graph
        name = module_name(graph.path(target))
        spoken = graph.language(edge.source)
        if edge.place == USED:
            if spoken in JVM:
                yield name
            return
        said = graph.row(edge.source).imports[edge.place]
        if spoken == _GO:
            yield from self._package(target, said)
        elif not said.names or said.names == WHOLE:
            yield name
            if spoken == "python":
                yield said.specifier
                yield from self._aliases(edge.source, said)
        else:
            for part in said.names.strip("{} ").split(","):
                first, _, alias = part.strip().partition(" as ")
                if first in (name, WHOLE, "self"):
                    yield alias.strip() or name

    def _aliases(self, source: int, said: Import) -> Iterator[str]:
        now = self._later(source)
        pattern = rf"\bimport\s+{re.escape(said.specifier)}\s+as\s+(\w+)"
        for one in re.finditer(pattern, self._new.code(now)):
            yield one[1]

    def _package(self, target: int, said: Import) -> Iterator[str]:
        if said.names and said.names not in ("_", "."):
            yield said.names
        for one in self._old.graph.row(target).imports[:1]:
            if one.kind == "package" and not said.names:
                yield one.specifier

    def _said(
        self, pattern: str, target: int, now: int, given: Iterable[int]
    ) -> Iterator[Dangling]:
        """The first place where each name is said that none of some files may have."""
        graph = self._new.graph
        code = self._new.code(now)
        seen: set[str] = set()
        for one in re.finditer(pattern, code):
            name = one[1]
            if name not in seen and not self._has(name, given):
                path = self._old.graph.path(target)
                symbol = name if graph.file(path) >= 0 else None
                yield Dangling(graph.path(now), line_of(code, one.start()), one[0], path, symbol)
            seen.add(name)

    def _has(self, name: str, files: Iterable[int]) -> bool:
        new = self._new
        for file in files:
            if not self._searched(new.graph, file):
                continue
            if new.may_have(file, name):
                return True
            if new.graph.language(file) in JVM and name in members_of(new.code(file)):
                return True
        return False

    def _targets(self, file: int) -> list[int]:
        return sorted({edge.target for edge in self._new.graph.out_of(file)})

    def _beside(self, target: int) -> list[int]:
        """The files in the folder of a file."""
        graph = self._new.graph
        folder = self._old.graph.path(target).rpartition(b"/")[0]
        depth = folder.count(b"/") + bool(folder)
        return [file for file in graph.under(folder) if graph.path(file).count(b"/") == depth]


def _either(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names)))


def _bound(name: str, code: str) -> bool:
    """Whether a file of Go may have a name for something of its own."""
    escaped = re.escape(name)
    pattern = (
        rf"\b(?:func|type|var|const)\s+{escaped}(?!\w)|^func\s*\([^)]*\)\s*{escaped}(?!\w)"
        rf"|(?<![\w.]){escaped}(?:\s*,\s*\w+)*\s*:=|(?<![\w.]){escaped}[ \t]+[*\[\w]"
        rf"|(?<![\w.]){escaped}\s*,\s*\w+[ \t]+[*\[\w]"
    )
    return re.search(pattern, code, re.MULTILINE) is not None
