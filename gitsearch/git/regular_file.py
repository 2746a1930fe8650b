"""Safe reading of files of a repository or a runner: regular files only, up to a bound.

The path may be that of a named pipe, where reading blocks until somebody writes, of a device,
whose opening alone can have an effect, or of a file that does not fit into memory.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read(path: Path | str, most: int) -> bytes:
    """Return the content of a regular file; symbolic links are followed.

    Raises OSError if it cannot be read, is not a regular file, or has more than `most` bytes.
    """
    return read_with_mode(path, most, follow=True)[0]


def read_with_mode(path: Path | str, most: int, *, follow: bool) -> tuple[bytes, int]:
    """Return the content and the mode of a regular file, as `read`.

    Unless symbolic links are followed, one raises OSError with the number ELOOP.
    """
    with opened(path, follow=follow) as (descriptor, status):
        data = b"" if status.st_size > most else up_to(descriptor, most + 1)
    if max(status.st_size, len(data)) > most:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
    return data, status.st_mode


@contextmanager
def opened(path: Path | str, *, follow: bool = True) -> Iterator[tuple[int, os.stat_result]]:
    """A descriptor of a regular file in the block, and the state of the file.

    Raises OSError as `read_with_mode`.
    """
    _require_regular(path, os.stat(path, follow_symlinks=follow).st_mode)  # noqa: PTH116
    descriptor = os.open(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
    try:
        # the file may have been replaced since the check
        status = os.fstat(descriptor)
        _require_regular(path, status.st_mode)
        yield descriptor, status
    finally:
        os.close(descriptor)


def up_to(descriptor: int, size: int) -> bytes:
    """Read at most `size` bytes from a descriptor; fewer only at the end of the file."""
    parts = []
    while size and (part := os.read(descriptor, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _require_regular(path: Path | str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        number = errno.ELOOP if stat.S_ISLNK(mode) else errno.EINVAL
        raise OSError(number, "it is not a regular file", str(path))
