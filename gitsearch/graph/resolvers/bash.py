"""Shell scripts: files that are sourced, and what tests of bats load.

A path that starts with an expansion (`"$DIR/x.sh"`) leads to the file that ends like it. An
expansion that can only be the script's own folder (`$(dirname "$0")`) is taken for it.
"""

from __future__ import annotations

import posixpath
import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch.graph.project import EXTERNAL, Resolution, Resolver
from gitsearch.graph.resolvers.nearest_path import MANY, TOO_MANY, PathSuffixes, above, narrowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.graph.project import Project
    from gitsearch.records import Import

_COMPUTED = Resolution(unseen="computed-path")

# The first expansion of a path; a command may hold others, some levels deep.
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w++)([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\})")
_COMMAND = re.compile(r"\$\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)|`([^`]*)`")
_DIRNAME = re.compile(r"dirname\b.*+")
_OWN_PATH = re.compile(r"\$0|BASH_SOURCE|\$\{0\}|\$\{\(%\):-%x\}")
_OWN_REST = re.compile(r"(?:\[0\]|\[@\])?%/\*")
_OWN_NAMES = frozenset({"0", "BASH_SOURCE"})
_TESTS_FOLDER = "BATS_TEST_DIRNAME"

# What lies in a home or a system, not in a repository.
_OUTSIDE = frozenset(
    {
        *("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR", "TMPDIR"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "HOMEBREW_PREFIX"),
    }
)

# What stands for more than itself in a path.
_SPECIAL = re.compile(r"[$`*?\[\]{}<>()|;&]")

_LONGEST = 1000  # characters of a path that is looked at
_TESTS = (".bats", ".bash")


class Bash(Resolver):
    """Resolves what `source`, `.` and `load` of bats name."""

    languages = frozenset({"bash"})

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._endings = PathSuffixes(project)
        self._kept: dict[tuple[str, str, str], Resolution] = {}

    def resolve(self, file: int, imported: Import) -> Resolution:
        """Where an import of a file leads."""
        path = self.project.paths[file]
        if imported.kind != "source" and not path.endswith(_TESTS):
            return EXTERNAL
        folder = path.rpartition("/")[0]
        key = (folder, imported.kind, imported.specifier)
        if key not in self._kept:
            self._kept[key] = self._find(*key)
        return self._kept[key]

    def depends_on(self) -> Iterator[str]:
        """All paths: any file may be sourced; and the folders that variables stand for."""
        yield from self.project.paths
        for name, roots in sorted(self._meant.items()):
            yield "\n".join([name, *sorted(roots)])

    def _find(self, folder: str, kind: str, specifier: str) -> Resolution:
        start, rest = _parted(specifier)
        if rest is None:
            return _COMPUTED
        # `load` leaves out the ending, a library has one file to load.
        forms = {"source": ("",), "load": (".bash", ""), "library": ("/load.bash", ".bash")}[kind]
        for form in forms:
            path = rest + form
            if start == "." or (start == "" and kind == "load"):
                found = self._at(folder, path)
            elif start == "" and kind == "source":
                found = self._run(folder, path)
            else:
                found = self._somewhere(folder, start, path)
            if found != EXTERNAL:
                return found
        return EXTERNAL

    def _at(self, folder: str, path: str) -> Resolution:
        number = self.project.number.get(posixpath.normpath(posixpath.join(folder, path)))
        return EXTERNAL if number is None else Resolution(resolved=(number,))

    def _run(self, folder: str, path: str) -> Resolution:
        """A plain path starts where the script is run: its folder, or one that that lies in."""
        if path.startswith(("/", "~")):
            return EXTERNAL
        for place in above(folder):
            found = self._at(place, path)
            if found != EXTERNAL:
                return found
        return self._somewhere(folder, "", path) if "/" in path and ".." not in path else EXTERNAL

    def _somewhere(self, folder: str, name: str, path: str) -> Resolution:
        """The files that end like a path; where several do, those where the variable leads."""
        end = posixpath.normpath(path.lstrip("/"))
        while end.startswith("../"):
            end = end[3:]
        candidates = self._endings.ending(end)
        if len(candidates) > MANY:
            return TOO_MANY
        meant = self._meant.get(name, set())
        chosen = [one for one in candidates if one.root in meant] or candidates
        numbers = tuple(one.number for one in narrowed(folder, chosen, {}))
        return Resolution(resolved=numbers) if len(numbers) == 1 else Resolution(ambiguous=numbers)

    @cached_property
    def _meant(self) -> dict[str, set[str]]:
        """The folders that variables stand for, where only one file ends like what follows."""
        found: dict[str, set[str]] = {}
        seen = set()
        for file in self.project.of(self.languages):
            for imported in self.project.facts(file).imports:
                if imported.kind == "source" and imported.specifier not in seen:
                    seen.add(imported.specifier)
                    name, rest = _parted(imported.specifier)
                    if name not in ("", ".") and rest and ".." not in rest:
                        only = self._endings.ending(posixpath.normpath(rest.lstrip("/")))
                        if len(only) == 1:
                            found.setdefault(name, set()).add(only[0].root)
        return found


def _parted(specifier: str) -> tuple[str, str | None]:
    """What a path starts with, and the rest, None where it cannot be told.

    The start is "" for nothing, "." for the folder of the script, else the name of a variable, or
    "$" for a command.
    """
    if len(specifier) > _LONGEST:
        return "", None
    text = specifier.replace('"', "").replace("'", "").replace("\\", "")
    start, end = _expansion(text)
    if start in _OUTSIDE:
        return "", "/"
    rest = text[end:]
    while start:  # one may follow another: $ROOT/$LIB/x.sh
        if not rest.startswith("/"):
            return start, None
        rest = rest.lstrip("/")
        following, end = _expansion(rest)
        if not following:
            break
        start, rest = following, rest[end:]
    return start, rest if rest and not _SPECIAL.search(rest) else None


def _expansion(text: str) -> tuple[str, int]:
    """What a text starts with, as `_parted` names it, and where that ends."""
    variable = _VARIABLE.match(text)
    if variable:
        name, rest = variable[1] or variable[2], variable[3] or ""
        own = (name in _OWN_NAMES and _OWN_REST.fullmatch(rest)) or name == _TESTS_FOLDER
        return "." if own else name, variable.end()
    command = _COMMAND.match(text)
    if command:
        inner = command[1] or command[2] or ""
        above_it = ".." in inner or inner.count("dirname") > 1
        dirname = _DIRNAME.search(inner)
        own_command = dirname and _OWN_PATH.search(dirname[0]) and not above_it
        return "." if own_command else "$", command.end()
    return "", 0
