"""The answer of a query over the record: columns for people, tabs for programs."""

from __future__ import annotations

from collections.abc import Iterator

from gitsearch.render.escape import plain
from gitsearch.reports.maintenance import SqlReport

_WIDEST = 60


def table(report: SqlReport, *, aligned: bool) -> Iterator[str]:
    """A header and one line a row; nothing in a cell breaks the line or reaches a terminal raw."""
    header = [_cell(name) for name in report.columns]
    rows = [[_cell(value) for value in row] for row in report.rows]
    if not aligned:
        for row in (header, *rows):
            yield "\t".join(row) + "\n"
        return
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(header, *rows, strict=True)]
    rule = ["-" * width for width in widths]
    for row in (header, rule, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip() + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    text = value if isinstance(value, str) else str(value)
    return plain(text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n"))
