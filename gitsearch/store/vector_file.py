"""The vector file: one checksummed row per chunk, appended by the writer, mapped by readers.

docs/format.md, "Vector files", is normative. A row is a vector, as so many bytes, and its
CRC-32. Rows are only appended; those beyond the count in the record belong to a writer that died.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from pathlib import Path

import numpy as np

from gitsearch.errors import Damaged
from gitsearch.store import layout

# 1: int8 and a scale
# 2: 4 bits a dimension
# 3: int8 without a scale
# 4: the generation in the header, so that the header has all that the name has
# 5: 4 bits a dimension, 16 levels without 0; the header says how many bytes a vector has
MATRIX_VERSION = 5

_MAGIC = b"gitsvec\n"
_HEADER = struct.Struct("<8sII16s8s24x")
HEADER_SIZE = _HEADER.size

# The most bytes of a vector that a header may claim: more than any model needs.
_MOST_BYTES = 1 << 15

# Rows that are copied before mapped pages are released, and from how many on they are: to map the
# pages of fewer once more would take longer than to copy them.
_TAKEN = 2048
_RELEASED = 1 << 13


def row_type(width: int) -> np.dtype[np.void]:
    """Return the structured dtype of one row with so many bytes of a vector."""
    return np.dtype([("vector", "u1", (width,)), ("crc", "<u4")])


def append(path: Path, name: str, count: int, vectors: np.ndarray) -> None:
    """Write rows after the first `count` and flush them to disk. Raises Unwritable.

    name: the present or future name of the file, with the fingerprint of the model; vectors: uint8
    (rows, bytes).
    """
    identity = (part.encode() for part in layout.vectors_of(name))
    header = _HEADER.pack(_MAGIC, MATRIX_VERSION, vectors.shape[1], *identity)
    rows = np.zeros(len(vectors), row_type(vectors.shape[1]))
    rows["vector"] = vectors
    rows["crc"] = [zlib.crc32(row) for row in np.ascontiguousarray(vectors)]
    with layout.writing(path):
        descriptor = layout.open_file(path, os.O_RDWR | os.O_CREAT)
        with os.fdopen(descriptor, "r+b") as file:
            file.write(header)
            file.seek(HEADER_SIZE + count * rows.itemsize)
            file.write(rows.tobytes())
            file.truncate()
            file.flush()
            os.fsync(file.fileno())


def open_rows(folder: Path, name: str, width: int | None) -> np.ndarray:
    """Map the rows: structured array (rows,). Raises FileNotFoundError or Damaged.

    width: the bytes of a vector that the header must have; None accepts any number. The header
    must have the model and generation of the file's name.
    """
    with layout.reader(folder / name, name) as file:
        header = file.read(HEADER_SIZE)
        if len(header) < HEADER_SIZE:
            raise Damaged(name, f"truncated at {len(header)} bytes")
        magic, version, actual, *identity = _HEADER.unpack(header)
        if magic != _MAGIC or version != MATRIX_VERSION or not 1 <= actual <= _MOST_BYTES:
            raise Damaged(name, "header of another format or version")
        if identity != [part.encode() for part in layout.vectors_of(name)]:
            raise Damaged(name, "header of another model or generation")
        if actual != (width or actual):
            raise Damaged(name, f"vectors of {actual} bytes instead of {width}")
        dtype = row_type(actual)
        count = (os.fstat(file.fileno()).st_size - HEADER_SIZE) // dtype.itemsize
        return np.memmap(file, dtype, "r", HEADER_SIZE, (count,)) if count else np.zeros(0, dtype)


def taken(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Copy the rows with the given numbers, best ascending: structured array (len(wanted),).

    Each row is on a page of its own, and the system maps the pages around it: while many rows of a
    mapped file are copied, pages are released on the way.
    """
    # as numbers rows are copied many times faster than as records
    size = rows.dtype.itemsize
    kind = np.dtype(np.uint8 if size % 4 else np.uint32)
    table = np.asarray(rows).view(kind).reshape(len(rows), size // kind.itemsize)
    out = np.empty((len(wanted), table.shape[1]), kind)
    owner: object = rows
    while isinstance(owner, np.ndarray):
        owner = owner.base
    for start in range(0, len(wanted), _TAKEN):
        part = wanted[start : start + _TAKEN]
        np.take(table, part, axis=0, out=out[start : start + len(part)], mode="clip")
        if isinstance(owner, mmap.mmap) and len(wanted) > _RELEASED:
            owner.madvise(mmap.MADV_DONTNEED)
    return out.view(rows.dtype)[:, 0]


def check(rows: np.ndarray, name: str) -> None:
    """Verify the checksum of every row. Raises Damaged with the first bad row."""
    size = rows.dtype.itemsize
    for start in range(0, len(rows), 4096):
        part = np.ascontiguousarray(rows[start : start + 4096])
        data = part.tobytes()
        crcs = part["crc"].tolist()
        for i, crc in enumerate(crcs):
            if zlib.crc32(data[i * size : (i + 1) * size - 4]) != crc:
                raise Damaged(name, f"row {start + i} does not match its checksum")
