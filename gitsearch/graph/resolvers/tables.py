"""Tables of results by arguments, of values by key, and of the imports of some kind."""

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


def imports_of_kind(
    project: Project, languages: frozenset[str], kind: str
) -> Iterator[tuple[int, Import]]:
    """Yield the files in some languages, with each of their imports of a kind."""
    for file in project.of(languages):
        for imported in project.facts(file).imports:
            if imported.kind == kind:
                yield file, imported
