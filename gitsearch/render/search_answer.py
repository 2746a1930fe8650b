"""The answer of a search in the form that was asked for: what is printed, and what is said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gitsearch.render.escape import folded
from gitsearch.settings import LITERAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsearch.render.presentation import Presentation
    from gitsearch.reports.search import SearchReport


def text(report: SearchReport, look: Presentation) -> str:
    """Return all that is printed."""
    said = "".join(f"git search: {folded(note)}\n" for note in notes(report, look))
    return said + "".join(pieces(report, look))


def pieces(report: SearchReport, look: Presentation) -> Iterable[str]:
    """Return the text for standard output."""
    if look.form == "json":
        from gitsearch.render import json_document

        return [json_document.dump(json_document.search(report, look), indent=look.indent)]
    if look.form == "jsonl":
        from gitsearch.render import json_document

        return map(json_document.dump, json_document.search_lines(report, look))
    if report.mode == LITERAL or look.form == "vimgrep":
        return (str(piece, "utf-8", "surrogateescape") for piece in lines(report, look))
    from gitsearch.render.search_text import hits

    return hits(report, look)


def lines(report: SearchReport, look: Presentation) -> Iterator[bytes | memoryview]:
    """Return the lines of exact text, or of an editor's list, as bytes."""
    if look.form == "vimgrep":
        from gitsearch.render import quickfix

        return quickfix.answer(report, look)
    from gitsearch.render import exact_text

    return exact_text.answer(report, look)


def notes(report: SearchReport, look: Presentation) -> Iterator[str]:
    """Yield the lines for standard error; one JSON document says all itself."""
    if look.form == "json":
        return
    yield from report.warnings
    if look.explain and report.reason:
        yield f"mode {report.mode}: {report.reason}"
    for word in report.respelt:
        yield f"no file has the word '{word.asked}'; searched for '{word.taken}'"
    if look.budget is not None and (report.left_out or report.next):
        after = f"; the next page: --continue {report.next}" if report.next else ""
        results = f"{report.left_out} result{'s' * (report.left_out != 1)}"
        yield f"{results} did not fit into {look.budget} tokens{after}"
    if look.form == "jsonl":
        return
    if report.changed is not None and not report.changed.files:
        return  # a warning says that nothing has changed
    if not report.counts and sys.stderr is not None and sys.stderr.isatty():
        yield f"nothing found in {report.coverage.searchable} files"
