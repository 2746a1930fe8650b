"""Paths, globs, and settings files in JSON, whatever they hold."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# A string, a comment, or a comma before a closing bracket. What is never closed goes to the end,
# so that the time is linear.
_STRING = r'"(?:\\.|[^"\\\n])*+"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:(?!\*/).)*+(?:\*/)?", re.DOTALL)
_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])")


def settings(text: str | None) -> dict[str, Any]:
    """The object in a JSON file, with comments and trailing commas; empty for anything else."""
    if not text:
        return {}
    text = text.lstrip("\ufeff")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        plain = _COMMENT.sub(lambda match: match[1] or " ", text)
        plain = _COMMA.sub(lambda match: match[1] or " ", plain)
        try:
            found = json.loads(plain)
        except (ValueError, RecursionError):
            return {}
    return table(found)


def table(value: object) -> dict[str, Any]:
    """The value, if it is an object."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """The value, if it is a text."""
    return value if isinstance(value, str) else ""


def words(value: object) -> list[str]:
    """The texts in a list, or a text alone."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def joined(folder: str, relative: str) -> str | None:
    """The path of a relative one from a folder; None where it leaves the repository."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)


def below(path: str, folder: str) -> str | None:
    """The path relative to a folder that it lies in, or None."""
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(folder + "/") else None


def matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path match those of a glob, where `**` is any number of parts.

    What starts with a dot is only matched by a dot.
    """
    part = at = 0
    again, start = -1, 0  # the last `**`, and where what follows it was tried last
    while part < len(parts):
        if at < len(pattern) and pattern[at] == "**":
            again, start = at, part
            at += 1
        elif at < len(pattern) and _fits(parts[part], pattern[at]):
            part, at = part + 1, at + 1
        elif again >= 0 and not parts[start].startswith("."):
            start += 1
            part, at = start, again + 1
        else:
            return False
    return all(rest == "**" for rest in pattern[at:])


def _fits(part: str, pattern: str) -> bool:
    """Whether a part of a path matches a glob without brackets."""
    if part == pattern:
        return True
    if part.startswith(".") and not pattern.startswith("."):
        return False
    return pattern == "*" or (
        ("*" in pattern or "?" in pattern) and fnmatchcase(part, pattern.replace("[", "[[]"))
    )
