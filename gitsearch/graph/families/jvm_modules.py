"""The modules of a JVM project, and the source sets in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.graph.families.qualified import shared_folders
from gitsearch.graph.project import NOWHERE, Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.graph.project import Project

# Each module of Gradle and Maven has one of these, or lies in a folder with `src` directly in it.
BUILD_FILES = ("build.gradle.kts", "build.gradle", "pom.xml", "module.yaml")

# src/commonMain/, or common/src/: what is compiled for all platforms, or for one of them.
_SOURCE_SET = re.compile(r"src/(\w+?)(?:Main|Test)/|(\w+)/(?:src|test)/(?!main/|test/)")


class Modules:
    """Which module the files belong to, and which of several files that makes likely."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        self._number = project.number
        self._built: dict[str, str] = {}
        self._sets: dict[str, tuple[str, str]] = {}

    def meant(self, file: int, candidates: Sequence[int]) -> Found:
        """Of several files that declare one name, those of the module of the file that uses it.

        Several in one folder are all meant: a function may have a form in each.
        """
        if len(candidates) < 2:
            return Found(tuple(candidates)) if candidates else NOWHERE
        near = self._forms(file, candidates)
        if near:
            return Found(tuple(near))
        path, paths = self._paths[file], self._paths
        home = [one for one in candidates if path.startswith(self._module(paths[one]))]
        shared = {one: shared_folders(path, paths[one]) for one in home}
        best = max(shared.values(), default=0)
        near = [one for one in home if shared[one] == best] or list(candidates)
        folders = {paths[one].rpartition("/")[0] for one in near}
        return Found(tuple(near)) if len(folders) == 1 else Found(ambiguous=tuple(near))

    def visible(self, file: int, candidates: list[int]) -> list[int]:
        """Those of some files that one can see: what is common sees nothing of one platform."""
        module, name = self._source_set(self._paths[file])
        if name != "common":
            return candidates
        seen = ((module, "common"), (module, ""))
        sets = [self._source_set(self._paths[one]) for one in candidates]
        pairs = zip(candidates, sets, strict=True)
        return [one for one, found in pairs if found[0] != module or found in seen]

    def _forms(self, file: int, candidates: Sequence[int]) -> list[int]:
        """Of the forms that a name has for the platforms of one module, those a file sees.

        These are the common one and that of its own platform.
        """
        sets = [self._source_set(self._paths[one]) for one in candidates]
        if len({module for module, _ in sets}) > 1 or "common" not in {name for _, name in sets}:
            return []
        seen = {"common", self._source_set(self._paths[file])[1]}
        pairs = zip(candidates, sets, strict=True)
        return [one for one, (_, name) in pairs if name in seen]

    def _module(self, path: str) -> str:
        """The folder of the module of a file, with a slash behind it."""
        module, name = self._source_set(path)
        if name:
            return module
        head, found, _ = path.rpartition("/src/")
        return max(module, f"{head}/" if found else "", key=len)

    def _source_set(self, path: str) -> tuple[str, str]:
        """The folder with the build file, and the name of the source set or ""."""
        folder = path.rpartition("/")[0]
        if folder not in self._sets:
            module = self._build_folder(folder)
            found = _SOURCE_SET.match(path, len(module))
            self._sets[folder] = (module, (found[1] or found[2]) if found else "")
        return self._sets[folder]

    def _build_folder(self, folder: str) -> str:
        """The nearest folder, this one or above, with a build file, with a slash behind it."""
        passed = []
        while folder and folder not in self._built:
            passed.append(folder)
            if any(f"{folder}/{name}" in self._number for name in BUILD_FILES):
                break
            folder = folder.rpartition("/")[0]
        found = self._built.get(folder, f"{folder}/" if folder else "")
        for one in passed:
            self._built[one] = found
        return found
