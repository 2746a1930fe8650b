"""Terms at a Damerau-Levenshtein distance of one from a word.

One edit (a byte inserted, deleted or substituted, or two adjacent ones transposed) leaves either
the first or the second half of a word as it is, so only terms that share one of the two are
compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Segment

# Bytes of the end of a term that are compared at once, as one 64-bit integer.
_TAIL = 8


def within_one_edit(segment: Segment, word: bytes) -> list[int]:
    """Return the term numbers of a segment, ascending, whose text is one edit from a word."""
    half = len(word) // 2
    candidates = {*segment.prefixed(word[:half].decode()), *_ending(segment, word, half + 1)}
    texts = ((term, segment.term_text(term).encode()) for term in sorted(candidates))
    return [term for term, text in texts if is_one_edit(word, text)]


def _ending(segment: Segment, word: bytes, start: int) -> list[int]:
    """Return terms whose length differs by at most one, with the word's suffix from `start`."""
    ends = segment["term_ends"].astype(np.int64)
    similar = np.flatnonzero(np.abs(np.diff(ends) - len(word)) <= 1)
    tail = word[start:][-_TAIL:]
    # the last bytes of each term are read as one big-endian integer
    text = np.concatenate([np.zeros(_TAIL, np.uint8), segment["term_text"]])
    before_each_byte = np.ndarray(len(text) - _TAIL + 1, ">u8", text, strides=(1,))
    differing = before_each_byte[ends[1:][similar]] ^ np.uint64(int.from_bytes(tail, "big"))
    shift = np.uint64(8 * (_TAIL - len(tail)))
    terms: list[int] = similar[differing << shift == 0].tolist()
    return terms


def is_one_edit(one: bytes, other: bytes) -> bool:
    """Return True if two texts are at a Damerau-Levenshtein distance of exactly one."""
    start = common_prefix_length(one, other)
    one, other = one[start:], other[start:]
    if not one and not other:
        return False
    # after the first difference the rests are equal but for one byte, or two transposed ones
    return one[1:] in (other, other[1:]) or one == other[1:] or _are_transposed(one, other)


def common_prefix_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the length of the common prefix of two sequences."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (left, right) in pairs if left != right), min(len(one), len(other)))


def _are_transposed(one: bytes, other: bytes) -> bool:
    return len(one) > 1 and one[:2] == other[1::-1] and one[2:] == other[2:]
