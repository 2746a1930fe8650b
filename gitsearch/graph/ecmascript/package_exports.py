"""What `exports` and `imports` of a package.json lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 50
_LONGEST = 1000  # a text of stars would grow without bounds
_BOTH = frozenset({"import", "require"})


class Targets(NamedTuple):
    """Where a key leads under the conditions that hold, and under all others."""

    wanted: list[str]
    others: list[str]


def targets(exported: object, key: str, conditions: frozenset[str]) -> Targets:
    """The targets of a subpath (`.`, `./x`) or of a name (`#x`), the most probable first."""
    if isinstance(exported, dict) and any(one[:1] in (".", "#") for one in exported):
        value, star = _entry(exported, key)
    else:
        value, star = exported if key == "." else None, ""
    wanted = list(_leaves(value, conditions)) or list(_leaves(value, conditions | _BOTH))
    others = [leaf for leaf in _leaves(value, None) if leaf not in wanted]
    return Targets(
        *([leaf.replace("*", star) if star else leaf for leaf in one] for one in (wanted, others))
    )


def _entry(exported: dict[str, Any], key: str) -> tuple[object, str]:
    """What stands under a key or the most special pattern that fits, and what its `*` is."""
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
    if "*" not in pattern and isinstance(value, str):  # a folder, as it was once written
        return value + rest, ""
    return value, rest


def _leaves(value: object, conditions: frozenset[str] | None, depth: int = 0) -> Iterator[str]:
    """The texts that a value leads to under some conditions, or under any (None)."""
    if isinstance(value, str):
        if len(value) <= _LONGEST:
            yield value
    elif depth > _DEEPEST:
        return
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, conditions, depth + 1)
    elif isinstance(value, dict):
        for name, one in value.items():
            if conditions is None or name.partition("@")[0] in conditions or name in conditions:
                yield from _leaves(one, conditions, depth + 1)
