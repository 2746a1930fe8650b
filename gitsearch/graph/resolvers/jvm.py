"""Java, Kotlin and Scala, which share packages: imports of names, and wildcard imports.

Of several files that declare a name, those in the module of the importer are meant.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract import path_kinds
from gitsearch.graph.project import EXTERNAL, Published, Resolution, Resolver
from gitsearch.graph.resolvers import jvm_coordinates
from gitsearch.graph.resolvers.candidates import merged
from gitsearch.graph.resolvers.settings_files import paths_named
from gitsearch.graph.resolvers.tables import (
    MAX_NAME_LENGTH,
    DeclarationTable,
    add_declaration,
    declaring_files,
    grouped,
    memoized,
    prefix_ends,
    with_enclosing,
)
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, joined, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import FileFacts, Project
    from gitsearch.records import Import

_TYPES = frozenset({"class", "interface", "enum", "trait", "module"})
_MEMBERS = frozenset({"function", "method", "property", "constant", "variable", "field", "type"})
# Package clauses of one file that are read: each is a prefix of the names of those after it.
_MAX_CLAUSES = 20
# Scripts and build files declare nothing for others.
_SCRIPTS = (".kts", ".sc", ".sbt")
_PACKAGE_CLAUSES = frozenset({"package", "packaging"})
_QUALIFIED = "qualified"  # a qualified name in the code
_WILDCARDS = frozenset({"*", "_", "given"})
# Scala renames one of several selectors, Kotlin what the whole path names: `as b`.
_RENAMED = re.compile(r"(?<!\s)\s*+=>\s*+|(?:^|(?<!\s)\s++)as\s++")
# Each Gradle or Maven module has one of these files, or a folder `src` directly in its folder.
_BUILD_FILES = ("build.gradle.kts", "build.gradle", "pom.xml", "module.yaml")
# src/commonMain/, or common/src/: sources that are compiled for all platforms, or for one.
_SOURCE_SET = re.compile(r"src/(\w+?)(?:Main|Test)/|(\w+)/(?:src|test)/(?!main/|test/)")


class _Scope(NamedTuple):
    """The imports of a file, with qualified names.

    names: the simple names that they bind, with their qualified names; targets: the qualified
    names that each import names, and the packages or types that it imports everything of.
    """

    names: dict[str, str]
    targets: dict[Import, tuple[list[str], list[str]]]


class _UnboundNames(NamedTuple):
    """Names that a file uses and neither defines nor imports, so packages must provide them.

    doubtful: the members that several of the visible packages have.
    """

    types: set[str]
    members: set[str]
    doubtful: set[str]


class Jvm(Resolver):
    """Files see the declarations of their own package, and of other packages by imports."""

    languages = frozenset({"java", "kotlin", "scala"})
    reads_names = True

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.packages = _JvmPackages(project, project.of(self.languages))
        self.modules = _JvmModules(project)
        self._unbound_names: dict[int, _UnboundNames] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that declare the imported names; of a wildcard, the names in use."""
        if imported.kind in _PACKAGE_CLAUSES:
            return EXTERNAL
        names, scopes = self._import_scope(file).targets[imported]
        resolutions = [self.modules.choose(file, self.packages.declaring(name)) for name in names]
        if scopes:
            self.uses(file)  # names of the file's own packages take precedence
            for scope in scopes:
                files = declaring_files(self.packages.types, scope)
                resolutions.append(self.modules.choose(file, files))
                resolutions += [resolution for _, resolution in self._names_in(file, scope)]
        return merged(resolutions)

    def published(self, imported: Import, names: frozenset[str]) -> Published | None:
        """Return the module of the files that declare what is imported, but for tests."""
        if imported.kind in _PACKAGE_CLAUSES:
            return None
        scope = _Scope({}, {})
        self._add_import(-1, imported, scope, scala=False)
        qualified, wildcards = scope.targets[imported]
        declared = [file for name in qualified for file in self.packages.declaring(name)]
        for package in wildcards:
            types = self.packages.types.get(package, {})
            declared += [file for name in names & types.keys() for file in types[name]]
        paths = self.project.paths
        files = [file for file in declared if not path_kinds.is_test(os.fsencode(paths[file]))]
        if not files:
            return None
        manifest = self.modules.build_file(files[0])
        name = jvm_coordinates.coordinates(self.project, manifest)
        package = self.packages.visible[files[0]][0]
        return Published(name or package, manifest, tuple(sorted(set(files))))

    def uses(self, file: int) -> Resolution:
        """Return the files of the visible packages that declare a name which this one uses."""
        return self._visible_names(file)

    @memoized
    def _visible_names(self, file: int) -> Resolution:
        unbound = self._unbound_names[file] = self._find_unbound(file)
        resolutions = []
        for package in self.packages.visible[file]:
            declared = list(self._names_in(file, package))
            unbound.types.difference_update([name for name, _ in declared])
            resolutions += [resolution for _, resolution in declared]
        return merged(resolutions)

    def depends_on(self) -> Iterator[str]:
        """Also yield the build files and the declarations of files."""
        yield from super().depends_on()
        yield from paths_named(self.project, *_BUILD_FILES)
        for file, fingerprints in self.packages.fingerprints.items():
            yield f"{self.project.paths[file]}\n{fingerprints}"

    def _names_in(self, file: int, package: str) -> Iterator[tuple[str, Resolution]]:
        """Yield the unbound names of a file that a package declares, and their resolutions."""
        unbound = self._unbound_names[file]
        packages = self.packages
        for table, names, doubtful in (
            (packages.ambiguous_extensions, unbound.members, unbound.members),
            (packages.members, unbound.members, unbound.doubtful),
            (packages.types, unbound.types, ()),
        ):
            by_name = table.get(package, {})
            for name in by_name.keys() & names:
                resolution = self.modules.choose(file, self.modules.visible(file, by_name[name]))
                if name in doubtful:
                    resolution = Resolution(ambiguous=resolution.resolved + resolution.ambiguous)
                yield name, resolution

    def _find_unbound(self, file: int) -> _UnboundNames:
        facts = self.project.facts(file)
        imports = self._import_scope(file)
        names = set(facts.names).difference(imports.names)
        defined = {(name.rpartition(".")[2], kind in _TYPES) for name, kind in facts.definitions}
        types = {name for name in names if (name, True) not in defined}
        if self.project.languages[file] == "java":
            return _UnboundNames(types, set(), set())
        names.difference_update([name for name, _ in defined])
        scopes = {scope for _, scopes in imports.targets.values() for scope in scopes}
        scopes.update(self.packages.visible[file])
        tables = (self.packages.members.get(scope, {}) for scope in scopes)
        counts = Counter(name for table in tables for name in table.keys() & names)
        return _UnboundNames(types, names, {name for name, count in counts.items() if count > 1})

    @memoized
    def _import_scope(self, file: int) -> _Scope:
        scope = _Scope({}, {})
        scala = self.project.languages[file] == "scala"
        for imported in self.project.facts(file).imports:
            if imported.kind not in _PACKAGE_CLAUSES:
                self._add_import(file, imported, scope, scala=scala)
        return scope

    def _add_import(self, file: int, imported: Import, scope: _Scope, *, scala: bool) -> None:
        """Add one import to a scope; an earlier import may bind the first name of its path."""
        path = imported.specifier
        path = "".join(path.split()) if " " in path else path
        if len(path) > MAX_NAME_LENGTH:
            scope.targets[imported] = [], []
            return
        if scala:
            path = self._qualify_scala(file, path, scope)
        names: list[str] = []
        wildcards: list[str] = []
        for selector in imported.names.split(","):
            name, alias = _parse_selector(selector) if selector else ("", "")
            if name in _WILDCARDS:
                wildcards.append(path)
                continue
            qualified = f"{path}.{name}" if name else path
            if imported.kind != _QUALIFIED:
                scope.names[alias or qualified.rpartition(".")[2]] = qualified
            names.append(qualified)
            if scala and qualified in self.packages.namespaces:
                wildcards.append(qualified)
        scope.targets[imported] = names, wildcards

    def _qualify_scala(self, file: int, path: str, scope: _Scope) -> str:
        """Return the qualified name of a path in Scala, which may start with any visible name."""
        first, dot, rest = path.partition(".")
        if first == "_root_":
            return rest
        if first in scope.names:
            return scope.names[first] + dot + rest
        packages = self.packages
        wildcards = [namespace for _, targets in scope.targets.values() for namespace in targets]
        for namespace in (*packages.visible[file], *wildcards):
            inner = f"{namespace}.{first}"
            if first in packages.types.get(namespace, ()) or inner in packages.namespaces:
                return f"{namespace}.{path}"
        return path


@lru_cache(1 << 12)
def _parse_selector(selector: str) -> tuple[str, str]:
    """Return the name that an import selector takes, or "" for the path itself, and its alias."""
    name, _, alias = _RENAMED.sub("\n", selector.strip()).partition("\n")
    return name, alias


class Declarations(NamedTuple):
    """The top-level declarations of one file: pairs of package and name.

    visible: the packages whose names need no import, innermost first; extensions: functions and
    properties with a receiver type; possible_extensions: definitions qualified by a type of the
    same file, so that they may be extensions or members.
    """

    visible: tuple[str, ...]
    types: list[tuple[str, str]]
    members: list[tuple[str, str]]
    extensions: list[tuple[str, str]]
    possible_extensions: list[tuple[str, str]]


def _declarations(path: str, language: str, facts: FileFacts) -> Declarations:
    package, visible = _visible_packages(path, facts)
    declared = Declarations(visible, [], [], [], [])
    name = path.rpartition("/")[2]
    if name.endswith(_SCRIPTS):
        return declared
    if name == "package.scala":
        package = _add_package_object(declared, package, facts)
    _add_definitions(declared, package, facts, language)
    if language == "kotlin" and any(declared[2:]):
        # Java code calls top-level functions of a Kotlin file as static methods of this class.
        stem = name.partition(".")[0]
        declared.types.append((package, f"{stem[:1].upper()}{stem[1:]}Kt"))
    return declared


def _visible_packages(path: str, facts: FileFacts) -> tuple[str, tuple[str, ...]]:
    """Return the package of a file, and all packages that it sees, innermost first.

    Declarations in no package can be named in their own folder only. Their package is the name of
    the folder with a leading slash, which no real package has.
    """
    folder = folder_of(path)
    chained: list[str] = []
    blocks: list[str] = []
    clauses = [clause for clause in facts.imports if clause.kind in _PACKAGE_CLAUSES]
    for clause in clauses[:_MAX_CLAUSES]:
        name = "".join(clause.specifier.split())[:MAX_NAME_LENGTH]
        if clause.kind == "package":
            chained.insert(0, f"{chained[0]}.{name}" if chained else name)
        else:
            outer = [*blocks[:1], *chained[:1]]
            blocks[:0] = [f"{outer[0]}.{name}", name] if outer else [name]
    if not chained:
        chained = [f"/{folder}"]
        if path.endswith(".sbt"):
            chained.append("/" + joined(folder, "project"))
    return chained[0], (*blocks, *chained)


def _add_definitions(
    declared: Declarations, package: str, facts: FileFacts, language: str
) -> None:
    type_names = {name for name, kind in facts.definitions if kind in _TYPES}
    blocks = any(imported.kind == "packaging" for imported in facts.imports)
    for qualified, kind in facts.definitions:
        qualifier, _, name = qualified.rpartition(".")
        is_type = kind in _TYPES or (kind == "type" and language == "scala")
        pairs = declared.types if is_type else declared.members if kind in _MEMBERS else None
        scope = package
        if qualifier and blocks:
            if any(qualifier[:end] in type_names for end in prefix_ends(qualifier)):
                continue
            scope = qualifier if package.startswith("/") else f"{package}.{qualifier}"
        elif qualifier:
            # The qualifier of an extension is no enclosing definition but its receiver type.
            may_extend = language == "kotlin" and not is_type and pairs is not None
            pairs = declared.extensions if may_extend else None
            if pairs is not None and qualifier.partition(".")[0] in type_names:
                pairs = declared.possible_extensions if qualifier in type_names else None
        if pairs is not None:
            pairs.append((scope, name))


def _add_package_object(declared: Declarations, package: str, facts: FileFacts) -> str:
    """Add the members of a package object; return the package that contains the object itself."""
    outer = "" if package.startswith("/") else package
    for qualified, kind in facts.definitions:
        qualifier, _, name = qualified.rpartition(".")
        if qualifier and "." not in qualifier:
            pairs = declared.members if kind in _MEMBERS - {"type"} else declared.types
            pairs.append((f"{outer}.{qualifier}" if outer else qualifier, name))
    return outer


class _JvmPackages:
    """The declarations of all packages of a project.

    ambiguous_extensions: extensions with the name of some other definition, so that a call of that
    name is weak evidence.
    """

    def __init__(self, project: Project, files: list[int]) -> None:
        self.types: DeclarationTable = {}
        self.members: DeclarationTable = {}
        self.ambiguous_extensions: DeclarationTable = {}
        self._possible_extensions: DeclarationTable = {}
        self.visible: dict[int, tuple[str, ...]] = {}
        # The contributions of each file to the tables, as text.
        self.fingerprints: dict[int, str] = {}
        extensions: DeclarationTable = {}
        for file in files:
            path, language = project.paths[file], project.languages[file]
            declared = _declarations(path, language, project.facts(file))
            self.visible[file] = declared.visible
            self.fingerprints[file] = repr(declared)
            for table, pairs in (
                (self.types, declared.types),
                (self.members, declared.members),
                (extensions, declared.extensions),
                (self._possible_extensions, declared.possible_extensions),
            ):
                for package, name in pairs:
                    add_declaration(table, package, name, file)
        if extensions or self._possible_extensions:
            self._add_extensions(project, files, extensions)
        # Every package and its enclosing packages.
        self.namespaces = with_enclosing((*self.types, *self.members))

    def _add_extensions(
        self, project: Project, files: list[int], extensions: DeclarationTable
    ) -> None:
        """Add the extensions whose name no other definition in the project has to the members."""
        counts: Counter[str] = Counter()
        for file in files:
            names = {name.rpartition(".")[2] for name, _ in project.facts(file).definitions}
            counts.update(names)
            self.fingerprints[file] += repr(sorted(names))
        for table, otherwise in (
            (extensions, self.ambiguous_extensions),
            (self._possible_extensions, {}),
        ):
            for package, by_name in table.items():
                for name, extension_files in by_name.items():
                    target = self.members if counts[name] == len(extension_files) else otherwise
                    target.setdefault(package, {}).setdefault(name, []).extend(extension_files)

    @memoized
    def declaring(self, qualified: str) -> list[int]:
        """Return the files that declare a name, or the type that it is a member of."""
        package, _, name = qualified.rpartition(".")
        tables = (self.types, self.members, self.ambiguous_extensions)
        declared = [table[package] for table in tables if package in table]
        files = [file for names in declared for file in names.get(name, ())]
        files = files or self._possible_extensions.get(package, {}).get(name, [])
        return files or declaring_files(self.types, package)


class _CandidateGroups(NamedTuple):
    """Several files that declare one name.

    by_source_set: those of a single module by source set; below: by each of their enclosing
    folders; default: the resolution for a file with no candidate in its own module.
    """

    candidates: Sequence[int]
    by_source_set: dict[str, list[int]]
    modules: set[str]
    below: dict[str, list[int]]
    default: Resolution


class _JvmModules:
    """The module of each file, and the choice among files of several modules."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        # the first of several counts
        paths = reversed(paths_named(project, *_BUILD_FILES))
        self._build_files = {folder_of(path): path for path in paths}
        # By the identity of the list of candidates, which the value keeps alive.
        self._groups: dict[int, _CandidateGroups] = {}

    def build_file(self, file: int) -> str:
        """Return the path of the build file of the module of a file; "" without one."""
        folder = nearest(folder_of(self._paths[file]), self._build_files)
        return "" if folder is None else self._build_files[folder]

    def choose(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Choose among several files that declare one name: those of the module of the importer.

        Several in one folder are all resolved: a function may have an overload in each.
        """
        if len(candidates) < 2:
            return Resolution(tuple(candidates)) if candidates else EXTERNAL
        if id(candidates) not in self._groups:
            self._groups[id(candidates)] = self._group(candidates)
        groups = self._groups[id(candidates)]
        path = self._paths[file]
        folder = folder_of(path)
        if "common" in groups.by_source_set:
            visible = sorted({"common", self._source_set(folder)[1]})
            files = (other for name in visible for other in groups.by_source_set.get(name, ()))
            return Resolution(tuple(files))
        in_module = nearest(folder, groups.modules) is not None
        for ancestor in enclosing_folders(folder) if in_module else ():
            same_module = [
                other
                for other in groups.below.get(ancestor, ())
                if path.startswith(self._module_folder(self._paths[other]))
            ]
            if same_module:
                return self._same_folder(same_module)
        return groups.default

    def _group(self, candidates: Sequence[int]) -> _CandidateGroups:
        paths = self._paths
        source_sets = [(self._source_set(folder_of(paths[file])), file) for file in candidates]
        is_one_module = len({module for (module, _), _ in source_sets}) == 1
        folders = ((folder_of(paths[file]), file) for file in candidates)
        return _CandidateGroups(
            candidates,
            grouped((name, file) for (_, name), file in source_sets if is_one_module),
            {self._module_folder(paths[file]).removesuffix("/") for file in candidates},
            grouped(
                (outer, file) for folder, file in folders for outer in enclosing_folders(folder)
            ),
            self._same_folder(list(candidates)),
        )

    def _same_folder(self, files: list[int]) -> Resolution:
        """Return the files as resolved if they are in one folder, as ambiguous otherwise."""
        is_one_folder = len({folder_of(self._paths[file]) for file in files}) == 1
        return Resolution(tuple(files)) if is_one_folder else Resolution(ambiguous=tuple(files))

    def visible(self, file: int, candidates: list[int]) -> list[int]:
        """Return the candidates that a file can see: common code sees no platform's source set."""
        module, source_set = self._source_set(folder_of(self._paths[file]))
        if source_set != "common":
            return candidates
        allowed = ((module, "common"), (module, ""))
        source_sets = (self._source_set(folder_of(self._paths[other])) for other in candidates)
        visible = [other[0] != module or other in allowed for other in source_sets]
        return candidates if all(visible) else list(compress(candidates, visible))

    def _module_folder(self, path: str) -> str:
        """Return the folder of the module of a file, with a trailing slash."""
        module, source_set = self._source_set(folder_of(path))
        head, separator, _ = path.rpartition("/src/")
        return module if source_set or not separator else max(module, f"{head}/", key=len)

    @memoized
    def _source_set(self, folder: str) -> tuple[str, str]:
        """Return the folder of the build file, and the name of the source set or ""."""
        build_folder = nearest(folder, self._build_files)
        module = f"{build_folder}/" if build_folder else ""
        match = _SOURCE_SET.match(f"{folder}/", len(module))
        return module, (match[1] or match[2]) if match else ""
