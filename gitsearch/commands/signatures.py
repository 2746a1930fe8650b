"""Signatures of definitions as they stand in the text, without parsing it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Segment

SIGNATURE = 200  # characters

# What stands above a signature: decorators, annotations, attributes.
_ABOVE = ("@", "#[", "[")


def signature(segment: Segment, symbol: int, data: bytes) -> str:
    """The signature of a symbol of a file with this content, on one line."""
    lines = _lines(segment, symbol, data)
    below = " ".join(lines[_above(lines) :])
    return " ".join(below.split()).rstrip(" :{=")[:SIGNATURE]


def signature_line(segment: Segment, symbol: int, data: bytes) -> int:
    """The line on which the signature of a symbol begins."""
    return segment.symbol(symbol).first + _above(_lines(segment, symbol, data))


def _lines(segment: Segment, symbol: int, data: bytes) -> list[str]:
    _, _, _, start, end = segment.symbol(symbol)
    return data[start:end].decode("utf-8", "replace").splitlines()


def _above(lines: Sequence[str]) -> int:
    """The number of lines of decorators above a signature."""
    first = 0
    while first < len(lines) - 1 and lines[first].lstrip().startswith(_ABOVE):
        first += 1
    return first
