"""A repository of the usual form, found by reading its files: what git would say, without git.

Usual is what `git clone` and `git init` leave: `.git` is a folder of the user's own at the top of
the working tree, its settings say nothing of another place or form, and HEAD names a branch or a
commit. Of everything else nothing is said here, and git is asked: so it decides what a repository
is, and says what is wrong with one.
"""

from __future__ import annotations

import os
import re
import stat
import struct
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.git import object_files, regular_file
from gitsearch.git_conventions import is_object_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# Variables of git that change neither which repository it finds nor what it says of that.
_HARMLESS = frozenset(
    {
        *("GIT_ALLOW_PROTOCOL", "GIT_ASKPASS", "GIT_ATTR_NOSYSTEM", "GIT_CONFIG_GLOBAL"),
        *("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_EDITOR", "GIT_EXEC_PATH"),
        *("GIT_INDEX_FILE", "GIT_NO_LAZY_FETCH", "GIT_NO_REPLACE_OBJECTS", "GIT_OPTIONAL_LOCKS"),
        *("GIT_PAGER", "GIT_PAGER_IN_USE", "GIT_SEQUENCE_EDITOR", "GIT_TEMPLATE_DIR"),
        "GIT_TERMINAL_PROMPT",
    }
)
_OF_OTHERS = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_")
# How far up git looks: not whether it looks at the folder that is asked.
_CEILING = "GIT_CEILING_DIRECTORIES"

# Settings in lower case of which no value has quotes or goes on in the next line.
_SETTINGS = re.compile(
    rb"(?:[ \t]*(?:[;#][^\0\n]*|\[[a-z0-9.-]+(?: \"[^\"\\\0\n]*\")?\]"
    rb"|[a-z][a-z0-9-]*[ \t]*=[^\"\\\0\r\n]*|)\n)*"
)
# What the settings of a usual repository say once, and what may say that it is another one.
_SAID_ONCE = (
    re.compile(rb"\bbare[ \t]*=[ \t]*false\n"),
    re.compile(rb"\brepositoryformatversion[ \t]*=[ \t]*0\n"),
)
_TOLD_BY = (b"bare", b"repositoryformatversion")
_UNUSUAL = (b"extensions", b"worktree", b"promisor", b"partialclone")

# Names of branches that git takes without a doubt; only that of a file that is locked ends so.
_BRANCH = re.compile(rb"ref: (refs/heads/[\w+-]+(?:[./][\w+-]+)*)\n")
_LOCK = b".lock"

_ID_SIZE = 40
_MOST_OF_A_REFERENCE, _MOST_SETTINGS, _MOST_REFERENCES = 4 << 10, 1 << 20, 16 << 20


class PlainRepo(NamedTuple):
    """A repository and its HEAD.

    top: of the working tree, without links on the way; prefix: the folder that was asked, below
    it, with a "/" at its end, or "".
    """

    top: str
    prefix: str
    commit: str
    tree: str


def find(cwd: Path, environment: Mapping[str, str]) -> PlainRepo | None:
    """Return the repository that git finds from a folder; None if git must be asked.

    environment: that of git.
    """
    said = _said(environment)
    if said - {_CEILING}:
        return None
    with suppress(OSError, ValueError, struct.error):
        folder = os.path.realpath(cwd, strict=True)
        top = _top(folder, upwards=not said)
        commit = _commit(f"{top}/.git") if top and _is_usual(top) else None
        tree = commit and object_files.tree_of(f"{top}/.git/objects", commit)
        if top and commit and tree:
            prefix = folder[len(top) + 1 :]
            return PlainRepo(top, prefix and f"{prefix}/", commit, tree)
    return None


def is_outside(cwd: Path, environment: Mapping[str, str]) -> bool:
    """Return True if git finds no repository from a folder; False if git must be asked."""
    if _said(environment) - {_CEILING}:
        return False
    with suppress(OSError):
        folder = os.path.realpath(cwd, strict=True)
        while not (os.path.lexists(f"{folder}/.git") or os.path.lexists(f"{folder}/HEAD")):
            if folder == "/":
                return True
            folder = os.path.dirname(folder)  # noqa: PTH120  as texts paths are quick
    return False


def _said(environment: Mapping[str, str]) -> set[str]:
    """The variables that may change what git finds."""
    names = {name for name in environment if name.startswith("GIT_")} - _HARMLESS
    return {name for name in names if not name.startswith(_OF_OTHERS)}


def _top(folder: str, *, upwards: bool) -> str | None:
    """The innermost folder with `.git`, on the same device; None if it may be another one."""
    device = os.stat(folder).st_dev  # noqa: PTH116  as texts paths are quick
    while folder != "/" and os.stat(folder).st_dev == device:  # noqa: PTH116
        if os.path.lexists(f"{folder}/.git"):
            return folder
        # a folder with HEAD may be a bare repository, or the inside of one
        if not upwards or os.path.lexists(f"{folder}/HEAD"):
            return None
        folder = os.path.dirname(folder)  # noqa: PTH120
    return None


def _is_usual(top: str) -> bool:
    """Return True if what lies in `.git` has the usual form. Raises OSError."""
    git_dir = f"{top}/.git"
    own = os.geteuid()
    status = os.lstat(git_dir)
    # git refuses the repository of another user unless it is told that it is safe
    if not stat.S_ISDIR(status.st_mode) or {status.st_uid, os.lstat(top).st_uid} != {own}:
        return False
    folders = (f"{git_dir}/refs", f"{git_dir}/objects")
    if not all(os.access(folder, os.X_OK) for folder in folders):
        return False
    if os.path.lexists(f"{git_dir}/commondir"):
        return False
    settings = regular_file.read(f"{git_dir}/config", _MOST_SETTINGS).lower()
    return (
        _SETTINGS.fullmatch(settings) is not None
        and not any(word in settings for word in _UNUSUAL)
        and all(settings.count(word) == 1 for word in _TOLD_BY)
        and all(pattern.search(settings) for pattern in _SAID_ONCE)
    )


def _commit(git_dir: str) -> str | None:
    """The commit that HEAD names, itself or by a branch; None if that is not plain to see."""
    head = _reference(f"{git_dir}/HEAD")
    named = _BRANCH.fullmatch(head)
    if named is None:
        return _id(head)
    if _LOCK in named[1]:
        return None
    try:
        return _id(_reference(f"{git_dir}/{named[1].decode('ascii')}"))
    except FileNotFoundError:
        packed = regular_file.read(f"{git_dir}/packed-refs", _MOST_REFERENCES)
        end = packed.find(b" %s\n" % named[1])
        begin = packed.rfind(b"\n", 0, max(end, 0)) + 1
        return _id(packed[begin:end] + b"\n") if end >= 0 else None


def _reference(path: str) -> bytes:
    return regular_file.read_with_mode(path, _MOST_OF_A_REFERENCE, follow=False)[0]


def _id(line: bytes) -> str | None:
    text = line.decode("ascii").removesuffix("\n")
    return text if len(text) == _ID_SIZE and is_object_id(text) else None
