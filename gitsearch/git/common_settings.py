"""The settings of many repositories, read by two processes of git instead of one for each.

Most of what git says of one repository it says of all: the settings of the system, of the user and
of the command line. The files of the repositories themselves are read as if one included them all,
and git tells which file each setting is from.
"""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.git.repo import (
    APART,
    DROPPED,
    SETTINGS,
    Running,
    environment,
    spawn,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.repo import Repo

# Settings come in the order of these scopes; a repository's own are between the two.
_BEFORE, _AFTER = ("system", "global"), ("command",)
_OWN = ("local", "worktree")

# Escapes within a quoted value of a file with settings.
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class CommonSettings:
    """The settings that all repositories have: those before their own, and those after."""

    def __init__(self) -> None:
        """Let git read them."""
        self._before: list[str] = []
        self._after: list[str] = []
        self._reading = _started("config", "-z", "--show-scope", "--get-regexp", SETTINGS)

    @cached_property
    def are_the_same(self) -> bool:
        """True if no setting depends on the repository in which it is read."""
        try:
            parts = _parts(self._reading, b"")
        except SearchError:
            return False
        for scope, setting in parts:
            if scope in _BEFORE or scope in _AFTER:
                (self._before if scope in _BEFORE else self._after).append(setting)
            elif scope not in _OWN:
                return False
        return not any(one.startswith("includeif.") for one in (*self._before, *self._after))

    @property
    def alone(self) -> dict[str, list[str]] | None:
        """All settings where there is no repository; None where git must be asked."""
        return values_of([*self._before, *self._after]) if self.are_the_same else None

    def of(self, repos: Sequence[Repo]) -> list[dict[str, list[str]] | None]:
        """Return all settings of each repository as `repo.config`; None where git must be asked.

        It must where its own settings include others, or belong to one of its worktrees.
        """
        none: list[dict[str, list[str]] | None] = [None] * len(repos)
        if not self.are_the_same:
            return none
        files = [f"{repo.common_dir}/config" for repo in repos]
        # worktrees of one repository share a file
        paths = (file.translate(_ESCAPES) for file in dict.fromkeys(files))
        included = "".join(f'[include]\npath="{path}"\n' for path in paths)
        source = ("--file", "-", "--includes", "--show-origin")
        own = defaultdict(list)
        try:
            reading = _started("config", "-z", *source, "--get-regexp", SETTINGS)
            for origin, setting in _parts(reading, os.fsencode(included)):
                own[origin].append(setting)
        except SearchError:
            return none
        each = zip(files, repos, strict=True)
        return [self._around(own[f"file:{file}"], repo) for file, repo in each]

    def _around(self, own: list[str], repo: Repo) -> dict[str, list[str]] | None:
        if any(setting.startswith("include") for setting in own):
            return None
        if os.path.lexists(f"{repo.git_dir}/config.worktree"):
            return None
        return values_of([*self._before, *own, *self._after])


def _started(*args: str) -> Running:
    env = environment(APART | DROPPED)
    return Running(spawn(("git", *args), Path("/"), env, stdin=True, stderr=True), args, (0, 1))


def _parts(reading: Running, stdin: bytes) -> Iterator[tuple[str, str]]:
    """The settings that git prints, each behind where it is from. Raises SearchError."""
    printed = os.fsdecode(reading.result(stdin)).split("\0")[:-1]
    return zip(printed[::2], printed[1::2], strict=True)
