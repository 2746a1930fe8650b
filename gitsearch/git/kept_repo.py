"""A repository that stays open from one question to the next, with the git process that reads it.

git finds a repository by the folders above the current one and by what lies in `.git`. As long as
all of that is as it was, so is the repository, and git need not be asked for it again.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gitsearch.errors import SearchError
from gitsearch.git import blobs, regular_file
from gitsearch.git.repo import (
    HEX_SIZE,
    Repo,
    config,
    config_at,
    config_files,
    open_at_head,
    own_attribute_files,
    own_config_files,
    refuse_irregular,
)
from gitsearch.records import Revision

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

_TREE = re.compile(rb"tree ([0-9a-f]{40,64})\n")
_ALGORITHM = {size: name.decode("ascii") for name, size in HEX_SIZE.items()}

_OID = re.compile(rb"[0-9a-f]{40,64}\n")
_BRANCH = re.compile(rb"ref: (refs/heads/[^\0\n]+)\n")
_HEAD_BYTES = 4096

# What git looks at on the way to a repository: the state of each path.
_State = list[tuple[int, ...] | None]

# The content of HEAD, and the state of each file that its commit is read from.
_RefState = tuple[bytes, _State]


# What is looked at of a repository.
_FOUND, _HEAD, _SETTINGS = "found", "HEAD", "settings"


class OwnFiles:
    """The states of the files of the user and the system that git reads, whatever it is asked of.

    Of a question to many repositories they are looked at once.
    """

    def __init__(self) -> None:
        self._known: tuple[_State, _State] | None = None
        self._are_kept = False

    def begin(self) -> None:
        """Begin a question: they are looked at anew, and not again before the next one."""
        self._known, self._are_kept = None, True

    @property
    def settings(self) -> _State:
        """The states of the files with settings."""
        return self._states()[0]

    @property
    def attributes(self) -> _State:
        """The states of the files with attributes."""
        return self._states()[1]

    def _states(self) -> tuple[_State, _State]:
        states = self._known
        if states is None:
            states = _states(own_config_files()), _states(own_attribute_files())
            self._known = states if self._are_kept else None
        return states


def _states(files: Sequence[str]) -> _State:
    return list(map(file_state, files))


class Looks(Protocol):
    """A record of files that were looked at and are known to be unchanged, by names."""

    def begin(self, repo: Repo | None, cwd: Path, /) -> None:
        """Begin a question about a repository that is open, asked from a folder."""

    def holds(self, what: Hashable, /) -> bool:
        """Return True if this was looked at, and is as it was."""

    def looked_at(self, what: Hashable, /) -> None:
        """Note that this was looked at since the question began."""


class NoLooks:
    """Nothing is known to be as it was, so all is looked at."""

    def begin(self, repo: Repo | None, cwd: Path, /) -> None:
        """Begin a question; there is nothing to do."""

    def holds(self, _what: Hashable, /) -> bool:
        """Return False, whatever is asked about."""
        return False

    def looked_at(self, what: Hashable, /) -> None:
        """Take note of nothing."""


class KeptRepo:
    """The repository of the folder that was asked for last."""

    def __init__(self, own_files: OwnFiles | None = None, looks: Looks | None = None) -> None:
        self._own_files = own_files or OwnFiles()
        self._looks = looks or NoLooks()
        self._repo: Repo | None = None
        self._cwd = Path()
        self._state: _State = []
        self._head: tuple[_RefState, Revision] | None = None
        self._config: tuple[_State, dict[str, list[str]]] | None = None
        self._outside: tuple[Path, _State, dict[str, list[str]]] | None = None

    @property
    def is_open(self) -> bool:
        """True if a repository was opened, which will take no process if it is as it was."""
        return self._repo is not None

    def open_at_head(self, cwd: Path, *, apart: bool = False) -> tuple[Repo, Revision | None]:
        """Do what `repo.open_at_head` does; a repository that is unchanged is not opened again.

        Of its processes only the one that reads objects goes on: it reads references anew each
        time, and what an id names never changes. Others remember settings of branches.
        """
        repo = self._repo if self._cwd == cwd else None
        self._looks.begin(repo, cwd)
        if repo is not None and self._is_as_it_was(repo):
            repo.end_idle(but=blobs.CONTENTS)
            head = self._head_of(repo)
            if head is not None:
                return repo, head
        self.close()
        repo, head = open_at_head(cwd, apart=apart)
        # without a working tree the current folder itself may be the repository
        if repo.worktree is not None:
            self._repo, self._cwd, self._state = repo, cwd, list(_state(repo, cwd))
        return repo, head

    def _is_as_it_was(self, repo: Repo) -> bool:
        """Return True if git would find the same repository. Raises NotARepository."""
        if self._looks.holds(_FOUND):
            return True
        if self._state != list(_state(repo, self._cwd)):
            return False
        refuse_irregular(repo.common_dir)
        self._looks.looked_at(_FOUND)
        return True

    def _head_of(self, repo: Repo) -> Revision | None:
        """Return HEAD; git is asked only if a file that it reads for that has changed."""
        if self._head is not None and self._looks.holds(_HEAD):
            return self._head[1]
        state = _ref_state(repo, self._head and self._head[0])
        if self._head is not None and state is not None and self._head[0] == state:
            self._looks.looked_at(_HEAD)
            return self._head[1]
        head = _head(repo)
        self._head = None if head is None or state is None else (state, head)
        return head

    def known_config_at(self, cwd: Path) -> dict[str, list[str]] | None:
        """Return what `config_at` found, if there still is no repository around the folder."""
        if self._outside is not None and self._outside[:2] == (cwd, _outside_state(cwd)):
            return self._outside[2]
        return None

    def config_at(self, cwd: Path) -> dict[str, list[str]]:
        """Do what `repo.config_at` does for a folder outside of any repository."""
        state = _outside_state(cwd)
        values = config_at(cwd)
        including = any(key.startswith("include") for key in values)
        self._outside = None if including else (cwd, state, values)
        return values

    def config(self, repo: Repo) -> dict[str, list[str]]:
        """Do what `repo.config` does; files that are unchanged, and include none, are kept."""
        if self._config is not None and self._looks.holds(_SETTINGS):
            return self._config[1]
        state = [*self._own_files.settings, *map(file_state, config_files(repo))]
        if self._config is not None and self._config[0] == state:
            self._looks.looked_at(_SETTINGS)
            return self._config[1]
        values = config(repo)
        including = any(key.startswith("include") for key in values)
        self._config = None if including else (state, values)
        return values

    @property
    def config_state(self) -> Sequence[object] | None:
        """The states of the files that git reads settings from; None if it may read others.

        One of those that they name, for attributes, counts as one.
        """
        if self._config is None or "core.attributesfile" in self._config[1]:
            return None
        return self._config[0]

    def close(self) -> None:
        """Forget the repository, and end its processes."""
        if self._repo is not None:
            self._repo.end_idle()
        self._repo = None
        self._head = None
        self._config = None


def _state(repo: Repo, cwd: Path) -> Iterator[tuple[int, ...] | None]:
    for folder in (cwd, *cwd.parents):
        yield path_state(f"{folder}/.git")
        if folder == repo.worktree:
            break
    # a few hundred of these belong to one question to many repositories: as texts they are quick
    for own in dict.fromkeys((str(repo.git_dir), str(repo.common_dir))):
        yield path_state(own)
        for file in ("config", "config.worktree", "commondir"):
            yield path_state(f"{own}/{file}")


def _outside_state(cwd: Path) -> _State:
    """Return what changes if there is a repository around a folder, or other settings."""
    # without `.git` a folder is a repository only if it has HEAD
    names = (f"{folder}/{name}" for folder in (cwd, *cwd.parents) for name in (".git", "HEAD"))
    return [*map(path_state, names), *map(file_state, own_config_files())]


def branch_of(repo: Repo) -> str | None:
    """Return the reference that HEAD names, from `refs/heads/` on; None if it names none."""
    try:
        name = _BRANCH.fullmatch(regular_file.read(f"{repo.git_dir}/HEAD", _HEAD_BYTES))
    except OSError:
        return None
    return os.fsdecode(name[1]) if name else None


def _ref_state(repo: Repo, known: _RefState | None) -> _RefState | None:
    """Return what changes if HEAD names another commit; None if git has to tell.

    known: what was returned before; the files of references are read again where that has changed.
    git replaces the files of references as a whole, each time by a new one.
    """
    head = f"{repo.git_dir}/HEAD"
    states = [path_state(head)]
    try:
        text = regular_file.read(head, _HEAD_BYTES)
    except OSError:
        return None
    if _OID.fullmatch(text):
        return text, states
    name = _BRANCH.fullmatch(text)
    if name is None:
        return None
    path = f"{repo.common_dir}/{os.fsdecode(name[1])}"
    states += [path_state(path), path_state(f"{repo.common_dir}/packed-refs")]
    if known == (text, states):
        return known
    try:
        if not _OID.fullmatch(regular_file.read(path, _HEAD_BYTES)):
            return None  # it names another reference
    except FileNotFoundError:
        if states[-1] is None:
            return None  # kept in another way
    except OSError:
        return None
    return text, states


def file_state(path: Path | str) -> tuple[int, ...] | None:
    """Return what changes if a file is written, replaced, or if a link to it leads elsewhere."""
    try:
        return _numbers(os.stat(path))  # noqa: PTH116  as a text it is quick
    except OSError:
        return None


def path_state(path: Path | str) -> tuple[int, ...] | None:
    """Return what changes if a file is written, or if another file or folder takes its place."""
    try:
        return _numbers(os.lstat(path))
    except OSError:
        return None


def _numbers(status: os.stat_result) -> tuple[int, ...]:
    identity = (status.st_dev, status.st_ino, status.st_mode, status.st_uid)
    if stat.S_ISDIR(status.st_mode):
        return identity
    return (*identity, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _head(repo: Repo) -> Revision | None:
    """Return the commit of HEAD and its tree; None if git has to be asked in another way."""
    try:
        data = _read(repo, "HEAD", "commit")
        found = _TREE.match(data)
        tree = found[1].decode("ascii") if found else ""
        if not tree or not _read(repo, tree, "tree"):
            return None
    except SearchError:
        return None
    algorithm = _ALGORITHM[repo.hexsz]
    commit = hashlib.new(algorithm, b"commit %d\0" % len(data) + data, usedforsecurity=False)
    return Revision("HEAD", commit.hexdigest(), tree)


def _read(repo: Repo, name: str, kind: str) -> bytes:
    """Return the content of an object; nothing if it is missing."""
    ((_, data),) = blobs.read_objects(repo, [name], kind)
    return data or b""
