"""Tables of results by arguments, of values by key, and of declarations by dotted name."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_Instance = TypeVar("_Instance")
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_Key = TypeVar("_Key", bound="Hashable")
_Value = TypeVar("_Value")
# A package or namespace, a name in it, and the files that declare it.
DeclarationTable = dict[str, dict[str, list[int]]]
# A dotted name that is longer, in characters, is not written by people.
MAX_NAME_LENGTH = 1000


def memoized(
    method: Callable[Concatenate[_Instance, _Arguments], _Result],
) -> cached_property[Callable[_Arguments, _Result]]:
    """Decorate a method that always returns the same for the same, hashable arguments."""

    def kept(instance: _Instance) -> Callable[_Arguments, _Result]:
        return cast("Callable[_Arguments, _Result]", cache(partial(method, instance)))

    return cached_property(kept)


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return the values of each key, in the order of the pairs."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def grouped_sets(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, set[_Value]]:
    """Return the distinct values of each key."""
    groups: dict[_Key, set[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return groups


def imports_of_kind(
    project: Project, languages: frozenset[str], kind: str
) -> Iterator[tuple[int, Import]]:
    """Yield the files in some languages, with each of their imports of a kind."""
    for file in project.of(languages):
        for imported in project.facts(file).imports:
            if imported.kind == kind:
                yield file, imported


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
