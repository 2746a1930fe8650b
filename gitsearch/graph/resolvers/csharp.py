"""C#: namespaces, whose types are found by the names that a file uses."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.csharp_projects import SHARED_SETTINGS, MsbuildProjects
from gitsearch.graph.resolvers.qualified_names import (
    MAX_NAME_LENGTH,
    DeclarationTable,
    add_declaration,
    declaring_files,
    prefix_ends,
    with_enclosing,
)
from gitsearch.graph.resolvers.resolutions import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import FileFacts, Project
    from gitsearch.records import Import

_TYPES = frozenset({"class", "struct", "interface", "enum", "type"})
_ATTRIBUTE = "Attribute"


class Declarations(NamedTuple):
    """The declarations of one file.

    types: pairs of namespace and name; hidden: names that mean a member or nested type in this
    file; methods: namespace, type and name of those directly in a type of a namespace.
    """

    types: set[tuple[str, str]]
    hidden: set[str]
    methods: set[tuple[str, str, str]]


class CSharp(Resolver):
    """Types of a namespace are visible in it, in nested namespaces, and where it is opened."""

    languages: ClassVar[frozenset[str]] = frozenset({"csharp"})
    settings: ClassVar[frozenset[str]] = SHARED_SETTINGS

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._types: DeclarationTable = {}
        # Methods by the namespace of their type, without those that several types have.
        self._methods: DeclarationTable = {}
        owners: dict[str, set[tuple[str, str]]] = {}
        self._declarations: dict[int, Declarations] = {}
        # Names that each file uses and no enclosing namespace declares.
        self._unbound_names: dict[int, set[str]] = {}
        self._uses: dict[int, Resolution] = {}
        for file in project.of(self.languages):
            declared = self._declarations[file] = declarations(project.facts(file))
            for namespace, name in declared.types:
                add_declaration(self._types, namespace, name, file)
            for namespace, type_name, name in declared.methods:
                add_declaration(self._methods, namespace, name, file)
                owners.setdefault(name, set()).add((namespace, type_name))
        for names in self._types.values():
            for name in [name for name in names if name.endswith(_ATTRIBUTE)]:
                names.setdefault(name.removesuffix(_ATTRIBUTE), names[name])
        for methods in self._methods.values():
            for name in [name for name in methods if len(owners[name]) > 1]:
                del methods[name]
        self._namespaces = with_enclosing(self._types)

    @cached_property
    def projects(self) -> MsbuildProjects:
        """The projects that the files belong to."""
        return MsbuildProjects(self.project)

    @cached_property
    def global_usings(self) -> dict[str, set[str]]:
        """The namespaces that the files of each project open for all of its files."""
        namespaces: dict[str, set[str]] = {}
        for file in self._declarations:
            for imported in self.project.facts(file).imports:
                if imported.kind == "global" and not imported.names:
                    for project in self.projects.projects_of(self.project.paths[file]):
                        namespaces.setdefault(project, set()).add(_dotted_name(imported.specifier))
        return namespaces

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of a named type, or those of the used types of a namespace."""
        path = _dotted_name(imported.specifier)
        self.uses(file)  # names of the enclosing namespaces take precedence
        enclosing = [outer for outer in self._enclosing_namespaces(file) if outer]
        for namespace in (path, *(f"{outer}.{path}" for outer in enclosing)):
            if namespace in self._namespaces:
                return self._files_of_namespace(file, namespace)
            files = declaring_files(self._types, namespace)
            if files:
                return self.projects.choose(file, files)
        return EXTERNAL

    def uses(self, file: int) -> Resolution:
        """Return the files that declare a visible type, or another part of the same type."""
        if file not in self._uses:
            facts = self.project.facts(file)
            declared = self._declarations[file]
            unbound = self._unbound_names[file] = set(facts.names) - declared.hidden
            unbound.difference_update(imported.names for imported in facts.imports)
            unbound.difference_update(name for _, name in declared.types)
            resolutions = [self._partial_types(file, pair) for pair in sorted(declared.types)]
            for namespace in self._enclosing_namespaces(file):
                visible = list(self._types_in(file, namespace))
                unbound.difference_update([name for name, _ in visible])
                resolutions += [resolution for _, resolution in visible]
            path = self.project.paths[file]
            namespaces = set(self.projects.usings(path))
            for project in self.projects.projects_of(path):
                namespaces |= self.global_usings.get(project, set())
            for namespace in sorted(namespaces):
                resolutions += [resolution for _, resolution in self._types_in(file, namespace)]
            self._uses[file] = merged(resolutions)
        return self._uses[file]

    def depends_on(self) -> Iterator[str]:
        """Also yield the declarations and global usings of files, and the project files."""
        yield from super().depends_on()
        for path in sorted(self.projects.files):
            yield f"{path}\n{self.project.text(path)}"
        for file, declared in self._declarations.items():
            imports = self.project.facts(file).imports
            usings = [imported.specifier for imported in imports if imported.kind == "global"]
            declarations = sorted(declared.types), sorted(declared.methods)
            yield f"{self.project.paths[file]}\n{usings}\n{declarations}"

    def _files_of_namespace(self, file: int, namespace: str) -> Resolution:
        """Return the files of a namespace that a file needs when it opens the namespace.

        If the file uses no type of the namespace, it may call extension methods of its types.
        """
        resolutions = [resolution for _, resolution in self._types_in(file, namespace)]
        if resolutions or namespace in self._enclosing_namespaces(file):
            return merged(resolutions)
        methods = self._methods.get(namespace, {})
        candidates = [methods[name] for name in sorted(methods.keys() & self._unbound_names[file])]
        callees = merged(self.projects.choose(file, files) for files in candidates)
        others = callees.resolved + callees.ambiguous
        return Resolution(ambiguous=tuple(other for other in others if other != file))

    def _types_in(self, file: int, namespace: str) -> Iterator[tuple[str, Resolution]]:
        """Yield the unbound names of a file that a namespace declares, and their resolutions."""
        types = self._types.get(namespace, {})
        for name in sorted(types.keys() & self._unbound_names[file]):
            yield name, self.projects.choose(file, types[name])

    def _partial_types(self, file: int, declared: tuple[str, str]) -> Resolution:
        """Return the files of the same project that declare the same type."""
        files = self._types[declared[0]][declared[1]]
        return EXTERNAL if len(files) < 2 else Resolution(self.projects.compiled_with(file, files))

    def _enclosing_namespaces(self, file: int) -> list[str]:
        """Return the enclosing namespaces of a file's types, innermost first; "" is last."""
        namespaces = {namespace for namespace, _ in self._declarations[file].types if namespace}
        enclosing = {
            namespace[:end]: None
            for namespace in sorted(namespaces)
            for end in prefix_ends(namespace)
        }
        return [*sorted(enclosing, key=lambda namespace: -namespace.count(".")), ""]


def declarations(facts: FileFacts) -> Declarations:
    """Return the declarations of one file."""
    declared = Declarations(set(), set(), set())
    types = {name for name, kind in facts.definitions if kind in _TYPES}
    for qualified, kind in facts.definitions:
        scope, _, name = qualified.rpartition(".")
        if scope in types:
            if kind in _TYPES or kind == "method":
                declared.hidden.add(name)
            outer, _, type_name = scope.rpartition(".")
            if kind == "method" and outer not in types:
                declared.methods.add((outer, type_name, name))
        elif kind in _TYPES:
            declared.types.add((scope, name))
    return declared


def _dotted_name(specifier: str) -> str:
    """Return the dotted name in a directive, without `global::` and type arguments."""
    name = "".join(specifier.partition("<")[0].split())
    return name.rpartition("::")[2].replace("@", "")[:MAX_NAME_LENGTH]
