"""Java, Kotlin and Scala, which share packages: imports of names, and wildcard imports."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.jvm_modules import BUILD_FILES, JvmModules
from gitsearch.graph.resolvers.jvm_packages import TYPES, JvmPackages
from gitsearch.graph.resolvers.qualified_names import MAX_NAME_LENGTH, declaring_files
from gitsearch.graph.resolvers.resolutions import merged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_PACKAGE_CLAUSES = frozenset({"package", "packaging"})
_QUALIFIED = "qualified"  # a qualified name in the code
_WILDCARDS = frozenset({"*", "_", "given"})
_RENAMED = re.compile(r"(?<!\s)\s*+=>\s*+|(?<!\s)\s++as\s++")


class ImportScope(NamedTuple):
    """The imports of a file, with qualified names.

    names: the simple names that they bind, with their qualified names; targets: the qualified
    names that each import names, and the packages or types that it imports everything of.
    """

    names: dict[str, str]
    targets: dict[Import, tuple[list[str], list[str]]]


class UnboundNames(NamedTuple):
    """Names that a file uses and neither defines nor imports, so packages must provide them.

    doubtful: the members that several of the visible packages have.
    """

    types: set[str]
    members: set[str]
    doubtful: set[str]


class Jvm(Resolver):
    """Files see the declarations of their own package, and of other packages by imports."""

    languages: ClassVar[frozenset[str]] = frozenset({"java", "kotlin", "scala"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._import_scopes: dict[int, ImportScope] = {}
        self._unbound_names: dict[int, UnboundNames] = {}
        self._uses: dict[int, Resolution] = {}

    @cached_property
    def packages(self) -> JvmPackages:
        """The declarations of all files."""
        return JvmPackages(self.project, self.project.of(self.languages))

    @cached_property
    def modules(self) -> JvmModules:
        """The modules of the project."""
        return JvmModules(self.project)

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
        if file not in self._uses:
            unbound = self._unbound_names[file] = self._find_unbound(file)
            resolutions = []
            for package in self.packages.visible[file]:
                declared = list(self._names_in(file, package))
                unbound.types.difference_update([name for name, _ in declared])
                resolutions += [resolution for _, resolution in declared]
            self._uses[file] = merged(resolutions)
        return self._uses[file]

    def depends_on(self) -> Iterator[str]:
        """Also yield the build files and the declarations of files."""
        yield from super().depends_on()
        for name in BUILD_FILES:
            yield from (self.project.paths[i] for i in self.project.by_name.get(name, ()))
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

    def _find_unbound(self, file: int) -> UnboundNames:
        facts = self.project.facts(file)
        imports = self._import_scope(file)
        names = set(facts.names).difference(imports.names)
        defined = {(name.rpartition(".")[2], kind in TYPES) for name, kind in facts.definitions}
        types = {name for name in names if (name, True) not in defined}
        if self.project.languages[file] == "java":
            return UnboundNames(types, set(), set())
        names.difference_update([name for name, _ in defined])
        scopes = {scope for _, scopes in imports.targets.values() for scope in scopes}
        tables = (
            self.packages.members.get(scope) for scope in scopes.union(self.packages.visible[file])
        )
        counts = Counter(name for table in tables if table for name in table.keys() & names)
        return UnboundNames(types, names, {name for name, count in counts.items() if count > 1})

    def _import_scope(self, file: int) -> ImportScope:
        if file not in self._import_scopes:
            scope = self._import_scopes[file] = ImportScope({}, {})
            scala = self.project.languages[file] == "scala"
            for imported in self.project.facts(file).imports:
                if imported.kind not in _PACKAGE_CLAUSES:
                    self._add_import(file, imported, scope, scala=scala)
        return self._import_scopes[file]

    def _add_import(self, file: int, imported: Import, scope: ImportScope, *, scala: bool) -> None:
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

    def _qualify_scala(self, file: int, path: str, scope: ImportScope) -> str:
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
