"""Objects read from git's own files, without a process: loose ones, and those whole in a pack.

What is kept in any other way (as a delta, in another object store, in a pack of an older form) is
not found here, and git is asked for it.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

from gitsearch.git import regular_file
from gitsearch.git_conventions import is_object_id

if TYPE_CHECKING:
    from collections.abc import Iterator

# An index of a pack, of version 2: this, for each first byte of an id how many objects have it or
# a smaller one, the sorted ids, their checksums (4 bytes each), their places in the pack.
_MAGIC = b"\xfftOc\0\0\0\x02"
_COUNTS = struct.Struct(">256I")
_NAMES = len(_MAGIC) + _COUNTS.size
_ID_SIZE, _CHECKSUM_SIZE = 20, 4
_PLACE = struct.Struct(">I")
# Names with one first byte, of which there are 7,000 in a pack of two million objects.
_MOST_NAMES = 1 << 20
# Set in what is no place, but the number of one of 8 bytes, as behind the first 2 GiB of a pack.
_FAR = 1 << 31

# In a pack, the type of a commit that is no delta.
_COMMIT = 1
# Compressed bytes of a commit that are read, and bytes of it; a long one is left to git.
_MOST_STORED, _MOST = 16 << 10, 64 << 10

# A commit begins with its tree: "tree <id>", and a line feed.
_TREE = b"tree "
_TREE_END = len(_TREE) + 2 * _ID_SIZE


def tree_of(objects: str, commit: str) -> str | None:
    """Return the tree of a commit; None unless both are found here and the commit is intact.

    objects: the folder `objects` of a repository whose ids are SHA-1. Raises OSError.
    """
    data = _loose_commit(_loose(objects, commit)) or _packed_commit(objects, commit)
    if data is None:
        return None
    digest = hashlib.sha1(b"commit %d\0" % len(data) + data, usedforsecurity=False)
    if digest.hexdigest() != commit or not data.startswith(_TREE):
        return None
    tree = os.fsdecode(data[len(_TREE) : _TREE_END])
    return tree if is_object_id(tree) and _holds(objects, tree) else None


def _loose(objects: str, oid: str) -> str:
    return f"{objects}/{oid[:2]}/{oid[2:]}"


def _loose_commit(path: str) -> bytes | None:
    """The content of a commit that has a file of its own: "commit <size>", NUL, the content."""
    try:
        stored = regular_file.read(path, _MOST_STORED)
    except OSError:
        return None
    header, _, data = _inflated(stored).partition(b"\0")
    return data if header == b"commit %d" % len(data) else None


def _packed_commit(objects: str, oid: str) -> bytes | None:
    for pack, place in _places(objects, oid):
        with regular_file.opened(pack) as (descriptor, _):
            entry = os.pread(descriptor, _MOST_STORED, place)
        kind, size, begin = _header(entry)
        data = _inflated(entry[begin:]) if kind == _COMMIT else b""
        return data if len(data) == size else None
    return None


def _header(entry: bytes) -> tuple[int, int, int]:
    """Type and size of an entry of a pack, and where its content begins; type 0 if cut short."""
    kind, size, shift = 0, 0, 4
    for position, byte in enumerate(entry):
        if position == 0:
            kind, size = byte >> 4 & 7, byte & 15
        else:
            size |= (byte & 127) << shift
            shift += 7
        if byte < 128:
            return kind, size, position + 1
    return 0, 0, 0


def _inflated(stored: bytes) -> bytes:
    """The content; less of it if there is more than is read, nothing if it is damaged."""
    with suppress(zlib.error):
        return zlib.decompressobj().decompress(stored, _MOST)
    return b""


def _holds(objects: str, oid: str) -> bool:
    return os.path.lexists(_loose(objects, oid)) or any(
        os.path.lexists(pack) for pack, _ in _places(objects, oid)
    )


def _places(objects: str, oid: str) -> Iterator[tuple[str, int]]:
    """Yield each pack that has an object, and its place there."""
    packs = f"{objects}/pack"
    for name in os.listdir(packs):  # noqa: PTH208  as texts they are quick
        if name.endswith(".idx"):
            with regular_file.opened(f"{packs}/{name}") as (descriptor, status):
                place = _place(descriptor, status.st_size, bytes.fromhex(oid))
            if place is not None:
                yield f"{packs}/{name.removesuffix('.idx')}.pack", place


def _place(index: int, size: int, name: bytes) -> int | None:
    """The place of an object in a pack; None if it has it not.

    index: a descriptor of the index of the pack, of `size` bytes.
    """
    head = os.pread(index, _NAMES, 0)
    if len(head) < _NAMES or not head.startswith(_MAGIC):
        return None
    counts = (0, *_COUNTS.unpack_from(head, len(_MAGIC)))
    before, until, objects = counts[name[0]], counts[name[0] + 1], counts[-1]
    places = _NAMES + objects * (_ID_SIZE + _CHECKSUM_SIZE)
    if not (before <= until <= objects and until - before <= _MOST_NAMES and places < size):
        return None
    names = os.pread(index, (until - before) * _ID_SIZE, _NAMES + before * _ID_SIZE)
    found = names.find(name)
    while found > 0 and found % _ID_SIZE:  # across two other names
        found = names.find(name, found + 1)
    if found < 0:
        return None
    place = places + (before + found // _ID_SIZE) * _PLACE.size
    (offset,) = _PLACE.unpack(os.pread(index, _PLACE.size, place))
    return None if offset & _FAR else offset
