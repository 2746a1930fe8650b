"""The contents of blobs, each read once: those of git, and those of edited files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitsearch.git import blobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitsearch.git.repo import Repo

# Bytes that are kept; beyond that the next read starts with an empty cache.
_MOST_KEPT = 64 << 20


@dataclass(slots=True)
class BlobCache:
    """Contents by object id; a blob that this clone lacks is empty."""

    repo: Repo
    edited: Mapping[str, bytes]
    _stored: dict[str, bytes] = field(default_factory=dict)
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _size: int = 0

    def read(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The contents of some blobs by id; those that are not here yet are read at once."""
        wanted = list(dict.fromkeys(oids))
        contents = {oid: data for oid in wanted if (data := self._known(oid)) is not None}
        missing = [oid for oid in wanted if oid not in contents]
        if missing:
            if self._size > _MOST_KEPT:
                self._stored.clear()
                self._lines.clear()
                self._size = 0
            for oid, data in blobs.read_blobs(self.repo, missing):
                contents[oid] = self._stored[oid] = data or b""
                self._size += len(data or b"")
        return contents

    def __getitem__(self, oid: str) -> bytes:
        known = self._known(oid)
        return self.read([oid])[oid] if known is None else known

    def lines(self, oid: str) -> list[str]:
        """The lines of a text without their ends; a last line feed is followed by an empty one."""
        if oid not in self._lines:
            self._lines[oid] = self[oid].decode("utf-8", "replace").split("\n")
        return self._lines[oid]

    def _known(self, oid: str) -> bytes | None:
        data = self.edited.get(oid)
        return self._stored.get(oid) if data is None else data
