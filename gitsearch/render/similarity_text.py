"""Related code and copies as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from gitsearch.render import color
from gitsearch.render.escape import folded
from gitsearch.reports.change import DupReport, Place, RelatedReport, Similar


def related(report: RelatedReport, brush: color.Paint) -> Iterator[str]:
    """One place a line, the nearest first: `path:start-end: symbol  (score: why)`."""
    for similar in report.results:
        place = _place(similar, brush, similar.repository)
        yield f"{place}  {_why(similar, brush)}\n"


def dup(report: DupReport, brush: color.Paint) -> Iterator[str]:
    """One copy a line: new code, the place that has it already, and the factors of the score."""
    for copy in report.copies:
        old = _place(copy.existing, brush)
        why = _why(copy.existing, brush)
        yield f"{_place(copy.new, brush)} exists already at {old}  {why}\n"


def _place(place: Place, brush: color.Paint, repository: str | None = None) -> str:
    lines = str(place.start) if place.start == place.end else f"{place.start}-{place.end}"
    symbol = f" {brush(color.BOLD, folded(place.symbol))}" if place.symbol else ""
    return f"{brush.place(place.path, lines, repository)}{brush(color.SEPARATOR, ':')}{symbol}"


def _why(similar: Similar, brush: color.Paint) -> str:
    factors = ", ".join(f"{name} {value:.2f}" for name, value in similar.why.items())
    return brush(color.DIM, f"({similar.score:.2f}: {factors})")
