"""Lists of lists as flat arrays: the offsets where each one ends, and the values end to end."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def offsets(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    """Where runs of these lengths end, a 0 before them: int64 (len + 1)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def ends_of(groups: np.ndarray, count: int) -> np.ndarray:
    """Offsets, int64 (count + 1), of rows labelled with ascending group numbers."""
    return offsets(np.bincount(groups, minlength=count))


def unique(values: np.ndarray) -> np.ndarray:
    """The values that occur, ascending, none of them below 0.

    As np.unique, which imports numpy.ma the first time: 7 ms.
    """
    ordered = np.sort(values)
    found: np.ndarray = ordered[np.diff(ordered, prepend=-1) != 0]
    return found


def gather(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Positions of consecutive runs: for each start the numbers start .. start + length - 1."""
    shift = np.repeat(starts - offsets(lengths)[:-1], lengths)
    positions: np.ndarray = np.arange(len(shift), dtype=np.int64) + shift
    return positions


def csr_of(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and values of a list of lists of numbers."""
    values = [i for one in lists for i in one]
    return offsets([len(one) for one in lists]), np.asarray(values, np.uint32)


def reordered(
    ends: np.ndarray, values: np.ndarray, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The runs in another order."""
    lengths = np.diff(ends)[order]
    return offsets(lengths), values[gather(ends[:-1][order], lengths)]


def joined(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Texts end to end as uint8, and their offsets."""
    return np.frombuffer(b"".join(texts), np.uint8), offsets([len(text) for text in texts])


def narrowed(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the smallest type that holds them all, signed only where one is below 0."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for size in (1, 2, 4):
        bounds = np.iinfo(f"{'u' if low >= 0 else 'i'}{size}")
        if bounds.min <= low and high <= bounds.max:
            return values.astype(bounds.dtype)
    return values


def position(rows: range, wanted: bytes, text: Callable[[int], bytes]) -> int:
    """The row of a text among rows whose texts ascend, or -1."""
    found = bisect_left(range(rows.stop), wanted, rows.start, key=text)
    return found if found < rows.stop and text(found) == wanted else -1


def headed(count: int, start: bytes, text: Callable[[int], bytes]) -> range:
    """Those among the first `count` rows, whose texts ascend, that begin with `start`."""
    first = bisect_left(range(count), start, key=text)
    beyond = bisect_left(range(count), True, first, key=lambda i: not text(i).startswith(start))
    return range(first, beyond)
