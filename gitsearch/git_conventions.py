"""Conventions of git that several layers need: file modes, object ids, booleans, binary files."""

from __future__ import annotations

import re
from itertools import takewhile

# Modes of the entries of a tree (git help fast-import, "filemodify").
MODE_FILE = 0o100644
MODE_EXECUTABLE = 0o100755
MODE_SYMLINK = 0o120000
MODE_SUBMODULE = 0o160000

# The file with the attributes of paths in its folder.
ATTRIBUTES_FILE = b".gitattributes"

# A whole object id: SHA-1 or SHA-256 in lower-case hexadecimal digits.
OBJECT_ID = "[0-9a-f]{40}(?:[0-9a-f]{24})?"
_OBJECT_ID = re.compile(OBJECT_ID)

# Git LFS specification: a pointer, in place of a file that was not fetched, starts with this line.
LFS_POINTER = b"version https://git-lfs.github.com/spec/"

# Values of settings and environment variables that git takes for true and for false.
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0", ""})

# Bytes in which git looks for a NUL to tell a binary file (buffer_is_binary).
_BINARY_PROBE = 8000


def is_object_id(text: str) -> bool:
    """Return True if a text is a whole object id."""
    return _OBJECT_ID.fullmatch(text) is not None


def relative_path(path: str, folder: str) -> str:
    """Return a path from the top as it is written in `folder`, which ends in "/" or is "".

    As `git grep` and `git status` show it there; in "", the top, it stays as it is.
    """
    if path.startswith(folder):
        return path[len(folder) :]
    up, down = folder.split("/")[:-1], path.split("/")
    both = takewhile(lambda pair: pair[0] == pair[1], zip(up, down[:-1], strict=False))
    shared = sum(1 for _ in both)
    return "../" * (len(up) - shared) + "/".join(down[shared:])


def boolean(text: str) -> bool | None:
    """Parse a boolean of git's, in any case; None if the text is none."""
    folded = text.lower()
    if folded in _TRUE:
        return True
    return False if folded in _FALSE else None


def is_binary(data: bytes) -> bool:
    """Return True if git would treat the content of a file as binary."""
    return b"\0" in data[:_BINARY_PROBE]
