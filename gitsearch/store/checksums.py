"""Which files were checked against their checksums, and how they looked then.

A check reads a whole file. It is done once for each state of a file: the seal remembers
(size, mtime, ctime, inode), and any write by anybody changes at least ctime.

A seal can be handed over with the index it speaks of. It cannot vouch for a bad file then: ctime
is set by the kernel that writes a file, and no copy, archive or checkout can choose it, so every
file of a copied index looks otherwise than its seal says and is checked. A seal that belongs to
another user than the one who reads it says nothing either: who can write to the folder in place
can make both fit. What remains is an image of a file system, which keeps ctime, inode and owner.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from typing import TYPE_CHECKING

from gitsearch.errors import Damaged, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Look = list[int]

# Bytes of a seal: one of a file takes about 150, and there are some tens of files.
_LARGEST = 1 << 20


def _may_have_entry(name: str) -> bool:
    """Whether a seal may name this file: the record, vectors and views have entries."""
    return name == layout.RECORD or layout.is_vectors(name) or layout.is_kept(name)


def look(path: Path) -> Look | None:
    """How a file looks now; None when it is not there, or is no file."""
    try:
        found = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


class Checksums:
    """The remembered looks of the files of one index folder."""

    def __init__(self, folder: Path) -> None:
        """Read the seal of a folder; one that is damaged or missing only means new checks."""
        self._folder = folder
        self._looks: dict[str, Look] = self._load()
        # a folder that has no record yet has no seal either
        self.broken = not self._read and layout.exists(folder / layout.RECORD)

    def _load(self) -> dict[str, Look]:
        try:
            raw = layout.content(self._folder / layout.SEAL, layout.SEAL, _LARGEST)
            check, _, body = raw.partition(b"\n")
            if int(check, 16) != zlib.crc32(body):
                raise ValueError
            found = json.loads(body)
            if not isinstance(found, dict) or not all(map(_may_have_entry, found)):
                raise ValueError
        except (OSError, Damaged, ValueError, RecursionError):
            self._read = False
            return {}
        self._read = True
        looks: dict[str, Look] = found if self._is_ours() else {}
        return looks

    def _is_ours(self) -> bool:
        try:
            return (self._folder / layout.SEAL).lstat().st_uid == os.geteuid()
        except OSError:
            return False

    def holds(self, name: str) -> bool:
        """Whether the file looks as it did when it was last checked or written by us."""
        now = look(self._folder / name)
        return now is not None and self._looks.get(name) == now

    def lost(self, name: str) -> bool:
        """Whether a file that was there is gone, and nobody has dropped it since."""
        if name not in self._looks or layout.exists(self._folder / name):
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
        looks = {name: look(self._folder / name) for name in names if _may_have_entry(name)}
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
            if name not in gone and layout.exists(self._folder / name)
        }
        body = json.dumps(self._looks, sort_keys=True).encode()
        try:
            layout.guard(self._folder)
            layout.replace(self._folder / layout.SEAL, [b"%08x\n" % zlib.crc32(body), body])
        except Unwritable:
            return
