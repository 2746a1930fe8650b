"""The lines that `git grep` printed, as columns: none is an object before somebody asks for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features.ragged import gather, offsets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap

# `<path> NUL <line> NUL <text> LF`; a path may hold a line feed, a text a NUL.
_RECORD = re.compile(rb"([^\0]*)\0(\d+)\0[^\n]*\n")


@dataclass(frozen=True)
class MatchingLines:
    """Lines in the order of git: by file, then ascending.

    output: what git printed. paths: of the files, each once. ends: int64 (files + 1), the lines of
    each. numbers: int64 (lines), 1-based. starts, texts, stops: int64 (lines), offsets in the
    output of the path, of the text, and of the line feed after it. is_whole: no line of these
    files was left out.
    """

    output: bytes | mmap
    paths: list[bytes]
    ends: np.ndarray
    numbers: np.ndarray
    starts: np.ndarray
    texts: np.ndarray
    stops: np.ndarray
    is_whole: bool = True

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def file(self) -> np.ndarray:
        """The number of the file of each line: int64 (lines)."""
        return np.repeat(np.arange(len(self.paths)), np.diff(self.ends))

    def text(self, line: int) -> bytes:
        """Return the text of a line, without its line feed."""
        return self.output[self.texts[line] : self.stops[line]]

    def where(self, kept: np.ndarray) -> MatchingLines:
        """Return the lines of a mask, bool (lines), and their files."""
        counts = np.bincount(self.file[kept], minlength=len(self.paths))
        return replace(
            self,
            paths=[path for path, count in zip(self.paths, counts, strict=True) if count],
            ends=offsets(counts[counts > 0]),
            is_whole=False,
            **{name: getattr(self, name)[kept] for name in _COLUMNS},
        )

    def of_files(self, kept: np.ndarray) -> MatchingLines:
        """Return the lines of some files: bool (files)."""
        if bool(kept.all()):
            return self
        lines = self.where(np.repeat(kept, np.diff(self.ends)))
        return replace(lines, is_whole=self.is_whole)

    def by_path(self) -> MatchingLines:
        """Return the lines in the order of paths, which that of several processes is not."""
        order = sorted(range(len(self.paths)), key=self.paths.__getitem__)
        if order == list(range(len(order))):
            return self
        files = np.asarray(order)
        counts = np.diff(self.ends)[files]
        lines = gather(self.ends[files], counts)
        return replace(
            self,
            paths=[self.paths[file] for file in order],
            ends=offsets(counts),
            **{name: getattr(self, name)[lines] for name in _COLUMNS},
        )

    @cached_property
    def printed(self) -> bytearray:
        """The output with colons after paths and numbers, as git prints it without -z."""
        data = bytearray(self.output)
        shown = np.frombuffer(data, np.uint8)
        shown[self.texts - 1] = ord(":")
        sizes = np.asarray([len(path) for path in self.paths], np.int64)
        shown[self.starts + sizes[self.file]] = ord(":")
        return data


_COLUMNS = ("numbers", "starts", "texts", "stops")


def parsed(output: bytes | mmap) -> MatchingLines:
    """Return the lines of the output of `line_grep.lines`."""
    buffer = np.frombuffer(output, np.uint8)
    feeds = np.flatnonzero(buffer == ord("\n"))
    starts = np.concatenate([np.zeros(min(len(feeds), 1), np.int64), feeds[:-1] + 1])
    filled = feeds > starts
    nuls = np.flatnonzero(buffer == 0)
    stops = feeds[filled]
    first = np.ones(len(stops), bool)
    if len(stops):
        # an empty line stands before each file but the first
        first = np.diff(np.cumsum(~filled)[filled], prepend=-1) > 0
    starts = starts[filled]
    if len(nuls) == 2 * len(starts):
        names, numbers = nuls[0::2], nuls[1::2]
        if bool(((starts < names) & (names < numbers) & (numbers < stops)).all()):
            return _lines(output, first, starts, names, numbers, stops)
    return _lines(output, *_one_by_one(output))


def _one_by_one(output: bytes | mmap) -> tuple[np.ndarray, ...]:
    """Find the parts of each line where a path has a line feed, or a text a NUL."""
    rows = list(_records(output))
    table = np.asarray(rows, np.int64).reshape(len(rows), 5)
    first, starts, names, numbers, stops = table.T
    return first > 0, starts, names, numbers, stops


def _records(output: bytes | mmap) -> Iterator[tuple[int, int, int, int, int]]:
    at, path = 0, None
    while at < len(output):
        new = path is None or output[at : at + len(path) + 1] != path + b"\0"
        at += new and path is not None  # the empty line
        match = _RECORD.match(output, at)
        if match is None:
            return
        path = match[1]
        yield new, at, match.end(1), match.end(2), match.end() - 1
        at = match.end()


def _lines(
    output: bytes | mmap,
    first: np.ndarray,
    starts: np.ndarray,
    names: np.ndarray,
    numbers: np.ndarray,
    stops: np.ndarray,
) -> MatchingLines:
    """Put the columns together; names, numbers: where the NULs after them stand."""
    heads = np.flatnonzero(first)
    paths = [
        output[start:stop]
        for start, stop in zip(starts[heads].tolist(), names[heads].tolist(), strict=True)
    ]
    ends = np.append(heads, len(starts)).astype(np.int64)
    return MatchingLines(
        output, paths, ends, _decimal(output, names + 1, numbers), starts, numbers + 1, stops
    )


def _decimal(output: bytes | mmap, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Return the numbers that stand in digits between some offsets: int64."""
    digits = np.frombuffer(output, np.uint8)
    out = np.zeros(len(starts), np.int64)
    for place in range(int((stops - starts).max(initial=0))):
        at = starts + place
        inside = at < stops
        out[inside] = out[inside] * 10 + digits[at[inside]] - ord("0")
    return out
