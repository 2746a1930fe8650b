"""Profiles of `go test -coverprofile`, each of one test, which the name of the file tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.test_runs.ran_lines import MOST_LINES, RanLines, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

START = b"mode: "

_BLOCK = re.compile(r"(.+):(\d{1,9})\.\d{1,9},(\d{1,9})\.\d{1,9} \d{1,9} (\d{1,18})")


def read(data: bytes) -> Iterator[RanLines]:
    """Yield the blocks that ran; raises BadCoverage."""
    _, *rows = data.decode("utf-8", "surrogateescape").splitlines()
    for row in filter(None, rows):
        # profiles that are joined have the head of each
        if row.startswith("mode: "):
            continue
        block = _BLOCK.fullmatch(row)
        if block is None:
            raise damaged(f"it has a line {row[:60]!r} that go does not write")
        first, last = int(block[2]), int(block[3])
        if not 0 < first <= last <= MOST_LINES:
            raise damaged(f"it has a block from line {first} to {last}")
        if int(block[4]) > 0:
            yield RanLines("", block[1], (1 << (last + 1)) - (1 << first))
