"""Exclusive locks of the index folder, by flock: the kernel releases them with the process.

The file of a lock says which process took it last; whether it is held, only the kernel knows.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from gitsearch.errors import Busy
from gitsearch.store import layout

_POLL = 0.05

# Bytes that the id of a process takes, at most.
_SIGNATURE = 16

# Seconds that a process waits which must write: enough for another's first index of a large
# repository. A dead process holds no lock.
PATIENCE = 3600.0

_held: set[int] = set()


def _close_in_child() -> None:
    """Close the locks in a forked child: they must not outlive the process that took them."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


def writer(folder: Path, wait: float) -> contextlib.AbstractContextManager[None]:
    """Hold the writer's lock. Raises Busy after `wait` seconds, or Unwritable."""
    return alone(folder, layout.LOCK, wait)


@contextlib.contextmanager
def alone(folder: Path, name: str, wait: float) -> Iterator[None]:
    """Hold a lock of an index folder. Raises Busy after `wait` seconds, or Unwritable."""
    layout.guard(folder)
    with of_file(folder / name, wait):
        yield


@contextlib.contextmanager
def of_file(path: Path, wait: float) -> Iterator[None]:
    """Hold the lock of a file in a folder of any kind, made if missing. Raises as `alone`."""
    descriptor = _lock(path, time.monotonic() + wait)
    try:
        yield
    finally:
        _release(descriptor)


def _lock(path: Path, deadline: float) -> int:
    while True:
        with layout.writing(path.parent):
            # nobody can have locked anything but a regular file
            if layout.obstructed(path):
                layout.remove(path)
            descriptor = layout.open_file(path, os.O_RDWR | os.O_CREAT)
        _held.add(descriptor)
        try:
            while not _acquired(descriptor):
                if time.monotonic() >= deadline:
                    raise Busy("another process is updating the index", "try again")
                time.sleep(_POLL)
            # if the folder was deleted meanwhile, other processes lock another file
            if _is_file_at(descriptor, path):
                _sign(descriptor)
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            _release(descriptor)
            raise
        _release(descriptor)


def _is_file_at(descriptor: int, path: Path) -> bool:
    return os.path.samestat(os.fstat(descriptor), path.lstat())


def _acquired(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sign(descriptor: int) -> None:
    if os.fstat(descriptor).st_nlink > 1:
        return  # a stranger may have made it another name of a file that matters
    with contextlib.suppress(OSError):  # a full disk
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def _release(descriptor: int) -> None:
    _held.discard(descriptor)
    os.close(descriptor)


def is_ours(folder: Path) -> bool:
    """Return True if this process holds the writer's lock of the folder that is there now.

    False if another folder has taken the place of the one that was locked.
    """
    with contextlib.suppress(FileNotFoundError):
        return any(_is_file_at(descriptor, folder / layout.LOCK) for descriptor in _held)
    return False


def held(folder: Path) -> bool:
    """Return True if a writer is at work; creates nothing, not even the lock file."""
    return holder(folder, layout.LOCK) is not None


def holder(folder: Path, name: str) -> int | None:
    """Return the id of the process that holds a lock, None if none does, 0 if it cannot be told.

    Nothing is created, not even the lock file.
    """
    try:
        descriptor = layout.open_file(folder / name, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        text = os.pread(descriptor, _SIGNATURE, 0).strip()
        return int(text) if text.isdigit() else 0
    finally:
        os.close(descriptor)
    return None
