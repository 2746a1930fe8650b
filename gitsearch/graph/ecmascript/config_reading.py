"""JSON settings files with any content, and glob patterns in them."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from gitsearch.graph.settings_values import object_or_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

# A string, a comment, or a comma before a closing bracket. An unclosed string or comment extends
# to the end of the line or text, so that the time is linear.
_STRING = r'"(?:\\.|[^"\\\n])*+"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:(?!\*/).)*+(?:\*/)?", re.DOTALL)
_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])")


def parse_json_object(text: str | None) -> dict[str, Any]:
    """Parse a JSON object that may contain comments and trailing commas.

    Returns {} if the text is missing, malformed, or another value.
    """
    if not text:
        return {}
    text = text.lstrip("\ufeff")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        plain = _COMMENT.sub(lambda match: match[1] or " ", text)
        plain = _COMMA.sub(lambda match: match[1] or " ", plain)
        try:
            value = json.loads(plain)
        except (ValueError, RecursionError):
            return {}
    return object_or_empty(value)


def glob_matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return True if the parts of a path match those of a glob; `**` matches any number of parts.

    A part that starts with a dot is only matched by a pattern that starts with a dot.
    """
    part = position = 0
    # The last `**`, and the part at which the match of the rest of the pattern was last tried.
    wildcard, retry = -1, 0
    while part < len(parts):
        if position < len(pattern) and pattern[position] == "**":
            wildcard, retry = position, part
            position += 1
        elif position < len(pattern) and _part_matches(parts[part], pattern[position]):
            part, position = part + 1, position + 1
        elif wildcard >= 0 and not parts[retry].startswith("."):
            retry += 1
            part, position = retry, wildcard + 1
        else:
            return False
    return all(rest == "**" for rest in pattern[position:])


def _part_matches(part: str, pattern: str) -> bool:
    """Return True if a part of a path matches a glob without brackets."""
    if part == pattern:
        return True
    if part.startswith(".") and not pattern.startswith("."):
        return False
    return pattern == "*" or (
        ("*" in pattern or "?" in pattern) and fnmatchcase(part, pattern.replace("[", "[[]"))
    )
