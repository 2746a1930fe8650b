"""Uses of names that a file had and has no more, where it is certain that they are meant.

A use stands behind the name of the module, package or type (`module.name`), or by itself where
the files of a package share their names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.graph import USED
from gitsearch.graph.offered import ECMASCRIPT, JVM, WHOLE, module_name
from gitsearch.graph.plaintext import line_of, members_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gitsearch.graph.graph import Edge
    from gitsearch.graph.offered import Offering
    from gitsearch.records import Import

# There an import means a package, of which all files share one space of names.
GO = "go"

# Kinds of which extraction lists no uses.
_VALUES = frozenset({"constant", "variable"})

# What stands before the body of a type: its name, and those of what it inherits from.
_HEADER = re.compile(r"\b(?:class|interface|enum|record|object|trait)\b([^{;]*)\{")


class Dangling(NamedTuple):
    """An import of a file that is gone; with `symbol`, a use of what `target` has no more."""

    path: bytes
    line: int
    specifier: str
    target: bytes
    symbol: str | None = None


class Pair(NamedTuple):
    """An earlier and a later tree; `moved`: the new path of a renamed file."""

    old: Offering
    new: Offering
    moved: Mapping[bytes, bytes]

    def later(self, file: int) -> int:
        """The number that a file of the earlier tree has in the later one, or -1."""
        path = self.old.graph.path(file)
        now = self.new.graph.file(path)
        return now if now >= 0 else self.new.graph.file(self.moved.get(path, path))


class Missing:
    """Looks for uses of what files have no more."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair

    def of(self, target: int) -> Iterator[Dangling]:
        """Who still says the names that a file had and has no more, and surely means them."""
        lost = self._lost(target)
        if not lost:
            return
        into: dict[int, list[Edge]] = {}
        for edge in self._pair.old.graph.into(target):
            if not edge.ambiguous or edge.place == USED:
                into.setdefault(edge.source, []).append(edge)
        sources = {source: now for source in into if (now := self._pair.later(source)) >= 0}
        readable = [now for now in sources.values() if self._pair.new.searched(now)]
        self._pair.new.read(readable)
        for source, now in sources.items():
            if self._pair.new.searched(now):
                yield from self._user(target, into[source], now, lost)

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
            gone |= members_of(old.code(target)) - (
                members_of(new.code(now)) if now >= 0 else frozenset()
            )
        return gone

    def _user(
        self, target: int, edges: Sequence[Edge], now: int, lost: set[str]
    ) -> Iterator[Dangling]:
        said = lost & words_of(self._pair.new.code(now))
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
        graph = self._pair.new.graph
        spoken = graph.language(now)
        kinds = {
            n: kind for n, kind in self._pair.old.graph.row(target).definitions if "." not in n
        }
        names = said & kinds.keys()
        called = graph.row(now).names
        if spoken == GO:
            code = self._pair.new.code(now)
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
            given = [now, *self._beside(target)] if spoken == GO else self._targets(now)
            yield from self._said(pattern, target, now, [now, *given])

    def _replaced(self, target: int, now: int, calls: set[str]) -> list[int]:
        """The files that may have a name now that was said to be one of a file."""
        graph = self._pair.new.graph
        spoken = graph.language(now)
        if spoken == GO:
            return self._beside(target)
        found = [file for file in self._targets(now) if module_name(graph.path(file)) in calls]
        if spoken in JVM and (later := graph.file(self._pair.old.graph.path(target))) >= 0:
            # what a type inherits
            headers = " ".join(_HEADER.findall(self._pair.new.code(later)))
            above = words_of(headers) - calls
            found += [
                file for file in self._targets(later) if module_name(graph.path(file)) in above
            ]
        return found

    def _called(self, target: int, edge: Edge) -> Iterator[str]:
        """What stands before a name of a file where another says it."""
        graph = self._pair.old.graph
        name = module_name(graph.path(target))
        spoken = graph.language(edge.source)
        if edge.place == USED:
            if spoken in JVM:
                yield name
            return
        said = graph.row(edge.source).imports[edge.place]
        if spoken == GO:
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
        now = self._pair.later(source)
        pattern = rf"\bimport\s+{re.escape(said.specifier)}\s+as\s+(\w+)"
        for one in re.finditer(pattern, self._pair.new.code(now)):
            yield one[1]

    def _package(self, target: int, said: Import) -> Iterator[str]:
        if said.names and said.names not in ("_", "."):
            yield said.names
        for one in self._pair.old.graph.row(target).imports[:1]:
            if one.kind == "package" and not said.names:
                yield one.specifier

    def _said(
        self, pattern: str, target: int, now: int, given: Iterable[int]
    ) -> Iterator[Dangling]:
        """The first place where each name is said that none of some files may have."""
        graph = self._pair.new.graph
        code = self._pair.new.code(now)
        seen: set[str] = set()
        for one in re.finditer(pattern, code):
            name = one[1]
            if name not in seen and not self._has(name, given):
                path = self._pair.old.graph.path(target)
                symbol = name if graph.file(path) >= 0 else None
                yield Dangling(graph.path(now), line_of(code, one.start()), one[0], path, symbol)
            seen.add(name)

    def _has(self, name: str, files: Iterable[int]) -> bool:
        new = self._pair.new
        for file in files:
            if not new.searched(file):
                continue
            if new.may_have(file, name):
                return True
            if new.graph.language(file) in JVM and name in members_of(new.code(file)):
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
