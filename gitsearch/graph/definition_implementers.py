"""Types that implement an interface without saying so: they have all its methods, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.extract.symbol_kinds import FUNCTIONS, TYPES

if TYPE_CHECKING:
    from gitsearch.graph.definition_names import Definitions
    from gitsearch.graph.definition_resolution import Resolver


def implementers(definitions: Definitions, resolver: Resolver) -> dict[int, list[int]]:
    """Return the types that have all methods of an interface, by interface.

    Only in languages where this suffices. Of an interface that embeds one from outside of the
    tree not all methods are known, and parameters are not compared: more types may be given.
    """
    interfaces: dict[int, set[str]] = {}
    having: dict[str, set[int]] = {}
    for number, kind in enumerate(definitions.kind):
        if kind not in TYPES or not definitions.rules(definitions.file[number]).structural:
            continue
        names = {
            name
            for above in resolver.mro(number)[0]
            for name, members in definitions.children[above].items()
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
