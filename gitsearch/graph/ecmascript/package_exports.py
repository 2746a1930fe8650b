"""Targets of the `exports` and `imports` fields of a package.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 50
_MAX_LENGTH = 1000  # each `*` is replaced, so that a text of stars would grow without bounds
_BOTH = frozenset({"import", "require"})


class Targets(NamedTuple):
    """The targets of a key under the conditions that hold, and under all others."""

    active: list[str]
    inactive: list[str]


def split_specifier(specifier: str) -> tuple[str, str]:
    """Split a specifier into the name of a package, which may have a scope, and the subpath."""
    parts = specifier.split("/")
    depth = 2 if specifier.startswith("@") else 1
    return "/".join(parts[:depth]), "/".join(parts[depth:])


def targets(exported: object, key: str, conditions: frozenset[str]) -> Targets:
    """Return the targets of a subpath (`.`, `./x`) or of a name (`#x`), most probable first."""
    if isinstance(exported, dict) and any(name[:1] in (".", "#") for name in exported):
        value, star = _entry(exported, key)
    else:
        value, star = exported if key == "." else None, ""
    active = list(_leaves(value, conditions)) or list(_leaves(value, conditions | _BOTH))
    inactive = [leaf for leaf in _leaves(value, None) if leaf not in active]
    return Targets(
        *(
            [leaf.replace("*", star) if star else leaf for leaf in leaves]
            for leaves in (active, inactive)
        )
    )


def _entry(exported: dict[str, Any], key: str) -> tuple[object, str]:
    """Return the value of a key or of its most specific matching pattern, and the text of `*`."""
    if key in exported and "*" not in key:
        return exported[key], ""
    best: tuple[str, str] | None = None
    for pattern in exported:
        before, star, after = pattern.partition("*")
        if not star and not pattern.endswith("/"):
            continue
        if not key.startswith(before) or not key.endswith(after):
            continue
        if len(key) < len(before) + len(after) + bool(star):
            continue
        if best is None or len(before) > len(best[0].partition("*")[0]):
            best = pattern, key[len(before) : len(key) - len(after)]
    if best is None:
        return None, ""
    pattern, rest = best
    value = exported[pattern]
    if "*" not in pattern and isinstance(value, str):  # a folder, by the obsolete syntax
        return value + rest, ""
    return value, rest


def _leaves(value: object, conditions: frozenset[str] | None, depth: int = 0) -> Iterator[str]:
    """Yield the strings that a value leads to under some conditions, or under any (None)."""
    if isinstance(value, str):
        if len(value) <= _MAX_LENGTH:
            yield value
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, conditions, depth + 1)
    elif isinstance(value, dict):
        for name, item in value.items():
            if conditions is None or name.partition("@")[0] in conditions or name in conditions:
                yield from _leaves(item, conditions, depth + 1)
