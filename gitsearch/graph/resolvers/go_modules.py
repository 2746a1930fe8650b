"""Go modules and workspaces, and the folders that module paths map to."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.tree_paths import folder_of, nearest, relative_path_in_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project

_WORDS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|`[^`\n]*+`?|//.*+|=>|[()]|[^\s()"`]++')

# A longer line is not written by people.
_MAX_LINE_LENGTH = 2048


class GoModule(NamedTuple):
    """A go.mod: its module path, and the folders that `replace` gives for other module paths."""

    folder: str
    path: str
    replacements: dict[str, str]


class GoModules:
    """The go.mod and go.work files of a tree."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._module_of: dict[str, GoModule | None] = {}

    @cached_property
    def by_folder(self) -> dict[str, GoModule]:
        """The modules by folder."""
        modules = {}
        for file in self._project.by_name.get("go.mod", ()):
            folder = folder_of(self._project.paths[file])
            path = ""
            replacements: dict[str, str] = {}
            for verb, words in _directives(self._project.text(self._project.paths[file]) or ""):
                if verb == "module" and words:
                    path = words[0]
                elif verb == "replace":
                    replacements.update(_local_replacement(folder, words))
            modules[folder] = GoModule(folder, path, replacements)
        return modules

    @cached_property
    def workspaces(self) -> dict[str, tuple[set[str], dict[str, str]]]:
        """For the folder of each go.work, the folders of its modules and its replacements."""
        workspaces = {}
        for file in self._project.by_name.get("go.work", ()):
            folder = folder_of(self._project.paths[file])
            used: set[str] = set()
            replacements: dict[str, str] = {}
            for verb, words in _directives(self._project.text(self._project.paths[file]) or ""):
                if verb == "use" and words:
                    used.update(local_folders(folder, words[0]))
                elif verb == "replace":
                    replacements.update(_local_replacement(folder, words))
            workspaces[folder] = (used, replacements)
        return workspaces

    @cached_property
    def by_path(self) -> dict[str, list[str]]:
        """The folders of the modules by module path."""
        folders: dict[str, list[str]] = {}
        for folder, module in self.by_folder.items():
            if module.path:
                folders.setdefault(module.path, []).append(folder)
        return folders

    def module_of(self, folder: str) -> GoModule | None:
        """Return the module that a folder belongs to, or None."""
        if folder not in self._module_of:
            module_folder = nearest(folder, self.by_folder)
            module = None if module_folder is None else self.by_folder[module_folder]
            self._module_of[folder] = module
        return self._module_of[folder]

    def module_roots(self, module: GoModule) -> dict[str, str]:
        """Return the folders of the modules that a module can import, by module path.

        These come from its replacements and its workspace; the module itself is among them only as
        a member of a workspace.
        """
        used, replacements = self.workspaces.get(self.workspace_folder(module), (set(), {}))
        members = [self.by_folder[folder] for folder in used if folder in self.by_folder]
        roots = dict(module.replacements)
        if module in members:
            for other in members:
                roots.update(other.replacements)
            roots.update(replacements)
            roots.update((other.path, other.folder) for other in members)
        roots.pop("", None)
        return roots

    def workspace_folder(self, module: GoModule) -> str:
        """Return the folder of the workspace of a module; without one, that of the module."""
        folder = nearest(module.folder, self.workspaces)
        if folder is not None and module.folder in self.workspaces[folder][0]:
            return folder
        return module.folder


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the verb and the words of each directive, one for each line of a block."""
    block = ""
    for line in text.splitlines():
        words = [
            word.strip('"`')
            for word in _WORDS.findall(line[:_MAX_LINE_LENGTH])
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


def local_folders(folder: str, path: str) -> list[str]:
    """Return the folder that a path in a settings file names, or nothing if it is outside."""
    target = relative_path_in_tree(folder, path)
    return [] if target is None else [target]


def _local_replacement(folder: str, words: list[str]) -> list[tuple[str, str]]:
    """Return the module path and the folder of a replacement by a local module."""
    if "=>" not in words[1:-1]:
        return []
    target = words[words.index("=>") + 1]
    if not target.startswith(("./", "../")) and target not in (".", ".."):
        return []
    return [(words[0], local) for local in local_folders(folder, target)]
