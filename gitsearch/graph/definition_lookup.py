"""The questions that the resolution of definitions asks of a tree, and the record of them.

All that resolution knows of a tree are answers to questions: which definitions have a name in a
file, where an import leads, what a variable may be. A `Lookup` answers those of one file, and
notes each. A file is resolved as before if all of its questions have the answers of before.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.definition_uses import (
    BASE,
    DECORATOR,
    DEFAULT,
    GETTER,
    IMPLEMENTED,
    PLACED,
    PROMISED,
)
from gitsearch.extract.path_kinds import is_test
from gitsearch.extract.symbol_kinds import FUNCTIONS
from gitsearch.graph.definition_links import Bound, Links, Reached
from gitsearch.graph.definition_rules import PACKAGE
from gitsearch.graph.definition_table import Definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.definition_facts import FactRows
    from gitsearch.graph.definition_hierarchy import Hierarchy
    from gitsearch.graph.graph import Graph

# A question: its kind, the number of a definition or file that it is about, or -1, and a name.
Question = tuple[str, int, str]

# The kinds of questions that are about a definition, and about the package of a file. Others are
# about a file, or of the whole tree (-1).
_OF_DEFINITIONS = frozenset(
    {
        "above",
        "attribute",
        "below",
        "child",
        "children",
        "definition",
        "fields",
        "hint",
        "outside",
        "text",
        "type",
    }
)
_OF_PACKAGES = frozenset({"top"})

# What the expression of a base begins with that is known to be an interface.
PROMISE = "!"

# What a module provides as a whole.
_WHOLE_MODULES = frozenset({"module.exports", "exports", "default", "="})


def digest_of(text: str) -> int:
    """Return 32 bits of the text of a question.

    Where two questions share them, a file may be resolved without need, which does no harm.
    """
    return zlib.crc32(text.encode("utf-8", "surrogateescape"))


class Attribute(NamedTuple):
    """A possible value of an attribute, with the file and the definition that assign it."""

    file: int
    scope: int
    value: str


class Implemented(NamedTuple):
    """The base and the type of a member that is written apart from it: expressions, or "".

    member: a definition; of an implementation without members what is around it, or -1.
    """

    member: int
    base: str
    type: str


class SpaceFacts:
    """What the files of a package, or one file, say of the types of values.

    hints: by file, definition (or -1) and variable. attributes: by class and name. bases: the
    expressions of a class. properties: what is called when it is read. fixtures: by file and name.
    implemented: by file. placed: how many first fields of a type are known by their places, if not
    all are.
    """

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        self.hints: dict[tuple[int, int, str], list[str]] = defaultdict(list)
        self.attributes: dict[tuple[int, str], list[Attribute]] = defaultdict(list)
        self.bases: dict[int, list[str]] = defaultdict(list)
        self.properties: set[int] = set()
        self.placed: dict[int, int] = {}
        self.fixtures: dict[tuple[int, str], list[int]] = defaultdict(list)
        self.implemented: dict[int, list[Implemented]] = defaultdict(list)
        # the types of members that are written apart from them, as expressions
        self.types: dict[int, str] = {}

    def read(self, file: int, facts: DefinitionFacts) -> None:
        """Add what a file says."""
        definitions = self._definitions
        for scope, variable, value in facts.hints:
            self._read_hint(file, definitions.number(file, scope), variable, value)
        for use in facts.uses:
            number = definitions.number(file, use.scope)
            if use.form == BASE:
                self.bases[number].append(f"{use.owner}.{use.name}".lstrip("."))
            elif use.form == PROMISED and use.name in (own := self.bases[number]):
                own[own.index(use.name)] = PROMISE + use.name
            elif use.form == IMPLEMENTED:
                self.implemented[file].append(Implemented(number, use.name, use.owner))
                self.types[number] = use.owner
            elif use.form == GETTER:
                self.properties.add(number)
            elif use.form == PLACED:
                self.placed[number] = int(use.name)
            elif use.form == DECORATOR and number >= 0:
                self._read_decorator(file, number, use.name)

    def _read_decorator(self, file: int, number: int, name: str) -> None:
        if "property" in name or name == "setter":
            self.properties.add(number)
        elif name == "fixture":
            self.fixtures[file, self._definitions.name[number]].append(number)

    def _read_hint(self, file: int, number: int, variable: str, value: str) -> None:
        definitions = self._definitions
        head, _, attribute = variable.partition(".")
        is_own = head == "this" or head in definitions.rules(file).receivers
        if variable in _WHOLE_MODULES:
            self.hints[file, -1, DEFAULT].append(value)
        elif is_own and attribute and "." not in attribute:
            if (around := definitions.enclosing_class(number)) >= 0:
                self.attributes[around, attribute].append(Attribute(file, number, value))
            elif definitions.rules(file).open:
                self.hints[file, -1, variable].append(value)
        elif self._names_itself(number, variable):
            self.hints[file, number, ""].append(value)
        else:
            self.hints[file, number, variable].append(value)

    def _names_itself(self, number: int, variable: str) -> bool:
        """Return True for the name of the definition itself, also as one of `exports`."""
        if number < 0:
            return False
        definitions = self._definitions
        names = (definitions.name[number], definitions.qualified[number])
        whole = definitions.rules(definitions.file[number]).whole
        if whole and definitions.kind[number] not in FUNCTIONS:
            variable = variable.removeprefix("module.").removeprefix("exports.")
        return variable in names


class DefinitionTree:
    """The definitions of one tree with what files say of them, read when it is asked for."""

    def __init__(self, graph: Graph, rows: FactRows) -> None:
        self.graph = graph
        self.rows = rows
        self.definitions = Definitions(graph, rows)
        self._spaces: dict[int, SpaceFacts] = {}
        self._links: dict[int, Links] = {}
        self._ordinals: dict[int, dict[int, int]] = {}
        self._digests: dict[Question, int] = {}

    def space(self, file: int) -> SpaceFacts:
        """Return what the files of the package of a file say of types."""
        first = self.definitions.space[file]
        if first not in self._spaces:
            facts = SpaceFacts(self.definitions)
            for one in self.definitions.together[first]:
                facts.read(one, self.rows.facts(one))
            self._spaces[first] = facts
        return self._spaces[first]

    def links(self, file: int) -> Links:
        """Return where the imports of a file lead."""
        if file not in self._links:
            own = self.graph, self.definitions, file
            self._links[file] = Links(*own, self.having_fixtures, self.reached)
        return self._links[file]

    @cached_property
    def reached(self) -> Reached:
        """The files that each file leads to."""
        return Reached(self.graph, self.definitions)

    @cached_property
    def having_fixtures(self) -> frozenset[int]:
        """The files that define fixtures of pytest."""
        rows = self.rows
        found = rows.having("use_form", DECORATOR) & rows.having("use_name", "fixture")
        return frozenset(rows.files_of("use")[found].tolist())

    @cached_property
    def namesakes(self) -> dict[str, list[int]]:
        """The types and objects by name, in lower case, and constants that all files see."""
        definitions = self.definitions
        names: dict[str, list[int]] = {}
        for number, name in enumerate(definitions.name):
            if definitions.is_namesake(number):
                names.setdefault(name.lower(), []).append(number)
        return names

    @cached_property
    def globals(self) -> dict[str, tuple[list[int], list[int]]]:
        """The definitions that are global variables of JavaScript, by name; of tests apart."""
        definitions = self.definitions
        names: dict[str, tuple[list[int], list[int]]] = {}
        for number, name in enumerate(definitions.name):
            if definitions.is_global(number):
                of_tests = is_test(self.graph.path(definitions.file[number]))
                names.setdefault(name, ([], []))[of_tests].append(number)
        return names

    @cached_property
    def top_modules(self) -> dict[str, dict[bytes, list[int]]]:
        """The files of the Python modules and packages that are in no other one.

        By name, and the folder in which they are found: the one around `src`, if that is theirs.
        """
        path, end = self.graph.path, b"/__init__.py"
        paths = {file: path(file) for file in range(self.graph.files)}
        paths = {file: own for file, own in paths.items() if own.endswith(b".py")}
        packages = {own.removesuffix(end) for own in paths.values() if own.endswith(end)}
        found: dict[str, dict[bytes, list[int]]] = {}
        for file, own in paths.items():
            folder, _, name = own.removesuffix(end).rpartition(b"/")
            if folder not in packages and name != b"__init__.py":
                word = name.removesuffix(b".py").decode("utf-8", "surrogateescape")
                folder = b"" if folder == b"src" else folder.removesuffix(b"/src")
                found.setdefault(word, {}).setdefault(folder, []).append(file)
        return found

    def fields(self, number: int) -> tuple[list[int], int]:
        """Return the fields directly in a type, in order, and how many have known places."""
        fields = self.definitions.fields(number)
        placed = self.space(self.definitions.file[number]).placed
        return fields, placed.get(number, len(fields))

    # ---------------------------------------------------------------- identity

    def identity(self, number: int) -> tuple[str, str, int]:
        """Return the path and the name of a definition, and which one of this name it is."""
        definitions = self.definitions
        file = definitions.file[number]
        if file not in self._ordinals:
            known: dict[str, int] = {}
            own = self._ordinals[file] = {}
            for one in definitions.of_file(file):
                name = definitions.qualified[one]
                own[one] = known[name] = known.get(name, -1) + 1
        return self.path(file), definitions.qualified[number], self._ordinals[file][number]

    def path(self, file: int) -> str:
        """Return the path of a file."""
        return self.graph.path(file).decode("utf-8", "surrogateescape")

    def package(self, file: int) -> str:
        """Return what identifies the package of a file, or its path if it has none."""
        if self.definitions.rules(file).scope != PACKAGE:
            return self.path(file)
        folder, name = self.definitions.package(file)
        return f"{folder.decode('utf-8', 'surrogateescape')}/ {name}"

    def packages(self) -> Iterator[tuple[str, int]]:
        """Yield the packages of languages that have them, each with its first file."""
        for file in self.definitions.together:
            if self.definitions.rules(file).scope == PACKAGE:
                yield self.package(file), file

    def text(self, question: Question) -> str:
        """Return a question as a text that is the same in all trees."""
        kind, number, name = question
        about: object = ""
        if kind in _OF_DEFINITIONS:
            about = self.identity(number)
        elif number >= 0:
            about = self.package(number) if kind in _OF_PACKAGES else self.path(number)
        return f"{kind}\0{about}\0{name}"

    def digest(self, question: Question) -> int:
        """Return a digest of a question that is the same in all trees."""
        if question not in self._digests:
            self._digests[question] = digest_of(self.text(question))
        return self._digests[question]


class Lookup:
    """Answers the questions of the resolution of one file, and notes them."""

    def __init__(
        self, tree: DefinitionTree, file: int, hierarchy: Hierarchy | None = None
    ) -> None:
        """Without `hierarchy` the classes above one are not known yet."""
        self.tree = tree
        self.definitions = tree.definitions
        self.hierarchy = hierarchy
        self.main = file
        self.noted: set[Question] = set()
        # what a file says itself changes with its content only, but for members of a package
        alone = tree.definitions.rules(file).scope != PACKAGE
        self._own = file if alone else -1

    def digests(self) -> list[int]:
        """Return the digests of the questions that were asked, ascending."""
        return sorted({self.tree.digest(question) for question in self.noted})

    # ---------------------------------------------------------------- definitions

    def _note_definition(self, kind: str, number: int, name: str) -> None:
        if self.definitions.file[number] != self._own:
            self.noted.add((kind, number, name))

    def tops(self, file: int, name: str) -> list[int]:
        """Return the definitions of a name at the top of a file or of its package."""
        if file not in self.definitions.space:
            return []
        space = self.definitions.space[file]
        if self.definitions.rules(file).scope == PACKAGE:
            self.noted.add(("package", file, ""))
        if space != self._own:
            self.noted.add(("top", space, name))
        return self.definitions.tops_of(file).get(name, [])

    def all_tops(self, file: int) -> Iterator[int]:
        """Yield all definitions at the top of a file."""
        self.noted.add(("tops", file, ""))
        for numbers in self.definitions.tops_of(file).values():
            yield from numbers

    def children(self, number: int, name: str) -> list[int]:
        """Return the definitions of a name directly in a definition."""
        self._note_definition("child", number, name)
        return self.definitions.children_of(number).get(name, [])

    def child_names(self, number: int) -> Iterable[str]:
        """Return the names of the definitions directly in one of a language with `submodules`."""
        self._note_definition("children", number, "")
        return self.definitions.children_of(number)

    def fields(self, number: int) -> tuple[list[int], int]:
        """Return the fields directly in a type, in order, and how many have known places."""
        self._note_definition("fields", number, "")
        return self.tree.fields(number)

    def kind(self, number: int) -> str:
        """Return the kind of a definition."""
        self._note_definition("definition", number, "")
        return self.definitions.kind[number]

    def accepts(self, number: int, given: str) -> bool:
        """Return True unless a definition cannot be called with any of some numbers of arguments.

        given: as in `DefinitionUse`.
        """
        if given:
            self._note_definition("definition", number, "")
        return self.definitions.accepts(number, given)

    def is_place(self, number: int) -> bool:
        """Return True for what has members: a type, or an object that is written out."""
        self._note_definition("definition", number, "")
        return self.definitions.is_place(number)

    def is_property(self, number: int) -> bool:
        """Return True for what is called when it is read."""
        self._note_definition("definition", number, "")
        return number in self.tree.space(self.definitions.file[number]).properties

    def parent(self, number: int) -> int:
        """Return the definition around a definition, or -1."""
        self._note_definition("definition", number, "")
        return self.definitions.parent[number]

    def enclosing_class(self, number: int) -> int:
        """Return the innermost place around a definition, or -1."""
        while number >= 0 and not self.is_place(number):
            number = self.definitions.parent[number]
        return number

    # ---------------------------------------------------------------- types

    def hints(self, file: int, number: int, variable: str) -> list[str]:
        """Return the values that a variable may have in a definition, -1 for the file."""
        if file != self._own:
            kind, about = ("hint", number) if number >= 0 else ("hint of file", file)
            self.noted.add((kind, about, variable))
        return self.tree.space(file).hints.get((file, number, variable), [])

    def attributes(self, number: int, name: str) -> list[Attribute]:
        """Return the values that an attribute of a class may have."""
        self._note_definition("attribute", number, name)
        space = self.tree.space(self.definitions.file[number])
        return space.attributes.get((number, name), [])

    def base_texts(self, number: int) -> list[str]:
        """Return the expressions of the bases of a class, those of interfaces after PROMISE."""
        self._note_definition("text", number, "")
        return self.tree.space(self.definitions.file[number]).bases.get(number, [])

    def above(self, number: int) -> tuple[tuple[int, ...], bool]:
        """Return a class and those above it, and whether one above is not of the tree."""
        self.noted.add(("above", number, ""))
        assert self.hierarchy is not None
        return self.hierarchy.mro(number)

    def below(self, number: int) -> list[int]:
        """Return the classes below a class."""
        self.noted.add(("below", number, ""))
        assert self.hierarchy is not None
        return self.hierarchy.below.get(number, [])

    def implemented_outside(self, number: int) -> list[int]:
        """Return the members that implement a trait for types that the tree does not define."""
        self.noted.add(("outside", number, ""))
        assert self.hierarchy is not None
        return self.hierarchy.outside.get(number, [])

    def type_text(self, number: int) -> str:
        """Return the expression of the type of a member that is written apart from it, or ""."""
        self._note_definition("type", number, "")
        return self.tree.space(self.definitions.file[number]).types.get(number, "")

    def apart(self, number: int, name: str) -> list[int]:
        """Return the methods of a name that are written apart from a type called like this one."""
        key = f"{self.definitions.name[number]}.{name}"
        self.noted.add(("apart", -1, key))
        return self.definitions.apart.get(key, [])

    def linked(self, name: str) -> list[int]:
        """Return the functions and macros of a name in the headers of the tree."""
        self.noted.add(("linked", -1, name))
        return self.definitions.linked.get(name, [])

    def namesakes(self, name: str) -> list[int]:
        """Return the types, objects and constants that are called so, but for capitals."""
        self.noted.add(("namesake", -1, name))
        return self.tree.namesakes.get(name, [])

    def globals(self, name: str) -> tuple[list[int], list[int]]:
        """Return what is made a global variable of a name in JavaScript; by tests apart."""
        self.noted.add(("global", -1, name))
        return self.tree.globals.get(name, ([], []))

    # ---------------------------------------------------------------- links

    def bound(self, file: int, name: str) -> tuple[Bound, ...]:
        """Return the imports of a file that bind a name."""
        self.noted.add(("bound", file, name))
        return self.tree.links(file).bound.get(name, ())

    def all_bound(self, file: int) -> dict[str, tuple[Bound, ...]]:
        """Return all names that the imports of a file bind."""
        self.noted.add(("all bound", file, ""))
        return self.tree.links(file).bound

    def used(self, file: int, name: str) -> tuple[int, ...]:
        """Return the files of a name that a file uses without an import."""
        self.noted.add(("used", file, name))
        return self.tree.links(file).using(name)

    def module(self, file: int, specifier: str) -> tuple[int, ...]:
        """Return the files to which the import of a module leads."""
        self.noted.add(("module", file, specifier))
        return self.tree.links(file).modules.get(specifier, ())

    def fixtures(self, file: int, name: str) -> list[int]:
        """Return the fixtures of pytest that a file has or that lie nearest to it."""
        if file != self._own:
            self.noted.add(("fixture", file, name))
        if found := self.tree.space(file).fixtures.get((file, name)):
            return found
        self.noted.add(("fixtures", file, ""))
        nearest: list[tuple[int, int]] = []
        for target in self.tree.links(file).fixtures:
            self.noted.add(("fixture", target, name))
            if (target, name) in self.tree.space(target).fixtures:
                nearest.append((-len(self.tree.graph.path(target)), target))
        return self.tree.space(min(nearest)[1]).fixtures[min(nearest)[1], name] if nearest else []

    def language(self, file: int) -> str:
        """Return the language of a file."""
        self.noted.add(("language", file, ""))
        return self.tree.graph.language(file)

    def top_modules(self, name: str) -> dict[bytes, list[int]]:
        """Return the files of the modules of a name that are in no package, by their folders."""
        self.noted.add(("top module", -1, name))
        return self.tree.top_modules.get(name, {})

    def file(self, path: bytes) -> int:
        """Return the number of the file with a path, or -1."""
        self.noted.add(("path", -1, path.decode("utf-8", "surrogateescape")))
        return self.tree.graph.file(path)
