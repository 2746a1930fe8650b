"""C#: namespaces, whose types are found by the names that a file uses."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.csharp_projects import SHARED, MsbuildProjects
from gitsearch.graph.resolvers.qualified_names import (
    LONGEST,
    Table,
    add,
    around,
    ends,
    holders,
    joined,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import FileFacts, Project
    from gitsearch.records import Import

_TYPES = frozenset({"class", "struct", "interface", "enum", "type"})
_ATTRIBUTE = "Attribute"


class Own(NamedTuple):
    """What one file declares.

    types: pairs of namespace and name; hidden: names in it that stand for something inside a
    type; methods: namespace, type and name of those directly in such a type.
    """

    types: set[tuple[str, str]]
    hidden: set[str]
    methods: set[tuple[str, str, str]]


class CSharp(Resolver):
    """Types of a namespace are seen in it, in those inside of it, and where it is opened."""

    languages: ClassVar[frozenset[str]] = frozenset({"csharp"})
    settings: ClassVar[frozenset[str]] = SHARED

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._types: Table = {}
        # Of the methods in sight where a namespace is opened those that one type alone has.
        self._methods: Table = {}
        owners: dict[str, set[tuple[str, str]]] = {}
        self._own: dict[int, Own] = {}
        # Names that each file uses and no namespace around it declares.
        self._free: dict[int, set[str]] = {}
        self._used: dict[int, Resolution] = {}
        for file in project.of(self.languages):
            own = self._own[file] = declared(project.facts(file))
            for space, name in own.types:
                add(self._types, space, name, file)
            for space, holder, name in own.methods:
                add(self._methods, space, name, file)
                owners.setdefault(name, set()).add((space, holder))
        for names in self._types.values():
            for name in [name for name in names if name.endswith(_ATTRIBUTE)]:
                names.setdefault(name.removesuffix(_ATTRIBUTE), names[name])
        for methods in self._methods.values():
            for name in [name for name in methods if len(owners[name]) > 1]:
                del methods[name]
        self._spaces = around(self._types)

    @cached_property
    def projects(self) -> MsbuildProjects:
        """The projects that the files belong to."""
        return MsbuildProjects(self.project)

    @cached_property
    def opened(self) -> dict[str, set[str]]:
        """The namespaces that a file of each project opens for all of its files."""
        found: dict[str, set[str]] = {}
        for file in self._own:
            for one in self.project.facts(file).imports:
                if one.kind == "global" and not one.names:
                    for home in self.projects.homes(self.project.paths[file]):
                        found.setdefault(home, set()).add(_path(one.specifier))
        return found

    def resolve(self, file: int, imported: Import) -> Resolution:
        """To the type that is named, or to the files of a namespace of which a type is used."""
        path = _path(imported.specifier)
        self.uses(file)  # what the namespaces of the file have comes first
        for space in (path, *(f"{one}.{path}" for one in self._around(file) if one)):
            if space in self._spaces:
                return self._opened(file, space)
            found = holders(self._types, space)
            if found:
                return self.projects.meant(file, found)
        return EXTERNAL

    def uses(self, file: int) -> Resolution:
        """The files that declare a type of a namespace in sight, or a part of the same type."""
        if file not in self._used:
            facts = self.project.facts(file)
            own = self._own[file]
            free = self._free[file] = set(facts.names) - own.hidden
            free.difference_update(one.names for one in facts.imports)
            free.difference_update(name for _, name in own.types)
            found = [self._parts(file, pair) for pair in sorted(own.types)]
            for space in self._around(file):
                here = list(self._named(file, space))
                free.difference_update([name for name, _ in here])
                found += [one for _, one in here]
            path = self.project.paths[file]
            spaces = set(self.projects.usings(path))
            for home in self.projects.homes(path):
                spaces |= self.opened.get(home, set())
            for space in sorted(spaces):
                found += [one for _, one in self._named(file, space)]
            self._used[file] = joined(found)
        return self._used[file]

    def depends_on(self) -> Iterator[str]:
        """What files declare and open; what the projects say."""
        yield from super().depends_on()
        for path in sorted(self.projects.files):
            yield f"{path}\n{self.project.text(path)}"
        for file, own in self._own.items():
            imports = self.project.facts(file).imports
            opened = [one.specifier for one in imports if one.kind == "global"]
            declares = sorted(own.types), sorted(own.methods)
            yield f"{self.project.paths[file]}\n{opened}\n{declares}"

    def _opened(self, file: int, space: str) -> Resolution:
        """The files of a namespace that one needs which opens it.

        Where it uses no type of it, there may be extensions among the methods that it calls.
        """
        found = [one for _, one in self._named(file, space)]
        if found or space in self._around(file):
            return joined(found)
        methods = self._methods.get(space, {})
        called = [methods[name] for name in sorted(methods.keys() & self._free[file])]
        one = joined(self.projects.meant(file, files) for files in called)
        return Resolution(ambiguous=tuple(x for x in one.resolved + one.ambiguous if x != file))

    def _named(self, file: int, space: str) -> Iterator[tuple[str, Resolution]]:
        """The free names of a file that a namespace declares, and where they lead."""
        here = self._types.get(space, {})
        for name in sorted(here.keys() & self._free[file]):
            yield name, self.projects.meant(file, here[name])

    def _parts(self, file: int, pair: tuple[str, str]) -> Resolution:
        """The files of the same project that declare the same type."""
        files = self._types[pair[0]][pair[1]]
        return EXTERNAL if len(files) < 2 else Resolution(self.projects.together(file, files))

    def _around(self, file: int) -> list[str]:
        """The namespaces that a file is in, the innermost first; the nameless one is last."""
        spaces = {space for space, _ in self._own[file].types if space}
        found = {space[:end]: None for space in sorted(spaces) for end in ends(space)}
        return [*sorted(found, key=lambda one: -one.count(".")), ""]


def declared(facts: FileFacts) -> Own:
    """What one file declares."""
    own = Own(set(), set(), set())
    types = {name for name, kind in facts.definitions if kind in _TYPES}
    for qualified, kind in facts.definitions:
        space, _, name = qualified.rpartition(".")
        if space in types:
            if kind in _TYPES or kind == "method":
                own.hidden.add(name)
            outer, _, holder = space.rpartition(".")
            if kind == "method" and outer not in types:
                own.methods.add((outer, holder, name))
        elif kind in _TYPES:
            own.types.add((space, name))
    return own


def _path(specifier: str) -> str:
    """The dotted name in a directive, without `global::` and what a generic type holds."""
    name = "".join(specifier.partition("<")[0].split())
    return name.rpartition("::")[2].replace("@", "")[:LONGEST]
