"""Terms that are one slip of the fingers away from a word.

A slip is a byte missing, too many or another, or two swapped: Damerau and Levenshtein's distance
of one. It leaves the first half of a word as it is, or the last; so what the sorted terms have in
common with either is looked at, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Segment

# Bytes of the end of a term that are compared at once.
_TAIL = 8


def within_one_edit(segment: Segment, word: bytes) -> list[int]:
    """The numbers of the terms of a segment that are one slip away from a word."""
    half = len(word) // 2
    near = {*segment.prefixed(word[:half].decode()), *_ending(segment, word, half + 1)}
    texts = ((term, segment.term_text(term).encode()) for term in sorted(near))
    return [term for term, text in texts if is_one_edit(word, text)]


def _ending(segment: Segment, word: bytes, start: int) -> list[int]:
    """Terms about as long as a word that end as it does from `start` on."""
    ends = segment["term_ends"].astype(np.int64)
    close = np.flatnonzero(np.abs(np.diff(ends) - len(word)) <= 1)
    tail = word[start:][-_TAIL:]
    # the last bytes of a term are read as one number
    text = np.concatenate([np.zeros(_TAIL, np.uint8), segment["term_text"]])
    before_each_byte = np.ndarray(len(text) - _TAIL + 1, ">u8", text, strides=(1,))
    unlike = before_each_byte[ends[1:][close]] ^ np.uint64(int.from_bytes(tail, "big"))
    found: list[int] = close[unlike << np.uint64(8 * (_TAIL - len(tail))) == 0].tolist()
    return found


def is_one_edit(one: bytes, other: bytes) -> bool:
    """Whether one slip makes one text of another."""
    start = shared(one, other)
    one, other = one[start:], other[start:]
    if not one and not other:
        return False
    # what follows the first difference is the same, but for one byte or for two that are swapped
    return one[1:] in (other, other[1:]) or one == other[1:] or _are_swapped(one, other)


def shared(one: Sequence[object], other: Sequence[object]) -> int:
    """How much two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _are_swapped(one: bytes, other: bytes) -> bool:
    return len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
