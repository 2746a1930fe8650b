"""The vector file: one self-checked row a chunk, appended by the writer, mapped by readers.

docs/format.md, "Vector files", is normative. A row is a vector of 8 bits a dimension and its CRC.
Rows are only added; those beyond the count in the record belong to a writer that died.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.errors import Damaged, Unwritable
from gitsearch.store import layout

if TYPE_CHECKING:
    from pathlib import Path

# 1: int8 and a scale
# 2: 4 bits a dimension
# 3: int8 without a scale
# 4: the generation in the header, so that a file says all that its name does
MATRIX_VERSION = 4

_MAGIC = b"gitsvec\n"
_HEADER = struct.Struct("<8sII16s8s24x")
HEADER_SIZE = _HEADER.size

# A header may say anything: a row of this many dimensions is longer than any model's.
_MOST_DIMS = 1 << 16

# Rows that are copied before mapped pages are given back.
_TAKEN = 2048


def row_type(dims: int) -> np.dtype[np.void]:
    """The layout of one row."""
    return np.dtype([("vector", "i1", (dims,)), ("crc", "<u4")])


def _summed(vectors: np.ndarray, dims: int) -> np.ndarray:
    """Rows as they lie in the file, checksums filled in."""
    out = np.zeros(len(vectors), row_type(dims))
    out["vector"] = vectors
    out["crc"] = [zlib.crc32(row) for row in vectors]
    return out


def append(path: Path, name: str, count: int, vectors: np.ndarray, dims: int) -> None:
    """Write rows after the first `count`, flushed to disk; raises Unwritable.

    name: what the file is or will be called, which says whose vectors it holds; vectors: int8
    (rows, dims).
    """
    marks = (mark.encode() for mark in layout.vectors_of(name))
    header = _HEADER.pack(_MAGIC, MATRIX_VERSION, dims, *marks)
    try:
        descriptor = layout.open_file(path, os.O_RDWR | os.O_CREAT)
        with os.fdopen(descriptor, "r+b") as file:
            file.write(header)
            file.seek(HEADER_SIZE + count * row_type(dims).itemsize)
            file.write(_summed(np.ascontiguousarray(vectors), dims).tobytes())
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise Unwritable(f"cannot write '{path}': {error.strerror}") from error


def open_rows(folder: Path, name: str, dims: int | None) -> np.ndarray:
    """Map the rows: structured array (rows,); raises FileNotFoundError or Damaged.

    `dims` is what the header must say; None takes its word. A header must name the same model and
    generation as the file.
    """
    with layout.reader(folder / name, name) as file:
        found = _dims(name, file.read(HEADER_SIZE))
        if found != (dims or found):
            raise Damaged(name, f"{found} dimensions instead of {dims}")
        kind = row_type(found)
        count = (os.fstat(file.fileno()).st_size - HEADER_SIZE) // kind.itemsize
        return np.memmap(file, kind, "r", HEADER_SIZE, (count,)) if count else np.zeros(0, kind)


def taken(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Copies of some rows, best in ascending order: structured array (len(wanted),).

    Each lies in a page of its own, and the system maps the pages around it: of a large file that
    is mapped, pages are given back on the way.
    """
    out = np.empty(len(wanted), rows.dtype)
    owner: object = rows
    while isinstance(owner, np.ndarray):
        owner = owner.base
    for start in range(0, len(wanted), _TAKEN):
        out[start : start + _TAKEN] = rows[wanted[start : start + _TAKEN]]
        if isinstance(owner, mmap.mmap) and len(wanted) > _TAKEN:
            owner.madvise(mmap.MADV_DONTNEED)
    return out


def _dims(name: str, header: bytes) -> int:
    """Dimensions of the vectors; raises Damaged for a header that does not fit the name."""
    if len(header) < HEADER_SIZE:
        raise Damaged(name, f"truncated at {len(header)} bytes")
    magic, version, dims, fingerprint, generation = _HEADER.unpack(header)
    if magic != _MAGIC or version != MATRIX_VERSION or not 1 <= dims <= _MOST_DIMS:
        raise Damaged(name, "header of another format or version")
    if (fingerprint, generation) != tuple(mark.encode() for mark in layout.vectors_of(name)):
        raise Damaged(name, "header of another model or generation")
    return int(dims)


def check(rows: np.ndarray, name: str) -> None:
    """Compare every row with its checksum; raises Damaged naming the first bad row."""
    size = rows.dtype.itemsize
    for start in range(0, len(rows), 4096):
        part = np.ascontiguousarray(rows[start : start + 4096])
        data = part.tobytes()
        crcs = part["crc"].tolist()
        for i, crc in enumerate(crcs):
            if zlib.crc32(data[i * size : (i + 1) * size - 4]) != crc:
                raise Damaged(name, f"row {start + i} does not match its checksum")
