"""Folders that includes start from, as the includes of a tree tell them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.c_system_headers import of_system
from gitsearch.graph.resolvers.nearest_path import Candidate, PathSuffixes, ends, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project

# What the build makes a header from: `config.h.in` stands for a `config.h` that is in no tree.
_TEMPLATE = re.compile(
    r"(.+\.(?:h|hh|hpp|hxx|inc|def|c|cc|cpp))[._-]?"
    r"(?:in|cmake|cmake\.in|in\.cmake|cmakein|meson|meson\.in|tmpl|template|tpl|gn|gyp)"
)
GENERATED = -1  # the number of such a file
# And what settings of a build name as made by it.
SETTINGS = frozenset({"CMakeLists.txt", "configure.ac", "configure.in", "meson.build"})
_AUTOCONF = re.compile(r"\b(?:AC_CONFIG_HEADERS?|AM_CONFIG_HEADER)\(([^()]{1,2000})")
_CONFIGURE_FILE = re.compile(r"\bconfigure_file\s*\(([^()]{1,2000})")
_MADE = re.compile(
    r"""(?:(?<=[\s\["'}])|^)/?((?:[\w-]+/)*[\w-]+\.(?:h|hh|hpp|hxx|inc))(?=[\s\]"',:]|$)"""
)

# Folders that are there to include from, whoever does.
_NAMED = frozenset({"include", "inc", "includes", "headers", "src", "lib", "public", ""})


class Include(NamedTuple):
    """An include as written: its path, and whether in quotes."""

    path: str
    quoted: bool


@lru_cache(1 << 14)
def written(specifier: str) -> Include | None:
    """What a specifier says; None for a path of one machine."""
    angled = specifier.startswith("<")
    # Where an include stands among other things, what stands behind it may come with it.
    end = specifier.find(">" if angled else '"', 1)
    path = (specifier if end < 0 else specifier[:end]).strip('<"')
    path = posixpath.normpath(path.strip().replace("\\", "/"))
    if path.startswith("/") or path.endswith("..") or path == "." or ":" in path[:2]:
        return None
    return Include(path, not angled)


class Roots:
    """Which folders the files of which folders include from."""

    def __init__(self, project: Project, files: Iterable[int]) -> None:
        self._project = project
        self._endings = PathSuffixes(project)
        self._candidates: dict[str, tuple[Candidate, ...]] = {}
        # The folders that files of a folder need: some include leads nowhere else.
        self.needs: dict[str, set[str]] = {}
        # Folders that several includes in angles can only start from.
        self.known: set[str] = set()
        self._learn(files)

    @cached_property
    def generated(self) -> set[str]:
        """Paths of headers that the build makes of a file of the tree."""
        found = (_TEMPLATE.fullmatch(path) for path in self._project.paths)
        made = {one[1] for one in found if one}
        for name in SETTINGS:
            for file in self._project.by_name.get(name, ()):
                path = self._project.paths[file]
                made.update(_made(path.rpartition("/")[0], self._project.text(path) or ""))
        return made - self._project.number.keys()

    @cached_property
    def _generated_by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self.generated):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def within(self) -> dict[str, set[str]]:
        """The folders that files anywhere below a folder need."""
        return spread(self.needs)

    def is_known(self, root: str) -> bool:
        """Whether an include in angles can be taken to start from a folder, wherever it stands."""
        return root in self.known or root.rpartition("/")[2] in _NAMED

    def at(self, folder: str, path: str) -> int | None:
        """The file at a path from a folder: its number, GENERATED, or None."""
        joined = f"{folder}/{path}" if folder else path
        if path.startswith("../"):
            joined = posixpath.normpath(joined)
        number = self._project.number.get(joined)
        if number is None and joined in self.generated:
            return GENERATED
        return number

    def candidates(self, path: str) -> tuple[Candidate, ...]:
        """Every file that an include of a path may mean, whatever folder it starts from."""
        if path not in self._candidates:
            self._candidates[path] = tuple(self._ending(path))
        return self._candidates[path]

    def _ending(self, path: str) -> Iterator[Candidate]:
        yield from self._endings.ending(path)
        for other in self._generated_by_name.get(path.rpartition("/")[2], ()):
            if ends(other, path):
                yield Candidate(other[: -len(path) - 1], GENERATED)

    def _learn(self, files: Iterable[int]) -> None:
        """Take what only one file can be meant by for a proof that its folder is included from."""
        angled: dict[str, set[str]] = {}  # folders by specifier
        for folder, include in self._includes(files):
            if include.quoted:
                found = self.candidates(include.path)
                if len(found) == 1 and self.at(folder, include.path) is None:
                    self.needs.setdefault(folder, set()).add(found[0].root)
            elif not of_system(include.path):
                angled.setdefault(include.path, set()).add(folder)
        every = {path: self.candidates(path) for path in angled}
        only = {path: found[0].root for path, found in every.items() if len(found) == 1}
        self.known = {root for root, times in Counter(only.values()).items() if times > 1}
        for path, root in only.items():
            if self.is_known(root):
                for folder in angled[path]:
                    self.needs.setdefault(folder, set()).add(root)

    def _includes(self, files: Iterable[int]) -> Iterator[tuple[str, Include]]:
        """Every include, once for the files of a folder."""
        seen = set()
        for file in files:
            folder = self._project.paths[file].rpartition("/")[0]
            for imported in self._project.facts(file).imports:
                key = (folder, imported.specifier)
                if imported.kind == "include" and key not in seen:
                    seen.add(key)
                    include = written(imported.specifier)
                    if include:
                        yield folder, include


def _made(folder: str, text: str) -> Iterator[str]:
    """Headers that a file of settings names as made by the build."""
    for pattern in (_AUTOCONF, _CONFIGURE_FILE):
        for call in pattern.finditer(text):
            for name in _MADE.findall(call[1]):
                yield posixpath.join(folder, name)
