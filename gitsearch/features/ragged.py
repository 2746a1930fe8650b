"""Lists of lists in CSR form: int64 offsets (lists + 1), and the concatenated values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import numpy as np


def offsets(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Return the offsets of runs with some lengths: int64 (len(lengths) + 1), the first 0."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def ends_of(groups: np.ndarray, count: int) -> np.ndarray:
    """Return the offsets of `count` groups, int64 (count + 1), from the group of each row.

    `groups` ascends.
    """
    return offsets(np.bincount(groups, minlength=count))


def unique(values: np.ndarray) -> np.ndarray:
    """Return the distinct values in ascending order; none may be negative.

    This replaces np.unique, whose first call imports numpy.ma in 7 ms.
    """
    ordered = np.sort(values)
    distinct: np.ndarray = ordered[np.diff(ordered, prepend=-1) != 0]
    return distinct


def numbered(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values as `unique` does, and the position among them of each value."""
    steps = np.diff(values, prepend=-1)
    if (steps >= 0).all():
        first = steps != 0
        return values[first], np.cumsum(first) - 1
    distinct = unique(values)
    return distinct, np.searchsorted(distinct, values)


def contained(values: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Return True for each whole number that is among others, which ascend: bool (values,)."""
    if not len(among):
        return np.zeros(len(values), bool)
    # with values of another type numpy would convert all of the others each time
    last = among[-1]
    places = np.searchsorted(among[:-1], np.minimum(values, last).astype(last.dtype))
    found: np.ndarray = among[places] == values
    return found


def runs_of(among: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the run of each value begins and ends in some numbers: int64 (values,).

    The numbers ascend; all are whole, and none is negative. One that is not there has no length.
    """
    fits = values <= np.iinfo(among.dtype).max
    # of the type of the numbers, as above
    narrow = np.where(fits, values, 0).astype(among.dtype)
    starts, ends = (np.searchsorted(among, narrow, side) for side in ("left", "right"))
    return starts, np.where(fits, ends, starts)


def gather(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the positions start .. start + length - 1 of each run, concatenated: int64."""
    shift = np.repeat(starts - offsets(lengths)[:-1], lengths)
    positions: np.ndarray = np.arange(len(shift), dtype=np.int64) + shift
    return positions


def reordered(
    ends: np.ndarray, values: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets and values of the lists in another order, given as indices of lists."""
    lengths = np.diff(ends)[order]
    return offsets(lengths), values[gather(ends[:-1][order], lengths)]


def joined(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Return the concatenated texts (uint8), and their offsets (int64)."""
    return np.frombuffer(b"".join(texts), np.uint8), offsets([len(text) for text in texts])


def narrowed(values: np.ndarray) -> np.ndarray:
    """Convert integers to the smallest type that holds them, signed only if one is negative.

    Values that need more than 32 bits stay as they are.
    """
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for size in (1, 2, 4):
        bounds = np.iinfo(f"{'u' if low >= 0 else 'i'}{size}")
        if bounds.min <= low and high <= bounds.max:
            return values.astype(bounds.dtype)
    return values


def position(rows: range, wanted: bytes, text: Callable[[int], bytes]) -> int:
    """Return the row with a text by binary search, or -1; the texts of `rows` ascend."""
    row = rows.start
    if len(rows) > 1:
        row = bisect_left(range(rows.stop), wanted, row, key=text)
    return row if row < rows.stop and text(row) == wanted else -1


def headed(rows: range, start: bytes, text: Callable[[int], bytes]) -> range:
    """Return the rows whose text begins with `start`; the texts of `rows` ascend."""
    first = bisect_left(range(rows.stop), start, rows.start, key=text)
    beyond = bisect_left(
        range(rows.stop), True, first, key=lambda row: not text(row).startswith(start)
    )
    return range(first, beyond)
