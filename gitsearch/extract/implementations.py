"""Bases and members that are written apart from their types, and bounds of type parameters.

uses.scm captures these with @implementing, @implementation and @generic: see `definition_uses`.
Rust has all of them; a `typedef` of C is the first only.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.extract.expressions import ExpressionNodes, expression, text_of
from gitsearch.extract.symbol_kinds import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.extract import syntax
    from gitsearch.extract.byte_ranges import Scopes
    from gitsearch.records import Definition


class ApartBase(NamedTuple):
    """A base of a type, or of a member that is apart from its type; scope: the number of either.

    owner: the expression before the dot of the base, or the type of the member.
    """

    scope: int
    name: str
    owner: str
    line: int


class Bound(NamedTuple):
    """A bound of a type parameter, as a definition sees it; scope: its number, or -1."""

    scope: int
    parameter: str
    base: str


class Implementations:
    """The implementations in one text, noted from the matches of the queries."""

    def __init__(
        self, defined: Sequence[Definition], scopes: Scopes, nodes: ExpressionNodes
    ) -> None:
        """`scopes` are the ranges of what is `defined`."""
        self._defined = defined
        self._scopes = scopes
        self._nodes = nodes
        # bases and types of what is implemented, by where
        self._implementations: dict[tuple[int, int], tuple[str, str]] = {}
        self._inside: dict[tuple[int, int], list[int]] = {}
        self._said: set[tuple[object, ...]] = set()

    def bases(self, captures: dict[str, list[syntax.Node]]) -> Iterator[ApartBase]:
        """Note what a match implements, and yield the base of each type of this file."""
        base, name = self._type(captures, "implementing"), self._type(captures, "implemented")
        for node in captures.get("implementation", ()):
            # the pattern without a type matches every implementation
            if name or node.byte_range not in self._implementations:
                self._implementations[node.byte_range] = base, name
        owner, _, own = base.rpartition(".")
        for scope in self._types.get(name, ()) if base and self._is_new(base, name) else ():
            line = captures["implementing"][0].start_point[0] + 1
            yield ApartBase(scope, own, owner, line)

    def members(self) -> Iterator[ApartBase]:
        """Yield the members that are apart from their types, which are not of this file."""
        for span, (base, name) in self._implementations.items():
            if name in self._types:
                continue
            for scope in self._defined_in(*span) or [self._scopes.at(span[0])]:
                line = self._defined[scope].first_line if scope >= 0 else 1
                yield ApartBase(scope, base, name, line)

    def of_traits(self) -> Iterator[ApartBase]:
        """Yield the members that implement a base, each with this base."""
        for span, (base, _) in self._implementations.items():
            for scope in self._defined_in(*span) if base else ():
                yield ApartBase(scope, base, "", self._defined[scope].first_line)

    def bounds(self, captures: dict[str, list[syntax.Node]]) -> Iterator[Bound]:
        """Yield the bound of a type parameter, for all definitions that see the parameter."""
        node = captures["generic"][0]
        scope = self._scopes.at(node.start_byte)
        start, end = captures["constrained"][0].byte_range
        own = scope >= 0 and self._defined[scope].start >= start
        base = self._type(captures, "constraint")
        if self._is_new(start, text_of(node), base):
            # an implementation is no definition: those in it have its parameters
            for one in [scope] if own else self._defined_in(start, end):
                yield Bound(one, text_of(node), base)

    def _type(self, captures: dict[str, list[syntax.Node]], role: str) -> str:
        """Return the expression of a captured type itself, or ""."""
        nodes = captures.get(role)
        return expression(nodes[0], self._nodes).removesuffix("()") if nodes else ""

    def _defined_in(self, start: int, end: int) -> list[int]:
        """Return the definitions directly in a range of bytes."""
        if (start, end) not in self._inside:
            first = bisect_left(self._defined, start, key=lambda one: one.start)
            last = bisect_left(self._defined, end, first, key=lambda one: one.start)
            found = [one for one in range(first, last) if self._defined[one].parent < first]
            self._inside[start, end] = found
        return self._inside[start, end]

    def _is_new(self, *said: object) -> bool:
        """Return True the first time: to note the same again and again would take long."""
        known = len(self._said)
        self._said.add(said)
        return len(self._said) > known

    @cached_property
    def _types(self) -> dict[str, list[int]]:
        """The types of the text by name."""
        found: dict[str, list[int]] = {}
        for number, one in enumerate(self._defined):
            if one.kind in TYPES:
                found.setdefault(one.name, []).append(number)
        return found
