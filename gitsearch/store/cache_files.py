"""Cache files beside the views, which may be deleted at any time.

The name of each is made of everything that its content depends on, and is also stored inside, so
that a cached file is never stale nor another's. Only a few of a kind are kept. None is sealed:
each is checked as a whole when it is read, and made again if it is damaged or missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitsearch import trace
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.store import layout, lock, sections

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

# The most files of a kind that are kept.
MOST = 8


def load(
    folder: Path, name: str, check: Callable[[sections.Sections], None]
) -> sections.Sections | None:
    """Map a cached file; None if it is missing or damaged, also if `check` raises Damaged."""
    try:
        cached = sections.read(folder, name)
        cached.check()
        check(cached)
    except (FileNotFoundError, Damaged):
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
) -> None:
    """Write a cache file unless the lock is held, and drop the oldest ones of its kind.

    kind: the pattern of their names.
    """
    try:
        with lock.writer(folder, 0.0):
            sections.write(folder, name, arrays, meta)
            for old in newest(folder, kind)[MOST:]:
                layout.remove(folder / old)
    except (Busy, Unwritable, OSError):
        return  # the next process that needs it will write it


def newest(folder: Path, pattern: str) -> list[str]:
    """Return the names of the cached files that match a pattern, the newest first."""
    aged = []
    for path in layout.matching(folder / layout.VIEWS, pattern):
        name = f"{layout.VIEWS}/{path.name}"
        try:
            if layout.is_kept(name):
                aged.append((-path.lstat().st_mtime_ns, name))
        except OSError:
            continue  # dropped by another process
    return [name for _, name in sorted(aged)]
