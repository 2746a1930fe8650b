"""Which files were checked against their checksums, and how they looked then.

A check reads a whole file. It is done once for each state of a file: the seal remembers
(size, mtime, ctime, inode), and any write by anybody changes at least ctime.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from gitsearch.errors import Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Look = list[int]


def look(path: Path) -> Look | None:
    """How a file looks now; None when it is not there."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]


class Seal:
    """The remembered looks of the files of one index folder."""

    def __init__(self, folder: Path) -> None:
        """Read the seal of a folder; one that is damaged or missing only means new checks."""
        self._folder = folder
        self._looks: dict[str, Look] = self._load()
        # a folder that has no record yet has no seal either
        self.broken = not self._read and (folder / layout.RECORD).exists()

    def _load(self) -> dict[str, Look]:
        try:
            raw = (self._folder / layout.SEAL).read_bytes()
            check, _, body = raw.partition(b"\n")
            if int(check, 16) != zlib.crc32(body):
                raise ValueError
            found: dict[str, Look] = json.loads(body)
        except (OSError, ValueError):
            self._read = False
            return {}
        self._read = True
        return found

    def holds(self, name: str) -> bool:
        """Whether the file looks as it did when it was last checked or written by us."""
        now = look(self._folder / name)
        return now is not None and self._looks.get(name) == now

    def lost(self, name: str) -> bool:
        """Whether a file that was there is gone, and nobody has dropped it since."""
        if name not in self._looks or look(self._folder / name) is not None:
            return False
        return name in self._load()

    def names(self) -> list[str]:
        """The files that were checked."""
        return sorted(self._looks)

    def forget(self, *names: str) -> None:
        """No longer expect files to be there."""
        self._write({}, names)

    def add(self, *names: str) -> None:
        """Remember how these files look now, forget those that are gone; silent if unwritable."""
        looks = {name: look(self._folder / name) for name in names}
        self._write({name: now for name, now in looks.items() if now is not None})

    def vouch(self, name: str, seen: Look | None) -> None:
        """Remember a file that was checked, if it still looks as it did before the check."""
        if seen is not None and look(self._folder / name) == seen:
            self._write({name: seen})

    def _write(self, fresh: dict[str, Look], gone: Sequence[str] = ()) -> None:
        # others write the seal, too: what they added or dropped since it was read here stays so
        now = self._load()
        looks = {**(now if self._read else self._looks), **fresh}
        self._looks = {
            name: seen
            for name, seen in looks.items()
            if name not in gone and (self._folder / name).exists()
        }
        body = json.dumps(self._looks, sort_keys=True).encode()
        try:
            layout.replace(self._folder / layout.SEAL, [b"%08x\n" % zlib.crc32(body), body])
        except Unwritable:
            return
