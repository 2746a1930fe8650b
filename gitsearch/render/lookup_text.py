"""Answers of the verbs that look something up, one entry a line."""

from __future__ import annotations

from collections.abc import Iterator

from gitsearch.render import color
from gitsearch.render.escape import folded, plain
from gitsearch.reports.lookup import (
    ExistsReport,
    ReferenceLine,
    ReferenceReport,
    SymbolLine,
    SymbolReport,
)

# Characters of a line that are shown.
_SHOWN = 200


def definitions(report: SymbolReport, brush: color.Paint) -> Iterator[str]:
    """One definition a line: `path:line: kind qualified  signature`."""
    for symbol in report.symbols:
        place = brush.place(symbol.path, symbol.line, symbol.repository)
        yield (
            f"{place}{brush(color.SEPARATOR, ':')} "
            f"{plain(symbol.kind)} {brush(color.BOLD, folded(symbol.qualified))}"
            f"{_signature(symbol, brush)}\n"
        )
    yield from _rest(report.truncated)


def outline(report: SymbolReport, brush: color.Paint) -> Iterator[str]:
    """The structure of a file, indented by nesting, each line with the lines it covers."""
    width = max((len(_lines(symbol)) for symbol in report.symbols), default=0)
    for symbol in report.symbols:
        place = f"{_lines(symbol):>{width}}"
        yield (
            f"{brush(color.LINE, place)}  {'  ' * symbol.depth}{plain(symbol.kind)} "
            f"{brush(color.BOLD, folded(symbol.name))}{_signature(symbol, brush)}\n"
        )


def references(report: ReferenceReport, brush: color.Paint) -> Iterator[str]:
    """One use a line: `path:line: kind  text`, and which definition is meant if that is known."""
    for use in report.references:
        sure = {"resolved": "", "ambiguous": " ambiguous", "by-name": " by name"}[use.label]
        meant = f" of {_defined(use, brush)}:{use.target.line}" if use.target else sure
        meant += f" by {plain(use.package.name)}" if use.package else ""
        yield (
            f"{brush.place(use.path, use.line, use.repository)}{brush(color.SEPARATOR, ':')} "
            f"{plain(use.kind)}{brush(color.DIM, meant)}  {folded(use.text[:_SHOWN])}\n"
        )
    yield from _rest(report.truncated)


def _rest(truncated: int) -> Iterator[str]:
    if truncated:
        yield f"and {truncated} more\n"


def _defined(use: ReferenceLine, brush: color.Paint) -> str:
    """The path of the definition that is meant, after the repository if that is another one."""
    path = use.target.path if use.target else ""
    return brush.name(path, use.package.repository if use.package else None)


def existence(report: ExistsReport, brush: color.Paint) -> Iterator[str]:
    """One word a line: where it stands, "no", or "likely" where nobody looked."""
    for word in report.words:
        if not word.exists:
            place = "no"
        elif word.path is None:
            place = "likely" if word.repository is None else f"likely in {plain(word.repository)}"
        else:
            line = "" if word.line is None else f":{word.line}"
            place = f"{brush.name(word.path, word.repository)}{line}"
        yield f"{plain(word.word)}: {place}\n"


def not_looked_at(report: ExistsReport) -> Iterator[str]:
    """The number of files that were not searched for missing words, by reason."""
    if report.unseen:
        what = ", ".join(f"{count} {reason}" for reason, count in report.unseen.items())
        yield f"files that were not looked at: {what}"


def _lines(symbol: SymbolLine) -> str:
    return f"{symbol.line}-{symbol.end}"


def _signature(symbol: SymbolLine, brush: color.Paint) -> str:
    signature = folded(symbol.signature)
    return f"  {brush(color.DIM, signature)}" if signature else ""
