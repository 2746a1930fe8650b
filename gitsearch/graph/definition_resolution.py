"""Resolution of what definitions use, in all files of a tree: to definitions, modules and types.

Nothing is executed. The type of a value is that of its annotation, of the call that made it, or of
what the called function returns, followed through variables, attributes and imports.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from gitsearch.extract.definition_uses import BASE, DECORATOR, DEFAULT, GETTER
from gitsearch.graph.definition_names import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    MOST,
    OUTSIDE,
    SUPER,
    VARIABLE,
    Names,
    Value,
    Values,
    inside,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.definition_names import Definitions
    from gitsearch.graph.graph import Graph

_PART = re.compile(r'"[^"]*"|\.?[\w$]+|\(\)|\[\]|#')

# Types of values are followed through so many steps, and so many classes above one.
_DEPTH = 8
_MOST_ABOVE = 100

# The names of parameters of types, by convention; they stand for any type.
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?|T[A-Z]\w*")

# What a module provides as a whole.
_WHOLE_MODULES = frozenset({"module.exports", "exports", "default", "="})


class Resolver:
    """Evaluates names and expressions of one tree."""

    def __init__(self, graph: Graph, definitions: Definitions) -> None:
        self._graph = graph
        self._definitions = definitions
        self.names = Names(graph, definitions, self._alias)
        self._values: dict[tuple[int, int, str], Values | None] = {}
        self._mro: dict[int, tuple[tuple[int, ...], bool]] = {}
        self._hints: dict[tuple[int, int, str], list[str]] = defaultdict(list)
        # instance attributes by class and name: the place of the hint
        self._attributes: dict[tuple[int, str], list[tuple[int, int, str]]] = defaultdict(list)
        self._bases: dict[int, list[str]] = defaultdict(list)
        self._base_values: dict[int, list[Value]] = {}
        self._implied: dict[tuple[int, str], Values] = {}
        self.properties: set[int] = set()
        # what overrides a member, as it says itself
        self.overriding: set[int] = set()
        self.fixtures: dict[int, dict[str, list[int]]] = defaultdict(dict)
        for file, facts in definitions.facts.items():
            self._read(file, facts)

    def _read(self, file: int, facts: DefinitionFacts) -> None:
        definitions = self._definitions
        for scope, variable, value in facts.hints:
            self._read_hint(file, definitions.number(file, scope), variable, value)
        for use in facts.uses:
            number = definitions.number(file, use.scope)
            if use.form == BASE:
                self._bases[number].append(f"{use.owner}.{use.name}".lstrip("."))
            elif use.form == GETTER:
                self.properties.add(number)
            elif use.form == DECORATOR and number >= 0:
                self._read_decorator(file, number, use.name)

    def _read_hint(self, file: int, number: int, variable: str, value: str) -> None:
        definitions = self._definitions
        head, _, attribute = variable.partition(".")
        is_own = head == "this" or head in definitions.rules(file).receivers
        if variable in _WHOLE_MODULES:
            self._hints[file, -1, DEFAULT].append(value)
        elif is_own and attribute and "." not in attribute:
            if (around := definitions.enclosing_class(number)) >= 0:
                self._attributes[around, attribute].append((file, number, value))
        elif number >= 0 and definitions.name[number] == variable:
            self._hints[file, number, ""].append(value)
        else:
            self._hints[file, number, variable].append(value)

    def _read_decorator(self, file: int, number: int, name: str) -> None:
        if "property" in name or name == "setter":
            self.properties.add(number)
        elif name == "Override":
            self.overriding.add(number)
        elif name == "fixture":
            own = self.fixtures[file]
            own.setdefault(self._definitions.name[number], []).append(number)

    # ---------------------------------------------------------------- names

    def bare(self, file: int, number: int, name: str) -> Values:
        """Return what a name without an owner means in a definition of a file."""
        return (
            self._local(number, name)
            or self._implicit(file, number, name)
            or self.names.name(file, name)
        )

    def _local(self, number: int, name: str) -> Values:
        """Return the definitions of a name in the functions around a definition."""
        definitions = self._definitions
        while number >= 0:
            inner = definitions.children[number].get(name)
            if inner and not definitions.is_place(number):
                return tuple(map(definitions.value, inner))
            number = definitions.parent[number]
        return ()

    def _implicit(self, file: int, number: int, name: str) -> Values:
        """Return the members of a name of the nearest class around that has one, if it is used."""
        definitions = self._definitions
        if number < 0 or not definitions.rules(file).implicit:
            return ()
        around = definitions.enclosing_class(number)
        key = (around, name)
        if key not in self._implied:
            found: list[int] = []
            while around >= 0 and not found:
                found = self.members(around, name)
                around = definitions.enclosing_class(definitions.parent[around])
            self._implied[key] = tuple(map(definitions.value, found))
        return self._implied[key]

    def _alias(self, file: int, name: str) -> Values:
        """Return what a file gives its importers by another name, or as a whole."""
        hints = self._hints.get((file, -1, name))
        return (self._hinted(file, -1, hints, _DEPTH - 1) if hints else None) or ()

    def module_member(self, file: int, name: str) -> Values:
        """Return what a member of a module means, which may be a module of a package."""
        if values := self.names.provided(file, name):
            return values
        path = self._graph.path(file)
        folder, _, base = path.rpartition(b"/")
        if base == b"__init__.py":
            word = name.encode("utf-8", "surrogateescape")
            for below in (word + b".py", word + b"/__init__.py"):
                if (module := self._graph.file(folder + b"/" + below)) >= 0:
                    return (Value(MODULE, module),)
        return ()

    def held(self, number: int) -> Values:
        """Return the functions and classes that a variable may hold."""
        found = self._of_variable(Value(VARIABLE, number), _DEPTH) or ()
        return tuple(value for value in found if value.kind in (CLASS, FUNCTION, MODULE))

    def whole(self, file: int) -> Values:
        """Return what a module provides as a whole, in languages that have this."""
        known = file in self._definitions.first and self._definitions.rules(file).whole
        return self.names.provided(file, DEFAULT) if known else ()

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
            for part in text.split("|")[: MOST + 1]:
                found += (self._value(file, scope, part, depth - 1) or ()) if part else ()
            result = together(found) or None
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
        if parts[0] == "super":
            around = self._definitions.enclosing_class(scope)
            values = (Value(SUPER, around),) if around >= 0 else None
            rest = rest[1:] if rest[:1] == ["()"] else rest
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
        for value in values[:MOST]:
            found += step(value, depth - 1) or ()
        own = inside(found)
        if OUTSIDE in values and own in ((), (OUTSIDE,)):
            # a container of a library: what is had from it may be what it holds
            return tuple(value for value in values if value.kind in (INSTANCE, EXTERNAL))
        return own or None

    def _head(
        self, file: int, scope: int, parts: Sequence[str], depth: int
    ) -> tuple[Values | None, Sequence[str]]:
        head, rest = parts[0], parts[1:]
        definitions = self._definitions
        rules = definitions.rules(file)
        if head == "#":
            return (OUTSIDE,), rest
        if head == "exports" and rules.whole:
            return (Value(MODULE, file),), rest
        if head.startswith('"'):
            return tuple(self._imported_module(file, head[1:-1])), rest
        if head in rules.receivers and (around := definitions.enclosing_class(scope)) >= 0:
            kind = CLASS if head in rules.class_receivers else INSTANCE
            return (Value(kind, around),), rest
        if inner := self._local(scope, head):
            return inner, rest
        around = scope
        while around >= -1:
            if hints := self._hints.get((file, around, head)):
                return self._hinted(file, around, hints, depth), rest
            around = definitions.parent[around] if around >= 0 else -2
        if members := self._implicit(file, scope, head):
            return self._each(members, self._of_variable, depth), rest
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
        values = self.names.name(file, head)
        if values and all(value.kind == MODULE for value in values):
            if self._definitions.rules(file).submodules:
                return self._submodule(file, values, parts)
            return values, rest
        if not values and self._is_builtin(file, head):
            return (OUTSIDE,), rest
        return self._each(values, self._of_variable, depth) if values else None, rest

    def _is_builtin(self, file: int, name: str) -> bool:
        rules = self._definitions.rules(file)
        unknown = rules.capitals and name[:1].isupper() and not _TYPE_PARAMETER.fullmatch(name)
        return unknown or name in rules.builtins

    def _hinted(self, file: int, scope: int, hints: Iterable[str], depth: int) -> Values | None:
        found: list[Value] = []
        for hint in list(hints)[:MOST]:
            found += self._value(file, scope, hint, depth - 1) or ()
        return together(found) or None

    def _imported_module(self, file: int, specifier: str) -> list[Value]:
        targets = self.names.targets(file)
        for place, imported in enumerate(self._graph.row(file).imports):
            if imported.specifier == specifier and not imported.names:
                return [Value(MODULE, target) for target in targets.get(place, ())] or [OUTSIDE]
        return [OUTSIDE]

    def _submodule(
        self, file: int, values: Values, parts: Sequence[str]
    ) -> tuple[Values | None, Sequence[str]]:
        """Follow `a.b.c` below an import of `a.b`."""
        targets = self.names.targets(file)
        best: tuple[Values, Sequence[str]] | None = None
        for place, original in self.names.bound(file).get(parts[0], ()):
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
        found = (self._hinted(file, value.number, hints, depth) if hints else None) or ()
        own = self._definitions.is_place(value.number)
        return inside([*((Value(INSTANCE, value.number),) if own else ()), *found]) or None

    def _called(self, value: Value, depth: int) -> Values | None:
        if value.kind == CLASS:
            return (Value(INSTANCE, value.number),)
        if value.kind == FUNCTION:
            returned = self._returned(value.number, depth)
            # a function with members may make instances, too
            made = self._definitions.is_place(value.number)
            return (Value(INSTANCE, value.number), *(returned or ())) if made else returned
        if value.kind == MODULE:
            return self._each(self.whole(value.number), self._called, depth)
        if value.kind == INSTANCE:
            found = self.members(value.number, "__call__")
            return self._returned(found[0], depth) if found else None
        return (OUTSIDE,) if value.kind == EXTERNAL else None

    def _returned(self, number: int, depth: int) -> Values | None:
        file = self._definitions.file[number]
        hints = self._hints.get((file, number, ""))
        return self._hinted(file, number, hints, depth) if hints else None

    def _member(self, name: str, value: Value, depth: int) -> Values | None:
        if value.kind == EXTERNAL:
            return (OUTSIDE,)
        if value.kind == MODULE:
            values = self.module_member(value.number, name)
            if not values:
                return self._each(self.whole(value.number), partial(self._member, name), depth)
            return self._each(values, self._of_variable, depth)
        if value.kind not in (INSTANCE, CLASS, SUPER):
            return None
        found: list[Value] = []
        for one in self.members(value.number, name, above=value.kind == SUPER):
            if one in self.properties:
                found += self._returned(one, depth) or ()
            else:
                found += self._of_variable(self._definitions.value(one), depth) or ()
        return tuple(found) or self._attribute(name, value.number, depth)

    def _attribute(self, name: str, number: int, depth: int) -> Values | None:
        """Return what methods assign to an attribute of the nearest class above that has it."""
        for around in self.mro(number)[0]:
            found: list[Value] = []
            for file, scope, hint in self._attributes.get((around, name), ())[:MOST]:
                found += self._value(file, scope, hint, depth - 1) or ()
            if found:
                return inside(found)
        return None

    # ---------------------------------------------------------------- classes

    def mro(self, number: int) -> tuple[tuple[int, ...], bool]:
        """Return a class and the classes above it, and whether one above is not of the tree."""
        if number not in self._mro:
            above: dict[int, None] = {number: None}
            outside = False
            todo = [number]
            for one in todo:
                bases = self.bases(one) if len(above) <= _MOST_ABOVE else [OUTSIDE]
                known = [base.number for base in bases if base.kind == CLASS]
                outside |= len(known) < len(bases)
                todo += [base for base in known if base not in above]
                above.update(dict.fromkeys(known))
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
            values = self._value(file, parent, text, _DEPTH) or (OUTSIDE,)
            known = [value for value in values if value.kind == CLASS and value.number != number]
            if known or text not in self._definitions.rules(file).plain_bases:
                found += known or [OUTSIDE]
        return found

    def members(self, number: int, name: str, *, above: bool = False) -> list[int]:
        """Return the definitions of a member of a class, of the nearest class that has it."""
        for around in self.mro(number)[0][1 if above else 0 :]:
            if found := self._definitions.children[around].get(name):
                return found
        return []

    def fixture(self, file: int, name: str) -> list[int]:
        """Return the fixtures of pytest that a parameter of a function in a file names."""
        if not self.fixtures:
            return []
        if found := self.fixtures.get(file, {}).get(name):
            return found
        above: list[tuple[int, int]] = []
        for edge in self._graph.out_edges(file):
            if name in self.fixtures.get(edge.target, {}):
                above.append((-len(self._graph.path(edge.target)), edge.target))
        return self.fixtures[min(above)[1]][name] if above else []
