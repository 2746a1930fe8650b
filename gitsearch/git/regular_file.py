"""Reading files of a repository or a runner: regular files only, and only up to a bound.

The name that is expected may belong to a named pipe, where reading blocks until somebody writes,
to a device, whose opening alone can have an effect, or to a file that does not fit into memory.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read(path: Path, most: int) -> bytes:
    """The bytes of a regular file; symbolic links are followed.

    Raises OSError for what cannot be read, is not a regular file, or has more than `most` bytes.
    """
    check(path)
    descriptor = os.open(path, _FLAGS)
    try:
        # it may have been replaced since it was checked
        status = os.fstat(descriptor)
        _require_regular(path, status.st_mode)
        data = b"" if status.st_size > most else up_to(descriptor, most + 1)
    finally:
        os.close(descriptor)
    if max(status.st_size, len(data)) > most:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
    return data


def check(path: Path) -> None:
    """Raise OSError for what is not a regular file, or is not there."""
    _require_regular(path, path.stat().st_mode)


def up_to(descriptor: int, size: int) -> bytes:
    """The next bytes of an open file, at most so many."""
    parts = []
    while size and (part := os.read(descriptor, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _require_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
