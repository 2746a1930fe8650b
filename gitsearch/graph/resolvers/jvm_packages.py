"""The declarations of Java, Kotlin and Scala files, by package."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.qualified_names import (
    MAX_NAME_LENGTH,
    DeclarationTable,
    add_declaration,
    declaring_files,
    prefix_ends,
    with_enclosing,
)
from gitsearch.graph.resolvers.tables import memoized
from gitsearch.graph.tree_paths import folder_of, joined

if TYPE_CHECKING:
    from gitsearch.graph.project import FileFacts, Project

TYPES = frozenset({"class", "interface", "enum", "trait", "module"})
_MEMBERS = frozenset({"function", "method", "property", "constant", "variable", "field", "type"})
# Package clauses of one file that are read: each is a prefix of the names of those after it.
_MAX_CLAUSES = 20
# Scripts and build files declare nothing for others.
_SCRIPTS = (".kts", ".sc", ".sbt")


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
    clauses = [clause for clause in facts.imports if clause.kind in ("package", "packaging")]
    for clause in clauses[:_MAX_CLAUSES]:
        name = "".join(clause.specifier.split())[:MAX_NAME_LENGTH]
        if clause.kind == "package":
            chained.insert(0, f"{chained[0]}.{name}" if chained else name)
        elif clause.kind == "packaging":
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
    type_names = {name for name, kind in facts.definitions if kind in TYPES}
    blocks = any(imported.kind == "packaging" for imported in facts.imports)
    for qualified, kind in facts.definitions:
        qualifier, _, name = qualified.rpartition(".")
        is_type = kind in TYPES or (kind == "type" and language == "scala")
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


class JvmPackages:
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
            definitions = project.facts(file).definitions
            names = {name.rpartition(".")[2] for name, _ in definitions}
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
        return (
            files
            or self._possible_extensions.get(package, {}).get(name)
            or declaring_files(self.types, package)
        )
