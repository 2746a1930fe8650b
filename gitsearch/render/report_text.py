"""The report on a change for people at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.render import color, findings
from gitsearch.render.escape import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.reports.change import ChangeReport


def lines(report: ChangeReport, brush: color.Paint) -> Iterator[str]:
    """All of it, the worst first; nothing where there is nothing to say."""
    if report.silent:
        return
    pen = Pen(brush)
    yield f"{findings.summary(report)}\n"
    for section in findings.sections(report, pen):
        yield f"\n{brush(color.BOLD, section.title)}\n"
        # what is summed up is told one by one
        entries = section.full if len(section.full) > len(section.entries) else section.entries
        yield from (f"{brush.name(entry) if section.bare else entry}\n" for entry in entries)
        if section.more:
            yield f"and {section.more} more\n"
    yield "\n"
    if knowing := findings.who_knows(report, pen):
        yield f"{knowing}\n"
    for sentence in (findings.origin(report, pen), *findings.limits(report, pen)):
        yield f"{sentence}\n"


def broken(report: ChangeReport, brush: color.Paint) -> Iterator[str]:
    """Only what the change breaks, one a line."""
    pen = Pen(brush)
    yield from (f"{findings.broken(reference, pen)}\n" for reference in report.dangling)


class Pen:
    """Text as it is, but harmless for a terminal."""

    def __init__(self, brush: color.Paint) -> None:
        self._brush = brush

    def word(self, text: str) -> str:
        """A name, a line of code."""
        return folded(text)

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line."""
        del gone
        return self._brush.place(path, line)
