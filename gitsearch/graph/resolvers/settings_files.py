"""Settings files of a tree, with any content: texts, JSON, TOML, INI, glob patterns."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase, translate
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gitsearch.graph.resolvers.tables import grouped
from gitsearch.graph.settings_values import object_or_empty
from gitsearch.graph.tree_paths import folder_of, joined, normalized

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gitsearch.graph.project import Project

# A string, a comment, or a comma before a closing bracket. An unclosed string or comment extends
# to the end of the line or text, so that the time is linear.
_STRING = r'"(?:\\.|[^"\\\n])*+"?'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])")

# Characters; a larger settings file is not written by people.
_MAX_SETTINGS_LENGTH = 1 << 18
# Dots in one line. The time that tomllib takes for a dotted key grows with the square of their
# number: a line with 50,000 took 52 s.
_MAX_DOTS = 200
# In a line without a delimiter configparser scans each run of blanks from each of its positions:
# 200,000 blanks took minutes.
_BLANKS = re.compile(r"(?<=\S)[^\S\n]+")
_WILD = re.compile(r"[*?\[]")
# A longer path is not written by people.
_MAX_GLOB_LENGTH = 4096


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


def toml(text: str | None) -> dict[str, Any]:
    """Parse a TOML file; return {} if it is missing, too large or malformed."""
    if text is None or len(text) > _MAX_SETTINGS_LENGTH:
        return {}
    if any(line.count(".") > _MAX_DOTS for line in text.splitlines()):
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):  # a number of 5,000 digits raises ValueError, too
        return {}


def ini(text: str | None, wanted: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Parse an INI file; return the lines of each value by section and option.

    Only the sections in `wanted` are returned. The result is empty if the file is missing, too
    large or malformed.
    """
    if text is None or len(text) > _MAX_SETTINGS_LENGTH:
        return {}
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(_BLANKS.sub(" ", text))
    except configparser.Error:
        return {}
    # parser.items() includes the options of the section DEFAULT in each section
    return {
        (section, option): [line.strip() for line in (value or "").splitlines()]
        for section in wanted
        if parser.has_section(section)
        for option, value in parser.items(section)
    }


class Globs:
    """Expands glob patterns in one tree."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def expanded(self, folder: str, pattern: str) -> list[str]:
        """Return the files and folders that match a pattern relative to a folder.

        A wildcard matches within one path part and never a hidden name; "**" matches any number of
        folders. A pattern that is absolute or leads out of the tree matches nothing.
        """
        path = normalized(folder, pattern)
        if path.startswith("..") or pattern.startswith("/") or len(path) > _MAX_GLOB_LENGTH:
            return []
        matches = [""]
        for part in path.split("/") if path else []:
            matches = self._expand_part(matches, part)
        files, folders = self._project.number, self._project.folders
        return [match for match in matches if match in files or match in folders]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The names of the files and folders in each folder."""
        paths = (*self._project.paths, *filter(None, self._project.folders))
        parts = (path.rpartition("/") for path in paths)
        return grouped((folder, name) for folder, _, name in parts)

    def _expand_part(self, starts: list[str], part: str) -> list[str]:
        """Match one part of a pattern in each of some folders."""
        if part == "**":
            return self._with_descendants(starts)
        if not _WILD.search(part):
            return [joined(start, part) for start in starts]
        matches_part = _compile_part(part).match
        return [
            joined(start, name)
            for start in starts
            for name in self._names.get(start, ())
            if matches_part(name) and name[0] != "."
        ]

    def _with_descendants(self, starts: list[str]) -> list[str]:
        """Return some folders and all their descendants that are not hidden."""
        folders = dict.fromkeys(starts)
        todo = list(folders)
        while todo:
            start = todo.pop()
            for name in self._names.get(start, ()):
                child = joined(start, name)
                if name[0] != "." and child not in folders and child in self._project.folders:
                    folders[child] = None
                    todo.append(child)
        return list(folders)


def _compile_part(part: str) -> re.Pattern[str]:
    """Compile one part of a pattern to a regular expression for names."""
    return re.compile(translate(part))


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
