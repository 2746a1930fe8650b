"""Shell scripts: files that are sourced, and files that tests of bats load.

A path that starts with an expansion (`"$DIR/x.sh"`) resolves to the files with the rest as path
suffix. An expansion that can only be the script's own folder (`$(dirname "$0")`) is taken for it.
"""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.candidates import (
    MAX_CANDIDATES,
    TOO_MANY,
    PathSuffixes,
    nearest_candidates,
    one_of,
)
from gitsearch.graph.resolvers.tables import grouped_sets, imports_of_kind, memoized
from gitsearch.graph.tree_paths import enclosing_folders, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_COMPUTED = Resolution(unresolved="computed-path")
# The first expansion of a path; a command may hold others, some levels deep.
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w++)([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\})")
_COMMAND = re.compile(r"\$\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)|`([^`]*)`")
_DIRNAME = re.compile(r"dirname\b.*+")
_SCRIPT_PATH = re.compile(r"\$0|BASH_SOURCE|\$\{0\}|\$\{\(%\):-%x\}")
_SCRIPT_FOLDER = re.compile(r"(?:\[0\]|\[@\])?%/\*")
_SCRIPT_VARIABLES = frozenset({"0", "BASH_SOURCE"})
_BATS_FOLDER = "BATS_TEST_DIRNAME"
# Variables whose folders are in a home or a system, never in a repository.
_OUTSIDE = {
    *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "TMPDIR"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "HOMEBREW_PREFIX"),
}
# Characters that the shell interprets in a path.
_SPECIAL = re.compile(r"[$`*?\[\]{}<>()|;&]")
# By command: `load` omits the extension, and a library is loaded by its load.bash.
_FILE_SUFFIXES = {"source": ("",), "load": (".bash", ""), "library": ("/load.bash", ".bash")}

_MAX_LENGTH = 1000  # characters of a path that is parsed
_BATS_EXTENSIONS = (".bats", ".bash")


class Bash(Resolver):
    """Resolves the operands of `source`, `.` and `load` of bats."""

    languages = frozenset({"bash"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._suffixes = PathSuffixes(project)

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Return the files that a `source` or `load` command names."""
        path = self.project.paths[file]
        if imported.kind != "source" and not path.endswith(_BATS_EXTENSIONS):
            return EXTERNAL
        return self._resolve_path(folder_of(path), imported.kind, imported.specifier)

    def depends_on(self) -> Iterator[str]:
        """Yield all paths, as any file may be sourced, and the folders that variables hold."""
        yield from self.project.paths
        for name, roots in sorted(self._folders_of_variables.items()):
            yield "\n".join([name, *sorted(roots)])

    @memoized
    def _resolve_path(self, folder: str, kind: str, specifier: str) -> Resolution:
        expansion, rest = _split(specifier)
        if rest is None:
            return _COMPUTED
        for suffix in _FILE_SUFFIXES[kind]:
            path = rest + suffix
            if expansion == "." or (expansion == "" and kind == "load"):
                resolution = self._relative(folder, path)
            elif expansion == "" and kind == "source":
                resolution = self._from_working_folder(folder, path)
            else:
                resolution = self._by_suffix(folder, expansion, path)
            if resolution != EXTERNAL:
                return resolution
        return EXTERNAL

    def _relative(self, folder: str, path: str) -> Resolution:
        number = self.project.number.get(posixpath.normpath(posixpath.join(folder, path)))
        return EXTERNAL if number is None else Resolution(resolved=(number,))

    def _from_working_folder(self, folder: str, path: str) -> Resolution:
        """Resolve a plain path against the script's folder and its ancestors."""
        if path.startswith(("/", "~")):
            return EXTERNAL
        for ancestor in enclosing_folders(folder):
            if (resolution := self._relative(ancestor, path)) != EXTERNAL:
                return resolution
        return self._by_suffix(folder, "", path) if "/" in path and ".." not in path else EXTERNAL

    def _by_suffix(self, folder: str, variable: str, path: str) -> Resolution:
        """Return the files with a path suffix; of several, those below the variable's folders."""
        suffix = posixpath.normpath(path.lstrip("/"))
        while suffix.startswith("../"):
            suffix = suffix[3:]
        candidates = self._suffixes.ending(suffix)
        if len(candidates) > MAX_CANDIDATES:
            return TOO_MANY
        folders = self._folders_of_variables.get(variable, set())
        preferred = [file for file in candidates if file.root in folders] or candidates
        return one_of([near.number for near in nearest_candidates(folder, preferred, {})])

    @cached_property
    def _folders_of_variables(self) -> dict[str, set[str]]:
        """The folders that each variable holds, from the imports that only one file can match."""
        specifiers = {
            imported.specifier
            for _, imported in imports_of_kind(self.project, self.languages, "source")
        }
        return grouped_sets(
            (variable, files[0].root)
            for variable, rest in map(_split, specifiers)
            if variable not in ("", ".")
            and rest
            and ".." not in rest
            and len(files := self._suffixes.ending(posixpath.normpath(rest.lstrip("/")))) == 1
        )


def _split(specifier: str) -> tuple[str, str | None]:
    """Split a path into its leading expansion and the rest, None if the rest is not literal.

    The expansion is "" for none, "." for the folder of the script, "$" for a command, else the
    name of a variable.
    """
    if len(specifier) > _MAX_LENGTH:
        return "", None
    text = specifier.replace('"', "").replace("'", "").replace("\\", "")
    expansion, end = _expansion(text)
    if expansion in _OUTSIDE:
        return "", "/"
    rest = text[end:]
    while expansion:  # one may follow another: $ROOT/$LIB/x.sh
        if not rest.startswith("/"):
            return expansion, None
        rest = rest.lstrip("/")
        next_expansion, end = _expansion(rest)
        if not next_expansion:
            break
        expansion, rest = next_expansion, rest[end:]
    return expansion, rest if rest and not _SPECIAL.search(rest) else None


def _expansion(text: str) -> tuple[str, int]:
    """Return the expansion that a text starts with, as `_split` names it, and its end offset."""
    variable = _VARIABLE.match(text)
    if variable:
        name, rest = variable[1] or variable[2], variable[3] or ""
        is_folder = name in _SCRIPT_VARIABLES and _SCRIPT_FOLDER.fullmatch(rest)
        return "." if is_folder or name == _BATS_FOLDER else name, variable.end()
    command = _COMMAND.match(text)
    if command:
        inner = command[1] or command[2] or ""
        goes_up = ".." in inner or inner.count("dirname") > 1
        dirname = _DIRNAME.search(inner)
        is_script_folder = dirname and _SCRIPT_PATH.search(dirname[0]) and not goes_up
        return "." if is_script_folder else "$", command.end()
    return "", 0
