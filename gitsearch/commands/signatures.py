"""Signatures of definitions as they stand in the text, without parsing it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitsearch.index.view import Segment

SIGNATURE = 200  # characters

# What stands above a signature: decorators, annotations, attributes.
_ABOVE = ("@", "#[", "[")


def signature(segment: Segment, symbol: int, data: bytes) -> str:
    """The signature of a symbol of a file with this content, on one line."""
    return signature_and_line(segment, symbol, data)[0]


def signature_and_line(segment: Segment, symbol: int, data: bytes) -> tuple[str, int]:
    """The signature of a symbol of a file with this content, and the line on which it begins."""
    _, line, _, start, end = segment.symbol(symbol)
    lines = data[start:end].decode("utf-8", "replace").splitlines()
    above = 0
    while above < len(lines) - 1 and lines[above].lstrip().startswith(_ABOVE):
        above += 1
    text = " ".join(" ".join(lines[above:]).split())
    return text.rstrip(" :{=")[:SIGNATURE], line + above
