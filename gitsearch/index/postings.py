"""Postings in a byte or two each: the rows that hold a term, and how often each does.

docs/format.md, "Postings", is normative. Rows of a term ascend, and what is kept is the step from
each to the next, in base 255 for terms in many rows and in base 65535 for the others: every step
is so many full digits, which mean "go on", and a last one. A running sum decodes them all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gitsearch.features.ragged import gather, offsets

# Occurrences beyond this many add next to nothing to BM25, and this many fit in four bits.
_BITS = 4
MOST = (1 << _BITS) - 1

# Postings that are sorted at once, and that are encoded at once: bounds the memory that takes.
_SORTED = 1 << 22
_BLOCK = 1 << 18

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


class Encoded(NamedTuple):
    """The postings of one term in one segment as they are kept.

    rows: how many there are; digits: bytes (uint8) of the steps; narrow: a digit is a byte; pairs:
    two frequencies in each byte, those of the term from place `first` on; start: what is added to
    each row.
    """

    rows: int
    digits: np.ndarray
    narrow: bool
    pairs: np.ndarray
    first: int
    start: int = 0


def encoded_lists(
    arrays: Mapping[str, np.ndarray], terms: np.ndarray, rows: int, start: int = 0
) -> list[Encoded]:
    """Return the postings of many terms of a segment with so many rows. The arrays are sound."""
    low, high = (arrays["posting_ends"][terms + more].astype(np.int64) for more in (0, 1))
    first, last = (arrays["posting_step_ends"][terms + more].tolist() for more in (0, 1))
    narrow = _narrow(high - low, rows).tolist()
    step, pairs = arrays["posting_step"], arrays["posting_tf"]
    return [
        Encoded(
            until - since,
            step[first[i] : last[i]],
            narrow[i],
            pairs[since >> 1 : (until + 1) >> 1],
            since & 1,
            start,
        )
        for i, (since, until) in enumerate(zip(low.tolist(), high.tolist(), strict=True))
    ]


def decoded(
    arrays: Mapping[str, np.ndarray], terms: np.ndarray, rows: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each of many terms its rows (int64), ascending, and how often it is in each.

    The latter are uint8. The arrays are sound.
    """
    lists = encoded_lists(arrays, terms, rows)
    found = together([[one] for one in lists])
    nothing = np.zeros(0, np.int64), np.zeros(0, np.uint8)
    return [parts[0] if parts else nothing for parts in found]


def together(groups: Sequence[Sequence[Encoded]]) -> list[list[tuple[np.ndarray, np.ndarray]]]:
    """Decode many lists at once: for each group the rows, and how often the term is in each.

    There are at most two parts in a group, of lists whose starts ascend: rows of a part are int64
    and ascend, the others are uint8.
    """
    out: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in groups]
    for narrow, kind, full in ((True, "<u1", 255), (False, "<u2", 65535)):
        own = [
            (place, one)
            for place, group in enumerate(groups)
            for one in group
            if one.narrow == narrow and one.rows
        ]
        if not own:
            continue
        lists = [one for _, one in own]
        ends = offsets([one.rows for one in lists])
        rows = _matches(lists, ends, kind, full)
        often = _often(lists)
        bounds = np.searchsorted([place for place, _ in own], np.arange(len(groups) + 1))
        for place, (start, end) in enumerate(pairwise(ends[bounds].tolist())):
            if start < end:
                out[place].append((rows[start:end], often[start:end]))
    return out


def _matches(lists: Sequence[Encoded], ends: np.ndarray, kind: str, full: int) -> np.ndarray:
    """Return the rows of lists with digits of one kind; `ends`: their offsets."""
    digits = np.concatenate([one.digits for one in lists]).view(kind)
    # one running sum decodes all of them: each goes on from the last row of the one before
    rows: np.ndarray = np.cumsum(digits, dtype=np.int64)[digits != full]
    shifts = np.asarray([one.start for one in lists]) - 1
    shifts[1:] -= rows[ends[1:-1] - 1]
    rows += np.repeat(shifts, np.diff(ends))
    return rows


def _often(lists: Sequence[Encoded]) -> np.ndarray:
    """Return the frequencies in lists, two of which are in a byte."""
    pairs = np.concatenate([one.pairs for one in lists])
    single = np.empty((len(pairs), 2), np.uint8)
    single[:, 0], single[:, 1] = pairs & MOST, pairs >> _BITS
    flat, at, parts = single.reshape(-1), 0, []
    for one in lists:
        parts.append(flat[at + one.first : at + one.first + one.rows])
        at += 2 * len(one.pairs)
    return np.concatenate(parts)


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
