"""Section files: checksummed arrays in one immutable file, memory-mapped by readers.

docs/format.md, "Section files", is normative. Everything is little-endian.
"""

from __future__ import annotations

import json
import math
import mmap
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.store import layout

# 1: first version
# 2: the meta data has the name of the file
FORMAT_VERSION = 2

_MAGIC = b"gitsrch\n"
# magic, version, sections, file length, crc of the table, zero
_HEADER = struct.Struct("<8sIIQII")
_ENTRY = struct.Struct("<24s8sQQQQII")  # name, dtype, rows, columns, offset, bytes, crc, axes
_ALIGN = 64
_META = "meta"

# The key of the meta data with the file's own name. Everything that the content depends on is in
# the name, so a file that was put under another name is detected.
_NAME = "name"

# The most sections of a file; the program writes about fifty.
_MOST = 256

# The types of arrays: integers and one float; none can hold Python objects.
_TYPES = {
    name.encode(): np.dtype(name)
    for name in ("|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f8")
}


def encode(arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> list[bytes | memoryview]:
    """Serialize a file, as a list of pieces in their order on disk."""
    text = json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()
    every = {_META: np.frombuffer(text, np.uint8), **arrays}
    entries: list[bytes] = []
    bodies: list[bytes | memoryview] = []
    offset = _aligned(_HEADER.size + _ENTRY.size * len(every))
    head = offset
    for key, value in every.items():
        array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        body = array.reshape(-1).view(np.uint8).data if array.size else b""
        size = len(body)
        rows = array.shape[0]
        columns = array.shape[1] if array.ndim == 2 else 0
        dtype = array.dtype.str.encode()
        crc = zlib.crc32(body)
        entries.append(
            _ENTRY.pack(key.encode(), dtype, rows, columns, offset, size, crc, array.ndim)
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


def write(folder: Path, name: str, arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> None:
    """Write the arrays atomically (temporary file, fsync, rename). Raises Unwritable."""
    layout.replace(folder / name, encode(arrays, {**meta, _NAME: name}))


class Sections:
    """The arrays of one file, each a view of the mapping, or of one in memory."""

    def __init__(
        self, arrays: dict[str, np.ndarray], meta: dict[str, Any], name: str, size: int = 0
    ) -> None:
        self.arrays = arrays
        self.meta = meta
        self.name = name
        self.size = size
        self.crcs: dict[str, int] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.arrays[name]
        except KeyError:
            raise Damaged(self.name, f"section '{name}' is missing") from None

    def __contains__(self, name: str) -> bool:
        return name in self.arrays

    def check(self) -> None:
        """Verify the checksum of every section. Raises Damaged with the first bad one."""
        for name, crc in self.crcs.items():
            if zlib.crc32(self.arrays[name].data) != crc:
                raise Damaged(self.name, f"section '{name}' does not match its checksum")


def read(folder: Path, name: str) -> Sections:
    """Map a file; header, table and meta data are verified, other sections only by `check`.

    Raises FileNotFoundError, and Damaged if the file is truncated, of another version or format,
    or was written under another name.
    """
    with layout.reader(folder / name, name) as opened:
        size = opened.seek(0, 2)
        if size < _HEADER.size:
            raise Damaged(name, f"truncated at {size} bytes")
        data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    magic, version, count, length, crc, _ = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise Damaged(name, "not a section file")
    if version != FORMAT_VERSION:
        raise Damaged(name, f"format version {version}, this program reads {FORMAT_VERSION}")
    if length != size:
        raise Damaged(name, f"{size} bytes instead of {length}")
    end = _HEADER.size + _ENTRY.size * count
    if count > _MOST or end > size or zlib.crc32(data[_HEADER.size : end]) != crc:
        raise Damaged(name, "the table of sections does not match its checksum")
    file = Sections({}, {}, name, size)
    for entry in _ENTRY.iter_unpack(data[_HEADER.size : end]):
        key = entry[0].rstrip(b"\0").decode("ascii", "replace")
        array = _array(data, entry, end)
        if array is None or key in file:
            raise Damaged(name, f"the table of sections has a bad entry '{key}'")
        file.arrays[key] = array
        file.crcs[key] = entry[6]
        end = entry[4] + entry[5]
    _parse_meta(file)
    return file


def _array(data: mmap.mmap, entry: tuple[Any, ...], before: int) -> np.ndarray | None:
    """Return the array of an entry; None if this is invalid or begins before byte `before`."""
    _, kind, rows, columns, offset, size, _, axes = entry
    dtype = _TYPES.get(kind.rstrip(b"\0"))
    shape = (rows, columns) if axes == 2 else (rows,)
    if (
        dtype is None
        or axes not in (1, 2)
        or math.prod(shape) * dtype.itemsize != size
        or max(rows, columns) > len(data)
        or offset % _ALIGN
        or not before <= offset <= len(data) - size
    ):
        return None
    return np.frombuffer(data, dtype, math.prod(shape), offset).reshape(shape)


def _parse_meta(file: Sections) -> None:
    """Take the meta data, a JSON object, out of the arrays. Raises Damaged for another file's."""
    raw = file.arrays.pop(_META, np.zeros(0, np.uint8)).tobytes()
    if zlib.crc32(raw) != file.crcs.pop(_META, 0):
        raise Damaged(file.name, "section 'meta' does not match its checksum")
    try:
        meta = json.loads(raw)
    except (ValueError, RecursionError):
        meta = None
    if not isinstance(meta, dict):
        raise Damaged(file.name, "section 'meta' is no JSON object")
    file.meta = meta
    written = meta.pop(_NAME, None)
    if written != file.name:
        raise Damaged(file.name, f"was written as {written!r:.99}")
