"""Modules of a JVM project, and the source sets in them."""

from __future__ import annotations

import re
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.tree_paths import enclosing_folders, folder_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.graph.project import Project

# Each Gradle or Maven module has one of these files, or a folder `src` directly in its folder.
BUILD_FILES = ("build.gradle.kts", "build.gradle", "pom.xml", "module.yaml")

# src/commonMain/, or common/src/: sources that are compiled for all platforms, or for one.
_SOURCE_SET = re.compile(r"src/(\w+?)(?:Main|Test)/|(\w+)/(?:src|test)/(?!main/|test/)")


class CandidateGroups(NamedTuple):
    """Several files that declare one name.

    by_source_set: those of a single module by source set; below: by each of their enclosing
    folders; default: the resolution for a file with no candidate in its own module.
    """

    candidates: Sequence[int]
    by_source_set: dict[str, list[int]]
    modules: set[str]
    below: dict[str, list[int]]
    default: Resolution


class JvmModules:
    """The module of each file, and the choice among files of several modules."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        self._number = project.number
        self._build_folders: dict[str, str] = {}
        # By the identity of the list of candidates, which the value keeps alive.
        self._groups: dict[int, CandidateGroups] = {}
        self._source_sets: dict[str, tuple[str, str]] = {}

    def choose(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Choose among several files that declare one name: those of the module of the importer.

        Several in one folder are all resolved: a function may have an overload in each.
        """
        if len(candidates) < 2:
            return Resolution(tuple(candidates)) if candidates else EXTERNAL
        if id(candidates) not in self._groups:
            self._groups[id(candidates)] = self._group(candidates)
        groups = self._groups[id(candidates)]
        path = self._paths[file]
        if "common" in groups.by_source_set:
            visible = {"common", self._source_set(path)[1]}
            return Resolution(
                tuple(
                    other
                    for name in sorted(visible)
                    for other in groups.by_source_set.get(name, ())
                )
            )
        ancestors = [*enclosing_folders(folder_of(path))]
        in_module = any(ancestor in groups.modules for ancestor in ancestors)
        for ancestor in ancestors if in_module else ():
            same_module = [
                other
                for other in groups.below.get(ancestor, ())
                if path.startswith(self._module_folder(self._paths[other]))
            ]
            if same_module:
                return self._same_folder(same_module)
        return groups.default

    def _group(self, candidates: Sequence[int]) -> CandidateGroups:
        source_sets = [self._source_set(self._paths[file]) for file in candidates]
        by_source_set: dict[str, list[int]] = {}
        for file, (_, name) in zip(candidates, source_sets, strict=True):
            by_source_set.setdefault(name, []).append(file)
        below: dict[str, list[int]] = {}
        for file in candidates:
            for folder in enclosing_folders(folder_of(self._paths[file])):
                below.setdefault(folder, []).append(file)
        return CandidateGroups(
            candidates,
            by_source_set if len({module for module, _ in source_sets}) == 1 else {},
            {self._module_folder(self._paths[file]).removesuffix("/") for file in candidates},
            below,
            self._same_folder(list(candidates)),
        )

    def _same_folder(self, files: list[int]) -> Resolution:
        """Return the files as resolved if they are in one folder, as ambiguous otherwise."""
        folders = {folder_of(self._paths[file]) for file in files}
        if len(folders) == 1:
            return Resolution(tuple(files))
        return Resolution(ambiguous=tuple(files))

    def visible(self, file: int, candidates: list[int]) -> list[int]:
        """Return the candidates that a file can see: common code sees no platform's source set."""
        module, source_set = self._source_set(self._paths[file])
        if source_set != "common":
            return candidates
        allowed = ((module, "common"), (module, ""))
        source_sets = [self._source_set(self._paths[candidate]) for candidate in candidates]
        visible = [other[0] != module or other in allowed for other in source_sets]
        return candidates if all(visible) else list(compress(candidates, visible))

    def _module_folder(self, path: str) -> str:
        """Return the folder of the module of a file, with a trailing slash."""
        module, source_set = self._source_set(path)
        if source_set:
            return module
        head, separator, _ = path.rpartition("/src/")
        return max(module, f"{head}/" if separator else "", key=len)

    def _source_set(self, path: str) -> tuple[str, str]:
        """Return the folder of the build file, and the name of the source set or ""."""
        folder = folder_of(path)
        if folder not in self._source_sets:
            module = self._build_folder(folder)
            match = _SOURCE_SET.match(path, len(module))
            self._source_sets[folder] = (module, (match[1] or match[2]) if match else "")
        return self._source_sets[folder]

    def _build_folder(self, folder: str) -> str:
        """Return the nearest enclosing folder with a build file, with a trailing slash, or ""."""
        descendants = []
        while folder and folder not in self._build_folders:
            descendants.append(folder)
            if any(f"{folder}/{name}" in self._number for name in BUILD_FILES):
                break
            folder = folder_of(folder)
        build_folder = self._build_folders.get(folder, f"{folder}/" if folder else "")
        for descendant in descendants:
            self._build_folders[descendant] = build_folder
        return build_folder
