"""What a name at the top of a file means, through imports and what packages hand on."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

from gitsearch.extract.definition_uses import DEFAULT
from gitsearch.extract.symbol_kinds import TYPES
from gitsearch.graph.definition_links import MEMBERS, WHOLE
from gitsearch.graph.definition_rules import REACHING, USED
from gitsearch.graph.definition_table import (
    MODULE,
    MOST,
    OUTSIDE,
    VARIABLE,
    Value,
    Values,
    inside,
)
from gitsearch.graph.exports import ECMASCRIPT, JVM, module_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.definition_lookup import Lookup

# Where names are used without an import.
_USING = REACHING | {USED}

# So many parts of the name of a nested type are looked at.
_MOST_NESTED = 10

# So many types whose members a file imports are looked at.
_MOST_IMPORTED_TYPES = 50

# What names mean that were met on the way to one, by file: () while a name is looked for.
_Seen = dict[tuple[int, str], Values]

# A search for what a name means: it yields files and names, and is sent what each of them means.
_Search = Generator[tuple[int, str], Values | None, Values]


class Names:
    """Resolves names of files: to definitions of the file or package, or to imported ones."""

    def __init__(self, lookup: Lookup) -> None:
        self._graph = lookup.tree.graph
        self._lookup = lookup
        self._definitions = lookup.definitions
        self._names: dict[tuple[int, str], Values] = {}
        self._static_types: dict[int, list[int]] = {}

    def aliased(self, file: int, name: str) -> Values:
        """Return what a file gives its importers by another name, or as a whole."""
        raise NotImplementedError

    def name(self, file: int, name: str) -> Values:
        """Return what a name means at the top of a file; () if the file does not bind it."""
        if (file, name) in self._names:
            return self._names[file, name]
        seen: _Seen = {}
        return self._found(self._name(file, name, seen), seen)

    def _found(self, search: _Search, seen: _Seen) -> Values:
        """Return what a search finds, without recursion: thousands of files may hand on a name."""
        searches = [search]
        answer: Values | None = None
        while searches:
            try:
                key = searches[-1].send(answer)
            except StopIteration as found:
                searches.pop()
                answer = found.value
                continue
            answer = self._names.get(key, seen.get(key))
            if answer is None:
                searches.append(self._name(*key, seen))
        return answer or ()

    def _name(self, file: int, name: str, seen: _Seen) -> _Search:
        """Look for what a name means that is neither known nor seen."""
        key = (file, name)
        outermost = not seen
        seen[key] = ()
        values = self._own(file, name)
        if not values or self._lookup.bound(file, name):
            imported = yield from self._imported(file, name)
            # a function or class is what stands in where the import fails
            variable = all(value.kind == VARIABLE for value in values)
            values = (imported or values) if variable else inside([*values, *imported])
        seen[key] = values = values or self._used(file, name)
        if outermost:
            # what is seen on the way may lack what a circle of imports leads back to
            self._names[key] = values
        return values

    def _own(self, file: int, name: str) -> Values:
        return tuple(map(self._definitions.value, self._lookup.tops(file, name)))

    def provided(self, file: int, name: str) -> Values:
        """Return what importers of a file get by a name."""
        if self._hands_on(file):
            return self.name(file, name) or self.aliased(file, name)
        return self._declared(file, name)

    def _provided(self, file: int, name: str) -> _Search:
        """Look for what importers of a file get by a name."""
        if self._hands_on(file):
            return (yield (file, name)) or self.aliased(file, name)
        return self._declared(file, name)

    def _hands_on(self, file: int) -> bool:
        """Return True if importers of a file get what it imports, too."""
        return file in self._definitions.space and self._definitions.rules(file).hands_on

    def _declared(self, file: int, name: str) -> Values:
        """Return what a file whose importers get no more than that defines by a name."""
        if file not in self._definitions.space:
            return ()
        in_tops = self._lookup.language(file) in JVM
        return self._own(file, name) or (self._of_tops(file, name) if in_tops else ())

    def _of_tops(self, file: int, name: str) -> Values:
        """Return a nested type or a static member: they are imported by name in Java."""
        found = [
            self._definitions.value(number)
            for top in self._lookup.all_tops(file)
            for number in self._lookup.children(top, name)
        ]
        return tuple(found)[:MOST]

    def _used(self, file: int, name: str) -> Values:
        """Return what other files of a package define that need not be imported."""
        if self._definitions.rules(file).everywhere:
            return inside(
                [self._definitions.value(one) for one in self.everywhere(file, name)[:1]]
            )
        if self._definitions.rules(file).scope not in _USING:
            return ()
        targets = self._lookup.used(file, name)
        types = [value for target in targets for value in self._own(target, name)]
        # a type may have the name of a function that makes one
        return inside([*types, *self._imported_members(file, name)])

    def _imported_members(self, file: int, name: str) -> list[Value]:
        """Return the members of a name that types have whose static members a file imports.

        Functions that extend values are called as members of these only.
        """
        if file not in self._static_types:
            self._static_types[file] = self._types_with_imported_members(file)
        return [
            self._definitions.value(number)
            for around in self._static_types[file]
            for number in self._lookup.children(around, name)
            if number not in self._definitions.extensions
            and self._lookup.kind(number) != "constructor"
        ]

    def _types_with_imported_members(self, file: int) -> list[int]:
        """Return the types of `using static`, with all parts of each that its targets have."""
        found: dict[int, None] = {}
        for bound in self._lookup.bound(file, MEMBERS)[:_MOST_IMPORTED_TYPES]:
            for target in bound.targets[:MOST]:
                found.update(dict.fromkeys(self._types_of_path(target, bound.original)))
        return list(found)[:_MOST_IMPORTED_TYPES]

    def _types_of_path(self, file: int, path: str) -> list[int]:
        """Return the types of a file that a dotted path ends in, which may be nested ones."""
        parts = path.split(".")[-_MOST_NESTED:]
        for place, part in enumerate(parts):
            types = self._lookup.tops(file, part)
            for inner in parts[place + 1 :]:
                types = [one for around in types for one in self._lookup.children(around, inner)]
            types = [one for one in types if self._lookup.kind(one) in TYPES]
            if types:
                return types[:_MOST_IMPORTED_TYPES]
        return []

    def everywhere(self, file: int, qualified: str) -> list[int]:
        """Return the types and modules of a qualified name in all files of the language of one."""
        name = qualified.rpartition(".")[2]
        if not name[:1].isupper():
            return []
        definitions, language = self._definitions, self._graph.language(file)
        return [
            one
            for one in self._lookup.namesakes(name.lower())
            if definitions.qualified[one] == qualified
            and self._graph.language(definitions.file[one]) == language
        ]

    def _imported(self, file: int, name: str) -> _Search:
        values: list[Value] = []
        for bound in self._lookup.bound(file, name):
            if not bound.targets:
                values.append(OUTSIDE)
            for target in bound.targets if bound.original else bound.targets[:1]:
                if not bound.original:
                    values.append(Value(MODULE, target))
                    continue
                provided = yield from self._provided(target, bound.original)
                if provided:
                    values += provided
                elif self._is_module(target, bound.original):
                    values.append(Value(MODULE, target))
        if values:
            return inside(values)
        return (yield from self._imported_with_all(file, name))

    def _imported_with_all(self, file: int, name: str) -> _Search:
        """Look for a name in the modules all of whose names a file imports."""
        values: list[Value] = []
        for bound in self._lookup.bound(file, WHOLE):
            for target in bound.targets:
                if self._lookup.language(target) == "kotlin":
                    # what is imported as a whole in Kotlin is a package
                    values += self._own(target, name)
                else:
                    values += yield from self._provided(target, name)
        return tuple(dict.fromkeys(values))[:MOST]

    def _is_module(self, file: int, name: str) -> bool:
        """Return True if a name means a module itself: in JavaScript what it is as a whole."""
        if self._lookup.language(file) in ECMASCRIPT:
            return name == DEFAULT
        return module_name(self._graph.path(file)) == name

    def imported(self, file: int) -> Iterator[tuple[Value, int]]:
        """Yield what the names in the imports of a file mean, with the lines of the imports."""
        for name, places in self._lookup.all_bound(file).items():
            for bound in places:
                if bound.original not in ("", WHOLE):
                    yield from ((value, bound.line) for value in self.name(file, name))
