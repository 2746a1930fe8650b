"""C#: namespaces, whose types are found by the names that a file uses, and MSBuild projects."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged
from gitsearch.graph.resolvers.tables import (
    MAX_NAME_LENGTH,
    DeclarationTable,
    add_declaration,
    declaring_files,
    grouped,
    grouped_sets,
    imports_of_kind,
    memoized,
    with_enclosing,
)
from gitsearch.graph.tree_paths import (
    enclosing_folders,
    folder_of,
    joined,
    nearest,
    relative_path_in_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import FileFacts, Project
    from gitsearch.records import Import

_TYPES = frozenset({"class", "struct", "interface", "enum", "type"})
_ATTRIBUTE = "Attribute"
_PROJECTS = (".csproj", ".shproj", ".asmdef")
# Settings that apply to every project below their folder.
_SHARED_SETTINGS = ("Directory.Build.props", "Directory.Build.targets")
_ITEM = re.compile(
    r"""<(ProjectReference|Using|Compile|Import)\s[^<>]{0,500}?\b"""
    r"""(Include|Remove|Project)\s*=\s*["']([^"']{1,500})["']"""
)
_VARIABLE = re.compile(r"\$\((?:MSBuildThisFileDirectory|MSBuildProjectDirectory)\)/?")


class _Declarations(NamedTuple):
    """The declarations of one file.

    types: pairs of namespace and name; hidden: names that mean a member or nested type in this
    file; methods: namespace, type and name of those directly in a type of a namespace.
    """

    types: set[tuple[str, str]]
    hidden: set[str]
    methods: set[tuple[str, str, str]]


class CSharp(Resolver):
    """Types of a namespace are visible in it, in nested namespaces, and where it is opened."""

    languages = frozenset({"csharp"})
    reads_names = True
    settings = frozenset(_SHARED_SETTINGS)

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._types: DeclarationTable = {}
        # Methods by the namespace of their type, without those that several types have.
        self._methods: DeclarationTable = {}
        owners: dict[str, set[tuple[str, str]]] = {}
        self._declarations: dict[int, _Declarations] = {}
        # Names that each file uses and no enclosing namespace declares.
        self._unbound_names: dict[int, set[str]] = {}
        for file in project.of(self.languages):
            declared = self._declarations[file] = _declarations(project.facts(file))
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
        self.projects = _MsbuildProjects(project)

    @cached_property
    def global_usings(self) -> dict[str, set[str]]:
        """The namespaces that the files of each project open for all of its files."""
        return grouped_sets(
            (folder, dotted_name(imported.specifier))
            for file, imported in imports_of_kind(self.project, self.languages, "global")
            if not imported.names
            for folder in self.projects.projects_of(self.project.paths[file])
        )

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files of a named type, or those of the used types of a namespace."""
        path = dotted_name(imported.specifier)
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
        return self._visible_types(file)

    @memoized
    def _visible_types(self, file: int) -> Resolution:
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
        projects = self.projects.projects_of(self.project.paths[file])
        namespaces = {using for folder in projects for using in self.projects.items[folder].usings}
        for folder in projects:
            namespaces |= self.global_usings.get(folder, set())
        for namespace in sorted(namespaces):
            resolutions += [resolution for _, resolution in self._types_in(file, namespace)]
        return merged(resolutions)

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
        return Resolution(ambiguous=callees.resolved + callees.ambiguous)

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
        enclosing = sorted(with_enclosing(namespaces))
        return [*sorted(enclosing, key=lambda namespace: -namespace.count(".")), ""]


def _declarations(facts: FileFacts) -> _Declarations:
    declared = _Declarations(set(), set(), set())
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


def dotted_name(specifier: str) -> str:
    """Return the dotted name in a directive, without `global::` and type arguments."""
    name = "".join(specifier.partition("<")[0].split())
    return name.rpartition("::")[2].replace("@", "")[:MAX_NAME_LENGTH]


class _ProjectItems(NamedTuple):
    """The items of the project files of a folder.

    references: folders of referenced projects; links and removed: files or folders that it
    compiles or excludes; usings: namespaces that are opened in all of its files.
    """

    references: list[str]
    links: list[str]
    removed: list[str]
    usings: list[str]


class _CompilationGroups(NamedTuple):
    """Several files that declare one name, by the projects that compile them.

    without_project: the resolution for a file that is in no project; ambiguous: for a file whose
    project references none of them.
    """

    candidates: Sequence[int]
    by_project: dict[str, list[int]]
    without_project: Resolution
    ambiguous: Resolution


class _MsbuildProjects:
    """The projects that each file belongs to, and the projects that these reference."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.items: dict[str, _ProjectItems] = {}
        # By the identity of the list of candidates, which the value keeps alive.
        self._groups: dict[int, _CompilationGroups] = {}
        projects = [path for path in project.paths if path.endswith(_PROJECTS)]
        by_name = {path.rpartition("/")[2]: path for path in projects}
        # All settings files that were read.
        self.files: set[str] = set()
        for path in projects:
            folder = folder_of(path)
            items = self.items.setdefault(folder, _ProjectItems([], [], [], []))
            outer = [*enclosing_folders(folder)]
            todo = [path, *(joined(each, name) for each in outer for name in _SHARED_SETTINGS)]
            for settings in todo:
                todo += sorted(set(self._read(settings, items, by_name)).difference(todo))
            self.files.update(todo)
        pairs = self.items.items()
        self._linked = grouped_sets((path, key) for key, items in pairs for path in items.links)
        self._removed = grouped_sets((path, key) for key, items in pairs for path in items.removed)

    def choose(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Choose among several files that declare a name for a file that uses it.

        The choice is all that are compiled with the file, being parts of one type; else those in
        projects that its projects reference.
        """
        same_project = self.compiled_with(file, candidates)
        if same_project:
            return Resolution(same_project)
        groups = self._groups[id(candidates)]
        projects = self.projects_of(self._project.paths[file])
        references = frozenset().union(*(self._all_references(project) for project in projects))
        referenced = _files_in(groups.by_project, references)
        if not referenced:
            return groups.ambiguous if projects else groups.without_project
        units = {self._compilation_units(self._project.paths[other]) for other in referenced}
        return Resolution(referenced) if len(units) == 1 else Resolution(ambiguous=referenced)

    def compiled_with(self, file: int, candidates: Sequence[int]) -> tuple[int, ...]:
        """Return those of some files that are compiled with another file."""
        if id(candidates) not in self._groups:
            self._groups[id(candidates)] = self._group(candidates)
        units = self._compilation_units(self._project.paths[file])
        return _files_in(self._groups[id(candidates)].by_project, units)

    def _group(self, candidates: Sequence[int]) -> _CompilationGroups:
        units = [self._compilation_units(self._project.paths[file]) for file in candidates]
        pairs = zip(candidates, units, strict=True)
        by_project = grouped((project, file) for file, projects in pairs for project in projects)
        ambiguous = Resolution(ambiguous=tuple(candidates))
        without_project = Resolution(tuple(candidates)) if len(set(units)) == 1 else ambiguous
        return _CompilationGroups(candidates, by_project, without_project, ambiguous)

    def projects_of(self, path: str) -> frozenset[str]:
        """Return the folders of the projects that a file belongs to."""
        projects = self._projects_of_folder(folder_of(path))
        if path in self._linked or path in self._removed:
            projects = (projects | self._linked.get(path, set())) - self._removed.get(path, set())
        return projects

    @memoized
    def _projects_of_folder(self, folder: str) -> frozenset[str]:
        nearest_project = nearest(folder, self.items)
        folders = set() if nearest_project is None else {nearest_project}
        for ancestor in reversed([*enclosing_folders(folder)]):
            folders |= self._linked.get(ancestor, set())
            folders -= self._removed.get(ancestor, set())
        return frozenset(folders)

    def _compilation_units(self, path: str) -> frozenset[str]:
        """Return the projects of a file; for a file without one, its folder with a slash."""
        return self.projects_of(path) or frozenset((folder_of(path) + "/",))

    @memoized
    def _all_references(self, project: str) -> frozenset[str]:
        """Return the folders of the projects that a project references, transitively."""
        references: set[str] = set()
        todo = [project]
        while todo:
            others = set(self.items[todo.pop()].references) - references
            references |= others
            todo += others
        return frozenset(references)

    def _read(self, path: str, items: _ProjectItems, by_name: dict[str, str]) -> Iterator[str]:
        """Add the items of a project file to `items`; yield the project files that it imports."""
        folder = folder_of(path)
        for kind, attribute, value in _ITEM.findall(self._project.text(path) or ""):
            if kind == "Using":
                items.usings.append(value)
                continue
            for part in value.split(";"):
                target = _project_path(folder, part)
                if kind == "ProjectReference":
                    referenced = target if target in self._project.number else ""
                    referenced = referenced or by_name.get(target.rpartition("/")[2], "")
                    if referenced.endswith(_PROJECTS):
                        items.references.append(folder_of(referenced))
                elif kind == "Compile" and target:
                    (items.removed if attribute == "Remove" else items.links).append(target)
                elif kind == "Import" and target in self._project.number:
                    yield target


def _project_path(folder: str, value: str) -> str:
    """Return a path in a project file as a path in the tree; "" if it is outside.

    A path with a wildcard is cut to the folder before the wildcard.
    """
    value = _VARIABLE.sub("", value.strip().replace("\\", "/"))
    if "*" in value:
        value = value.partition("*")[0].rpartition("/")[0]
    return relative_path_in_tree(folder, value) or ""


def _files_in(by_project: dict[str, list[int]], projects: frozenset[str]) -> tuple[int, ...]:
    """Return the files that some projects compile, in ascending order."""
    return tuple(sorted({file for project in projects for file in by_project.get(project, ())}))
