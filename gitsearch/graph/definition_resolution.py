"""Resolution of what the definitions of a file use: to definitions, modules and types.

Nothing is executed. The type of a value is that of its annotation, of the call that made it, or of
what the called function returns, followed through variables, attributes and imports.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from gitsearch.extract.definition_uses import CALLED, DEFAULT, HELD, MIXED
from gitsearch.extract.path_kinds import is_test
from gitsearch.extract.symbol_kinds import FUNCTIONS, PLACES, SPACES, TYPES
from gitsearch.graph.definition_hierarchy import UNKNOWN_BASE, classes_above
from gitsearch.graph.definition_links import WHOLE
from gitsearch.graph.definition_lookup import PROMISE
from gitsearch.graph.definition_names import Names
from gitsearch.graph.definition_rules import INCLUDED, REACHING
from gitsearch.graph.definition_table import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MODULE,
    MOST,
    OUTSIDE,
    SUPER,
    VARIABLE,
    Value,
    Values,
    inside,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitsearch.graph.definition_lookup import Lookup

_PART = re.compile(r'"[^"]*"|[.@]?[\w$]+|\(\)|\[\]|#')

# Words that a path begins with, and the files of a crate.
PATHS = frozenset({"crate", "super"})
_ROOTS = (b"lib.rs", b"main.rs")

# So many parts of a module are followed.
_MOST_PARTS = 50

# So many modules of one name, none of them around a file, may be meant by a string in it.
_MOST_TOPS = 3

# So many assignments of a global variable are followed.
_MOST_GLOBALS = 10

# So many traits in the scope of a file are looked at.
_MOST_TRAITS = 50

# So many types of the name that a comment gives are followed.
_MOST_DOCUMENTED = 3

# Types of values are followed through so many steps.
_DEPTH = 8

# So many expressions, and modules as a whole, wait for each other's values: each takes up to 15
# frames of the stack of Python, which has room for 1,000.
_MOST_WAITING = 50

# The names of parameters of types, by convention; they stand for any type.
_TYPE_PARAMETER = re.compile(r"[A-Z]\d?|T[A-Z]\w*")


class Resolver(Names):
    """Evaluates the names and expressions of one file, by what its lookup answers."""

    def __init__(self, lookup: Lookup) -> None:
        super().__init__(lookup)
        self._values: dict[tuple[int, int, str], Values | None] = {}
        self._mro: dict[int, tuple[tuple[int, ...], bool]] = {}
        self._base_values: dict[int, list[int]] = {}
        self._implied: dict[tuple[int, str, str], Values] = {}
        self._traits: dict[int, list[int]] = {}
        self._givers: dict[int, Values] = {}
        # the expressions and modules whose evaluation waits for that of another one
        self._waiting = 0

    # ---------------------------------------------------------------- names

    def bare(self, file: int, number: int, name: str, given: str = "") -> Values:
        """Return what a name without an owner means in a definition of a file.

        given: how many arguments calls give it, as in `DefinitionUse`.
        """
        own = name in self._definitions.rules(file).class_receivers
        if own and (around := self._received_by(file, number, name)) >= 0:
            return (Value(CLASS, around),)
        return (
            self._local(number, name)
            or self._implicit(file, number, name, given)
            or self._received(number, self._accepting(self.name(file, name), given))
            or self._made_around(file, number, name)
            or self._global(file, name)
        )

    def _global(self, file: int, name: str) -> Values:
        """Return what is made a global variable, but for code not what tests make one."""
        if not self._definitions.rules(file).whole:
            return ()
        found = self._lookup.globals(name)
        if any(found) and not is_test(self._graph.path(file)):
            found = found[0], []
        few = sum(map(len, found)) <= _MOST_GLOBALS
        return tuple(map(self._definitions.value, (*found[0], *found[1]))) if few else ()

    def _accepting(self, values: Values, given: str) -> Values:
        """Return those of several values that take so many arguments, if any do."""
        if len(values) < 2 or not given:
            return values
        accepts = self._lookup.accepts
        found = (one for one in values if one.kind != FUNCTION or accepts(one.number, given))
        return tuple(found) or values

    def _made_around(self, file: int, number: int, name: str) -> Values:
        """Return the class around for the member that makes its instances."""
        maker = self._definitions.rules(file).maker
        around = self.around(number) if maker and name == maker else -1
        return (Value(CLASS, around),) if around >= 0 else ()

    def is_open(self, file: int, number: int, name: str) -> bool:
        """Return True for a name that means nothing which is seen, and may be a member."""
        if not self._definitions.rules(file).open or name[:1].isupper():
            return False
        while number >= 0:
            if self._lookup.hints(file, number, name):
                return False
            number = self._lookup.parent(number)
        return True

    def _received(self, number: int, values: Values) -> Values:
        """Return of functions that extend types those of the type that one around extends."""
        extensions = self._definitions.extensions
        while number >= 0 and number not in extensions:
            number = self._lookup.parent(number)
        if number < 0 or not values:
            return values
        of = self._extended(number)
        own = (one for one in values if one.number in extensions)
        return tuple(one for one in own if self._extended(one.number) == of) or values

    def _extended(self, number: int) -> str:
        """Return the name of the type that a function extends, "" if it has none: `(() -> T)`."""
        return self._definitions.qualified[number].rpartition(".")[0].rpartition(".")[2]

    def _received_by(self, file: int, number: int, name: str) -> int:
        """Return the class around whose object or class a name is, or -1 if it is imported."""
        imported = any(hint.startswith('"') for hint in self._lookup.hints(file, number, name))
        return -1 if imported else self.around(number)

    def _local(self, number: int, name: str) -> Values:
        """Return the definitions of a name in the functions around a definition."""
        lookup = self._lookup
        owned = number >= 0 and self._definitions.rules(self._definitions.file[number]).owned
        while number >= 0:
            inner = lookup.children(number, name)
            if owned:
                inner = [one for one in inner if lookup.kind(one) != "field"]
            if inner and not lookup.is_place(number):
                return tuple(map(self._definitions.value, inner))
            number = lookup.parent(number)
        return ()

    def _implicit(self, file: int, number: int, name: str, given: str = "") -> Values:
        """Return the members of a name of the nearest class around that has one, if it is used."""
        lookup = self._lookup
        if number < 0 or not self._definitions.rules(file).implicit:
            return ()
        around = self.around(number)
        key = (around, name, given)
        if key not in self._implied:
            found: list[int] = []
            while around >= 0 and not found:
                found = self.members(around, name, given=given) or self._hosted(around, name)
                if not self._definitions.rules(file).maker:
                    # the name of a class in it is the class, and no constructor
                    found = [one for one in found if lookup.kind(one) != "constructor"]
                around = lookup.enclosing_class(lookup.parent(around))
            self._implied[key] = tuple(map(self._definitions.value, found))
        return self._implied[key]

    def _hosted(self, number: int, name: str) -> list[int]:
        """Return the members of a name that the classes have into which a module is mixed."""
        lookup = self._lookup
        is_open = self._definitions.rules(lookup.main).open and lookup.hierarchy is not None
        if not is_open or lookup.kind(number) not in SPACES:
            return []
        # other parts of the module have been asked
        parts = self.mro(number)[0]
        hosts = [one for one in lookup.below(number) if one not in parts][:MOST]
        found = [one for below in hosts for one in self.members(below, name)]
        return list(dict.fromkeys(found))[:MOST]

    def aliased(self, file: int, name: str) -> Values:
        """Return what a file gives its importers by another name, or as a whole."""
        found: list[Value] = []
        for hint in self._lookup.hints(file, -1, name)[:MOST]:
            # a variable is kept as one: who uses it may run what has made it
            found += self._variables(file, hint) or self._value(file, -1, hint, _DEPTH - 2) or ()
        return together(found)

    def _variables(self, file: int, name: str) -> Values:
        """Return what a name means in a language of modules that are one value, if a variable."""
        known = self._definitions.rules(file).whole and name.isidentifier()
        if not known or self._waiting >= _MOST_WAITING:
            return ()
        self._waiting += 1
        found = self.name(file, name)
        self._waiting -= 1
        return found if any(value.kind == VARIABLE for value in found) else ()

    def module_member(self, file: int, name: str) -> Values:
        """Return what a member of a module means, which may be a module of a package."""
        # what is in a space may be in any part of it that is seen
        here = file == self._lookup.main and self._definitions.rules(file).scope in REACHING
        if values := self.name(file, name) if here else self.provided(file, name):
            return values
        if name in PATHS and (above := self._module_above(file, -1, name)) >= 0:
            return (Value(MODULE, above),)
        path = self._graph.path(file)
        folder, _, base = path.rpartition(b"/")
        if base == b"__init__.py":
            word = name.encode("utf-8", "surrogateescape")
            for below in (word + b".py", word + b"/__init__.py"):
                if (module := self._lookup.file(folder + b"/" + below)) >= 0:
                    return (Value(MODULE, module),)
        return ()

    def beside(self, file: int, number: int, name: str) -> Values:
        """Return the method of a name beside the one around, of an object that has no name.

        None if there are several: it is not known which of them are of one object.
        """
        lookup = self._lookup
        if not self._definitions.rules(file).whole or self.around(number) >= 0:
            return ()
        while number >= 0 and lookup.kind(number) != "method":
            number = lookup.parent(number)
        if number < 0:
            return ()
        parent = lookup.parent(number)
        found = lookup.children(parent, name) if parent >= 0 else lookup.tops(file, name)
        if len(found) != 1 or lookup.kind(found[0]) != "method":
            return ()
        return (self._definitions.value(found[0]),)

    def held(self, number: int) -> Values:
        """Return the functions and classes that a variable may hold."""
        found = self._of_variable(Value(VARIABLE, number), _DEPTH) or ()
        return tuple(value for value in found if value.kind in (CLASS, FUNCTION, MODULE))

    def whole(self, file: int) -> Values:
        """Return what a module provides as a whole, in languages that have this."""
        self._lookup.language(file)
        known = file in self._definitions.space and self._definitions.rules(file).whole
        # `module.exports.default` is for importers that ask for it
        return (self.aliased(file, DEFAULT) or self.provided(file, DEFAULT)) if known else ()

    def whole_values(self, file: int) -> Values:
        """Return the values that a module may be as a whole."""
        return self._each(self.whole(file), self._of_variable, _DEPTH) or ()

    def made_by(self, file: int, number: int, name: str) -> list[int]:
        """Return the modules that made what a name means, and may have set it up: an application.

        Such a module is as a whole what a call in it returns.
        """
        found = [
            value.number for value in self.value(file, number, name) or () if value.kind == MODULE
        ]
        for bound in self._lookup.bound(file, name):
            found += bound.targets[:1] if bound.original == DEFAULT else ()
        return [module for module in dict.fromkeys(found) if self._is_made(module)]

    def _is_made(self, file: int) -> bool:
        self._lookup.language(file)
        known = file in self._definitions.space
        hints = self._lookup.hints(file, -1, DEFAULT) if known else []
        variables = [number for hint in hints for number in self._lookup.tops(file, hint)]
        held = [hint for number in variables for hint in self._lookup.hints(file, number, "")]
        return any(hint.endswith("()") for hint in (*hints, *held))

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
        if self._waiting >= _MOST_WAITING:
            return None
        self._waiting += 1
        self._values[key] = None  # where an expression depends on itself
        if "|" in text:
            found: list[Value] = []
            for part in text.split("|")[: MOST + 1]:
                found += (self._value(file, scope, part, depth - 1) or ()) if part else ()
            result = together(found) or None
        else:
            result = self._chain(file, scope, _PART.findall(text), depth)
        self._waiting -= 1
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
        if parts[0] == "super" and not self._definitions.rules(file).paths:
            around = self.around(scope)
            values = (Value(SUPER, around),) if around >= 0 else None
            rest = rest[1:] if rest[:1] == ["()"] else rest
        else:
            values, rest = self._head(file, scope, parts, depth)
        for part in rest:
            if not values:
                return values
            if part == "()":
                values = self._each(values, self._called, depth)
            elif part == "[]" and values == (OUTSIDE,) and self._definitions.rules(file).whole:
                # any value may have been put into an array or object
                return None
            elif part.startswith("."):
                step = partial(self._member, part[1:])
                values = self._each(values, step, depth)
            elif part == "[]" and self._definitions.rules(file).elements:
                values = self._each(values, self._element, depth)
        return values

    def _element(self, value: Value, depth: int) -> Values:
        """Return what a value holds: one that no type is another name for stands for it itself."""
        held: Values | None = None
        if value.kind == INSTANCE:
            file = self._definitions.file[value.number]
            hints = self._lookup.hints(file, value.number, HELD)
            held = self._hinted(file, value.number, hints, depth) if hints else None
        return held or (value,)

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
        lookup = self._lookup
        rules = self._definitions.rules(file)
        if (meant := self._unnamed(file, scope, head)) is not None:
            return meant, rest
        if head in rules.receivers and (around := self._received_by(file, scope, head)) >= 0:
            kind = CLASS if head in rules.class_receivers else INSTANCE
            return (Value(kind, around),), rest
        if head in rules.receivers and rest and (found := self.beside(file, scope, rest[0][1:])):
            return self._each(found, self._had, depth), rest[1:]
        if inner := self._local(scope, head):
            return self._run(inner, rest, depth), rest
        if head == rules.maker and (made := self._made_around(file, scope, head)):
            return made if rest[:1] == ["()"] else self._each(made, self._called, depth), rest
        if rules.open and head in rules.receivers and rest:
            head, rest = head + rest[0], rest[1:]
        around = scope
        while around >= -1:
            if hints := lookup.hints(file, around, head):
                return self._hinted(file, around, hints, depth), rest
            around = lookup.parent(around) if around >= 0 else -2
        if members := self._implicit(file, scope, head):
            values = self._run(self._each(members, self._of_variable, depth), rest, depth)
            return values or self._attribute(head, self.around(scope), depth), rest
        values, rest = self._top(file, scope, parts, depth)
        return self._run(values, rest, depth), rest

    def _run(self, values: Values | None, rest: Sequence[str], depth: int) -> Values | None:
        """Return what a name means in a language in which that of a method calls it."""
        if not values or rest[:1] == ["()"] or not self._definitions.rules(self._lookup.main).open:
            return values
        return self._each(
            values,
            lambda one, left: self._called(one, left) if one.kind == FUNCTION else (one,),
            depth,
        )

    def _unnamed(self, file: int, scope: int, head: str) -> Values | None:
        """Return what an expression begins with that is no name of the file; None for a name."""
        if head == "#":
            return (OUTSIDE,)
        if head in PATHS and (module := self._module_above(file, scope, head)) >= 0:
            return (Value(MODULE, module),)
        if head == "exports" and self._definitions.rules(file).whole:
            return (Value(MODULE, file),)
        if head.startswith("@"):
            return self._documented(file, head[1:])
        if head.startswith('"'):
            return tuple(self._imported_module(file, head[1:-1]))
        return None

    def _top(
        self, file: int, scope: int, parts: Sequence[str], depth: int
    ) -> tuple[Values | None, Sequence[str]]:
        """Evaluate a name that no function around binds: a fixture, or a name of the file."""
        head, rest = parts[0], parts[1:]
        if fixtures := self._lookup.fixtures(file, head) if scope >= 0 else ():
            returned = self._each(
                tuple(Value(FUNCTION, one) for one in fixtures), self._called, depth
            )
            return returned, rest
        values = (
            self.name(file, head)
            or self._seen_by_including(file, head)
            or self._global(file, head)
        )
        if values and all(value.kind == MODULE for value in values):
            if self._definitions.rules(file).submodules:
                return self._submodule(file, values, parts)
            return values, rest
        if not values and (named := self._below_package(file, parts)):
            return named
        if not values and self._is_builtin(file, head):
            return (OUTSIDE,), rest
        return self._each(values, self._of_variable, depth) if values else None, rest

    def _below_package(
        self, file: int, parts: Sequence[str]
    ) -> tuple[Values, Sequence[str]] | None:
        """Return the type of a path that begins with the name of a package, and what follows it.

        None if it names no type of the tree.
        """
        if not self._definitions.rules(file).qualified:
            return None
        end = next((i for i, part in enumerate(parts[1:], 1) if part[1:2].isupper()), 0)
        if not end or "()" in parts[:end]:
            return None
        targets = self._lookup.module(file, "".join(parts[: end + 1]))
        types = [
            Value(CLASS, number)
            for target in targets
            for number in self._types_of_path(target, parts[end].removeprefix("."))
        ]
        return (inside(types), parts[end + 1 :]) if types else None

    def _seen_by_including(self, file: int, name: str) -> Values:
        """Return what a name of a header means in the file that is looked at.

        A header may only declare that there is such a type.
        """
        main = self._lookup.main
        is_header = file != main and self._definitions.rules(file).scope == INCLUDED
        return self.name(main, name) if is_header else ()

    def _is_builtin(self, file: int, name: str) -> bool:
        rules = self._definitions.rules(file)
        unknown = rules.capitals and name[:1].isupper() and not _TYPE_PARAMETER.fullmatch(name)
        return unknown or name in rules.builtins

    def _hinted(self, file: int, scope: int, hints: Iterable[str], depth: int) -> Values | None:
        found: list[Value] = []
        for hint in list(hints)[:MOST]:
            found += self._value(file, scope, hint, depth - 1) or ()
        return together(found) or None

    def _documented(self, file: int, name: str) -> Values:
        """Return values of a type that a comment names, which its file need not import."""
        kinds = (CLASS, FUNCTION, VARIABLE)
        definitions = self._definitions
        if known := self.name(file, name):
            numbers = [value.number for value in known if value.kind in kinds]
        else:
            numbers = [
                number
                for number in self._lookup.namesakes(name.lower())
                if definitions.name[number] == name
                and definitions.rules(definitions.file[number]).mixes
            ]
        found = [number for number in numbers if self._lookup.is_place(number)]
        few = found if len(found) <= _MOST_DOCUMENTED else []
        return tuple(Value(INSTANCE, number) for number in few)

    def dotted(self, file: int, path: str) -> Values:
        """Return what a path in a string of a file leads to, as a whole.

        Of several modules at its beginning those in the innermost folder around the file count.
        """
        names = path.replace(":", ".").split(".")
        found = self._lookup.top_modules(names[0]) if len(names) <= _MOST_PARTS else {}
        folder = self._graph.path(file).rpartition(b"/")[0]
        while folder not in found and folder:
            folder = folder.rpartition(b"/")[0]
        tops = found.get(folder, [])
        if not tops and len(found) <= _MOST_TOPS:
            tops = [top for own in found.values() for top in own]
        if len(tops) > _MOST_TOPS:
            return ()
        return inside([value for top in tops for value in self._below_module(top, names[1:])])

    def _below_module(self, module: int, names: Sequence[str]) -> Values:
        """Return what names, each a member of the one before, lead to from a module."""
        values: Values = (Value(MODULE, module),)
        for place, name in enumerate(names):
            found: list[Value] = []
            for value in values:
                if value.kind == MODULE:
                    more = place + 1 < len(names)
                    found += self._below(value.number, name, more=more)
                elif value.kind == CLASS:
                    found += map(self._definitions.value, self.members(value.number, name))
            values = tuple(dict.fromkeys(value for value in found if value != OUTSIDE))[:MOST]
        return values

    def _below(self, module: int, name: str, *, more: bool) -> Values:
        """Return a member of a module: where `more` names follow, the module below it first."""
        path = self._graph.path(module)
        folder = path.removesuffix(b"__init__.py")
        word = name.encode("utf-8", "surrogateescape")
        if more and folder != path:
            below = self._first([folder + word + b"/__init__.py", folder + word + b".py"])
            if below >= 0:
                return (Value(MODULE, below),)
        return self.module_member(module, name)

    def _imported_module(self, file: int, specifier: str) -> list[Value]:
        targets = self._lookup.module(file, specifier)
        return [Value(MODULE, target) for target in targets] or [OUTSIDE]

    def _submodule(
        self, file: int, values: Values, parts: Sequence[str]
    ) -> tuple[Values | None, Sequence[str]]:
        """Follow `a.b.c` below an import of `a.b`."""
        best: tuple[Values, Sequence[str]] | None = None
        for bound in self._lookup.bound(file, parts[0]):
            specifier = bound.specifier.split(".")
            if bound.original or len(specifier) == 1:
                continue
            written = [parts[0], *(part[1:] for part in parts[1:])][: len(specifier)]
            if written == specifier:
                found = tuple(Value(MODULE, target) for target in bound.targets)
                best = found, parts[len(specifier) :]
            elif best is None and bound.targets:
                path = self._graph.path(bound.targets[0]).rpartition(b".")[0]
                folders = path.removesuffix(b"/__init__").split(b"/")
                above = folders[: len(folders) - len(specifier) + 1]
                package = self._lookup.file(b"/".join([*above, b"__init__.py"]))
                if package >= 0:
                    best = (Value(MODULE, package),), parts[1:]
        return best or (values, parts[1:])

    def _module_above(self, file: int, scope: int, head: str) -> int:
        """Return the file of the crate or of the module above that a path begins with, or -1."""
        self._lookup.language(file)
        if file not in self._definitions.space or not self._definitions.rules(file).paths:
            return -1
        folder, _, name = self._graph.path(file).rpartition(b"/")
        if head == "super":
            while scope >= 0 and not self._definitions.is_space(scope):
                scope = self._lookup.parent(scope)
            if scope >= 0:
                return file
            if name != b"mod.rs" and (above := self._first([folder + b"/mod.rs"])) >= 0:
                return above
            folder = folder if name != b"mod.rs" else folder.rpartition(b"/")[0]
            if (above := self._first([folder + b".rs"])) >= 0:
                return above
        parts = folder.split(b"/")
        folders = [b"/".join([*parts[: len(parts) - i], b""]) for i in range(len(parts))]
        return self._first([above + root for above in folders for root in _ROOTS])

    def _first(self, paths: Iterable[bytes]) -> int:
        return next((file for path in paths if (file := self._lookup.file(path)) >= 0), -1)

    def _of_variable(self, value: Value, depth: int) -> Values | None:
        if value.kind != VARIABLE:
            return (value,)
        if self._lookup.kind(value.number) in SPACES and self._definitions.is_space(value.number):
            return (Value(MODULE, self._lookup.main),)
        file = self._definitions.file[value.number]
        hints = self._lookup.hints(file, value.number, "")
        found = (self._hinted(file, value.number, hints, depth) if hints else None) or ()
        own = self._lookup.is_place(value.number)
        return inside([*((Value(INSTANCE, value.number),) if own else ()), *found]) or None

    def _of_whole(
        self, file: int, step: Callable[..., Values | None], depth: int, seen: set[int] | None
    ) -> Values | None:
        """Take a step from what a module is as a whole, which may be a module, too.

        seen: those on the way here, each of which is looked at once.
        """
        seen = seen or set()
        if file in seen or self._waiting >= _MOST_WAITING:
            return None
        seen.add(file)
        self._waiting += 1
        found = self._each(self.whole(file), partial(step, seen=seen), depth)
        self._waiting -= 1
        return found

    def _called(self, value: Value, depth: int, *, seen: set[int] | None = None) -> Values | None:
        if value.kind == CLASS:
            return (Value(INSTANCE, value.number),)
        if value.kind == FUNCTION:
            returned = self._returned(value.number, depth)
            # a function with members may make instances, too
            made = self._lookup.is_place(value.number)
            return (Value(INSTANCE, value.number), *(returned or ())) if made else returned
        if value.kind == MODULE:
            return self._of_whole(value.number, self._called, depth, seen)
        if value.kind == INSTANCE:
            if self._definitions.rules(self._lookup.main).open:
                # what an attribute holds is not called
                return (value,)
            found = self.members(value.number, "__call__")
            return self._returned(found[0], depth) if found else self._signed(value.number, depth)
        return (OUTSIDE,) if value.kind == EXTERNAL else None

    def _signed(self, number: int, depth: int) -> Values | None:
        """Return what a call of a value of a type returns that says so."""
        for around in self.mro(number)[0]:
            file = self._definitions.file[around]
            signed = self._definitions.rules(file).mixes
            if hints := self._lookup.hints(file, around, CALLED) if signed else ():
                return self._hinted(file, around, hints, depth)
        return None

    def _returned(self, number: int, depth: int) -> Values | None:
        file = self._definitions.file[number]
        hints = self._lookup.hints(file, number, "")
        return self._hinted(file, number, hints, depth) if hints else None

    def _member(
        self, name: str, value: Value, depth: int, *, seen: set[int] | None = None
    ) -> Values | None:
        if value.kind == EXTERNAL:
            return self.extension(name) or (OUTSIDE,)
        if value.kind == MODULE:
            values = self.module_member(value.number, name)
            if not values:
                return self._of_whole(value.number, partial(self._member, name), depth, seen)
            return self._each(values, self._of_variable, depth)
        if value.kind == FUNCTION:
            return self._each(self.mixed(value.number, name), self._of_variable, depth)
        if value.kind not in (INSTANCE, CLASS, SUPER):
            return None
        if (itself := self._itself(name, value)) is not None:
            return (itself,)
        found: list[Value] = []
        for one in self.members(value.number, name, above=value.kind == SUPER):
            found += self._had(self._definitions.value(one), depth) or ()
        if not found and value.kind != SUPER:
            found += self.mixed(value.number, name) or self.extension(name, value.number)
        if set(found) == {OUTSIDE} and self._definitions.rules(self._lookup.main).mixins:
            # an array, which methods may fill
            return self._attribute(name, value.number, depth) or (OUTSIDE,)
        return tuple(found) or self._attribute(name, value.number, depth)

    def _itself(self, name: str, value: Value) -> Value | None:
        """Return the class or the instance of it that a member is by its name alone."""
        if made := self.made(value, name):
            return made
        if name == "class" and self._definitions.rules(self._lookup.main).open:
            return Value(CLASS, value.number)
        if name == "__class__" and self._definitions.rules(self._lookup.main).special:
            return Value(CLASS, value.number)
        if value.kind != CLASS:
            return None
        # the instance of a class around, as in `Outer.this`, and what instances have
        prototype = name == "prototype" and self._definitions.rules(self._lookup.main).whole
        return Value(INSTANCE, value.number) if prototype or name == "this" else None

    def _had(self, member: Value, depth: int) -> Values | None:
        """Return what is had from a member that is read."""
        if self._lookup.is_property(member.number):
            return self._returned(member.number, depth)
        return self._of_variable(member, depth)

    def _attribute(self, name: str, number: int, depth: int) -> Values | None:
        """Return what methods assign to an attribute of the nearest class above that has it."""
        for around in self.mro(number)[0]:
            found: list[Value] = []
            for file, scope, hint in self._lookup.attributes(around, name)[:MOST]:
                found += self._value(file, scope, hint, depth - 1) or ()
            if found:
                return inside(found)
        return None

    def is_assigned(self, number: int, name: str) -> bool:
        """Return True if methods assign an attribute of a class or of one above it."""
        return any(self._lookup.attributes(around, name) for around in self.mro(number)[0])

    # ---------------------------------------------------------------- classes

    def around(self, number: int) -> int:
        """Return the innermost place around a definition, or that it is a member of, or -1."""
        lookup = self._lookup
        found = lookup.enclosing_class(number)
        while number >= 0 and number != found:
            if self._definitions.is_apart(number):
                return self._owner(number)
            number = lookup.parent(number)
        return found

    def _owner(self, number: int) -> int:
        """Return the type of a method that is written apart from it, or -1."""
        file = self._definitions.file[number]
        if text := self._lookup.type_text(number):
            return next(iter(self._classes(file, number, text)), -1)
        name = self._definitions.qualified[number].split(".")[-2:][0]
        found = self.name(file, name)
        return next((value.number for value in found if value.kind == CLASS), -1)

    def _classes(self, file: int, scope: int, text: str) -> list[int]:
        """Return the classes of the tree that an expression may mean."""
        values = self._value(file, scope, text, _DEPTH) or ()
        return [value.number for value in values if value.kind == CLASS]

    def implementations(self, file: int) -> list[tuple[int, int]]:
        """Return pairs of what implements a trait apart from the type, and of this trait.

        These are the members, and the type if the tree defines it.
        """
        found: dict[tuple[int, int], None] = {}
        for member, base, text in self._lookup.tree.space(file).implemented.get(file, ()):
            traits = self._classes(file, member, base) if base else []
            types = self._classes(file, member, text) if text and traits else []
            abstract = {one for one in types if self._lookup.kind(one) == "trait"}
            is_member = member >= 0 and self._definitions.kind[member] in FUNCTIONS
            for trait in traits:
                # what is implemented for all that have another trait does not put this one below
                found.update(((one, trait), None) for one in types if one not in abstract)
                if is_member:
                    found[member, trait] = None
        return list(found)

    def trait_members(self, file: int, name: str, *, outside: bool = False) -> list[int]:
        """Return the members of a name of the traits that are in the scope of a file.

        outside: only of those that are implemented for types which the tree does not define.
        """
        if not self._definitions.rules(file).traits:
            return []
        if file not in self._traits:
            self._traits[file] = self._traits_in_scope(file)
        return [
            member
            for trait in self._traits[file]
            for member in self._lookup.children(trait, name)
            if not outside or self._lookup.implemented_outside(trait)
        ]

    def _traits_in_scope(self, file: int) -> list[int]:
        """Return the traits that a file defines or imports by name."""
        found = [Value(CLASS, number) for number in self._lookup.all_tops(file)]
        for name in self._lookup.all_bound(file):
            found += self.name(file, name) if name != WHOLE else ()
        traits = (
            value.number
            for value in found
            if value.kind == CLASS and self._lookup.kind(value.number) == "trait"
        )
        return list(dict.fromkeys(traits))[:_MOST_TRAITS]

    def mro(self, number: int) -> tuple[tuple[int, ...], bool]:
        """Return a class and the classes above it, and whether one above is not of the tree."""
        if self._lookup.hierarchy is not None:
            return self._lookup.above(number)
        if number not in self._mro:
            self._mro[number] = classes_above(number, self.bases, self._is_last)
        return self._mro[number]

    def _is_last(self, number: int) -> bool:
        """Return True for a type whose members are looked for after those of all others."""
        mixins = self._definitions.rules(self._definitions.file[number]).mixins
        return bool(mixins) and self._lookup.kind(number) == "interface"

    def _is_given(self, number: int) -> bool:
        """Return True for a type whose members are those of the classes that name it as a base."""
        mixins = self._definitions.rules(self._definitions.file[number]).mixins
        return bool(mixins) and self._lookup.kind(number) in mixins

    def bases(self, number: int) -> list[int]:
        """Return the bases of a class; UNKNOWN_BASE for one that is not known."""
        if number not in self._base_values:
            self._base_values[number] = self._evaluated_bases(number)
        return self._base_values[number]

    def _evaluated_bases(self, number: int) -> list[int]:
        texts = self._lookup.base_texts(number)
        file = self._definitions.file[number]
        parent = self._lookup.parent(number) if texts else -1
        found = self._parts(number)
        for written in dict.fromkeys(texts):
            text = written.removeprefix(PROMISE)
            values = self._value(file, parent, text, _DEPTH) or (OUTSIDE,)
            known = [
                value.number
                for value in values
                if value.number != number and (value.kind == CLASS or self._is_mixed(value))
            ]
            if not known and self._definitions.rules(file).open:
                # what is mixed in may be in the module itself
                known = self._lookup.children(number, text)
            if known or not (text != written or self._is_plain(file, text)):
                found += known or [UNKNOWN_BASE]
        # what a class is given comes before what it inherits
        return sorted(found, key=lambda one: one < 0 or not self._is_given(one))

    def _is_plain(self, file: int, text: str) -> bool:
        """Return True for a base of the library of the language that calls no methods."""
        rules = self._definitions.rules(file)
        head = text.partition(".")[0]
        modules = {one.specifier.partition(".")[0] for one in self._lookup.bound(file, head)}
        if rules.whole:
            # all that the modules have is plain, by any name
            for number in self._lookup.tops(file, head):
                hints = self._lookup.hints(file, number, "")
                modules.update(hint.split('"')[1] for hint in hints if hint.startswith('"'))
            return modules <= rules.plain_modules if modules else text in rules.plain_bases
        return text.rpartition(".")[2] in rules.plain_bases and modules <= rules.plain_modules

    def _is_mixed(self, value: Value) -> bool:
        """Return True for a module whose members a class may have."""
        return value.kind == INSTANCE and self._lookup.kind(value.number) == "module"

    def _parts(self, number: int) -> list[int]:
        """Return the other parts of a class that is written in several."""
        file = self._definitions.file[number]
        rules, kind = self._definitions.rules(file), self._definitions.kind[number]
        if rules.everywhere and kind in PLACES:
            found = self.everywhere(file, self._definitions.qualified[number])
            # a module of very many parts is only what others stand in
            found = found if len(found) <= _MOST_PARTS else []
            return [one for one in found if one != number]
        if not rules.parts or kind not in TYPES:
            return []
        name, qualified = self._definitions.name[number], self._definitions.qualified[number]
        files = (file, *self._lookup.used(file, name))
        return [
            one
            for target in files
            for one in self._lookup.tops(target, name)
            if one != number and self._definitions.qualified[one] == qualified
        ]

    def made(self, value: Value, name: str) -> Value | None:
        """Return the class of which a member makes an instance, None for other members."""
        if value.kind not in (CLASS, INSTANCE):
            return None
        rules = self._definitions.rules(self._definitions.file[value.number])
        # an object may have a method of this name, and what a class adds to its own makes one, too
        is_own = value.kind == INSTANCE and self.members(value.number, name)
        return Value(CLASS, value.number) if name == rules.maker and not is_own else None

    def extension(self, name: str, number: int = -1) -> Values:
        """Return the functions that add a member of a name to values, or to those of a class."""
        file = self._lookup.main
        if not self._definitions.rules(file).extended:
            return ()
        extensions = self._definitions.extensions
        found = [value for value in self.name(file, name) if value.number in extensions]
        above = {self._definitions.name[one] for one in self.mro(number)[0]} if number >= 0 else ()
        own = [value for value in found if self._extended(value.number) in above]
        return tuple(own or found)

    def mixed(self, number: int, name: str) -> Values:
        """Return the members of a name that an object or class gets from others."""
        found: list[Value] = []
        for around in self.mro(number)[0]:
            for value in self.givers(around):
                if value.kind == MODULE:
                    found += self.module_member(value.number, name)
                elif value.kind in (CLASS, INSTANCE):
                    found += map(self._definitions.value, self.members(value.number, name))
        return inside(found)

    def givers(self, number: int) -> Values:
        """Return the objects and modules that give their members to an object or class."""
        if number not in self._givers:
            # one whose givers depend on its own members has none meanwhile
            self._givers[number] = ()
            self._givers[number] = self._evaluated_givers(number)
        return self._givers[number]

    def _evaluated_givers(self, number: int) -> Values:
        file = self._definitions.file[number]
        if not self._definitions.rules(file).mixes:
            return ()
        hints = self._lookup.hints(file, number, MIXED)
        scope = self._lookup.parent(number) if hints else -1
        return (self._hinted(file, scope, hints, _DEPTH) if hints else None) or ()

    def members(
        self, number: int, name: str, *, above: bool = False, given: str = ""
    ) -> list[int]:
        """Return the definitions of a member of a class, of the nearest class that has it.

        given: only those that take so many arguments, as in `DefinitionUse`, if any do.
        """
        nearest: list[int] = []
        for around in self.mro(number)[0][1 if above else 0 :]:
            if found := self._lookup.children(around, name) or self._apart(around, name):
                if fitting := [one for one in found if self._lookup.accepts(one, given)]:
                    return fitting
                nearest = nearest or found
        if nearest:
            return nearest
        file = self._definitions.file[number]
        if self._definitions.rules(file).everywhere:
            return self.everywhere(file, f"{self._definitions.qualified[number]}.{name}")[:1]
        return []

    def fields(self, number: int, name: str) -> list[int]:
        """Return the fields of a type by a name, or one by its place among them."""
        if not name.isdigit():
            return [one for one in self.members(number, name) if self._is_variable(one)]
        if self._lookup.children(number, self._definitions.name[number]):
            # a constructor takes what is listed
            return []
        own = [found for one in self.mro(number)[0] if (found := self._lookup.fields(one))[0]]
        if len(own) != 1:
            # the fields of several types are listed in their own order
            return []
        fields, known = own[0]
        return fields[:known][int(name) : int(name) + 1]

    def _is_variable(self, number: int) -> bool:
        return self._definitions.value(number).kind == VARIABLE

    def _apart(self, number: int, name: str) -> list[int]:
        """Return the methods of a type that are written apart from it."""
        if not self._definitions.rules(self._definitions.file[number]).apart_members:
            return []
        found = self._lookup.apart(number, name)[:MOST]
        return [member for member in found if self._owner(member) == number]
