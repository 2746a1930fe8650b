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

_held: set[int] = set()


def _let_go() -> None:
    """A forked child is no writer: the lock must not outlive the process that took it."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


@contextlib.contextmanager
def writer(folder: Path, wait: float) -> Iterator[None]:
    """Hold the writer's lock; raises Busy after `wait` seconds, or Unwritable."""
    try:
        descriptor = os.open(folder / layout.LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise Unwritable(f"cannot write '{folder}': {error.strerror}") from error
    _held.add(descriptor)
    try:
        _acquire(descriptor, time.monotonic() + wait)
        yield
    finally:
        _held.discard(descriptor)
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
