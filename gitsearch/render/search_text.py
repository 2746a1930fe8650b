"""Search results as text: headings with numbered code, or one location a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsearch.git_conventions import relative_path
from gitsearch.render import color
from gitsearch.render.escape import folded, plain, quoted
from gitsearch.render.presentation import Presentation
from gitsearch.reports.search import FileCount, Result, SearchReport

_LONGEST_SUMMARY = 200

# Places that a line names.
_COPIES = 3


def hits(report: SearchReport, look: Presentation) -> Iterator[str]:
    """The results of a search in the text form that was asked for."""
    brush = color.Paint.of(look, report.words)
    if look.form == "blocks":
        return _blocks(report, look, brush)
    if look.form == "files":
        return _files(report, look, brush)
    if look.form == "counts":
        return _counts(report, look, brush)
    return _lines(report, look, brush)


def _name(file: Result | FileCount, look: Presentation, brush: color.Paint, line: int = 1) -> str:
    shown = relative_path(file.full_path, look.folder)
    return brush.path(file.path, shown if look.nul and look.verbatim else quoted(shown), line)


def _files(report: SearchReport, look: Presentation, brush: color.Paint) -> Iterator[str]:
    end = "\0" if look.nul else "\n"
    for file in report.counts:
        yield _name(file, look, brush) + end


def _counts(report: SearchReport, look: Presentation, brush: color.Paint) -> Iterator[str]:
    between = "\0" if look.nul else brush(color.SEPARATOR, ":")
    for file in report.counts:
        yield f"{_name(file, look, brush)}{between}{file.results}\n"


def distinct(results: Iterable[Result], *, by_column: bool = False) -> Iterator[Result]:
    """Yield the results without matches of a pattern that would be printed like an earlier one.

    Matches may be nested: several are in the same lines, or begin at the same column.
    """
    seen = set()
    for result in results:
        if result.match is not None:
            end = result.match.start_column if by_column else result.end
            place = (result.full_path, result.start, end)
            if place in seen:
                continue
            seen.add(place)
        yield result


def _lines(report: SearchReport, look: Presentation, brush: color.Paint) -> Iterator[str]:
    colon = brush(color.SEPARATOR, ":")
    between = "\0" if look.nul else colon
    for result in distinct(report.results):
        place = brush(color.LINE, f"{result.start}-{result.end}")
        name = _name(result, look, brush, result.start)
        yield f"{name}{between}{place}{colon} {brush.matches(summary(result))}\n"
        if look.explain:
            yield f"    {brush(color.DIM, _explanation(result, report))}\n"


def summary(result: Result) -> str:
    """The signature, or the first line that says something where there is none."""
    source = result.signature
    if not source.strip():
        source = next((line for line in result.text.split("\n") if line.strip()), "")
    return folded(source)[:_LONGEST_SUMMARY]


def _explanation(result: Result, report: SearchReport) -> str:
    legs = ", ".join(f"{plain(leg)} {rank or '-'}" for leg, rank in result.legs.items())
    factors = ", ".join(f"{plain(name)} {value:.4g}" for name, value in result.explain.items())
    head = f"rank {result.rank}, score {result.score:.4g}, {plain(result.confidence)}"
    words = ", ".join(f"{plain(word.asked)} as {plain(word.taken)}" for word in report.respelt)
    return "; ".join(part for part in (head, legs, factors, words) if part)


def _blocks(report: SearchReport, look: Presentation, brush: color.Paint) -> Iterator[str]:
    shown = None
    for result in distinct(report.results):
        path = result.full_path
        if path != shown:
            yield "" if shown is None else "\n"
            yield brush.path(result.path, brush.name(path), result.start) + "\n"
            shown = path
        yield _title(result, brush)
        if result.copies:
            yield f"  {brush(color.DIM, _copies(result))}\n"
        if look.explain:
            yield f"  {brush(color.DIM, _explanation(result, report))}\n"
        yield from code(result, brush)


def _copies(result: Result) -> str:
    """A sentence that says where else the lines of a result stand."""
    shown = [quoted(f"{copy.repository}:{copy.path}") for copy in result.copies[:_COPIES]]
    if more := len(result.copies) - len(shown):
        shown.append(f"and {more} more")
    return f"the same in {', '.join(shown)}"


def _title(result: Result, brush: color.Paint) -> str:
    lines = f"{result.start}-{result.end}"
    place = brush.linked(brush(color.SEPARATOR, lines), result.path, result.start)
    if not result.symbol:
        return f"  {place}\n"
    return f"  {place} {plain(result.kind)} {brush(color.BOLD, plain(result.symbol))}\n"


def code(result: Result, brush: color.Paint) -> Iterator[str]:
    """Numbered lines: `:` inside the result, `-` around it, `=` the enclosing definition."""
    first, lines = _trimmed(result)
    width = len(str(first + max(len(lines) - 1, 0)))
    if result.context and lines and result.context[0] < first:
        number, signature = result.context
        yield f"{_number(number, width, '=', brush)}{brush(color.DIM, folded(signature))}\n"
    for number, line in enumerate(lines, first):
        sign = ":" if result.start <= number <= result.end else "-"
        code = brush.matches(plain(line.removesuffix("\r")))
        yield f"{_number(number, width, sign, brush)}{code}\n"
    hidden = result.end - _last_line(result)
    if lines and hidden > 0:
        what = "line" if hidden == 1 else "lines"
        yield brush(color.DIM, f"{' ' * width} ... {hidden} more {what}") + "\n"


def _number(number: int, width: int, sign: str, brush: color.Paint) -> str:
    return brush(color.LINE, f"{number:>{width}}") + brush(color.SEPARATOR, sign)


def _trimmed(result: Result) -> tuple[int, list[str]]:
    """The number of the first line shown, and the lines without blank ones at either end."""
    first = result.first_shown or result.start
    lines = result.text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    blank = next((place for place, line in enumerate(lines) if line.strip()), 0)
    return first + blank, lines[blank:]


def _last_line(result: Result) -> int:
    """The number of the last line of the text, blank ones counted."""
    return (result.first_shown or result.start) + result.text.count("\n")
