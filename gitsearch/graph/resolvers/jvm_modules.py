"""The modules of a JVM project, and the source sets in them."""

from __future__ import annotations

import re
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.project import EXTERNAL, Resolution
from gitsearch.graph.resolvers.qualified_names import above

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.graph.project import Project

# Each module of Gradle and Maven has one of these, or lies in a folder with `src` directly in it.
BUILD_FILES = ("build.gradle.kts", "build.gradle", "pom.xml", "module.yaml")

# src/commonMain/, or common/src/: what is compiled for all platforms, or for one of them.
_SOURCE_SET = re.compile(r"src/(\w+?)(?:Main|Test)/|(\w+)/(?:src|test)/(?!main/|test/)")


class Choice(NamedTuple):
    """Several files that declare one name.

    forms: those of one module by source set; below: by every folder above them; undecided: what
    holds for a file that none of them is near to.
    """

    candidates: Sequence[int]
    forms: dict[str, list[int]]
    modules: set[str]
    below: dict[str, list[int]]
    undecided: Resolution


class JvmModules:
    """Which module the files belong to, and which of several files that makes likely."""

    def __init__(self, project: Project) -> None:
        self._paths = project.paths
        self._number = project.number
        self._built: dict[str, str] = {}
        # By the identity of the list that is chosen from, which a choice keeps alive.
        self._choices: dict[int, Choice] = {}
        self._sets: dict[str, tuple[str, str]] = {}

    def meant(self, file: int, candidates: Sequence[int]) -> Resolution:
        """Of several files that declare one name, those of the module of the file that uses it.

        Several in one folder are all meant: a function may have a form in each.
        """
        if len(candidates) < 2:
            return Resolution(tuple(candidates)) if candidates else EXTERNAL
        if id(candidates) not in self._choices:
            self._choices[id(candidates)] = self._choice(candidates)
        choice = self._choices[id(candidates)]
        path = self._paths[file]
        if "common" in choice.forms:
            seen = {"common", self._source_set(path)[1]}
            return Resolution(
                tuple(one for name in sorted(seen) for one in choice.forms.get(name, ()))
            )
        home = [one for one in above(path) if one in choice.modules]
        for folder in above(path) if home else ():
            near = [
                one
                for one in choice.below.get(folder, ())
                if path.startswith(self._module(self._paths[one]))
            ]
            if near:
                return self._together(near)
        return choice.undecided

    def _choice(self, candidates: Sequence[int]) -> Choice:
        sets = [self._source_set(self._paths[one]) for one in candidates]
        forms: dict[str, list[int]] = {}
        for one, (_, name) in zip(candidates, sets, strict=True):
            forms.setdefault(name, []).append(one)
        below: dict[str, list[int]] = {}
        for one in candidates:
            for folder in above(self._paths[one]):
                below.setdefault(folder, []).append(one)
        return Choice(
            candidates,
            forms if len({module for module, _ in sets}) == 1 else {},
            {self._module(self._paths[one]).removesuffix("/") for one in candidates},
            below,
            self._together(list(candidates)),
        )

    def _together(self, files: list[int]) -> Resolution:
        folders = {self._paths[one].rpartition("/")[0] for one in files}
        return (
            Resolution(tuple(files)) if len(folders) == 1 else Resolution(ambiguous=tuple(files))
        )

    def visible(self, file: int, candidates: list[int]) -> list[int]:
        """Those of some files that one can see: what is common sees nothing of one platform."""
        module, name = self._source_set(self._paths[file])
        if name != "common":
            return candidates
        seen = ((module, "common"), (module, ""))
        sets = [self._source_set(self._paths[one]) for one in candidates]
        kept = [one[0] != module or one in seen for one in sets]
        return candidates if all(kept) else list(compress(candidates, kept))

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
