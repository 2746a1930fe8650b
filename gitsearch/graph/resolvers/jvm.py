"""Java, Kotlin and Scala, which see each other: packages, imports of names, wildcards."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.jvm_modules import BUILD_FILES, JvmModules
from gitsearch.graph.resolvers.jvm_packages import TYPES, JvmPackages
from gitsearch.graph.resolvers.qualified_names import LONGEST, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_DECLARING = frozenset({"package", "packaging"})
_QUALIFIED = "qualified"  # a whole name in the code
_WILDCARDS = frozenset({"*", "_", "given"})
_RENAMED = re.compile(r"(?<!\s)\s*+=>\s*+|(?<!\s)\s++as\s++")


class Bound(NamedTuple):
    """What the imports of a file say, with whole names.

    names: the simple names that they bring, and what they stand for; targets: what each import
    names, and the packages or types of which it takes everything.
    """

    names: dict[str, str]
    targets: dict[Import, tuple[list[str], list[str]]]


class Free(NamedTuple):
    """The names a file uses that neither it nor an import of a name says: packages have them.

    doubtful: the members that several of the packages in sight have.
    """

    types: set[str]
    members: set[str]
    doubtful: set[str]


class Jvm(Resolver):
    """The files of a package see each other, and other packages by imports."""

    languages: ClassVar[frozenset[str]] = frozenset({"java", "kotlin", "scala"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._bound: dict[int, Bound] = {}
        self._free: dict[int, Free] = {}
        self._used: dict[int, Resolution] = {}

    @cached_property
    def packages(self) -> JvmPackages:
        """What every file declares."""
        return JvmPackages(self.project, self.project.of(self.languages))

    @cached_property
    def modules(self) -> JvmModules:
        """The modules of the project."""
        return JvmModules(self.project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """To the files that declare the names; a wildcard to those of which a name is used."""
        if imported.kind in _DECLARING:
            return EXTERNAL
        named, spaces = self._bindings(file).targets[imported]
        found = [self.modules.meant(file, self.packages.leads(name)) for name in named]
        if spaces:
            self.uses(file)  # what the packages of the file have comes first
            for space in spaces:
                found.append(self.modules.meant(file, self.packages.holders(space)))
                found += [one for _, one in self._named(file, space)]
        return joined(found)

    def uses(self, file: int) -> Resolution:
        """The files of the same package that declare a name which this one uses."""
        if file not in self._used:
            free = self._free[file] = self._unbound(file)
            found = []
            for package in self.packages.visible[file]:
                here = list(self._named(file, package))
                free.types.difference_update([name for name, _ in here])
                found += [one for _, one in here]
            self._used[file] = joined(found)
        return self._used[file]

    def depends_on(self) -> Iterator[str]:
        """What files declare; where the modules are."""
        yield from super().depends_on()
        for name in BUILD_FILES:
            yield from (self.project.paths[i] for i in self.project.by_name.get(name, ()))
        for file, source in self.packages.source.items():
            yield f"{self.project.paths[file]}\n{source}"

    def _named(self, file: int, package: str) -> Iterator[tuple[str, Resolution]]:
        """The free names of a file that a package declares, and where they lead."""
        free = self._free[file]
        packages = self.packages
        for table, names, doubtful in (
            (packages.unsure, free.members, free.members),
            (packages.members, free.members, free.doubtful),
            (packages.types, free.types, ()),
        ):
            here = table.get(package, {})
            for name in here.keys() & names:
                found = self.modules.meant(file, self.modules.visible(file, here[name]))
                if name in doubtful:
                    found = Resolution(ambiguous=found.resolved + found.ambiguous)
                yield name, found

    def _unbound(self, file: int) -> Free:
        facts = self.project.facts(file)
        bound = self._bindings(file)
        names = set(facts.names).difference(bound.names)
        own = {(name.rpartition(".")[2], kind in TYPES) for name, kind in facts.definitions}
        types = {name for name in names if (name, True) not in own}
        if self.project.languages[file] == "java":
            return Free(types, set(), set())
        names.difference_update([name for name, _ in own])
        spaces = {space for _, spaces in bound.targets.values() for space in spaces}
        tables = (self.packages.members.get(p) for p in spaces.union(self.packages.visible[file]))
        offers = Counter(name for table in tables if table for name in table.keys() & names)
        return Free(types, names, {name for name, count in offers.items() if count > 1})

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
        path = imported.specifier
        path = "".join(path.split()) if " " in path else path
        if len(path) > LONGEST:
            bound.targets[imported] = [], []
            return
        if scala:
            path = self._absolute(file, path, bound)
        named: list[str] = []
        spaces: list[str] = []
        for selector in imported.names.split(","):
            name, alias = _selected(selector) if selector else ("", "")
            if name in _WILDCARDS:
                spaces.append(path)
                continue
            whole = f"{path}.{name}" if name else path
            if imported.kind != _QUALIFIED:
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


@lru_cache(1 << 12)
def _selected(selector: str) -> tuple[str, str]:
    """The name that a selector takes, and the one that it gives to it or ""."""
    name, _, alias = _RENAMED.sub("\n", selector.strip()).partition("\n")
    return name, alias
