"""Scalable bloom filters as bytes; the only use of pybloom-live.

The bytes are those of its own `tofile`, nothing is pickled. Its `fromfile` believes every number
that it reads, so the numbers are looked at here first: they could ask for any amount of memory.
"""

from __future__ import annotations

import struct
from io import BytesIO
from typing import TYPE_CHECKING, Any

from gitsearch.errors import Damaged

if TYPE_CHECKING:
    from collections.abc import Collection

# The share of absent entries that a filter takes for present.
ERROR_RATE = 0.02

# Entries of every filter that no text can have. Another version of the library may hash
# otherwise: all entries would seem absent, which must not be taken for a proof.
_PROBES = tuple(f"\0{number}" for number in range(16))

_HEAD = struct.Struct("<idQdl")  # growth, ratio, capacity, error rate, number of filters
_SIZE = struct.Struct("<Q")
_FILTER = struct.Struct("<dQQQQ")  # error rate, slices, bits of each, capacity, entries
_MOST_FILTERS = 32
_MOST_SLICES = 64


def encoded(entries: Collection[str]) -> bytes:
    """A filter with these entries as bytes."""
    from pybloom_live import ScalableBloomFilter

    # each filter that it grows by adds its own errors: one that is large enough stays alone
    made = ScalableBloomFilter(len(entries) + len(_PROBES), ERROR_RATE)
    for entry in (*_PROBES, *entries):
        made.add(entry)
    file = BytesIO()
    made.tofile(file)
    return file.getvalue()


class Bloom:
    """A filter: what is not in it was never put into it."""

    def __init__(self, data: bytes, name: str) -> None:
        """Read a filter; raises Damaged, naming the file, for bytes that are none."""
        if not _sound(data):
            raise Damaged(name, "is no bloom filter")
        from pybloom_live import ScalableBloomFilter

        self._filter: Any = ScalableBloomFilter.fromfile(BytesIO(data))
        if not all(probe in self._filter for probe in _PROBES):
            raise Damaged(name, "made by another version of pybloom-live")

    def __contains__(self, entry: str) -> bool:
        """Whether an entry may have been put in."""
        return bool(entry in self._filter)


def _sound(data: bytes) -> bool:
    """Whether the numbers in front of the bits agree with the bytes that are there."""
    if len(data) < _HEAD.size:
        return False
    count: int = _HEAD.unpack_from(data)[-1]
    at: int = _HEAD.size + _SIZE.size * count
    if not 1 <= count <= _MOST_FILTERS or len(data) < at:
        return False
    for number in range(count):
        (size,) = _SIZE.unpack_from(data, _HEAD.size + _SIZE.size * number)
        if size < _FILTER.size or at + size > len(data):
            return False
        _, slices, bits, _, _ = _FILTER.unpack_from(data, at)
        if not 1 <= slices <= _MOST_SLICES or bits < 1:
            return False
        if -(-slices * bits // 8) != size - _FILTER.size:
            return False
        at += size
    return at == len(data)
