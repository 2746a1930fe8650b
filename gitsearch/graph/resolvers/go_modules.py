"""The modules and workspaces of Go, and where they say that module paths lead."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.tree_paths import folder_of, inside, upwards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

_WORDS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|`[^`\n]*+`?|//.*+|=>|[()]|[^\s()"`]++')

# A longer line is not written by people.
_LONGEST = 2048


class GoModule(NamedTuple):
    """A go.mod: its path and where import paths of other modules lead by `replace`."""

    folder: str
    path: str
    replaced: dict[str, str]


class GoModules:
    """The go.mod and go.work files of a tree."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._module_of: dict[str, GoModule | None] = {}

    @cached_property
    def by_folder(self) -> dict[str, GoModule]:
        """The modules by their folder."""
        found = {}
        for file in self._project.by_name.get("go.mod", ()):
            folder = folder_of(self._project.paths[file])
            path = ""
            replaced: dict[str, str] = {}
            for verb, words in _directives(self._project.text(self._project.paths[file]) or ""):
                if verb == "module" and words:
                    path = words[0]
                elif verb == "replace":
                    replaced.update(_replacement(folder, words))
            found[folder] = GoModule(folder, path, replaced)
        return found

    @cached_property
    def workspaces(self) -> dict[str, tuple[set[str], dict[str, str]]]:
        """The folders of the modules and the replacements of each go.work, by its folder."""
        found = {}
        for file in self._project.by_name.get("go.work", ()):
            folder = folder_of(self._project.paths[file])
            used: set[str] = set()
            replaced: dict[str, str] = {}
            for verb, words in _directives(self._project.text(self._project.paths[file]) or ""):
                if verb == "use" and words:
                    used.update(local_of(folder, words[0]))
                elif verb == "replace":
                    replaced.update(_replacement(folder, words))
            found[folder] = (used, replaced)
        return found

    @cached_property
    def by_path(self) -> dict[str, list[str]]:
        """The folders of the modules of each module path."""
        found: dict[str, list[str]] = {}
        for folder, module in self.by_folder.items():
            if module.path:
                found.setdefault(module.path, []).append(folder)
        return found

    def around(self, folder: str) -> GoModule | None:
        """The module that a folder belongs to."""
        if folder not in self._module_of:
            found = self.by_folder.get(folder)
            if found is None and folder:
                found = self.around(folder_of(folder))
            self._module_of[folder] = found
        return self._module_of[folder]

    def visible(self, module: GoModule) -> dict[str, str]:
        """Where module paths lead in a module, besides its own."""
        used, replaced = self.workspaces.get(self.workspace(module), (set(), {}))
        members = [self.by_folder[one] for one in used if one in self.by_folder]
        roots = dict(module.replaced)
        if module in members:
            for other in members:
                roots.update(other.replaced)
            roots.update(replaced)
            roots.update((other.path, other.folder) for other in members)
        roots.pop("", None)
        return roots

    def workspace(self, module: GoModule) -> str:
        """The folder of the workspace that a module is part of; without any, its own."""
        for above in upwards(module.folder):
            if above in self.workspaces:
                return above if module.folder in self.workspaces[above][0] else module.folder
        return module.folder


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    """The directives of a go.mod or go.work, those in brackets one by one."""
    block = ""
    for line in text.splitlines():
        words = [
            word.strip('"`')
            for word in _WORDS.findall(line[:_LONGEST])
            if not word.startswith("//")
        ]
        if not words:
            continue
        if block:
            if words[0] == ")":
                block = ""
            else:
                yield block, words
        elif words[1:2] == ["("]:
            block = words[0]
        else:
            yield words[0], words[1:]


def local_of(folder: str, written: str) -> list[str]:
    """The folder that a path in a settings file means, if it is one of this tree."""
    place = inside(folder, written)
    return [] if place is None else [place]


def _replacement(folder: str, words: list[str]) -> list[tuple[str, str]]:
    """The module path and the folder of a replacement by a local one."""
    if "=>" not in words[1:-1]:
        return []
    target = words[words.index("=>") + 1]
    if not target.startswith(("./", "../")) and target not in (".", ".."):
        return []
    return [(words[0], local) for local in local_of(folder, target)]
