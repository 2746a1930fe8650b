"""Resolution of what definitions use, in all files of a tree: to definitions, modules and types.

Nothing is executed. The type of a value is that of its annotation, of the call that made it, or of
what the called function returns, followed through variables, attributes and imports.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.definition_uses import BASE, DECORATOR
from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES
from gitsearch.graph.exports import bound_by, imported_by, module_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.graph import Graph

# What an expression may be: an instance of a class, the class, a function, a module, the bases of
# a class (`super()`), or something that the tree does not define.
INSTANCE, CLASS, FUNCTION, MODULE, SUPER, VARIABLE, EXTERNAL = range(7)

_SELF = frozenset({"self", "cls", "this"})
_WHOLE = "*"
_PART = re.compile(r"\.?\w+|\(\)|\[\]|#")

# Types of values are followed through so many steps.
_DEPTH = 8

# So many alternatives of an expression are followed, and so many classes above one.
_MOST = 8
_MOST_ABOVE = 100


# Names of Python that need no import; what they return is nothing that the tree defines.
_BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "bin",
        "bool",
        "bytearray",
        "bytes",
        "chr",
        "complex",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "float",
        "format",
        "frozenset",
        "hash",
        "hex",
        "id",
        "input",
        "int",
        "isinstance",
        "iter",
        "len",
        "list",
        "map",
        "max",
        "memoryview",
        "min",
        "next",
        "object",
        "open",
        "ord",
        "pow",
        "print",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "slice",
        "sorted",
        "str",
        "sum",
        "tuple",
        "type",
        "vars",
        "zip",
    }
)


class Value(NamedTuple):
    """A possible value of an expression; `number` is a definition or a file."""

    kind: int
    number: int = -1


_OUTSIDE = Value(EXTERNAL)
Values = tuple[Value, ...]


class Definitions:
    """The definitions of all files, numbered in the order of files and positions."""

    def __init__(self, facts: Mapping[int, DefinitionFacts]) -> None:
        self.facts = facts
        self.first: dict[int, int] = {}
        self.file: list[int] = []
        self.name: list[str] = []
        self.qualified: list[str] = []
        self.kind: list[str] = []
        self.lines: list[tuple[int, int]] = []
        self.parent: list[int] = []
        for file in sorted(facts):
            base = self.first[file] = len(self.file)
            for one in facts[file].definitions:
                self.file.append(file)
                self.name.append(one.qualified.rpartition(".")[2])
                self.qualified.append(one.qualified)
                self.kind.append(one.kind)
                self.lines.append((one.first, one.last))
                self.parent.append(base + one.parent if one.parent >= 0 else -1)

    def __len__(self) -> int:
        """The number of definitions."""
        return len(self.file)

    def number(self, file: int, scope: int) -> int:
        """Return the number of a definition of a file; -1 for the file outside of all."""
        return self.first[file] + scope if scope >= 0 else -1

    @cached_property
    def children(self) -> dict[int, dict[str, list[int]]]:
        """The definitions directly in each definition, by name."""
        children: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for number, parent in enumerate(self.parent):
            if parent >= 0:
                children[parent].setdefault(self.name[number], []).append(number)
        return children

    @cached_property
    def tops(self) -> dict[int, dict[str, list[int]]]:
        """The definitions of each file outside of all others, by name."""
        tops: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for number, parent in enumerate(self.parent):
            if parent < 0:
                own = tops[self.file[number]]
                own.setdefault(self.name[number], []).append(number)
        return tops

    def enclosing_class(self, number: int) -> int:
        """Return the innermost class around a definition, or -1."""
        while number >= 0 and self.kind[number] not in TYPES:
            number = self.parent[number]
        return number


class Resolver:
    """Evaluates names and expressions of one tree."""

    def __init__(self, graph: Graph, definitions: Definitions) -> None:
        self._graph = graph
        self._definitions = definitions
        self._names: dict[tuple[int, str], Values] = {}
        self._imports: dict[int, dict[str, list[tuple[int, str]]]] = {}
        self._targets: dict[int, dict[int, list[int]]] = {}
        self._values: dict[tuple[int, int, str], Values | None] = {}
        self._mro: dict[int, tuple[tuple[int, ...], bool]] = {}
        self._hints: dict[tuple[int, int, str], list[str]] = defaultdict(list)
        # instance attributes by class and name: the place of the hint
        self._attributes: dict[tuple[int, str], list[tuple[int, int, str]]] = defaultdict(list)
        self._bases: dict[int, list[str]] = defaultdict(list)
        self._base_values: dict[int, list[Value]] = {}
        self.properties: set[int] = set()
        self.fixtures: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for file, facts in definitions.facts.items():
            self._read(file, facts)

    def _read(self, file: int, facts: DefinitionFacts) -> None:
        definitions = self._definitions
        for scope, variable, value in facts.hints:
            number = definitions.number(file, scope)
            head, dot, attribute = variable.partition(".")
            if dot and head in _SELF and "." not in attribute:
                if (around := definitions.enclosing_class(number)) >= 0:
                    self._attributes[around, attribute].append((file, number, value))
            elif number >= 0 and definitions.name[number] == variable:
                self._hints[file, number, ""].append(value)
            else:
                self._hints[file, number, variable].append(value)
        for use in facts.uses:
            number = definitions.number(file, use.scope)
            if use.form == BASE:
                self._bases[number].append(f"{use.owner}.{use.name}".lstrip("."))
            elif use.form == DECORATOR and number >= 0:
                if "property" in use.name or use.name == "setter":
                    self.properties.add(number)
                elif use.name == "fixture":
                    own = self.fixtures[file]
                    own.setdefault(definitions.name[number], []).append(number)

    # ---------------------------------------------------------------- names

    def name(self, file: int, name: str) -> Values:
        """Return what a name means at the top of a file; () if the file does not bind it."""
        return self._name(file, name, frozenset())

    def _name(self, file: int, name: str, visited: frozenset[tuple[int, str]]) -> Values:
        key = (file, name)
        if key in visited:
            return ()
        if key in self._names:
            return self._names[key]
        own = self._definitions.tops[file].get(name) if file in self._definitions.first else None
        if own:
            values = tuple(map(self.defined, own))
        else:
            values = self._imported(file, name, visited | {key})
        if not visited:
            self._names[key] = values
        return values

    def bare(self, file: int, number: int, name: str) -> Values:
        """Return what a name without an owner means in a definition of a file."""
        return self._local(number, name) or self.name(file, name)

    def _local(self, number: int, name: str) -> Values:
        """Return the definitions of a name in the functions around a definition."""
        definitions = self._definitions
        while number >= 0:
            inner = definitions.children[number].get(name)
            if inner and definitions.kind[number] not in TYPES:
                return tuple(map(self.defined, inner))
            number = definitions.parent[number]
        return ()

    def defined(self, number: int) -> Value:
        """Return the value that a definition makes."""
        kind = self._definitions.kind[number]
        if kind in TYPES:
            return Value(CLASS, number)
        return Value(FUNCTION if kind in FUNCTIONS else VARIABLE, number)

    def _imported(self, file: int, name: str, visited: frozenset[tuple[int, str]]) -> Values:
        bound = self._bound(file)
        targets = self._targets_of(file)
        values: list[Value] = []
        for place, original in bound.get(name, ()):
            found = targets.get(place, ())
            if not found:
                values.append(_OUTSIDE)
            for target in found:
                if not original:
                    values.append(Value(MODULE, target))
                    continue
                provided = self._name(target, original, visited)
                if provided:
                    values += provided
                elif module_name(self._graph.path(target)) == original:
                    values.append(Value(MODULE, target))
        if values:
            inside = [value for value in values if value != _OUTSIDE]
            return tuple(dict.fromkeys(inside or values))[:_MOST]
        for place, _ in bound.get(_WHOLE, ()):
            for target in targets.get(place, ()):
                values += self._name(target, name, visited)
        return tuple(dict.fromkeys(values))[:_MOST]

    def imported(self, file: int) -> Iterator[tuple[Value, int]]:
        """Yield what the names in the imports of a file mean, with the lines of the imports."""
        imports = self._graph.row(file).imports
        for name, places in self._bound(file).items():
            for place, original in places:
                if original not in ("", _WHOLE):
                    yield from ((value, imports[place].line) for value in self.name(file, name))

    def _bound(self, file: int) -> dict[str, list[tuple[int, str]]]:
        """The imports that bind each name, with the name in the target; "" for the module."""
        if file not in self._imports:
            by_name: dict[str, list[tuple[int, str]]] = defaultdict(list)
            python = self._graph.language(file) == "python"
            for place, imported in enumerate(self._graph.row(file).imports):
                if not imported.names:
                    first = imported.specifier.partition(".")[0] if python else ""
                    for bound in (first,) if first else bound_by(imported):
                        by_name[bound].append((place, ""))
                    continue
                if _WHOLE in imported.names:
                    by_name[_WHOLE].append((place, _WHOLE))
                pairs = zip(bound_by(imported), imported_by(imported), strict=False)
                for bound, original in pairs:
                    by_name[bound].append((place, original))
            self._imports[file] = by_name
        return self._imports[file]

    def _targets_of(self, file: int) -> dict[int, list[int]]:
        if file not in self._targets:
            targets: dict[int, list[int]] = defaultdict(list)
            for edge in self._graph.out_edges(file):
                targets[edge.place].append(edge.target)
            self._targets[file] = targets
        return self._targets[file]

    def module_member(self, file: int, name: str) -> Values:
        """Return what a member of a module means, which may be a module of a package."""
        if values := self.name(file, name):
            return values
        path = self._graph.path(file)
        folder, _, base = path.rpartition(b"/")
        if base == b"__init__.py":
            word = name.encode("utf-8", "surrogateescape")
            for below in (word + b".py", word + b"/__init__.py"):
                if (module := self._graph.file(folder + b"/" + below)) >= 0:
                    return (Value(MODULE, module),)
        return ()

    # ---------------------------------------------------------------- expressions

    def value(self, file: int, scope: int, text: str) -> Values | None:
        """Return what an expression may be, in a definition of a file; None if it is unknown."""
        return self._value(file, scope, text, _DEPTH)

    def _value(self, file: int, scope: int, text: str, depth: int) -> Values | None:
        if not text or depth < 0 or "?" in text:
            return None
        key = (file, scope, text)
        if key in self._values:
            return self._values[key]
        self._values[key] = None  # where an expression depends on itself
        if "|" in text:
            found: list[Value] = []
            for part in text.split("|")[:_MOST]:
                found += (self._value(file, scope, part, depth - 1) or ()) if part else ()
            inside = [value for value in found if value != _OUTSIDE]
            result = tuple(dict.fromkeys(inside or found)) or None
        else:
            result = self._chain(file, scope, _PART.findall(text), depth)
        if depth == _DEPTH or result is not None:
            self._values[key] = result
        else:
            del self._values[key]
        return result

    def _chain(self, file: int, scope: int, parts: Sequence[str], depth: int) -> Values | None:
        if not parts:
            return None
        values: Values | None
        rest = parts[1:]
        if parts[0] == "super" and rest[:1] == ["()"]:
            around = self._definitions.enclosing_class(scope)
            values, rest = ((Value(SUPER, around),) if around >= 0 else None), rest[1:]
        else:
            values, rest = self._head(file, scope, parts, depth)
        for part in rest:
            if not values:
                return values
            if part == "()":
                values = self._each(values, self._called, depth)
            elif part.startswith("."):
                step = partial(self._member, part[1:])
                values = self._each(values, step, depth)
        return values

    def _each(
        self, values: Values, step: Callable[[Value, int], Values | None], depth: int
    ) -> Values | None:
        found: list[Value] = []
        for value in values[:_MOST]:
            found += step(value, depth - 1) or ()
        inside = [value for value in found if value != _OUTSIDE]
        return tuple(dict.fromkeys(inside or found))[:_MOST] or None

    def _head(
        self, file: int, scope: int, parts: Sequence[str], depth: int
    ) -> tuple[Values | None, Sequence[str]]:
        head, rest = parts[0], parts[1:]
        definitions = self._definitions
        if head == "#":
            return (_OUTSIDE,), rest
        if head in _SELF and (around := definitions.enclosing_class(scope)) >= 0:
            kind = CLASS if head == "cls" else INSTANCE
            return (Value(kind, around),), rest
        if inner := self._local(scope, head):
            return inner, rest
        around = scope
        while around >= -1:
            if hints := self._hints.get((file, around, head)):
                return self._hinted(file, around, hints, depth), rest
            around = definitions.parent[around] if around >= 0 else -2
        return self._top(file, scope, parts, depth)

    def _top(
        self, file: int, scope: int, parts: Sequence[str], depth: int
    ) -> tuple[Values | None, Sequence[str]]:
        """Evaluate a name that no function around binds: a fixture, or a name of the file."""
        head, rest = parts[0], parts[1:]
        if fixtures := self.fixture(file, head) if scope >= 0 else ():
            returned = self._each(
                tuple(Value(FUNCTION, one) for one in fixtures), self._called, depth
            )
            return returned, rest
        values = self.name(file, head)
        if values and all(value.kind == MODULE for value in values):
            return self._submodule(file, values, parts)
        if not values and head in _BUILTINS:
            return (_OUTSIDE,), rest
        return self._each(values, self._of_variable, depth) if values else None, rest

    def _hinted(self, file: int, scope: int, hints: Iterable[str], depth: int) -> Values | None:
        found: list[Value] = []
        for hint in list(hints)[:_MOST]:
            if hint.startswith("="):
                found += self._imported_module(file, hint[1:])
            else:
                found += self._value(file, scope, hint, depth - 1) or ()
        inside = [value for value in found if value != _OUTSIDE]
        return tuple(dict.fromkeys(inside or found)) or None

    def _imported_module(self, file: int, specifier: str) -> list[Value]:
        targets = self._targets_of(file)
        for place, imported in enumerate(self._graph.row(file).imports):
            if imported.specifier == specifier and not imported.names:
                return [Value(MODULE, target) for target in targets.get(place, ())] or [_OUTSIDE]
        return [_OUTSIDE]

    def _submodule(
        self, file: int, values: Values, parts: Sequence[str]
    ) -> tuple[Values | None, Sequence[str]]:
        """Follow `a.b.c` below an import of `a.b`."""
        targets = self._targets_of(file)
        best: tuple[Values, Sequence[str]] | None = None
        for place, original in self._bound(file).get(parts[0], ()):
            specifier = self._graph.row(file).imports[place].specifier.split(".")
            if original or len(specifier) == 1:
                continue
            written = [parts[0], *(part[1:] for part in parts[1:])][: len(specifier)]
            if written == specifier:
                found = tuple(Value(MODULE, target) for target in targets.get(place, ()))
                best = found, parts[len(specifier) :]
            elif best is None and targets.get(place):
                path = self._graph.path(targets[place][0]).rpartition(b".")[0]
                folders = path.removesuffix(b"/__init__").split(b"/")
                above = folders[: len(folders) - len(specifier) + 1]
                package = self._graph.file(b"/".join([*above, b"__init__.py"]))
                if package >= 0:
                    best = (Value(MODULE, package),), parts[1:]
        return best or (values, parts[1:])

    def _of_variable(self, value: Value, depth: int) -> Values | None:
        if value.kind != VARIABLE:
            return (value,)
        file = self._definitions.file[value.number]
        hints = self._hints.get((file, value.number, ""))
        return self._hinted(file, value.number, hints, depth) if hints else None

    def _called(self, value: Value, depth: int) -> Values | None:
        if value.kind == CLASS:
            return (Value(INSTANCE, value.number),)
        if value.kind == FUNCTION:
            return self._returned(value.number, depth)
        if value.kind == INSTANCE:
            found = self.members(value.number, "__call__")
            return self._returned(found[0], depth) if found else None
        return (_OUTSIDE,) if value.kind == EXTERNAL else None

    def _returned(self, number: int, depth: int) -> Values | None:
        file = self._definitions.file[number]
        hints = self._hints.get((file, number, ""))
        return self._hinted(file, number, hints, depth) if hints else None

    def _member(self, name: str, value: Value, depth: int) -> Values | None:
        if value.kind == EXTERNAL:
            return (_OUTSIDE,)
        if value.kind == MODULE:
            values = self.module_member(value.number, name)
            return self._each(values, self._of_variable, depth) if values else None
        if value.kind not in (INSTANCE, CLASS, SUPER):
            return None
        found: list[Value] = []
        for one in self.members(value.number, name, above=value.kind == SUPER):
            defined = self.defined(one)
            if one in self.properties:
                found += self._returned(one, depth) or ()
            else:
                found += self._of_variable(defined, depth) or ()
        if found:
            return tuple(found)
        for around in self.mro(value.number)[0]:
            for file, scope, hint in self._attributes.get((around, name), ())[:_MOST]:
                found += self._value(file, scope, hint, depth - 1) or ()
            if found:
                inside = [one for one in found if one != _OUTSIDE]
                return tuple(dict.fromkeys(inside or found))
        return None

    # ---------------------------------------------------------------- classes

    def mro(self, number: int) -> tuple[tuple[int, ...], bool]:
        """Return a class and the classes above it, and whether one above is not of the tree."""
        if number not in self._mro:
            above: dict[int, None] = {number: None}
            outside = False
            todo = [number]
            for one in todo:
                bases = self.bases(one) if len(above) <= _MOST_ABOVE else [_OUTSIDE]
                inside = [base.number for base in bases if base.kind == CLASS]
                outside |= len(inside) < len(bases)
                todo += [base for base in inside if base not in above]
                above.update(dict.fromkeys(inside))
            self._mro[number] = tuple(above), outside
        return self._mro[number]

    def bases(self, number: int) -> list[Value]:
        """Return the bases of a class; one that is not known is EXTERNAL."""
        if number not in self._base_values:
            self._base_values[number] = self._evaluated_bases(number)
        return self._base_values[number]

    def _evaluated_bases(self, number: int) -> list[Value]:
        file, parent = self._definitions.file[number], self._definitions.parent[number]
        found: list[Value] = []
        for text in dict.fromkeys(self._bases.get(number, ())):
            values = self._value(file, parent, text, _DEPTH) or (_OUTSIDE,)
            known = [value for value in values if value.kind == CLASS and value.number != number]
            if known or text not in (
                "object",
                "Generic",
                "t.Generic",
                "typing.Generic",
                "Protocol",
            ):
                found += known or [_OUTSIDE]
        return found

    def members(self, number: int, name: str, *, above: bool = False) -> list[int]:
        """Return the definitions of a member of a class, of the nearest class that has it."""
        for around in self.mro(number)[0][1 if above else 0 :]:
            if found := self._definitions.children[around].get(name):
                return found
        return []

    def fixture(self, file: int, name: str) -> list[int]:
        """Return the fixtures of pytest that a parameter of a function in a file names."""
        if found := self.fixtures.get(file, {}).get(name):
            return found
        above: list[tuple[int, int]] = []
        for edge in self._graph.out_edges(file):
            if name in self.fixtures.get(edge.target, {}):
                above.append((-len(self._graph.path(edge.target)), edge.target))
        return self.fixtures[min(above)[1]][name] if above else []
