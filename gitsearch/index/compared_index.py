"""A copy of git's index, made after all files of the working tree: none of them is as new as it.

git tells by its times that a file was not touched. One that is as new as the index it reads each
time, because it could have been written just after; after a clone that is most of them. Any
command that may write the index ends this, but takes `index.lock`, which is the user's. So whoever
brings our index up to date lets git write a copy.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from gitsearch.errors import SearchError
from gitsearch.git import regular_file
from gitsearch.git.kept_repo import file_state
from gitsearch.git.worktree import STATUS, TRACKED_ONLY
from gitsearch.store import layout

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.git.repo import Repo

# Bytes of an index of some 700 files, which git reads in a moment, and of one of ten million.
_LEAST, _MOST = 64 << 10, 1 << 30

# Seconds after the one in which the index was written. git compares whole seconds: whatever is
# written from then on has another time of change, also if its time of writing is set back.
_LATER = 1.1

# A split index has parts in other files; an extension has what a file system monitor has told.
_PARTS, _MONITORED = "sharedindex.*", b"FSMN"


def of(repo: Repo) -> Path | None:
    """Return the copy of git's index as it is now; None if there is none."""
    path = _path(repo)
    with suppress(OSError):
        if path is not None and stat.S_ISREG(path.lstat().st_mode):
            return path
    return None


def make(repo: Repo) -> None:
    """Make the copy if it would spare anything; what fails is left as it is."""
    path = _path(repo)
    if path is None or layout.exists(path):
        return
    with suppress(OSError, SearchError):
        before = repo.index_file.stat()
        data = regular_file.read(repo.index_file, _MOST)
        if len(data) < _LEAST or _MONITORED in data or layout.matching(repo.git_dir, _PARTS):
            return
        copy = path.with_name(f"{path.name}.{os.urandom(4).hex()}{layout.TEMPORARY}")
        try:
            layout.add(copy, b"")
            if copy.stat().st_mtime < int(before.st_mtime) + _LATER:
                return
            layout.add(copy, data)
            # as new as the original, so that git compares the same files
            os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
            written = file_state(copy)
            env = {"GIT_INDEX_FILE": str(copy), "GIT_OPTIONAL_LOCKS": "1"}
            repo.run(*STATUS, TRACKED_ONLY, env=env)
            if file_state(copy) != written and _path(repo) == path:
                layout.adopt(copy, path)
                _drop_others(path)
        finally:
            layout.clear(copy)


def _path(repo: Repo) -> Path | None:
    """The path of the copy of git's index as it is now; None without one of the usual kind."""
    if repo.worktree is None or repo.index_file != repo.git_dir / "index":
        return None
    state = file_state(repo.index_file)
    if state is None:
        return None
    name = f"{layout.COMPARED}{_digest(str(repo.git_dir))}-{_digest(repr(state))}"
    return repo.common_dir / layout.FOLDER / name


def _digest(text: str) -> str:
    return hashlib.blake2b(os.fsencode(text), digest_size=8).hexdigest()


def _drop_others(path: Path) -> None:
    """Remove the copies of the same index as it was before."""
    for other in layout.matching(path.parent, f"{path.name.rpartition('-')[0]}-*"):
        if other != path and layout.TEMPORARY not in other.name:
            layout.clear(other)
