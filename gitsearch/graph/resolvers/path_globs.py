"""Glob patterns of settings files, expanded over the folders of a tree."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.tree_paths import joined, normalized

if TYPE_CHECKING:
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
