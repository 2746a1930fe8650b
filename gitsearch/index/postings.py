"""Postings in a byte or two each: the rows that hold a term, and how often each does.

docs/format.md, "Postings", is normative. Rows of a term ascend, and what is kept is the step from
each to the next, in base 255 for terms in many rows and in base 65535 for the others: every step
is so many full digits, which mean "go on", and a last one. A running sum decodes them all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from gitsearch.features.ragged import gather, offsets

# Occurrences beyond this many add next to nothing to BM25, and this many fit in four bits.
_BITS = 4
MOST = (1 << _BITS) - 1

# Postings that are sorted at once, and that are encoded at once: bounds the memory that takes.
_SORTED = 1 << 22
_BLOCK = 1 << 18

_NO_ROWS = np.zeros(0, np.int64)

# Keys of all postings of the terms in [low, high), in any order.
Keys = Callable[[int, int], np.ndarray]


def keys_of(row: np.ndarray, term: np.ndarray, tf: np.ndarray, rows: int) -> np.ndarray:
    """Return postings as whole numbers that sort by term, then row: int64."""
    keys = term.astype(np.int64)
    keys *= rows
    keys += row
    keys <<= _BITS
    keys |= np.minimum(tf, MOST)
    return keys


def encoded(keys_of_terms: Keys, counts: np.ndarray, rows: int) -> dict[str, np.ndarray]:
    """Return arrays of a segment with so many rows; `counts`: about the postings of each term."""
    frequencies: list[np.ndarray] = [np.zeros(0, np.uint8)]
    steps: list[np.ndarray] = [np.zeros(0, np.uint8)]
    sizes: list[np.ndarray] = [np.zeros(0, np.int64)]
    lengths: list[np.ndarray] = [np.zeros(0, np.int64)]
    for low, high in _ranges(offsets(counts), _SORTED):
        # one sort of plain numbers is many times faster than one that gives an order
        keys = keys_of_terms(low, high)
        keys.sort()
        frequencies.append((keys & MOST).astype(np.uint8))
        keys >>= _BITS
        ends = np.searchsorted(keys, np.arange(low, high + 1, dtype=np.int64) * rows)
        lengths.append(np.diff(ends))
        for at, until in _ranges(ends, _BLOCK):
            part, size = _steps(keys, ends[at : until + 1], low + at, rows)
            steps.append(part)
            sizes.append(size)
    single = np.concatenate(frequencies)
    pairs = np.pad(single, (0, len(single) % 2))
    return {
        "posting_ends": offsets(np.concatenate(lengths)),
        "posting_tf": pairs[0::2] | pairs[1::2] << _BITS,
        "posting_step": np.concatenate(steps),
        "posting_step_ends": offsets(np.concatenate(sizes)),
    }


def _ranges(ends: np.ndarray, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of runs that hold at most so many values together, or are one run."""
    at = 0
    while at < len(ends) - 1:
        until = max(at + 1, int(np.searchsorted(ends, ends[at] + most, side="right")) - 1)
        yield at, until
        at = until


def _steps(
    keys: np.ndarray, ends: np.ndarray, first: int, rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the digits of the terms from `first` on, and the bytes that each of them takes."""
    counts = np.diff(ends)
    part = keys[int(ends[0]) : int(ends[-1])]
    step = np.diff(part, prepend=0)
    filled = np.flatnonzero(counts)
    start = ends[filled] - ends[0]
    step[start] = part[start] - (first + filled) * rows + 1
    narrow = _narrow(counts, rows)
    base = np.repeat(np.where(narrow, 255, 65535), counts)
    # few steps have more than one digit: the others need no division
    long = np.flatnonzero(step >= base)
    digits = np.ones(len(step), np.int32)
    digits[long] += (step[long] // base[long]).astype(np.int32)
    step[long] %= base[long]
    end = offsets(digits)
    wide = np.full(int(end[-1]), 65535, np.uint16)
    wide[end[1:] - 1] = step
    sizes = np.diff(end[ends - ends[0]])
    # both bytes of a wide digit, the low byte of a narrow one (255 where it means "go on")
    both = wide.view(np.uint8).reshape(-1, 2)
    taken = np.ones(both.shape, bool)
    taken[:, 1] = np.repeat(~narrow, sizes)
    return both[taken], sizes * np.where(narrow, 1, 2)


def _narrow(counts: np.ndarray, rows: int) -> np.ndarray:
    """Return True where digits of one byte take less room: steps are below 255 on average."""
    return np.asarray(counts * 255 >= rows)


def decoded(
    arrays: Mapping[str, np.ndarray], terms: np.ndarray, rows: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each of many terms its rows (int64), ascending, and how often it is in each.

    The latter are uint8. The arrays are sound.
    """
    low, high = (arrays["posting_ends"][terms + more].astype(np.int64) for more in (0, 1))
    matches = _matches(arrays, terms, high - low, rows)
    return list(zip(matches, _often(arrays, low, high), strict=True))


def _matches(
    arrays: Mapping[str, np.ndarray], terms: np.ndarray, counts: np.ndarray, rows: int
) -> list[np.ndarray]:
    """Return the rows of each term, of which there are so many."""
    step = arrays["posting_step"]
    first, last = (arrays["posting_step_ends"][terms + more].tolist() for more in (0, 1))
    narrow = _narrow(counts, rows)
    matches = [_NO_ROWS] * len(terms)
    for kind, full, chosen in (("<u1", 255, narrow), ("<u2", 65535, ~narrow)):
        own = np.flatnonzero(chosen).tolist()
        if not own:
            continue
        digits = np.concatenate([step[first[i] : last[i]] for i in own]).view(kind)
        # one running sum decodes all of them: each goes on from the last row of the one before
        sums = np.cumsum(digits, dtype=np.int64)[digits != full]
        ends = offsets(counts[own]).tolist()
        for i, start, end in zip(own, ends, ends[1:], strict=False):
            before = sums[start - 1] if start else 0
            matches[i] = sums[start:end] - (before + 1)
    return matches


def _often(
    arrays: Mapping[str, np.ndarray], low: np.ndarray, high: np.ndarray
) -> list[np.ndarray]:
    """Return the frequencies in some ranges of postings, two of which are in a byte."""
    first, last = low >> 1, (high + 1) >> 1
    held = zip(first.tolist(), last.tolist(), strict=True)
    parts = [arrays["posting_tf"][start:end] for start, end in held]
    pairs = np.concatenate([np.zeros(0, np.uint8), *parts])
    single = np.empty((len(pairs), 2), np.uint8)
    single[:, 0], single[:, 1] = pairs & MOST, pairs >> _BITS
    starts = 2 * offsets(last - first)[:-1] + (low & 1)
    flat = single.reshape(-1)
    spans = zip(starts.tolist(), (starts + high - low).tolist(), strict=True)
    return [flat[start:end] for start, end in spans]


def rows_of(
    arrays: Mapping[str, np.ndarray], terms: np.ndarray, rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of many terms at once: positions in `terms`, and for each a row; int64.

    The rows of a term ascend.
    """
    low, high = (arrays["posting_ends"][terms + more].astype(np.int64) for more in (0, 1))
    first, last = (arrays["posting_step_ends"][terms + more].astype(np.int64) for more in (0, 1))
    narrow, size = _narrow(high - low, rows), last - first
    positions, matches = [], []
    for kind, full, chosen in (("<u1", 255, narrow), ("<u2", 65535, ~narrow)):
        own = np.flatnonzero(chosen)
        digits = arrays["posting_step"][gather(first[own], size[own])].view(kind)
        upto = offsets(size[own] // digits.itemsize)
        total = offsets(digits)
        row = total[1:] - np.repeat(total[upto[:-1]], np.diff(upto)) - 1
        ends = digits != full
        positions.append(np.repeat(own, np.diff(upto))[ends])
        matches.append(row[ends])
    return np.concatenate(positions), np.concatenate(matches)


def sound(arrays: Mapping[str, np.ndarray], rows: int) -> bool:
    """Return True if terms in sound runs have their number of rows, ascending, below `rows`."""
    ends = arrays["posting_ends"].astype(np.int64)
    counts = np.diff(ends)
    step_ends = arrays["posting_step_ends"].astype(np.int64)
    if int(ends[0]) or len(arrays["posting_tf"]) != (int(ends[-1]) + 1) // 2:
        return False
    if (np.diff(step_ends)[~_narrow(counts, rows)] % 2).any():
        return False
    for low, high in _ranges(step_ends, _BLOCK):
        term, row = rows_of(arrays, np.arange(low, high), rows)
        if not np.array_equal(np.bincount(term, minlength=high - low), counts[low:high]):
            return False
        if (row < 0).any() or (row >= rows).any():
            return False
        if ((np.diff(row) <= 0) & (np.diff(term) == 0)).any():
            return False
    return True
