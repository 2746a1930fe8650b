"""Serialized scalable Bloom filters; the only use of pybloom-live.

The format is that of its own `tofile`, nothing is pickled. Its `fromfile` trusts every number that
it reads, so these are checked here first: they could request any amount of memory.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from io import BytesIO
from typing import Any

from gitsearch.errors import Damaged

# The false positive rate.
ERROR_RATE = 0.02

# Entries of every filter that no text can equal. Another version of the library may hash
# differently; then all entries would seem absent, and these tell.
_PROBES = tuple(f"\0{number}" for number in range(16))

_HEAD = struct.Struct("<idQdl")  # growth, ratio, capacity, error rate, number of filters
_SIZE = struct.Struct("<Q")
_FILTER = struct.Struct("<dQQQQ")  # error rate, slices, bits of each, capacity, entries
_MOST_FILTERS = 32
_MOST_SLICES = 64


def encoded(entries: Collection[str]) -> bytes:
    """Return a serialized filter with these entries."""
    from pybloom_live import ScalableBloomFilter

    # sized so that it need not grow: each filter added by growth has false positives of its own
    bloom = ScalableBloomFilter(len(entries) + len(_PROBES), ERROR_RATE)
    for entry in (*_PROBES, *entries):
        bloom.add(entry)
    file = BytesIO()
    bloom.tofile(file)
    return file.getvalue()


class Bloom:
    """A Bloom filter: no false negatives, false positives at `ERROR_RATE`."""

    def __init__(self, data: bytes, name: str) -> None:
        """Read a filter. Raises Damaged, with the file's name, if the data is no sound filter."""
        if not _is_sound(data):
            raise Damaged(name, "is no bloom filter")
        from pybloom_live import ScalableBloomFilter

        self._filter: Any = ScalableBloomFilter.fromfile(BytesIO(data))
        if not all(probe in self._filter for probe in _PROBES):
            raise Damaged(name, "made by another version of pybloom-live")

    def __contains__(self, entry: str) -> bool:
        """Return False if an entry is certainly absent."""
        return bool(entry in self._filter)


def _is_sound(data: bytes) -> bool:
    """Return True if the numbers in the headers agree with the length of the data."""
    if len(data) < _HEAD.size:
        return False
    count: int = _HEAD.unpack_from(data)[-1]
    offset: int = _HEAD.size + _SIZE.size * count
    if not 1 <= count <= _MOST_FILTERS or len(data) < offset:
        return False
    for number in range(count):
        (size,) = _SIZE.unpack_from(data, _HEAD.size + _SIZE.size * number)
        if size < _FILTER.size or offset + size > len(data):
            return False
        _, slices, bits, _, _ = _FILTER.unpack_from(data, offset)
        if not 1 <= slices <= _MOST_SLICES or bits < 1:
            return False
        if -(-slices * bits // 8) != size - _FILTER.size:
            return False
        offset += size
    return offset == len(data)
