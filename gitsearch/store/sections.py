"""A file of checksummed arrays: written once, mapped by readers, never changed.

docs/format.md, "Section files", is normative. Everything is little-endian.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.store import layout

if TYPE_CHECKING:
    from pathlib import Path

# 1: first version
FORMAT_VERSION = 1

_MAGIC = b"gitsrch\n"
_HEADER = struct.Struct(
    "<8sIIQII"
)  # magic, version, sections, file length, crc of the table, zero
_ENTRY = struct.Struct("<24s8sQQQQII")  # name, dtype, rows, columns, offset, bytes, crc, axes
_ALIGN = 64
_META = "meta"


def encode(arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> list[bytes | memoryview]:
    """The file as a list of pieces in the order in which they lie on disk."""
    text = json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()
    every = {_META: np.frombuffer(text, np.uint8), **arrays}
    entries: list[bytes] = []
    bodies: list[bytes | memoryview] = []
    offset = _aligned(_HEADER.size + _ENTRY.size * len(every))
    head = offset
    for name, given in every.items():
        array = np.ascontiguousarray(given, given.dtype.newbyteorder("<"))
        body = array.reshape(-1).view(np.uint8).data if array.size else b""
        size = len(body)
        rows = array.shape[0]
        columns = array.shape[1] if array.ndim == 2 else 0
        dtype = array.dtype.str.encode()
        crc = zlib.crc32(body)
        entries.append(
            _ENTRY.pack(name.encode(), dtype, rows, columns, offset, size, crc, array.ndim)
        )
        pad = _aligned(offset + size) - offset - size
        bodies.extend((body, bytes(pad)))
        offset += size + pad
    table = b"".join(entries)
    header = _HEADER.pack(_MAGIC, FORMAT_VERSION, len(every), offset, zlib.crc32(table), 0)
    start = header + table
    return [start, bytes(head - len(start)), *bodies]


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGN) * _ALIGN


def write(path: Path, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Publish the arrays under `path` at once (temporary file, fsync, rename)."""
    layout.replace(path, encode(arrays, meta))


class Sections:
    """The arrays of one file (or of one in memory), each a view of the mapping."""

    def __init__(self, arrays: dict[str, np.ndarray], meta: dict[str, Any], name: str) -> None:
        self.arrays = arrays
        self.meta = meta
        self.name = name
        self.crcs: dict[str, int] = {}
        self.size = 0

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.arrays[name]
        except KeyError:
            raise Damaged(self.name, f"section '{name}' is missing") from None

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def check(self) -> None:
        """Compare every section with its checksum; raises Damaged naming the first bad one."""
        for name, crc in self.crcs.items():
            array = self.arrays[name]
            body = array.reshape(-1).view(np.uint8).data if array.size else b""
            if zlib.crc32(body) != crc:
                raise Damaged(self.name, f"section '{name}' does not match its checksum")


def read(path: Path, name: str) -> Sections:
    """Map a file, called `name` in messages; header and table are checked, sections by `check`.

    Raises FileNotFoundError, and Damaged when it is truncated, of another version or not ours.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        if size < _HEADER.size:
            raise Damaged(name, f"truncated at {size} bytes")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    magic, version, count, length, crc, _ = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise Damaged(name, "not a section file")
    if version != FORMAT_VERSION:
        raise Damaged(name, f"format version {version}, this program reads {FORMAT_VERSION}")
    if length != size:
        raise Damaged(name, f"{size} bytes instead of {length}")
    end = _HEADER.size + _ENTRY.size * count
    if end > size or zlib.crc32(data[_HEADER.size : end]) != crc:
        raise Damaged(name, "the table of sections does not match its checksum")
    return _mapped(name, data, count)


def _mapped(name: str, data: mmap.mmap, count: int) -> Sections:
    arrays: dict[str, np.ndarray] = {}
    crcs: dict[str, int] = {}
    for i in range(count):
        entry = _ENTRY.unpack_from(data, _HEADER.size + _ENTRY.size * i)
        key = entry[0].rstrip(b"\0").decode()
        dtype = np.dtype(entry[1].rstrip(b"\0").decode())
        rows, columns, offset, size, crc, axes = entry[2:8]
        array = np.frombuffer(data, dtype, size // dtype.itemsize, offset)
        arrays[key] = array.reshape(rows, columns) if axes == 2 else array
        crcs[key] = crc
    raw = arrays.pop(_META).tobytes()
    if zlib.crc32(raw) != crcs.pop(_META):
        raise Damaged(name, "section 'meta' does not match its checksum")
    found = Sections(arrays, json.loads(raw), name)
    found.crcs = crcs
    found.size = len(data)
    return found
