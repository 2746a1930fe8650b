"""Glob patterns of settings files, expanded over the folders of a tree or matched to a path."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import joined, normalized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.graph.project import Project

_WILD = re.compile(r"[*?\[]")

# A longer path is not written by people.
_MAX_LENGTH = 4096


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
        if path.startswith("..") or pattern.startswith("/") or len(path) > _MAX_LENGTH:
            return []
        matches = [""]
        for part in path.split("/") if path else []:
            matches = self._expand_part(matches, part)
        files, folders = self._project.number, self._project.folders
        return [match for match in matches if match in files or match in folders]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The names of the files and folders in each folder."""
        names: dict[str, list[str]] = {}
        for folder, files in self._project.folders.items():
            names[folder] = [self._project.paths[i].rpartition("/")[2] for i in files]
        for folder in self._project.folders:
            if folder:
                parent, _, name = folder.rpartition("/")
                names[parent].append(name)
        return names

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
                if name[0] != "." and child not in folders and child in self._names:
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
