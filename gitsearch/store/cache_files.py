"""Files beside the views that make a second question cheap, and may go at any time.

Each is named by all that it is made of, and says its name inside, so a kept one is never stale
nor another's. Only a few of a kind are kept, none is sealed: each is checked whole when it is
read, and one that is bad or gone is made again.
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

# Files of a kind that are kept.
MOST = 8


def load(
    folder: Path, name: str, check: Callable[[sections.Sections], None]
) -> sections.Sections | None:
    """A kept file that is sound and passes a check, which raises Damaged; else None."""
    try:
        found = sections.read(folder, name)
        found.check()
        check(found)
    except (FileNotFoundError, Damaged):
        return None
    trace.count("files mapped")
    trace.count("bytes mapped", found.size)
    return found


def keep(
    folder: Path,
    name: str,
    arrays: dict[str, np.ndarray],
    meta: dict[str, Any],
    kind: str,
) -> None:
    """Keep a file if that is possible at once, and drop the oldest ones of its kind.

    kind: the pattern of their names.
    """
    try:
        with lock.writer(folder, 0.0):
            sections.write(folder, name, arrays, meta)
            for old in newest(folder, kind)[MOST:]:
                layout.remove(folder / old)
    except (Busy, Unwritable, OSError):
        return  # the next one will


def newest(folder: Path, pattern: str) -> list[str]:
    """The names of the kept files of a pattern, the newest first."""
    found = []
    for path in layout.matching(folder / layout.VIEWS, pattern):
        name = f"{layout.VIEWS}/{path.name}"
        try:
            if layout.is_kept(name):
                found.append((-path.lstat().st_mtime_ns, name))
        except OSError:
            continue  # dropped by another process
    return [name for _, name in sorted(found)]
