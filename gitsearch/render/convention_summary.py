"""The repository's own rules: one line a file, and what its text is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsearch.render import color
from gitsearch.render.escape import folded, plain, quoted
from gitsearch.render.maintenance_text import size
from gitsearch.reports.lookup import ConventionFile, ConventionsReport

_INDENT = "    "
_HEADING = re.compile(r"#{1,6}\s")
_FENCE = ("```", "~~~")
_WIDEST = 160

# A title alone says less than the lines below it.
_FEW = 2


def conventions(report: ConventionsReport, brush: color.Paint, lines: int) -> Iterator[str]:
    """Each file with its kind, folder and size; of prose as many lines as are asked for."""
    if report.owners:
        owners = " ".join(map(plain, report.owners))
        yield f"owners of {brush.path(report.asked or '')}: {owners}\n"
    for file in report.files:
        yield f"{brush.path(file.path)}: {', '.join(_facts(file, brush))}\n"
        if file.prose and lines and file.text is not None:
            for line in gist(file.text, lines):
                yield f"{_INDENT}{line}\n"


def _facts(file: ConventionFile, brush: color.Paint) -> Iterator[str]:
    yield f"{file.kind} ({plain(file.tool)})" if file.tool else file.kind
    yield f"for {brush.name(file.scope) or '.'}" if file.scope else "for all"
    if file.link is not None:
        yield f"link to {quoted(file.link)}"
    elif file.text is None:
        yield "not read"
    if file.size is not None and file.link is None:
        yield size(file.size)


def gist(text: str, most: int) -> Iterator[str]:
    """The first headings of a text, or its first lines where it has none; and how many more."""
    what = "heading"
    entries = list(_headings(text))
    if len(entries) < _FEW:
        what = "line"
        entries = [line for line in text.splitlines() if line.strip()]
    for line in entries[:most]:
        shown = folded(line)
        yield shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 3]}..."
    if (hidden := len(entries) - most) > 0:
        yield f"... {hidden} more {what if hidden == 1 else what + 's'}"


def _headings(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[: len(_FENCE[0])]
        if mark in _FENCE and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and _HEADING.match(line):
            yield line


def cut(text: str, most: int) -> str:
    """The lines of a text that fit into so many bytes."""
    data = text.encode()
    if len(data) <= most:
        return text
    end = data.rfind(b"\n", 0, max(most, 0)) + 1
    return data[:end].decode()
