"""One writer at a time: a kernel lock that dies with its process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from typing import TYPE_CHECKING

from gitsearch.errors import Busy, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_POLL = 0.05

# Seconds for who must write: another's whole first index may have to be waited for, but no more,
# for a lock dies with its process.
PATIENCE = 3600.0

_held: set[int] = set()


def _let_go() -> None:
    """A forked child is no writer: the lock must not outlive the process that took it."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


def writer(folder: Path, wait: float) -> contextlib.AbstractContextManager[None]:
    """Hold the writer's lock; raises Busy after `wait` seconds, or Unwritable."""
    return alone(folder, layout.LOCK, wait)


@contextlib.contextmanager
def alone(folder: Path, name: str, wait: float) -> Iterator[None]:
    """Hold the lock of this name; raises Busy after `wait` seconds, or Unwritable."""
    descriptor = _taken(folder / name, time.monotonic() + wait)
    try:
        yield
    finally:
        _release(descriptor)


def _taken(path: Path, deadline: float) -> int:
    """The descriptor of a lock file that is locked, and still is what stands under its name."""
    layout.guard(path.parent)
    while True:
        descriptor = _opened(path)
        _held.add(descriptor)
        try:
            _acquire(descriptor, deadline)
            # who deletes the folder deletes the lock: others would take another one
            if os.path.samestat(os.fstat(descriptor), path.lstat()):
                return descriptor
        except FileNotFoundError:
            pass
        except BaseException:
            _release(descriptor)
            raise
        _release(descriptor)


def _opened(path: Path) -> int:
    """A lock file, made where there is none; what is no file has been locked by nobody."""
    try:
        if layout.obstructed(path):
            layout.remove(path)
        return layout.open_file(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise Unwritable(f"cannot write '{path.parent}': {error.strerror}") from error


def _release(descriptor: int) -> None:
    _held.discard(descriptor)
    os.close(descriptor)


def held(folder: Path) -> bool:
    """Whether a writer is at work; makes nothing, also no lock file."""
    try:
        descriptor = layout.open_file(folder / layout.LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Busy("another process is updating the index", "try again") from None
            time.sleep(_POLL)
        else:
            return
