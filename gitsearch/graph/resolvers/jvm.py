"""Java, Kotlin and Scala, which share packages: imports of names, and wildcard imports.

Of several files that declare a name, those in the module of the importer are meant.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import merged
from gitsearch.graph.resolvers.jvm_packages import TYPES, JvmPackages
from gitsearch.graph.resolvers.qualified_names import MAX_NAME_LENGTH, declaring_files
from gitsearch.graph.resolvers.settings_files import paths_named
from gitsearch.graph.resolvers.tables import grouped, memoized
from gitsearch.graph.tree_paths import enclosing_folders, folder_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_PACKAGE_CLAUSES = frozenset({"package", "packaging"})
_QUALIFIED = "qualified"  # a qualified name in the code
_WILDCARDS = frozenset({"*", "_", "given"})
_RENAMED = re.compile(r"(?<!\s)\s*+=>\s*+|(?<!\s)\s++as\s++")

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

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._unbound_names: dict[int, _UnboundNames] = {}

    @cached_property
    def packages(self) -> JvmPackages:
        """The declarations of all files."""
        return JvmPackages(self.project, self.project.of(self.languages))

    @cached_property
    def modules(self) -> _JvmModules:
        """The modules of the project."""
        return _JvmModules(self.project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that declare the imported names; of a wildcard, the names in use."""
        if imported.kind in _PACKAGE_CLAUSES:
            return EXTERNAL
        names, scopes = self._import_scope(file).targets[imported]
        resolutions = [self.modules.choose(file, self.packages.declaring(name)) for name in names]
        if scopes:
            self.uses(file)  # names of the file's own packages take precedence
            for scope in scopes:
                resolutions.append(
                    self.modules.choose(file, declaring_files(self.packages.types, scope))
                )
                resolutions += [resolution for _, resolution in self._names_in(file, scope)]
        return merged(resolutions)

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
        defined = {(name.rpartition(".")[2], kind in TYPES) for name, kind in facts.definitions}
        types = {name for name in names if (name, True) not in defined}
        if self.project.languages[file] == "java":
            return _UnboundNames(types, set(), set())
        names.difference_update([name for name, _ in defined])
        scopes = {scope for _, scopes in imports.targets.values() for scope in scopes}
        tables = (
            self.packages.members.get(scope) for scope in scopes.union(self.packages.visible[file])
        )
        counts = Counter(name for table in tables if table for name in table.keys() & names)
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
    """Return the name that an import selector takes, and its alias or ""."""
    name, _, alias = _RENAMED.sub("\n", selector.strip()).partition("\n")
    return name, alias


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
        self._build_folders = set(map(folder_of, paths_named(project, *_BUILD_FILES)))
        # By the identity of the list of candidates, which the value keeps alive.
        self._groups: dict[int, _CandidateGroups] = {}

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
        if "common" in groups.by_source_set:
            visible = sorted({"common", self._source_set(path)[1]})
            files = (other for name in visible for other in groups.by_source_set.get(name, ()))
            return Resolution(tuple(files))
        ancestors = [*enclosing_folders(folder_of(path))]
        in_module = any(ancestor in groups.modules for ancestor in ancestors)
        for ancestor in ancestors if in_module else ():
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
        source_sets = [(self._source_set(paths[file]), file) for file in candidates]
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
        module, source_set = self._source_set(self._paths[file])
        if source_set != "common":
            return candidates
        allowed = ((module, "common"), (module, ""))
        source_sets = [self._source_set(self._paths[candidate]) for candidate in candidates]
        visible = [other[0] != module or other in allowed for other in source_sets]
        return candidates if all(visible) else list(compress(candidates, visible))

    def _module_folder(self, path: str) -> str:
        """Return the folder of the module of a file, with a trailing slash."""
        module, source_set = self._source_set(path)
        if source_set:
            return module
        head, separator, _ = path.rpartition("/src/")
        return max(module, f"{head}/" if separator else "", key=len)

    def _source_set(self, path: str) -> tuple[str, str]:
        """Return the folder of the build file, and the name of the source set or ""."""
        return self._source_set_of_folder(folder_of(path))

    @memoized
    def _source_set_of_folder(self, folder: str) -> tuple[str, str]:
        build_folder = nearest(folder, self._build_folders)
        module = f"{build_folder}/" if build_folder else ""
        match = _SOURCE_SET.match(f"{folder}/", len(module))
        return module, (match[1] or match[2]) if match else ""
