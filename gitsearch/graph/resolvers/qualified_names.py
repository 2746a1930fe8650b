"""What families with dotted names share: tables of what is declared where, and outcomes joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A package or namespace, a name in it, and the files that declare it.
Table = dict[str, dict[str, list[int]]]

# A dotted name that is longer, in characters, is not written by people.
LONGEST = 1000


def add(table: Table, space: str, name: str, file: int) -> None:
    """Note that a file, the latest one, declares a name."""
    files = table.setdefault(space, {}).setdefault(name, [])
    if not files or files[-1] != file:
        files.append(file)


def ends(dotted: str) -> Iterator[int]:
    """Where the prefixes of a dotted name end, the longest first."""
    end = min(len(dotted), LONGEST)
    while end > 0:
        yield end
        end = dotted.rfind(".", 0, end)


def around(spaces: Iterable[str]) -> set[str]:
    """Some packages or namespaces, and those around them."""
    found: set[str] = set()
    for space in spaces:
        for end in ends(space):
            if space[:end] in found:
                break
            found.add(space[:end])
    return found


def holders(types: Table, qualified: str) -> list[int]:
    """The files that declare a type, or the innermost one around it that is known."""
    for end in ends(qualified):
        space, _, name = qualified[:end].rpartition(".")
        found = types.get(space, {}).get(name)
        if found:
            return found
    return []


def joined(outcomes: Iterable[Resolution]) -> Resolution:
    """Several outcomes as one."""
    found = [one for one in outcomes if one.resolved or one.ambiguous]
    if len(found) < 2:
        return found[0] if found else EXTERNAL
    resolved: dict[int, None] = {}
    ambiguous: dict[int, None] = {}
    for one in found:
        resolved.update(dict.fromkeys(one.resolved))
        ambiguous.update(dict.fromkeys(one.ambiguous))
    return Resolution(tuple(resolved), tuple(one for one in ambiguous if one not in resolved))


def shared_folders(one: str, other: str) -> int:
    """How many folders two paths start with in common."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def above(path: str) -> Iterator[str]:
    """The folders that a path is in, the innermost first; the last one is the root, ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
