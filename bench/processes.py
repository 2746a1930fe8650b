"""Run a program and say what it cost: time, processor time, memory.

This process must stay small, so nothing that loads numpy may be imported here: Linux counts the
memory that a child shares with its parent before it becomes another program as the child's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Between two looks at a tree of processes. A look is cheap, but not one that asks how pages are
# shared: it is done at one look in three.
_PAUSE = 0.01
_THOROUGH = 3

_MB = 1e6


@dataclass(frozen=True)
class Contender:
    """A command that takes part: its name, where and in which environment it runs."""

    name: str
    command: Sequence[str | Path]
    cwd: Path
    env: Mapping[str, str]
    accepted: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Cost:
    """Seconds, processor seconds with those of all waited-for children, and megabytes.

    `largest` is the peak of the largest process of the tree; `together` the peak of the sum over
    the tree, `shared_once` the same with shared pages divided among those who share them.
    """

    wall: float
    cpu: float
    largest: float
    together: float | None = None
    shared_once: float | None = None


def run(contender: Contender, *, sampled: bool = False) -> Cost:
    """Run to the end; an exit code that was not expected ends the benchmark."""
    # Files, not pipes: nobody here would read them while the program runs.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in contender.command],
            cwd=contender.cwd,
            env=dict(contender.env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        sampler = _Sampler(process.pid) if sampled else None
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if sampler:
            sampler.stop()
        if process.returncode not in contender.accepted:
            err.seek(0)
            said = err.read().decode("utf-8", "replace").strip()
            sys.exit(f"{contender.name}: exit code {process.returncode}: {said}")
    # kilobytes on Linux, bytes on macOS
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / _MB
    cost = Cost(wall, usage.ru_utime + usage.ru_stime, largest)
    if sampler is None or not sampler.together:
        return cost
    # a peak between two looks is at least seen in the largest process
    together = max(largest, sampler.together / _MB)
    return replace(cost, together=together, shared_once=sampler.shared_once / _MB)


@dataclass
class _Sampler:
    """Watches the memory of a process and its descendants from a thread (Linux only)."""

    pid: int
    together: int = 0
    shared_once: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        looks = 0
        while not self._over.wait(_PAUSE):
            pids = list(_tree(self.pid))
            self.together = max(self.together, sum(map(_resident, pids)))
            if looks % _THOROUGH == 0:
                self.shared_once = max(self.shared_once, sum(map(_shared_in_part, pids)))
            looks += 1


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = tasks.read_text(encoding="ascii").split()
        except OSError:
            continue  # it has ended meanwhile
        for child in children:
            yield from _tree(int(child))


def _resident(pid: int) -> int:
    """Resident bytes; 0 once the process has ended."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _shared_in_part(pid: int) -> int:
    """Resident bytes, each page divided by the number of processes that have it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return int(sizes[0]) * 1024 if sizes else 0


def summary(costs: Sequence[Cost]) -> dict[str, Any]:
    """Medians of several runs, and the runs themselves."""
    out: dict[str, Any] = {
        "wall_ms": round(median(one.wall for one in costs) * 1e3, 2),
        "least_wall_ms": round(min(one.wall for one in costs) * 1e3, 2),
        "cpu_ms": round(median(one.cpu for one in costs) * 1e3, 2),
        "largest_process_mb": round(median(one.largest for one in costs), 1),
    }
    for name in ("together", "shared_once"):
        values = [getattr(one, name) for one in costs]
        if None not in values:
            out[f"{name}_mb"] = round(median(values), 1)
    out["runs_ms"] = [round(one.wall * 1e3, 2) for one in costs]
    return out
