"""Results for the list of an editor: `path:line:column:text`, as `rg --vimgrep` prints them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.render.escape import c_quoted, plain, raw
from gitsearch.render.search_text import distinct, summary
from gitsearch.settings import LITERAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsearch.render.presentation import Presentation
    from gitsearch.reports.search import Result, SearchReport


def answer(report: SearchReport, look: Presentation) -> Iterator[bytes]:
    """A line for each result; of exact text for each match, several on a line included.

    Paths begin in the folder in which the program was started, and columns count bytes from 1.
    """
    folders = {one.repository: one.folder for one in report.repositories or ()}
    for result in distinct(report.results, by_column=True):
        whole = result.path
        if result.repository is not None:
            whole = os.path.join(folders[result.repository], whole)  # noqa: PTH118
        path = c_quoted(raw(os.path.relpath(whole, look.folder)), beyond_ascii=False)
        for line, column, text in _places(report, result):
            yield b"%s:%d:%d:%s\n" % (path, line, column, raw(plain(text)))


def _places(report: SearchReport, result: Result) -> Iterator[tuple[int, int, str]]:
    lines = result.text.split("\n")
    first = result.first_shown or result.start
    if report.spans is None and report.mode != LITERAL:
        # the chunk may begin with the end of another definition
        number = result.signature_line or result.start
        place = number - first
        line = lines[place] if 0 <= place < len(lines) else ""
        yield number, _column(result, line), summary(result)
        return
    path = result.path if result.repository is None else f"{result.repository}:{result.path}"
    for number in range(result.start, result.end + 1):
        text = lines[number - first].removesuffix("\r")
        # lines that do not match have none
        spans = (report.spans(path, number) if report.spans else ()) or ((0, 0),)
        yield from ((number, start + 1, text) for start, _ in spans)


def _column(result: Result, line: str) -> int:
    """The place of a match of a pattern in its first line, else that of the first letter."""
    indent = len(line) - len(line.lstrip())
    before = line[: result.match.start_column - 1] if result.match else line[:indent]
    return len(raw(before)) + 1
