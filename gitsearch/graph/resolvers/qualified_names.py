"""Tables of declarations by dotted name, for languages with packages or namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A package or namespace, a name in it, and the files that declare it.
DeclarationTable = dict[str, dict[str, list[int]]]

# A dotted name that is longer, in characters, is not written by people.
MAX_NAME_LENGTH = 1000


def add_declaration(table: DeclarationTable, namespace: str, name: str, file: int) -> None:
    """Add a file to those that declare a name; files are added in ascending order."""
    files = table.setdefault(namespace, {}).setdefault(name, [])
    if not files or files[-1] != file:
        files.append(file)


def prefix_ends(dotted: str) -> Iterator[int]:
    """Yield the end offsets of the prefixes of a dotted name, the longest first."""
    end = min(len(dotted), MAX_NAME_LENGTH)
    while end > 0:
        yield end
        end = dotted.rfind(".", 0, end)


def with_enclosing(namespaces: Iterable[str]) -> set[str]:
    """Return some packages or namespaces together with all that enclose them."""
    enclosing: set[str] = set()
    for namespace in namespaces:
        for end in prefix_ends(namespace):
            if namespace[:end] in enclosing:
                break
            enclosing.add(namespace[:end])
    return enclosing


def declaring_files(types: DeclarationTable, qualified: str) -> list[int]:
    """Return the files that declare a type, or its innermost enclosing type that is known."""
    for end in prefix_ends(qualified):
        namespace, _, name = qualified[:end].rpartition(".")
        files = types.get(namespace, {}).get(name)
        if files:
            return files
    return []
