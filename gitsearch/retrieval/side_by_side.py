"""Work on parts of arrays by several threads: numpy computes without Python's lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def side_by_side(work: Callable[[slice], None], count: int, least: int) -> None:
    """Call `work` with slices that make up range(count), beside each other.

    least: how many there are in a slice at least, so that less is done at once. Raises what one of
    the calls raises.
    """
    parts = max(1, min(_processors(), count // least))
    bounds = [count * i // parts for i in range(parts + 1)]
    slices = list(map(slice, bounds, bounds[1:]))
    errors: list[BaseException] = []

    def run(part: slice) -> None:
        try:
            work(part)
        except BaseException as error:  # noqa: BLE001  raised below
            errors.append(error)

    # they must not keep a process from ending
    threads = [threading.Thread(target=run, args=[part], daemon=True) for part in slices[1:]]
    for thread in threads:
        thread.start()
    run(slices[0])
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
