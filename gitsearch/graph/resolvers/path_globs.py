"""Patterns of paths as settings files have them, expanded over the folders of a tree."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property
from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.graph.project import Project

_WILD = re.compile(r"[*?\[]")

# A longer path is not written by people.
_LONGEST = 4096


class Globs:
    """Expands patterns in one tree."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def expanded(self, folder: str, pattern: str) -> list[str]:
        """The files and folders that a pattern means, relative to a folder.

        A wildcard stays within one name and finds nothing that is hidden; "**" is any number of
        folders.
        """
        path = normpath(f"{folder or '.'}/{pattern}")
        if path.startswith("..") or pattern.startswith("/") or len(path) > _LONGEST:
            return []
        found = [""]
        for part in path.split("/") if path != "." else []:
            found = self._step(found, part)
        known = (self._project.number, self._project.folders)
        return [one for one in found if any(one in paths for paths in known)]

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The names of the files and folders in each folder."""
        names: dict[str, list[str]] = {}
        for folder, files in self._project.folders.items():
            names[folder] = [self._project.paths[i].rpartition("/")[2] for i in files]
        for folder in self._project.folders:
            if folder:
                above, _, name = folder.rpartition("/")
                names[above].append(name)
        return names

    def _step(self, starts: list[str], part: str) -> list[str]:
        """What a part of a pattern leads to from some folders."""
        if part == "**":
            return self._below(starts)
        if not _WILD.search(part):
            return [_joined(start, part) for start in starts]
        match = _fitting(part).match
        return [
            _joined(start, name)
            for start in starts
            for name in self._names.get(start, ())
            if match(name) and name[0] != "."
        ]

    def _below(self, starts: list[str]) -> list[str]:
        """Some folders and all below them."""
        found = dict.fromkeys(starts)
        todo = list(found)
        while todo:
            start = todo.pop()
            for name in self._names.get(start, ()):
                inner = _joined(start, name)
                if name[0] != "." and inner not in found and inner in self._names:
                    found[inner] = None
                    todo.append(inner)
        return list(found)


def _fitting(part: str) -> re.Pattern[str]:
    """Matches the names that a part of a pattern means."""
    return re.compile(translate(part))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
