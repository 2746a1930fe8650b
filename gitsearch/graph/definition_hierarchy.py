"""The classes above and below each class of a tree, by what it says or by the methods it has."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.extract.symbol_kinds import FUNCTIONS, SPACES, TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitsearch.graph.definition_table import Definitions

# A base that the tree does not define.
UNKNOWN_BASE = -1

# So many classes above one are followed.
_MOST_ABOVE = 100


def classes_above(
    number: int, bases: Callable[[int], Sequence[int]], is_last: Callable[[int], bool]
) -> tuple[tuple[int, ...], bool]:
    """Return a class and the classes above it, and whether one above is not of the tree.

    is_last: of which types members are looked for after those of all others.
    """
    above: dict[int, None] = {number: None}
    outside = False
    todo = [number]
    for one in todo:
        own = bases(one) if len(above) <= _MOST_ABOVE else [UNKNOWN_BASE]
        known = [base for base in own if base != UNKNOWN_BASE]
        outside |= len(known) < len(own)
        todo += [base for base in known if base not in above]
        above.update(dict.fromkeys(known))
    _, *rest = above
    return (number, *sorted(rest, key=is_last)), outside


class Hierarchy:
    """The classes of a tree; `bases` are those of each definition that has some.

    Members that are written apart from their type have the trait that they implement as base.
    """

    def __init__(self, definitions: Definitions, bases: Mapping[int, Sequence[int]]) -> None:
        self._definitions = definitions
        self.bases = bases
        self._mro: dict[int, tuple[tuple[int, ...], bool]] = {}

    def mro(self, number: int) -> tuple[tuple[int, ...], bool]:
        """Return a class and the classes above it, and whether one above is not of the tree."""
        if number not in self._mro:
            self._mro[number] = classes_above(
                number, lambda one: self.bases.get(one, ()), self._definitions.is_last
            )
        return self._mro[number]

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """The classes below each class, and those that have all methods of an interface."""
        below: dict[int, list[int]] = {}
        for number, kind in enumerate(self._definitions.kind):
            is_open = (
                kind in SPACES and self._definitions.rules(self._definitions.file[number]).open
            )
            if (kind in TYPES or is_open) and number in self.bases:
                for above in self.mro(number)[0][1:]:
                    below.setdefault(above, []).append(number)
        for number, types in self.implementers.items():
            below[number] = list(dict.fromkeys([*below.get(number, ()), *types]))
        return below

    @cached_property
    def implementing(self) -> dict[int, list[int]]:
        """The members that are written apart from their type, by the trait that they implement."""
        definitions = self._definitions
        found: dict[int, list[int]] = {}
        for number in sorted(self.bases):
            # elsewhere the bases of a function are those of classes without a name in it
            is_member = definitions.rules(definitions.file[number]).traits
            for trait in dict.fromkeys(self.bases[number]) if is_member else ():
                if definitions.kind[number] in FUNCTIONS:
                    found.setdefault(trait, []).append(number)
        return found

    @cached_property
    def outside(self) -> dict[int, list[int]]:
        """The same, but for members of types that the tree defines."""
        definitions, found = self._definitions, {}
        for trait, members in self.implementing.items():
            names = {definitions.name[number] for number in self.below.get(trait, ())}
            own = [
                member
                for member in members
                if definitions.qualified[member].split(".")[-2:][0] not in names
            ]
            if own:
                found[trait] = own
        return found

    @cached_property
    def implementers(self) -> dict[int, list[int]]:
        """The types that have all methods of an interface, by interface.

        Only in languages where this suffices. Of an interface that embeds one from outside of the
        tree not all methods are known, and parameters are not compared: more types may be given.
        """
        definitions = self._definitions
        interfaces: dict[int, set[str]] = {}
        having: dict[str, set[int]] = {}
        for number, kind in enumerate(definitions.kind):
            if kind not in TYPES or not definitions.rules(definitions.file[number]).structural:
                continue
            names = {
                name
                for above in self.mro(number)[0]
                for name, members in definitions.children_of(above).items()
                if definitions.kind[members[0]] in FUNCTIONS
            }
            if kind == "interface":
                interfaces[number] = names
            else:
                for name in names:
                    having.setdefault(name, set()).add(number)
        return {
            number: sorted(set.intersection(*(having.get(name, set()) for name in names)))
            for number, names in interfaces.items()
            if names
        }
