"""Ranges of bytes in a text: which of them are around a byte."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Scopes:
    """The innermost of some ranges at a byte, by number; -1 outside of all."""

    def __init__(self, ranges: Sequence[tuple[int, int]], *, first: bool = False) -> None:
        """`ranges` are in order of their starts, and each is inside of another or apart.

        first: of several that are the same range the first one counts, and not the last one.
        """
        edges: list[int] = [0]
        inner: list[int] = [-1]
        stack: list[int] = []

        def close(until: int) -> None:
            while stack and ranges[stack[-1]][1] <= until:
                edges.append(ranges[stack.pop()][1])
                inner.append(stack[-1] if stack else -1)

        for number, (start, _) in enumerate(ranges):
            close(start)
            if first and number and ranges[number] == ranges[number - 1]:
                continue
            stack.append(number)
            edges.append(start)
            inner.append(number)
        close(1 << 62)
        self._edges, self._inner = edges, inner

    def at(self, offset: int) -> int:
        """Return the number of the innermost range at a byte, or -1."""
        return self._inner[bisect_right(self._edges, offset) - 1]


class Ranges:
    """Ranges of bytes, of which the outermost count."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if not self._ends or start >= self._ends[-1]:
                self._starts.append(start)
                self._ends.append(end)

    def has(self, offset: int) -> bool:
        """Return True for a byte in one of the ranges."""
        place = bisect_right(self._starts, offset) - 1
        return place >= 0 and offset < self._ends[place]
