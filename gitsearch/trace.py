"""Counts and times of the stages of an operation, shown by `--trace`.

As git's GIT_TRACE2: always kept, for keeping costs a microsecond, and shown on request. One
process is one operation, or one after another; what worker processes do is counted by the process
that asked them.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMS = ("text", "json")

_began = time.perf_counter()
_start = time.process_time()
_MS = 1e3
_counts: dict[str, int] = {}
_stages: dict[tuple[int, str], float] = {}


class _Nesting(threading.local):
    """The number of open stages of a thread."""

    depth = 0


_nesting = _Nesting()


def restart() -> None:
    """Begin anew: with the next question to a process that answers many."""
    global _began, _start
    _began, _start = time.perf_counter(), 0.0
    _counts.clear()
    _stages.clear()


def count(name: str, amount: int = 1) -> None:
    """Add to a count."""
    _counts[name] = _counts.get(name, 0) + amount


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Add the time until the end of the block to a stage; stages may lie in stages."""
    key = _nesting.depth, name
    _stages.setdefault(key, 0.0)
    _nesting.depth += 1
    started = time.perf_counter()
    try:
        yield
    finally:
        _nesting.depth -= 1
        _stages[key] += time.perf_counter() - started


def report(form: str) -> Iterator[str]:
    """Lines that say it all: the time since this module was loaded, its stages, the counts."""
    whole = (time.perf_counter() - _began) * _MS
    if form == "json":
        import json  # a search without it need not load it

        stages = [
            {"stage": name, "depth": depth, "ms": round(seconds * _MS, 3)}
            for (depth, name), seconds in _stages.items()
        ]
        times = {"start_ms": round(_start * _MS, 3), "ms": round(whole, 3)}
        found = {**times, "stages": stages, "counts": dict(sorted(_counts.items()))}
        yield f"{json.dumps(found)}\n"
        return
    yield f"trace: {whole:.1f} ms, after {_start * _MS:.1f} ms of Python's own start\n"
    for (depth, name), seconds in _stages.items():
        yield f"{'  ' * depth}  {name:{30 - 2 * depth}}{seconds * _MS:>10.1f} ms\n"
    for name, amount in sorted(_counts.items()):
        yield f"  {name:30}{amount:>10}\n"
