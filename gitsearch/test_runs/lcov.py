"""Tracefiles of lcov, in which records may name a test."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitsearch.test_runs.ran_lines import RanLines, bit, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

STARTS = (b"TN:", b"SF:")

_DATA = re.compile(r"(\d{1,9}),(-?\d{1,18})(?:,.*)?")


def read(data: bytes) -> Iterator[RanLines]:
    """Yield what the records say; raises BadCoverage."""
    test, path, lines = "", None, 0
    for row in data.decode("utf-8", "surrogateescape").splitlines():
        field, _, value = row.strip().partition(":")
        if field == "TN":
            test = value.strip()
        elif field == "SF":
            path, lines = value, 0
        elif field in ("DA", "end_of_record") and path is None:
            raise damaged("a record has no file")
        elif field == "DA":
            lines |= _ran(value)
        elif field == "end_of_record":
            yield RanLines(test, str(path), lines)
            path = None
    if path is not None:
        raise damaged("its last record has no end")


def _ran(value: str) -> int:
    found = _DATA.fullmatch(value)
    if found is None:
        raise damaged(f"it has a line {value[:60]!r} that lcov does not write")
    return bit(int(found[1])) if int(found[2]) > 0 else 0
