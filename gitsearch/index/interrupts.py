"""Ctrl-C held back where it would leave half a step behind."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The program says Ctrl-C again with an alarm, see gitsearch/__main__.py.
_HELD = (signal.SIGINT, signal.SIGALRM)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """A Ctrl-C of this time comes when it is over; other threads than the main one get none.

    A blocked signal would not do: the kernel gives it to another thread, and Python to this one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}
    before = [signal.signal(number, lambda number, _: came.setdefault(number)) for number in _HELD]
    try:
        yield
    finally:
        for number, handler in zip(_HELD, before, strict=True):
            signal.signal(number, handler)
        for got in came:
            signal.raise_signal(got)
