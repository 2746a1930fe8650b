"""Java, Kotlin and Scala, which see each other: packages, imports of names, wildcards."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.families.jvm_packages import Packages, ends
from gitsearch.graph.project import NOWHERE, Family, Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_DECLARING = frozenset({"package", "packaging"})
_WILDCARDS = frozenset({"*", "_", "given"})
_RENAMED = re.compile(r"\s*=>\s*|\s+as\s+")


class Bound(NamedTuple):
    """What the imports of a file say, with whole names.

    names: the simple names that they bring, and what they stand for; targets: what each import
    names, and the packages or types of which it takes everything.
    """

    names: dict[str, str]
    targets: dict[Import, tuple[list[str], list[str]]]


class Free(NamedTuple):
    """The names a file uses that neither it nor an import of a name says: packages have them."""

    types: set[str]
    members: set[str]


class Jvm(Family):
    """The files of a package see each other, and other packages by imports."""

    languages: ClassVar[frozenset[str]] = frozenset({"java", "kotlin", "scala"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._bound: dict[int, Bound] = {}
        self._free: dict[int, Free] = {}
        self._used: dict[int, Found] = {}

    @cached_property
    def packages(self) -> Packages:
        """What every file declares."""
        return Packages(self.project, self.project.of(self.languages))

    def resolve(self, file: int, imported: Import) -> Found:
        """To the files that declare the names; a wildcard to those of which a name is used."""
        if imported.kind in _DECLARING:
            return NOWHERE
        named, spaces = self._bindings(file).targets[imported]
        found = [self._nearest(file, self.packages.leads(name)) for name in named]
        if spaces:
            self.uses(file)  # what the packages of the file have comes first
            free = self._free[file]
            for space in spaces:
                found.append(self._nearest(file, self.packages.holders(space)))
                found += [self._nearest(file, files) for _, files in self._named(space, free)]
        return joined(found)

    def uses(self, file: int) -> Found:
        """The files of the same package that declare a name which this one uses."""
        if file not in self._used:
            free = self._free[file] = self._unbound(file)
            found = []
            for package in self.packages.visible[file]:
                for name, files in list(self._named(package, free)):
                    found.append(self._nearest(file, files))
                    free.types.discard(name)
                    free.members.discard(name)
            self._used[file] = joined(found)
        return self._used[file]

    def _named(self, package: str, free: Free) -> Iterable[tuple[str, list[int]]]:
        """The free names that a package declares, and the files."""
        tables = (self.packages.types, free.types), (self.packages.members, free.members)
        for table, names in tables:
            here = table.get(package)
            if here:
                for name in here.keys() & names:
                    yield name, here[name]

    def _unbound(self, file: int) -> Free:
        facts = self.project.facts(file)
        names = facts.names.difference(self._bindings(file).names)
        own = {name.rpartition(".")[2] for name, _ in facts.definitions}
        members = set() if self.project.languages[file] == "java" else names - own
        return Free(set(names - own), members)

    def _bindings(self, file: int) -> Bound:
        if file not in self._bound:
            bound = self._bound[file] = Bound({}, {})
            scala = self.project.languages[file] == "scala"
            for one in self.project.facts(file).imports:
                if one.kind not in _DECLARING:
                    self._bind(file, one, bound, scala=scala)
        return self._bound[file]

    def _bind(self, file: int, imported: Import, bound: Bound, *, scala: bool) -> None:
        """Add what one import says; those before it may say what its first name is."""
        path = "".join(imported.specifier.split())
        if scala:
            path = self._absolute(file, path, bound)
        named: list[str] = []
        spaces: list[str] = []
        for selector in imported.names.split(","):
            name, _, alias = _RENAMED.sub("\n", selector.strip()).partition("\n")
            if name in _WILDCARDS:
                spaces.append(path)
                continue
            whole = f"{path}.{name}" if name else path
            bound.names[alias or whole.rpartition(".")[2]] = whole
            named.append(whole)
            if scala and whole in self.packages.spaces:
                spaces.append(whole)
        bound.targets[imported] = named, spaces

    def _absolute(self, file: int, path: str, bound: Bound) -> str:
        """The whole name of what a path of Scala means, which starts with any name in sight."""
        first, dot, rest = path.partition(".")
        if first == "_root_":
            return rest
        if first in bound.names:
            return bound.names[first] + dot + rest
        packages = self.packages
        wild = [space for _, spaces in bound.targets.values() for space in spaces]
        for space in (*packages.visible[file], *wild):
            inner = f"{space}.{first}"
            if first in packages.types.get(space, ()) or inner in packages.spaces:
                return f"{space}.{path}"
        return path

    def _nearest(self, file: int, candidates: Sequence[int]) -> Found:
        """Of several files that declare one name, those of the module of the file that uses it.

        Several in one folder are all meant: a function may have a form in each.
        """
        if len(candidates) < 2:
            return Found(tuple(candidates))
        paths = self.project.paths
        path = paths[file]
        best = [0]
        near: list[int] = list(candidates)
        shared = {one: _shared(path, paths[one]) for one in candidates}
        home = [one for one in candidates if path.startswith(_module(paths[one]))]
        if home:
            best = max(shared[one] for one in home)
            near = [one for one in home if shared[one] == best]
        folders = {paths[one].rpartition("/")[0] for one in near}
        return Found(tuple(near)) if len(folders) == 1 else Found(ambiguous=tuple(near))


def _module(path: str) -> str:
    """The folder of the module that a file belongs to, with a slash behind it."""
    head, found, _ = path.rpartition("/src/")
    return f"{head}/" if found else ""


def _shared(one: str, other: str) -> int:
    """How many folders two paths start with in common."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def joined(found: Iterable[Found]) -> Found:
    """Several outcomes as one."""
    resolved: dict[int, None] = {}
    ambiguous: dict[int, None] = {}
    for one in found:
        resolved.update(dict.fromkeys(one.resolved))
        ambiguous.update(dict.fromkeys(one.ambiguous))
    return Found(tuple(resolved), tuple(one for one in ambiguous if one not in resolved))
