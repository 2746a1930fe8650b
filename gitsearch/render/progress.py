"""The progress of a long operation: one line on a terminal, removed when it ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from gitsearch.render.escape import folded
from gitsearch.render.output import say, tell

# Whoever waits less than this has seen no waiting.
_PATIENCE = 0.3
_INTERVAL = 0.1
_BAR = 24
_COLUMNS = 80
_CLEAR = "\r\x1b[K"
_MINUTE = 60
_MEGA = 1e6


class Meter:
    """Draws `settings.Progress` on standard error if that is a terminal."""

    def __init__(
        self, *, visible: bool | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._visible = _terminal() if visible is None else visible
        self._clock = clock
        self._begin = clock()
        self._next = self._begin + _PATIENCE
        self._stage = ""
        self._stage_begin = self._begin
        self._drawn = False

    def update(self, stage: str, done: int, total: int, data: int) -> None:
        """`done` of `total` files of a stage, with `data` bytes read so far."""
        if not self._visible:
            return
        now = self._clock()
        if stage != self._stage:
            self._stage, self._stage_begin = stage, now
        if now < self._next:
            return
        self._next = now + _INTERVAL
        line = figures(stage, done, total, data, now - self._stage_begin)
        tell(f"{_CLEAR}{line[: _columns() - 1]}")
        self._drawn = True

    def note(self, line: str) -> None:
        """One line for the user, on stderr; the bar comes back with the next update."""
        self._clear()
        say(line)

    def close(self) -> None:
        """The operation is over; leave the terminal clean."""
        self._clear()

    def _clear(self) -> None:
        if self._drawn:
            tell(_CLEAR)
            self._drawn = False


def figures(stage: str, done: int, total: int, data: int, seconds: float) -> str:
    """The line: stage, bar, files, speed and what is left of it."""
    done = min(done, total) if total else done
    parts = [f"{done}/{total} files" if total else f"{done} files"]
    if data and seconds > 0:
        parts.append(f"{data / seconds / _MEGA:.1f} MB/s")
    if 0 < done < total and seconds > 0:
        parts.append(f"{_duration(seconds * (total - done) / done)} left")
    bar = ""
    if total:
        full = done * _BAR // total
        bar = f" [{'#' * full}{'.' * (_BAR - full)}] {done * 100 // total:3d}%"
    return f"{folded(stage)}{bar} {', '.join(parts)}"


def _duration(seconds: float) -> str:
    whole = max(round(seconds), 1)
    if whole < _MINUTE:
        return f"{whole} s"
    return f"{whole // _MINUTE} min {whole % _MINUTE} s"


def _terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS
