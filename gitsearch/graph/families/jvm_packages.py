"""What the files of Java, Kotlin and Scala declare, by package."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project, SourceFile

# Package to name to the files that declare it.
Table = dict[str, dict[str, list[int]]]

_TYPES = frozenset({"class", "interface", "enum", "trait", "module"})
_MEMBERS = frozenset(
    {"function", "method", "property", "constant", "variable", "field", "type"}
)
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


def declared(path: str, language: str, facts: SourceFile) -> Declared:
    """What one file declares outside of any type."""
    package, visible = _packages(path, facts)
    found = Declared(visible, [], [], [])
    name = path.rpartition("/")[2]
    if name.endswith(_SCRIPTS):
        return found
    _sort(found, package, facts, language)
    if language == "kotlin" and (found.members or found.hidden):
        # The class that Java sees the functions of a file in.
        stem = name.partition(".")[0]
        found.types.append((package, f"{stem[:1].upper()}{stem[1:]}Kt"))
    return found


def _packages(path: str, facts: SourceFile) -> tuple[str, tuple[str, ...]]:
    """The package that a file starts with, and all whose names it sees, innermost first.

    What is in no package can be named in its own folder only: a package with the name of the
    folder, and a slash that no real one has.
    """
    folder = path.rpartition("/")[0]
    chain: list[str] = []
    blocks: list[str] = []
    for one in facts.imports:
        name = one.specifier.replace(" ", "")
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


def _sort(found: Declared, package: str, facts: SourceFile, language: str) -> None:
    """Sort the definitions of a file into `found`; those inside of types are left out."""
    known = {name for name, kind in facts.definitions if kind in _TYPES}
    blocks = any(one.kind == "packaging" for one in facts.imports)
    for qualified, kind in facts.definitions:
        above, _, name = qualified.rpartition(".")
        home, into = package, found.members
        if kind in _TYPES or (kind == "type" and language == "scala"):
            into = found.types
        elif kind not in _MEMBERS:
            continue
        if above and blocks:
            if any(above[:end] in known for end in ends(above)):
                continue
            home = above if package.startswith("/") else f"{package}.{above}"
        elif above:
            # Only an extension is qualified by what is no definition around it.
            if language != "kotlin" or into is found.types or above.partition(".")[0] in known:
                if language == "kotlin" and above in known:
                    found.hidden.append((package, name))
                continue
        into.append((home, name))


def ends(dotted: str) -> Iterator[int]:
    """Where the prefixes of a dotted name end, the longest first."""
    end = len(dotted)
    while end > 0:
        yield end
        end = dotted.rfind(".", 0, end)


class Packages:
    """All packages of a project."""

    def __init__(self, project: Project, files: list[int]) -> None:
        self.types: Table = {}
        self.members: Table = {}
        self.visible: dict[int, tuple[str, ...]] = {}
        # Every package and those around it.
        self.spaces: set[str] = set()
        self._hidden: Table = {}
        for file in files:
            one = declared(project.paths[file], project.languages[file], project.facts(file))
            self.visible[file] = one.visible
            _add(self.types, one.types, file)
            _add(self.members, one.members, file)
            _add(self._hidden, one.hidden, file)
        for package in (*self.types, *self.members):
            for end in ends(package):
                if package[:end] in self.spaces:
                    break
                self.spaces.add(package[:end])

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
        while qualified:
            package, _, name = qualified.rpartition(".")
            found = self.types.get(package, {}).get(name)
            if found:
                return found
            qualified = package
        return []


def _add(table: Table, pairs: list[tuple[str, str]], file: int) -> None:
    for package, name in pairs:
        files = table.setdefault(package, {}).setdefault(name, [])
        if not files or files[-1] != file:
            files.append(file)
