"""Ctrl-C held back where it would leave half a step behind."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """A Ctrl-C of this time comes when it is over. For the main thread.

    A blocked signal would not do: the kernel gives it to another thread, and Python to this one.
    """
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
