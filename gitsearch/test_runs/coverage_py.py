"""Data of coverage.py with contexts: its SQLite file, and `coverage json --show-contexts`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from gitsearch.test_runs.ran_lines import MOST_ENTRIES, MOST_LINES, RanLines, bit, damaged

if TYPE_CHECKING:
    from collections.abc import Iterator

SQLITE = b"SQLite format 3\0"

_LINES = (
    "select context.context, file.path, line_bits.numbits from line_bits "
    "join file on file.id = line_bits.file_id join context on context.id = line_bits.context_id"
)
_ARCS = (
    "select context.context, file.path, arc.fromno, arc.tono from arc "
    "join file on file.id = arc.file_id join context on context.id = arc.context_id"
)

# Instructions of SQLite between two looks at the budget, and the looks that are in it: some
# seconds, which no honest data of the size that is read needs.
_STEPS, _LOOKS = 1_000_000, 2_000


class _File(msgspec.Struct):
    contexts: dict[str, list[str]] = {}


class _Report(msgspec.Struct):
    files: dict[str, _File]


def read_sqlite(data: bytes) -> Iterator[RanLines]:
    """Yield what the data file of coverage.py says; raises BadCoverage.

    The file is opened in memory and only its tables are read: views and triggers that a stranger
    may have put into it are not run.
    """
    with closing(sqlite3.connect(":memory:")) as base:
        looks = iter(range(_LOOKS))
        base.set_progress_handler(lambda: next(looks, None) is None, _STEPS)
        try:
            base.deserialize(data)
            base.execute("pragma trusted_schema = off")
            base.execute("pragma query_only = on")
            yield from _rows(base)
        except (sqlite3.Error, OverflowError) as error:
            raise damaged(f"SQLite says: {error}") from error


def _rows(base: sqlite3.Connection) -> Iterator[RanLines]:
    found = base.execute("select name, sql from sqlite_master where type = 'table'").fetchall()
    tables = {name for name, sql in found if not str(sql).lower().startswith("create virtual")}
    if not {"file", "context"} <= tables or tables.isdisjoint({"line_bits", "arc"}):
        raise damaged("it has not the tables of coverage.py")
    if "line_bits" in tables:
        for test, path, bits in base.execute(f"{_LINES} limit {MOST_ENTRIES}"):
            if not isinstance(bits, bytes) or len(bits) > MOST_LINES // 8:
                raise damaged("its table 'line_bits' holds no lines")
            yield RanLines(str(test), str(path), int.from_bytes(bits, "little"))
    if "arc" in tables:
        for test, path, start, end in base.execute(f"{_ARCS} limit {MOST_ENTRIES}"):
            if not isinstance(start, int) or not isinstance(end, int):
                raise damaged("its table 'arc' holds no lines")
            # less than 0 is the entry or the exit of a block
            yield RanLines(str(test), str(path), bit(max(start, 0)) | bit(max(end, 0)))


def read_json(data: bytes) -> Iterator[RanLines]:
    """Yield what a JSON report of coverage.py says; raises BadCoverage."""
    try:
        files = msgspec.json.decode(data, type=_Report).files
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise damaged(f"it is no JSON report of coverage.py: {error}") from error
    for path, file in files.items():
        for line, tests in file.contexts.items():
            if not line.isascii() or not line.isdigit():
                raise damaged("its contexts are not by line")
            bits = bit(int(line[:9]))
            for test in tests:
                yield RanLines(test, path, bits)
