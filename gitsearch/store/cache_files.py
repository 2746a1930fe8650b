"""Cache files beside the views, which may be deleted at any time.

The name of each consists of everything that its content depends on, and is also stored inside, so
none is stale. A few of a kind are kept. None is sealed: each is checked whole when it is read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.store import layout, lock, sections

# The most files of a kind that are kept, unless they are small.
MOST = 8


def load(
    folder: Path,
    name: str,
    check: Callable[[sections.Sections], None],
    note: Callable[[str], None] | None = None,
) -> sections.Sections | None:
    """Map a cached file; None if it is missing or damaged, also if `check` raises Damaged.

    note: is told of damage, where to make it anew takes long.
    """
    try:
        cached = sections.read(folder, name)
        cached.check()
        check(cached)
    except FileNotFoundError:
        return None
    except Damaged as damage:
        if note is not None:
            note(f"{damage.message}; making it anew")
        return None
    trace.count("files mapped")
    trace.count("bytes mapped", cached.size)
    return cached


def keep(
    folder: Path,
    name: str,
    arrays: dict[str, np.ndarray],
    meta: dict[str, Any],
    kind: str,
    most: int | None = None,
    beside: str | None = None,
) -> None:
    """Write a cache file unless the lock is held, and drop the oldest with a name like `kind`.

    most: how many files of the kind stay, if not as many as of others. beside: those stay, too,
    that a file of the same name lies beside whose ending begins with this.
    """
    # if it cannot be written, the next process that needs it will do so
    with contextlib.suppress(Busy, Unwritable, OSError), lock.writer(folder, 0.0):
        sections.write(folder, name, arrays, meta)
        needed = set(map(_stem, newest(folder, f"*{beside}*"))) if beside else frozenset()
        for old in newest(folder, kind)[most or MOST :]:
            if _stem(old) not in needed:
                layout.remove(folder / old)


def _stem(name: str) -> str:
    return name.partition(".")[0]


def newest(folder: Path, pattern: str) -> list[str]:
    """Return the names of the cached files that match a pattern, the newest first."""
    aged = []
    for path in layout.matching(folder / layout.VIEWS, pattern):
        name = f"{layout.VIEWS}/{path.name}"
        with contextlib.suppress(OSError):  # dropped by another process
            if layout.is_kept(name):
                aged.append((-path.lstat().st_mtime_ns, name))
    return [name for _, name in sorted(aged)]
