"""What the files of Java, Kotlin and Scala declare, by package."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.qualified_names import LONGEST, Table, add, around, ends, holders

if TYPE_CHECKING:
    from gitsearch.graph.project import FileFacts, Project

TYPES = frozenset({"class", "interface", "enum", "trait", "module"})
_MEMBERS = frozenset({"function", "method", "property", "constant", "variable", "field", "type"})
# Package clauses of one file that are looked at: each adds to the names of those after it.
_CLAUSES = 20
# Scripts and build files declare nothing for others.
_SCRIPTS = (".kts", ".sc", ".sbt")


class Declared(NamedTuple):
    """What one file declares outside of any type: pairs of package and name.

    visible: the packages whose names need no import, innermost first; extensions: functions and
    properties of types; hidden: what may be such an extension as well as a member, its type
    being in the same file.
    """

    visible: tuple[str, ...]
    types: list[tuple[str, str]]
    members: list[tuple[str, str]]
    extensions: list[tuple[str, str]]
    hidden: list[tuple[str, str]]


def declared(path: str, language: str, facts: FileFacts) -> Declared:
    """What one file declares outside of any type."""
    package, visible = _packages(path, facts)
    found = Declared(visible, [], [], [], [])
    name = path.rpartition("/")[2]
    if name.endswith(_SCRIPTS):
        return found
    if name == "package.scala":
        package = _inside(found, package, facts)
    _sort(found, package, facts, language)
    if language == "kotlin" and any(found[2:]):
        # The class that Java sees the functions of a file in.
        stem = name.partition(".")[0]
        found.types.append((package, f"{stem[:1].upper()}{stem[1:]}Kt"))
    return found


def _packages(path: str, facts: FileFacts) -> tuple[str, tuple[str, ...]]:
    """The package that a file starts with, and all whose names it sees, innermost first.

    What is in no package can be named in its own folder only: a package with the name of the
    folder, and a slash that no real one has.
    """
    folder = path.rpartition("/")[0]
    chain: list[str] = []
    blocks: list[str] = []
    clauses = [one for one in facts.imports if one.kind in ("package", "packaging")]
    for one in clauses[:_CLAUSES]:
        name = "".join(one.specifier.split())[:LONGEST]
        if one.kind == "package":
            chain.insert(0, f"{chain[0]}.{name}" if chain else name)
        elif one.kind == "packaging":
            outer = [*blocks[:1], *chain[:1]]
            blocks[:0] = [f"{outer[0]}.{name}", name] if outer else [name]
    if not chain:
        chain = [f"/{folder}"]
        if path.endswith(".sbt"):
            chain.append(f"/{folder}/project" if folder else "/project")
    return chain[0], (*blocks, *chain)


def _sort(found: Declared, package: str, facts: FileFacts, language: str) -> None:
    """Sort the definitions of a file into `found`; those inside of types are left out."""
    known = {name for name, kind in facts.definitions if kind in TYPES}
    blocks = any(one.kind == "packaging" for one in facts.imports)
    for qualified, kind in facts.definitions:
        above, _, name = qualified.rpartition(".")
        types = kind in TYPES or (kind == "type" and language == "scala")
        into = found.types if types else found.members if kind in _MEMBERS else None
        home = package
        if above and blocks:
            if any(above[:end] in known for end in ends(above)):
                continue
            home = above if package.startswith("/") else f"{package}.{above}"
        elif above:
            # Only an extension is qualified by what is no definition around it.
            into = None if types or language != "kotlin" or into is None else found.extensions
            if into is not None and above.partition(".")[0] in known:
                into = found.hidden if above in known else None
        if into is not None:
            into.append((home, name))


def _inside(found: Declared, package: str, facts: FileFacts) -> str:
    """Add what stands in a package object, which is in its package; where the object itself is."""
    outer = "" if package.startswith("/") else package
    for qualified, kind in facts.definitions:
        above, _, name = qualified.rpartition(".")
        if above and "." not in above:
            into = found.members if kind in _MEMBERS - {"type"} else found.types
            into.append((f"{outer}.{above}" if outer else above, name))
    return outer


class JvmPackages:
    """All packages of a project.

    unsure: extensions whose names are those of other things too, so that a call says little.
    """

    def __init__(self, project: Project, files: list[int]) -> None:
        self.types: Table = {}
        self.members: Table = {}
        self.unsure: Table = {}
        self._hidden: Table = {}
        self._leads: dict[str, list[int]] = {}
        self.visible: dict[int, tuple[str, ...]] = {}
        # What the tables are made of, file by file.
        self.source: dict[int, str] = {}
        extensions: Table = {}
        for file in files:
            one = declared(project.paths[file], project.languages[file], project.facts(file))
            self.visible[file] = one.visible
            self.source[file] = repr(one)
            for table, pairs in (
                (self.types, one.types),
                (self.members, one.members),
                (extensions, one.extensions),
                (self._hidden, one.hidden),
            ):
                for package, name in pairs:
                    add(table, package, name, file)
        if extensions or self._hidden:
            self._sort(project, files, extensions)
        # Every package and those around it.
        self.spaces = around((*self.types, *self.members))

    def _sort(self, project: Project, files: list[int], extensions: Table) -> None:
        """Take for members what nothing else in the project is called like."""
        counts: Counter[str] = Counter()
        for file in files:
            definitions = project.facts(file).definitions
            names = {name.rpartition(".")[2] for name, _ in definitions}
            counts.update(names)
            self.source[file] += repr(sorted(names))
        nowhere: Table = {}
        for table, other in ((extensions, self.unsure), (self._hidden, nowhere)):
            for package, here in table.items():
                for name, found in here.items():
                    into = self.members if counts[name] == len(found) else other
                    into.setdefault(package, {}).setdefault(name, []).extend(found)

    def leads(self, qualified: str) -> list[int]:
        """The files that declare a name, or the type that it is a member of."""
        if qualified not in self._leads:
            self._leads[qualified] = self._looked_up(qualified)
        return self._leads[qualified]

    def _looked_up(self, qualified: str) -> list[int]:
        package, _, name = qualified.rpartition(".")
        tables = (self.types, self.members, self.unsure)
        here = [table[package] for table in tables if package in table]
        found = [file for names in here for file in names.get(name, ())]
        return found or self._hidden.get(package, {}).get(name) or self.holders(package)

    def holders(self, qualified: str) -> list[int]:
        """The files that declare a type, or the one around it."""
        return holders(self.types, qualified)
