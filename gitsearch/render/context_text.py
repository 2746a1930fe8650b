"""The answer of `context`: a heading for each kind, and below it places, reasons and code."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from gitsearch.render import color
from gitsearch.render.escape import folded, plain
from gitsearch.reports.context import CODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.reports.context import ContextItem, ContextReport

_HEADINGS = {
    "place": "Places",
    "used": "Used there",
    "user": "Users",
    "test": "Tests",
    "changed-together": "Changed together",
    "rule": "Rules",
}

# Characters of a signature, or of a line that uses something.
_SHOWN = 120


def context(report: ContextReport, brush: color.Paint) -> Iterator[str]:
    """Each item as `path:start-end symbol - reason`, with its text below."""
    for number, (kind, items) in enumerate(groupby(report.items, key=lambda item: item.kind)):
        yield "\n" if number else ""
        yield f"{brush(color.BOLD, f'# {_HEADINGS[kind]}')}\n"
        for item in items:
            yield from _item(item, brush)
    if report.budget.left_out:
        yield f"\n{report.budget.left_out} more did not fit into {report.budget.tokens} tokens\n"


def _item(item: ContextItem, brush: color.Paint) -> Iterator[str]:
    lines = f"{item.start}-{item.end}" if item.end > item.start else str(item.start)
    symbol = "" if item.symbol is None else f" {folded(item.symbol)}"
    yield f"{brush.place(item.path, lines)}{symbol} - {folded(item.reason)}\n"
    if item.form != CODE:
        if item.text:
            yield f"  {folded(item.text)[:_SHOWN]}\n"
        return
    if item.within:
        line, signature = item.within
        yield f"{brush(color.DIM, f'{line}= {folded(signature)}')}\n"
    for line_text in item.text.split("\n"):
        yield f"{plain(line_text)}\n"
