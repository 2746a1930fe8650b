"""Lines with exact text: as `git grep -n` prints them, or under headings, with what matches."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.git_conventions import relative_path
from gitsearch.render import color
from gitsearch.render.escape import c_quoted, plain, raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitsearch.render.presentation import Presentation
    from gitsearch.reports.search import Result, SearchReport


def answer(report: SearchReport, look: Presentation) -> Iterator[bytes | memoryview]:
    """The answer in the form that was asked for."""
    if look.form in ("files", "counts"):
        return _files(report, look)
    if look.form == "matches":
        return _matches(report, look)
    if look.form == "blocks" and not look.verbatim:
        return map(raw, _under_headings(report, look))
    if look.form == "blocks":
        return _with_context(report, look)
    if look.locations or look.explain:
        return _places(report, look)
    if look.budget is not None or report.repositories is not None or look.colour:
        return _with_context(report, look)
    return _printed(report, look)


def _written(path: str, look: Presentation) -> bytes:
    """A path as `git grep` prints it to a program."""
    shown = os.fsencode(relative_path(path, look.folder))
    return shown if look.nul else c_quoted(shown, beyond_ascii=look.quote_path)


def _files(report: SearchReport, look: Presentation) -> Iterator[bytes]:
    """The files, or how many of their lines match, as `git grep -l` and `-c` print them."""
    brush = color.Paint.of(look)
    for file in report.counts:
        shown = _name(file.path, file.full_path, look, brush)
        if look.form == "files":
            yield shown + (b"\0" if look.nul else b"\n")
        else:
            colon = raw(brush(color.SEPARATOR, ":"))
            yield shown + (b"\0" if look.nul else colon) + b"%d\n" % file.results


def _name(
    path: str, full_path: str, look: Presentation, brush: color.Paint, line: int = 1
) -> bytes:
    """A path as `_written` gives it, in its colour and with a link to a line."""
    shown = _written(full_path, look).decode("utf-8", "surrogateescape")
    return raw(brush.path(path, shown, line))


def _printed(report: SearchReport, look: Presentation) -> Iterator[bytes | memoryview]:
    """The lines, byte for byte as `git grep -n` or `git grep -n -z` prints them."""
    assert report.lines is not None
    for path, own in report.lines(nul=look.nul):
        shown = _written(os.fsdecode(path), look)
        yield own if shown == path else _renamed(bytes(own), path, shown)


def _renamed(own: bytes, path: bytes, shown: bytes) -> bytes:
    """The lines with another name in place of the path that each begins with."""
    out = []
    at = 0
    while at < len(own):
        # a path may hold line feeds, which the rest of a line does not
        stop = own.index(b"\n", at + len(path)) + 1
        out.append(shown + own[at + len(path) : stop])
        at = stop
    return b"".join(out)


def _places(report: SearchReport, look: Presentation) -> Iterator[bytes]:
    """The path and the lines of each result."""
    brush = color.Paint.of(look)
    for result in report.results:
        place = f"{result.start}"
        if result.end > result.start:
            place += f"-{result.end}"
        place = brush(color.LINE, place)
        note = ""
        if look.explain:
            note = f" rank {result.rank}, score {result.score:.4g}, {result.kind}"
        yield (
            _name(result.path, result.full_path, look, brush, result.start)
            + (b"\0" if look.nul else raw(brush(color.SEPARATOR, ":")))
            + f"{place}{note}\n".encode()
        )


def _with_context(report: SearchReport, look: Presentation) -> Iterator[bytes]:
    """The lines with those around them, as `git grep -n -C` prints them."""
    brush = color.Paint.of(look)
    before: Result | None = None
    for result in report.results:
        text = result.text.split("\n")
        first = result.first_shown
        if look.with_context and before is not None and not _follows(before, result):
            yield raw(brush(color.SEPARATOR, "--")) + b"\n"
        for number, line in enumerate(text, first):
            own = _name(result.path, result.full_path, look, brush, number)
            inside = result.start <= number <= result.end
            sign = raw("\0" if look.nul else brush(color.SEPARATOR, ":" if inside else "-"))
            place = raw(brush(color.LINE, str(number)))
            spans = _spans(report, result, number) if look.colour else ()
            yield own + sign + place + sign + raw(_painted(raw(line), spans, brush, _text)) + b"\n"
        before = result


def _matches(report: SearchReport, look: Presentation) -> Iterator[bytes]:
    """Yield the matches, each with its line, as `git grep -n -o` prints them."""
    brush = color.Paint.of(look)
    sign = raw("\0" if look.nul else brush(color.SEPARATOR, ":"))
    shown = _text if look.verbatim else _shown
    for result in report.results:
        for number, line in enumerate(map(raw, result.text.split("\n")), result.first_shown):
            own = _name(result.path, result.full_path, look, brush, number)
            place = own + sign + raw(brush(color.LINE, str(number))) + sign
            for start, stop in _spans(report, result, number):
                yield place + raw(brush(color.MATCH, shown(line[start:stop]))) + b"\n"


def _follows(before: Result, result: Result) -> bool:
    """Return True if nothing is between two results."""
    end = before.first_shown + before.text.count("\n")
    return before.full_path == result.full_path and end + 1 == result.first_shown


def _under_headings(report: SearchReport, look: Presentation) -> Iterator[str]:
    brush = color.Paint.of(look)
    before: Result | None = None
    for result in report.results:
        if before is None or before.full_path != result.full_path:
            yield "" if before is None else "\n"
            yield brush.path(result.path, brush.name(result.full_path), result.start) + "\n"
        elif look.with_context and not _follows(before, result):
            yield brush(color.SEPARATOR, "--") + "\n"
        if look.explain:
            note = f"rank {result.rank}, score {result.score:.4g}, {result.kind}"
            yield f"  {brush(color.DIM, note)}\n"
        for number, line in enumerate(result.text.split("\n"), result.first_shown):
            inside = result.start <= number <= result.end
            spans = _spans(report, result, number)
            place = brush.linked(brush(color.LINE, str(number)), result.path, number)
            yield place + brush(color.SEPARATOR, ":" if inside else "-")
            yield _painted(raw(line.removesuffix("\r")), spans, brush, _shown) + "\n"
        before = result


def _spans(report: SearchReport, result: Result, number: int) -> Sequence[tuple[int, int]]:
    """Return the spans of the matches in a line of a result; none in the lines around it."""
    if report.spans is None or not result.start <= number <= result.end:
        return ()
    return report.spans(result.full_path, number)


def _painted(
    line: bytes,
    spans: Sequence[tuple[int, int]],
    brush: color.Paint,
    shown: Callable[[bytes], str],
) -> str:
    """A line with what matches in colour.

    spans: byte offsets of starts and ends, ascending; shown: gives the text of a part.
    """
    out, at = [], 0
    for start, stop in spans:
        out += [shown(line[at:start]), brush(color.MATCH, shown(line[start:stop]))]
        at = stop
    return "".join([*out, shown(line[at:])])


def _text(part: bytes) -> str:
    return part.decode("utf-8", "surrogateescape")


def _shown(part: bytes) -> str:
    return plain(_text(part))
