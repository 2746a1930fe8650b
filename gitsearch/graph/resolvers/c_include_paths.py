"""The include paths of a tree, inferred from its includes."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.graph.resolvers.c_system_headers import is_system_header
from gitsearch.graph.resolvers.nearest_path import (
    Candidate,
    PathSuffixes,
    has_suffix,
    needs_below,
)
from gitsearch.graph.tree_paths import folder_of, joined, normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.graph.project import Project

# Templates of headers: from `config.h.in` the build generates a `config.h` that is in no tree.
_TEMPLATE = re.compile(
    r"(.+\.(?:h|hh|hpp|hxx|inc|def|c|cc|cpp))[._-]?"
    r"(?:in|cmake|cmake\.in|in\.cmake|cmakein|meson|meson\.in|tmpl|template|tpl|gn|gyp)"
)
GENERATED = -1  # the file number of a generated header
# Build settings that name the headers which the build generates.
SETTINGS = frozenset({"CMakeLists.txt", "configure.ac", "configure.in", "meson.build"})
_AUTOCONF = re.compile(r"\b(?:AC_CONFIG_HEADERS?|AM_CONFIG_HEADER)\(([^()]{1,2000})")
_CONFIGURE_FILE = re.compile(r"\bconfigure_file\s*\(([^()]{1,2000})")
_HEADER_PATH = re.compile(
    r"""(?:(?<=[\s\["'}])|^)/?((?:[\w-]+/)*[\w-]+\.(?:h|hh|hpp|hxx|inc))(?=[\s\]"',:]|$)"""
)

# Names of folders that are conventionally on the include path.
_CONVENTIONAL = frozenset({"include", "inc", "includes", "headers", "src", "lib", "public", ""})


class Include(NamedTuple):
    """The path of an include directive; `quoted` if it is in quotes, not in angle brackets."""

    path: str
    quoted: bool


@lru_cache(1 << 14)
def parse_include(specifier: str) -> Include | None:
    """Parse the operand of an include; return None for a path that no repository holds."""
    angled = specifier.startswith("<")
    # The operand may be followed by text of the same line, such as a comment.
    end = specifier.find(">" if angled else '"', 1)
    path = (specifier if end < 0 else specifier[:end]).strip('<"')
    path = posixpath.normpath(path.strip().replace("\\", "/"))
    if path.startswith("/") or path.endswith("..") or path == "." or ":" in path[:2]:
        return None
    return Include(path, not angled)


class IncludePaths:
    """The folders that the files of each folder include from."""

    def __init__(self, project: Project, files: Iterable[int]) -> None:
        self._project = project
        self._suffixes = PathSuffixes(project)
        self._candidates: dict[str, tuple[Candidate, ...]] = {}
        # The folders that files of a folder need: some include can only be resolved from there.
        self.needs: dict[str, set[str]] = {}
        # Folders that are the only candidate for two or more includes in angle brackets.
        self.shared_roots: set[str] = set()
        self._infer(files)

    @cached_property
    def generated(self) -> set[str]:
        """Paths of headers that the build generates from a file of the tree."""
        templates = (_TEMPLATE.fullmatch(path) for path in self._project.paths)
        headers = {template[1] for template in templates if template}
        for name in SETTINGS:
            for file in self._project.by_name.get(name, ()):
                path = self._project.paths[file]
                headers.update(_generated_headers(folder_of(path), self._project.text(path) or ""))
        return headers - self._project.number.keys()

    @cached_property
    def _generated_by_name(self) -> dict[str, list[str]]:
        by_name: dict[str, list[str]] = {}
        for path in sorted(self.generated):
            by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return by_name

    @cached_property
    def needed_below(self) -> dict[str, set[str]]:
        """The folders that files anywhere below a folder need."""
        return needs_below(self.needs)

    def is_include_folder(self, root: str) -> bool:
        """Return True if any file may include from this folder with angle brackets."""
        return root in self.shared_roots or root.rpartition("/")[2] in _CONVENTIONAL

    def at(self, folder: str, path: str) -> int | None:
        """Return the file at a path relative to a folder: its number, GENERATED, or None."""
        target = normalized(folder, path) if path.startswith("../") else joined(folder, path)
        number = self._project.number.get(target)
        if number is None and target in self.generated:
            return GENERATED
        return number

    def candidates(self, path: str) -> tuple[Candidate, ...]:
        """Return every file that an include of a path may mean, from any search folder."""
        if path not in self._candidates:
            self._candidates[path] = tuple(self._search(path))
        return self._candidates[path]

    def _search(self, path: str) -> Iterator[Candidate]:
        yield from self._suffixes.ending(path)
        for other in self._generated_by_name.get(path.rpartition("/")[2], ()):
            if has_suffix(other, path):
                yield Candidate(other[: -len(path) - 1], GENERATED)

    def _infer(self, files: Iterable[int]) -> None:
        """Infer the include path of each folder.

        An include that only one file can match proves that the search folder of that file is on
        the include path of the including folder.
        """
        angled: dict[str, set[str]] = {}  # including folders by specifier
        for folder, include in self._includes(files):
            if include.quoted:
                matches = self.candidates(include.path)
                if len(matches) == 1 and self.at(folder, include.path) is None:
                    self.needs.setdefault(folder, set()).add(matches[0].root)
            elif not is_system_header(include.path):
                angled.setdefault(include.path, set()).add(folder)
        candidates = {path: self.candidates(path) for path in angled}
        unique = {
            path: matches[0].root for path, matches in candidates.items() if len(matches) == 1
        }
        self.shared_roots = {root for root, times in Counter(unique.values()).items() if times > 1}
        for path, root in unique.items():
            if self.is_include_folder(root):
                for folder in angled[path]:
                    self.needs.setdefault(folder, set()).add(root)

    def _includes(self, files: Iterable[int]) -> Iterator[tuple[str, Include]]:
        """Yield every include with its folder, each once for a folder."""
        seen = set()
        for file in files:
            folder = folder_of(self._project.paths[file])
            for imported in self._project.facts(file).imports:
                key = (folder, imported.specifier)
                if imported.kind == "include" and key not in seen:
                    seen.add(key)
                    include = parse_include(imported.specifier)
                    if include:
                        yield folder, include


def _generated_headers(folder: str, text: str) -> Iterator[str]:
    """Yield the paths of headers that a settings file says the build generates."""
    for pattern in (_AUTOCONF, _CONFIGURE_FILE):
        for call in pattern.finditer(text):
            for name in _HEADER_PATH.findall(call[1]):
                yield joined(folder, name)
