"""Access to parsed JSON and TOML whose values may have any type."""

from __future__ import annotations

from typing import Any


def object_or_empty(value: object) -> dict[str, Any]:
    """Return the value if it is an object or table, else {}."""
    return value if isinstance(value, dict) else {}


def string_or_empty(value: object) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def strings_in(value: object) -> list[str]:
    """Return the strings in a list, or a single string as a list."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
