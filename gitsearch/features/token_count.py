"""The number of tokens that a text has for a language model (cl100k_base), offline and exact.

cl100k_base is the encoding of GPT-4. A text is split into pieces by a pattern; a piece that is in
the vocabulary is one token; the bytes of any other are merged, pair by pair, the pair whose
concatenation has the lowest rank first (byte pair encoding). The number is what tiktoken gives
with ``get_encoding("cl100k_base").encode_ordinary(text)``. For a text with a piece of more than
LONGEST_PIECE bytes it may be larger, but it is never smaller.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import accumulate, pairwise
from pathlib import Path

# Merging takes some microseconds and 200 bytes of memory for each byte of a piece. A longer piece,
# which is data and no language, counts as many tokens as it has bytes: a token has at least one.
LONGEST_PIECE = 4096

# The format of its files is described in the README there.
DATA = Path(__file__).parent / "cl100k_base"
SEPARATOR = b"\xff"

# Pieces whose number of tokens is kept, and the number of characters up to which they are.
_CACHED = 1 << 16
_SHORT = 64

# tiktoken's pattern for the encoding, with its classes \s, \p{L} and \p{N} reduced to ASCII.
_PIECE = re.compile(
    r"""
    '(?:[sdmtSDMT]|[lL][lL]|[vVrR][eE])
    |[^\r\nA-Za-z0-9]?+[A-Za-z]++
    |[0-9]{1,3}+
    |[ ]?[^\t-\r A-Za-z0-9]++[\r\n]*+
    |[\t-\r ]++\Z
    |[\t-\r ]*[\r\n]
    |[\t-\r ]+(?![^\t-\r ])
    |[\t-\r ]
    """,
    re.VERBOSE,
)

# Unicode's property White_Space beyond ASCII.
_WHITE_SPACE = frozenset(
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
# The only character beyond ASCII that a letter of the pattern matches without regard to case.
_LONG_S = "\u017f"


def count(text: str) -> int:
    """Return the number of tokens of a text.

    As in tiktoken, a pair of surrogates counts as the character that it encodes, and any other
    surrogate as U+FFFD.
    """
    if text.isascii():
        return _total(_PIECE.findall(text))
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # The pattern is matched against ASCII characters of the same classes, one for each character.
    alike = text.translate({ord(character): _ascii_of_class(character) for character in set(text)})
    ends = accumulate(map(len, _PIECE.findall(alike)), initial=0)
    return _total(text[start:end] for start, end in pairwise(ends))


def _total(pieces: Iterable[str]) -> int:
    return sum(map(_counts().__getitem__, pieces))


def _ascii_of_class(character: str) -> str:
    """Return an ASCII character that the pattern treats like this one."""
    if character.isascii():
        return character
    if character in _WHITE_SPACE:
        return "\t"
    if character == _LONG_S:
        return "s"
    starts, representatives = _classes()
    return representatives[bisect_right(starts, ord(character)) - 1]


@cache
def _classes() -> tuple[list[int], list[str]]:
    """Return where runs of letters, of numbers and of others begin, and what stands for them."""
    representative = {"L": "a", "N": "0", "-": "!"}
    rows = [line.split() for line in (DATA / "classes.txt").read_text("ascii").splitlines()]
    return [int(start, 16) for start, _ in rows], [representative[kind] for _, kind in rows]


@cache
def _counts() -> _PieceCounts:
    return _PieceCounts(ranks())


def ranks() -> dict[bytes, int]:
    """Return the tokens of the vocabulary in order, each with its rank."""
    data = zlib.decompress((DATA / "tokens.zlib").read_bytes())
    tokens = [data[at : at + 1] for at in range(256)] + data[256:].split(SEPARATOR)
    return dict(zip(tokens, range(len(tokens)), strict=True))


class _PieceCounts(dict[str, int]):
    """The number of tokens of pieces; those of short pieces are kept."""

    def __init__(self, ranks: dict[bytes, int]) -> None:
        super().__init__()
        self._ranks = ranks

    def __missing__(self, piece: str) -> int:
        encoded = piece.encode()
        if encoded in self._ranks:
            tokens = 1
        elif len(encoded) > LONGEST_PIECE:
            tokens = len(encoded)
        else:
            tokens = _merged(encoded, self._ranks)
        if len(piece) <= _SHORT:
            if len(self) >= _CACHED:
                self.clear()
            self[piece] = tokens
        return tokens


def _merged(piece: bytes, ranks: dict[bytes, int]) -> int:
    """Return the number of tokens that byte pair encoding makes of a piece.

    Of pairs of the same rank the first is merged. It takes O(n log n) steps for n bytes.
    """
    size = len(piece)
    # The part that begins at a byte, if any, ends at `ends` and follows the one at `previous`.
    ends = list(range(1, size + 2))
    previous = list(range(-1, size))
    pairs = [(ranks.get(piece[at : at + 2]), at, at + 2) for at in range(size - 1)]
    queue = [(rank, start, end) for rank, start, end in pairs if rank is not None]
    heapify(queue)
    parts = size
    while queue:
        _, start, end = heappop(queue)
        middle = ends[start]
        if ends[middle] != end:
            continue  # one of its parts has been merged since
        parts -= 1
        ends[start] = end
        # No part begins here anymore: what is behind the last part is the end of no pair.
        ends[middle] = size
        previous[end] = start
        for first, last in ((previous[start], end), (start, ends[end])):
            if first >= 0 and last <= size:
                rank = ranks.get(piece[first:last])
                if rank is not None:
                    heappush(queue, (rank, first, last))
    return parts
