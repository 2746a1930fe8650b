"""Settings files of a tree, as texts and as JSON, with any content."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gitsearch.graph.settings_values import object_or_empty
from gitsearch.graph.tree_paths import folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

# A string, a comment, or a comma before a closing bracket. An unclosed string or comment extends
# to the end of the line or text, so that the time is linear.
_STRING = r'"(?:\\.|[^"\\\n])*+"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:(?!\*/).)*+(?:\*/)?", re.DOTALL)
_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])")


def paths_named(project: Project, *names: str) -> list[str]:
    """Return the paths of all files of some base names, in the order of the names."""
    return [project.paths[file] for name in names for file in project.by_name.get(name, ())]


def texts_named(project: Project, name: str) -> Iterator[tuple[str, str]]:
    """Yield the folder and the text of each file of a base name; "" for one that is too large."""
    for path in paths_named(project, name):
        yield folder_of(path), project.text(path) or ""


def parse_json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object; return {} if the text is malformed or another value."""
    try:
        return object_or_empty(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def parse_commented_json(text: str | None) -> dict[str, Any]:
    """Like `parse_json_object`, but allow comments, trailing commas and a byte order mark."""
    plain = (text or "").lstrip("\ufeff")
    value = parse_json_object(plain)
    if value or not plain:
        return value
    for pattern in (_COMMENT, _COMMA):
        plain = pattern.sub(lambda match: match[1] or " ", plain)
    return parse_json_object(plain)


def call_arguments(text: str, start: int, bracket: re.Pattern[str], max_length: int) -> str:
    """Return the text from the start of the arguments of a call to its closing bracket.

    `bracket` matches "(" and ")", and what may contain others.
    """
    depth = 1
    for match in bracket.finditer(text, start, start + max_length):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return text[start : match.start()]
    return text[start : start + max_length]


def table(settings: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the object or table at a path of keys, {} if there is none."""
    for key in keys:
        settings = object_or_empty(settings.get(key))
    return settings
