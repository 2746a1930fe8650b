"""The targets of the imports of a file, by the names that they bind, and of uses without one."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.definition_rules import INCLUDED, REACHING, RULES, USED
from gitsearch.graph.definition_table import package_of
from gitsearch.graph.exports import ECMASCRIPT, JVM, bound_by, imported_by
from gitsearch.graph.graph import USED as USED_NAME
from gitsearch.graph.resolvers.csharp import dotted_name
from gitsearch.graph.resolvers.rust_modules import imported_paths

if TYPE_CHECKING:
    from collections.abc import Collection

    from gitsearch.graph.definition_table import Definitions
    from gitsearch.graph.graph import Graph
    from gitsearch.records import Import

# So many files that are included, directly or not, are looked at.
_MOST_INCLUDED = 1000

# Stands for the names of an import that binds all of its target, and of one that binds the members
# of a type in it.
WHOLE = "*"
MEMBERS = ".*"

# Go: what stands around the name of a package in the last part of its path.
_VERSION = re.compile(r"(?:^|\.)v\d+$")


class Bound(NamedTuple):
    """An import that binds a name: `original` is the name in the targets, "" for a module."""

    original: str
    specifier: str
    targets: tuple[int, ...]
    line: int


class Links:
    """The links of one file.

    bound: the imports by the names that they bind. modules: the targets of imports by specifier:
    of those without names, or else, in Python, of others. fixtures: the linked files that have
    fixtures of pytest.
    """

    def __init__(
        self,
        graph: Graph,
        definitions: Definitions,
        file: int,
        having: Collection[int],
        reached: Reached,
    ) -> None:
        """`having` are the files that have fixtures."""
        self._file = file
        self._scope = definitions.rules(file).scope
        self._reached = reached
        targets: dict[int, list[int]] = defaultdict(list)
        for edge in graph.out_edges(file):
            targets[edge.place].append(edge.target)
        bound: dict[str, list[Bound]] = defaultdict(list)
        self.modules: dict[str, tuple[int, ...]] = {}
        named: dict[str, tuple[int, ...]] = {}
        for place, imported in enumerate(graph.row(file).imports):
            led = tuple(targets.get(place, ()))
            known = named if imported.names else self.modules
            known.setdefault(imported.specifier, led)
            for name, original in _pairs(graph, file, imported, led):
                bound[name].append(Bound(original, imported.specifier, led, imported.line))
        if definitions.rules(file).submodules:
            self.modules = named | self.modules
        self.bound = {name: tuple(places) for name, places in bound.items()}
        used: dict[str, list[int]] = defaultdict(list)
        if self._scope == USED:
            for target in targets.get(USED_NAME, ()):
                for name in definitions.tops_of(target):
                    used[name].append(target)
        self._used = {name: tuple(files) for name, files in used.items()}
        linked = (target for own in targets.values() for target in own if target in having)
        self.fixtures = tuple(sorted(set(linked)))

    def using(self, name: str) -> tuple[int, ...]:
        """Return the files of a name that is used of them without an import."""
        if self._scope in REACHING:
            return self._reached.having(self._file, name)
        return self._used.get(name, ())

    def used(self, names: Collection[str]) -> dict[str, tuple[int, ...]]:
        """Return the files by such names: by some of them, if a file sees all that it reaches."""
        if self._scope not in REACHING:
            return self._used
        return {name: files for name in names if (files := self.using(name))}


class Reached:
    """The files that each file leads to: directly, or by what these include, too."""

    def __init__(self, graph: Graph, definitions: Definitions) -> None:
        self._definitions = definitions
        self._targets: dict[int, list[int]] = {}
        ends = (graph.arrays[name].tolist() for name in ("edge_source", "edge_target"))
        for source, target in zip(*ends, strict=True):
            if source in definitions.space and target in definitions.space:
                self._targets.setdefault(source, []).append(target)
        self._files: dict[int, frozenset[int]] = {}

    def files(self, file: int) -> frozenset[int]:
        """Return the files that a file leads to, of those that are included only so many."""
        if file not in self._files:
            found = dict.fromkeys(self._targets.get(file, ()))
            todo = list(found) if self._definitions.rules(file).scope == INCLUDED else []
            for one in todo:
                if len(found) > _MOST_INCLUDED:
                    break
                fresh = [target for target in self._targets.get(one, ()) if target not in found]
                found.update(dict.fromkeys(fresh))
                todo += fresh
            self._files[file] = frozenset(found) - {file}
        return self._files[file]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The files that have a name at the top."""
        files: dict[str, list[int]] = {}
        for file in self._definitions.space:
            for name in self._definitions.tops_of(file):
                files.setdefault(name, []).append(file)
        return files

    def having(self, file: int, name: str) -> tuple[int, ...]:
        """Return the files that a file leads to which have a name at the top, ascending."""
        own = self._by_name.get(name)
        return () if own is None else tuple(filter(self.files(file).__contains__, own))


# ---------------------------------------------------------------- what an import binds


def _pairs(
    graph: Graph, file: int, imported: Import, targets: tuple[int, ...]
) -> list[tuple[str, str]]:
    """Return the names that an import binds, each with the name in its target."""
    language = graph.language(file)
    if RULES[language].scope in REACHING:
        return _of_linked(imported)
    if language in ECMASCRIPT:
        return _of_ecmascript(imported)
    if language == "go":
        return _of_go(imported, package_of(graph, targets[0]) if targets else "")
    if language in JVM:
        return _of_jvm(imported)
    if language == "rust":
        return _of_rust(imported, targets)
    return _of_python(imported)


def _of_python(imported: Import) -> list[tuple[str, str]]:
    if not imported.names:
        first = imported.specifier.partition(".")[0]
        return [(name, "") for name in ((first,) if first else bound_by(imported))]
    whole = [(WHOLE, WHOLE)] if WHOLE in imported.names else []
    return [*whole, *zip(bound_by(imported), imported_by(imported), strict=False)]


def _of_ecmascript(imported: Import) -> list[tuple[str, str]]:
    """Read `a`, `a as b`, `default as a`, `* as a`, and `a: b` of a pattern."""
    if not imported.names:
        return [(WHOLE, WHOLE)] if imported.kind == "export" else []
    pairs = []
    for part in imported.names.split(","):
        words = part.replace(":", " as ").removeprefix("type ").split()
        if words:
            pairs.append((words[-1], "" if words[0] == WHOLE else words[0]))
    return pairs


def _of_go(imported: Import, package: str) -> list[tuple[str, str]]:
    """Read an alias, or guess the name of a package of a library by its path."""
    if imported.kind in ("package", "embed") or imported.names == "_":
        return []
    if imported.names == ".":
        return [(WHOLE, WHOLE)]
    if imported.names or package:
        return [(imported.names or package, "")]
    parts = [part for part in imported.specifier.split("/") if not _VERSION.fullmatch(part)]
    last = _VERSION.sub("", parts[-1] if parts else "")
    guesses = {last, last.removeprefix("go-"), last.removesuffix("-go"), last.replace("-", "")}
    return [(guess, "") for guess in sorted(guesses)]


def _of_jvm(imported: Import) -> list[tuple[str, str]]:
    if imported.kind in ("package", "packaging", "qualified"):
        return []
    if imported.names == WHOLE:
        return [(WHOLE, WHOLE)]
    last = imported.specifier.rpartition(".")[2]
    return [(imported.names.removeprefix("as ") or last, last)]


def _of_linked(imported: Import) -> list[tuple[str, str]]:
    r"""Read `using a = b.c;`, `using static b.C;` and `use b\c as a;`.

    All other names are those of the targets.
    """
    if imported.kind == "static":
        return [(MEMBERS, dotted_name(imported.specifier))]
    if imported.kind == "using" and imported.names:
        return [(imported.names, imported.specifier.rpartition(".")[2])]
    renamed = (part.rpartition(" as ") for part in imported.names.split(",") if " as " in part)
    return [(new.strip(), old.strip().rpartition("\\")[2]) for old, _, new in renamed]


def _of_rust(imported: Import, targets: tuple[int, ...]) -> list[tuple[str, str]]:
    """Read `a::{self, b as c, d::*}`, the module that `mod a;` declares, and crates in paths."""
    if imported.kind == "path":
        return [(imported.specifier, "")] if targets else []
    if imported.kind == "mod":
        return [(imported.specifier, "")]
    paths = imported_paths(imported)
    return [(WHOLE, WHOLE) if name == WHOLE else (name, path[-1]) for path, name in paths]
