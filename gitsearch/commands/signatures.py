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
    _, _, _, start, end = segment.symbol(symbol)
    lines = data[start:end].decode("utf-8", "replace").splitlines()
    first = 0
    while first < len(lines) - 1 and lines[first].lstrip().startswith(_ABOVE):
        first += 1
    return " ".join(" ".join(lines[first:]).split()).rstrip(" :{=")[:SIGNATURE]
