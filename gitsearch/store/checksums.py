"""The file "seal": the state of each file when its checksums were last verified.

Verification reads a whole file, once for each state of it: the seal records (size, mtime, ctime,
inode), and any write by anybody changes at least ctime. The kernel sets it: no copy, archive or
checkout can choose it, so every file of a copied index differs from its seal and is verified. A
seal that another user owns is ignored, because whoever can write to the folder can make the files
and the seal agree. There remains an image of a file system, which keeps ctime, inode and owner.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import zlib
from collections.abc import Sequence
from pathlib import Path

from gitsearch.errors import Damaged, Unwritable
from gitsearch.store import layout

FileState = list[int]

# The most bytes of a seal: an entry takes about 150, and there are some tens of files.
_LARGEST = 1 << 20


def _may_have_entry(name: str) -> bool:
    return name == layout.RECORD or layout.is_vectors(name) or layout.is_kept(name)


def file_state(path: Path | str) -> FileState | None:
    """Return the current state of a file; None if it is missing or not a regular file."""
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
    return None


class Checksums:
    """The verified states of the files of one index folder."""

    def __init__(self, folder: Path) -> None:
        """Read the seal of a folder; if it is damaged or missing, every file is verified anew."""
        self._folder = folder
        self._states: dict[str, FileState] = self._load()
        # a folder that has no record yet has no seal either
        self.broken = not self._read and layout.exists(folder / layout.RECORD)

    def _load(self) -> dict[str, FileState]:
        try:
            raw = layout.content(self._folder / layout.SEAL, layout.SEAL, _LARGEST)
            checksum, _, body = raw.partition(b"\n")
            if int(checksum, 16) != zlib.crc32(body):
                raise ValueError
            entries = json.loads(body)
            if not isinstance(entries, dict) or not all(map(_may_have_entry, entries)):
                raise ValueError
        except (OSError, Damaged, ValueError, RecursionError):
            self._read = False
            return {}
        self._read = True
        states: dict[str, FileState] = entries if self._is_ours() else {}
        return states

    def _is_ours(self) -> bool:
        with contextlib.suppress(OSError):
            return (self._folder / layout.SEAL).lstat().st_uid == os.geteuid()
        return False

    def holds(self, name: str) -> bool:
        """Return True if a file is unchanged since it was last verified or written by us."""
        current = file_state(self._folder / name)
        return current is not None and self._states.get(name) == current

    def lost(self, name: str) -> bool:
        """Return True if a sealed file is missing and no process has dropped its entry since."""
        if name not in self._states or layout.exists(self._folder / name):
            return False
        return name in self._load()

    def names(self) -> list[str]:
        """Return the names of the verified files, sorted."""
        return sorted(self._states)

    def forget(self, *names: str) -> None:
        """Drop the entries of files."""
        self._write({}, names)

    def add(self, *names: str) -> None:
        """Record the current states of files, drop missing ones; ignored if unwritable."""
        states = {name: file_state(self._folder / name) for name in names if _may_have_entry(name)}
        self._write({name: state for name, state in states.items() if state is not None})

    def vouch(self, name: str, before: FileState | None) -> None:
        """Record a verified file, if it is still in the state that it was in `before`."""
        if before is not None and file_state(self._folder / name) == before:
            self._write({name: before})

    def _write(self, new: dict[str, FileState], dropped: Sequence[str] = ()) -> None:
        # other processes write the seal too: entries that they added or dropped meanwhile stay so
        current = self._load()
        states = {**(current if self._read else self._states), **new}
        self._states = {
            name: state
            for name, state in states.items()
            if name not in dropped and layout.exists(self._folder / name)
        }
        body = json.dumps(self._states, sort_keys=True).encode()
        with contextlib.suppress(Unwritable):
            layout.guard(self._folder)
            layout.replace(self._folder / layout.SEAL, [b"%08x\n" % zlib.crc32(body), body])
