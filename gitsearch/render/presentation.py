"""The form of an answer, as the command line has chosen it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from gitsearch.render.links import Links

Form = Literal[
    "blocks", "lines", "matches", "files", "counts", "json", "jsonl", "vimgrep", "silent"
]
Only = Literal["results", "files", "counts"]


class Presentation(NamedTuple):
    """The form of the answer and its trimmings.

    blocks: headings and numbered code; lines: one location a line; matches, files, counts: as
    `git grep -o`, `-l` and `-c`; vimgrep: lines for an editor. Paths of text are written as in
    `folder`, which is below the top and ends in "/", or "". `only` restricts JSON to files or
    counts. With `nul` a NUL stands after each path, and `verbatim` leaves paths unquoted then.
    `indent` spreads JSON for people, and `person` says that one reads. `budget` is the most
    tokens in all. Of exact text, `locations` leaves the lines out, there is one between results
    `with_context`, and with `quote_path` paths beyond ASCII are quoted for programs. `links`
    makes paths hyperlinks.
    """

    form: Form = "lines"
    colour: bool = False
    nul: bool = False
    verbatim: bool = False
    explain: bool = False
    only: Only = "results"
    indent: bool = False
    person: bool = False
    budget: int | None = None
    locations: bool = False
    with_context: bool = False
    quote_path: bool = False
    folder: str = ""
    links: Links | None = None
