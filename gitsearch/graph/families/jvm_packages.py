"""What the files of Java, Kotlin and Scala declare, by package."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.families.qualified import LONGEST, Table, add, around, ends, holders

if TYPE_CHECKING:
    from gitsearch.graph.project import Facts, Project

_TYPES = frozenset({"class", "interface", "enum", "trait", "module"})
_MEMBERS = frozenset({"function", "method", "property", "constant", "variable", "field", "type"})
# Package clauses of one file that are looked at: each adds to the names of those after it.
_CLAUSES = 20
# Scripts and build files declare nothing for others.
_SCRIPTS = (".kts", ".sc", ".sbt")


class Declared(NamedTuple):
    """What one file declares outside of any type: pairs of package and name.

    visible: the packages whose names need no import, innermost first; hidden: what may be an
    extension of a type of the same file as well as a member of it.
    """

    visible: tuple[str, ...]
    types: list[tuple[str, str]]
    members: list[tuple[str, str]]
    hidden: list[tuple[str, str]]


def declared(path: str, language: str, facts: Facts) -> Declared:
    """What one file declares outside of any type."""
    package, visible = _packages(path, facts)
    found = Declared(visible, [], [], [])
    name = path.rpartition("/")[2]
    if name.endswith(_SCRIPTS):
        return found
    if name == "package.scala":
        package = _inside(found, package, facts)
    _sort(found, package, facts, language)
    if language == "kotlin" and (found.members or found.hidden):
        # The class that Java sees the functions of a file in.
        stem = name.partition(".")[0]
        found.types.append((package, f"{stem[:1].upper()}{stem[1:]}Kt"))
    return found


def _packages(path: str, facts: Facts) -> tuple[str, tuple[str, ...]]:
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


def _sort(found: Declared, package: str, facts: Facts, language: str) -> None:
    """Sort the definitions of a file into `found`; those inside of types are left out."""
    known = {name for name, kind in facts.definitions if kind in _TYPES}
    blocks = any(one.kind == "packaging" for one in facts.imports)
    for qualified, kind in facts.definitions:
        above, _, name = qualified.rpartition(".")
        types = kind in _TYPES or (kind == "type" and language == "scala")
        into = found.types if types else found.members if kind in _MEMBERS else None
        home = package
        if above and blocks:
            if any(above[:end] in known for end in ends(above)):
                continue
            home = above if package.startswith("/") else f"{package}.{above}"
        elif above:
            # Only an extension is qualified by what is no definition around it.
            into = None if types or language != "kotlin" else into
            if into is not None and above.partition(".")[0] in known:
                into = found.hidden if above in known else None
        if into is not None:
            into.append((home, name))


def _inside(found: Declared, package: str, facts: Facts) -> str:
    """Add what stands in a package object, which is in its package; where the object itself is."""
    outer = "" if package.startswith("/") else package
    for qualified, kind in facts.definitions:
        above, _, name = qualified.rpartition(".")
        if above and "." not in above:
            into = found.members if kind in _MEMBERS - {"type"} else found.types
            into.append((f"{outer}.{above}" if outer else above, name))
    return outer


class Packages:
    """All packages of a project."""

    def __init__(self, project: Project, files: list[int]) -> None:
        self.types: Table = {}
        self.members: Table = {}
        self.visible: dict[int, tuple[str, ...]] = {}
        # What may be a member of a type; `hinted`: where one file alone of all has such a name.
        self._hidden: Table = {}
        for file in files:
            one = declared(project.paths[file], project.languages[file], project.facts(file))
            self.visible[file] = one.visible
            for table, pairs in (
                (self.types, one.types),
                (self.members, one.members),
                (self._hidden, one.hidden),
            ):
                for package, name in pairs:
                    add(table, package, name, file)
        self.hinted = _single(self._hidden)
        # Every package and those around it.
        self.spaces = around((*self.types, *self.members))

    def leads(self, qualified: str) -> list[int]:
        """The files that declare a name, or the type that it is a member of."""
        package, _, name = qualified.rpartition(".")
        types = self.types.get(package, {}).get(name, [])
        members = self.members.get(package, {}).get(name, [])
        return (
            ([*types, *members] if members else types)
            or self._hidden.get(package, {}).get(name, [])
            or self.holders(package)
        )

    def holders(self, qualified: str) -> list[int]:
        """The files that declare a type, or the one around it."""
        return holders(self.types, qualified)


def _single(table: Table) -> Table:
    """What one file alone declares, whatever the package."""
    counts = Counter(
        name for names in table.values() for name, files in names.items() for _ in files
    )
    return {
        package: {name: files for name, files in names.items() if counts[name] == 1}
        for package, names in table.items()
    }
