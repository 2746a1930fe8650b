"""Contents of the files in which exact text was found, as git looked at them, and their blobs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.git import blobs, regular_file
from gitsearch.git.tree_objects import entries_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.exact_files import FilesToSearch
    from gitsearch.git.repo import Repo

# Bytes of contents that are kept; beyond that the next one starts anew.
_MOST_KEPT = 64 << 20
_LARGEST = 1 << 31


class Contents:
    """Contents by path: of the working tree where that is searched, else of blobs."""

    def __init__(self, repo: Repo, files: FilesToSearch, paths: Sequence[bytes]) -> None:
        self._repo = repo
        self._files = files
        self._paths = paths
        self._oids: dict[bytes, str] = {}
        self._data: dict[bytes, bytes] = {}
        self._lines: tuple[bytes, list[bytes]] = (b"", [])
        self._size = 0

    def oid(self, path: bytes) -> str:
        """Return the id of the blob of a file, as git would store it; "" if it was not read."""
        edited = self._files.edited.get(path)
        if edited is not None:
            return edited.oid
        stored = self._files.stored
        place = stored.find(path) if stored else None
        if stored and place:
            return stored.segments[place[0]].oid(place[1])
        change = stored.changes.get(path) if stored else None
        if change is not None and change.new is not None:
            return change.new.oid
        if not self._oids and self._files.tree.tree:
            # of many files at once: each costs a walk through the tree
            entries = entries_at(self._repo, self._files.tree.tree, self._paths)
            self._oids = {name: entry.oid for name, entry in entries.items()}
        return self._oids.get(path, "")

    def data(self, path: bytes) -> bytes:
        """Return the content of a file; b"" if it is gone."""
        if path not in self._data:
            if self._size > _MOST_KEPT:
                self._data.clear()
                self._size = 0
            self._data[path] = self._read(path)
            self._size += len(self._data[path])
        return self._data[path]

    def lines(self, path: bytes) -> list[bytes]:
        """Return the lines of a file without their ends."""
        if self._lines[0] != path:
            self._lines = path, self.data(path).removesuffix(b"\n").split(b"\n")
        return self._lines[1]

    def _read(self, path: bytes) -> bytes:
        place = self._files.place
        edited = self._files.edited.get(path)
        from_index = place.cached or path in place.stored
        if edited is not None and edited.data is not None and from_index:
            return edited.data
        if place.tree is None and not from_index:
            try:
                return regular_file.read_with_mode(
                    self._repo.top / os.fsdecode(path), _LARGEST, follow=False
                )[0]
            except OSError:
                return b""
        oid = self.oid(path)
        return (blobs.read_one(self._repo, oid) or b"") if oid else b""
