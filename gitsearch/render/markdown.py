"""Building blocks of Markdown in which text of others stays what it is: text.

All of it stands in code spans or fences: there is nothing else in which GitHub's Markdown reads
no mention, no link, no HTML. Tried with its own parser; what is escaped by entities is still
taken for an address.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from gitsearch.render.escape import plain, raw

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A longer text is cut: nobody reads it, and a comment has only so much room.
_LONGEST = 200
_TICKS = re.compile("`+")


def code(text: str) -> str:
    """A code span that ends nowhere else, whatever the text holds."""
    shown = plain(text.replace("\n", "\\n"))
    ticks = _ticks(shown, 1)
    if not shown.strip(" "):
        # of nothing but spaces none is taken away
        return f"{ticks}{shown or ' '}{ticks}"
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def clipped(text: str) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def fence(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a block of code that ends nowhere else."""
    shown = [plain(line.replace("\n", "\\n")) for line in lines]
    ticks = _ticks("\n".join(shown), 3)
    yield from (f"{ticks}text", *shown, ticks)


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def link(text: str, address: str = "") -> str:
    """A code span that leads somewhere; what an address has from others comes from `escaped`."""
    # where a paragraph begins this defines a reference, which is read before code is
    defines = "]:" in text
    return f"[{code(text)}]({address})" if address and not defines else code(text)


def escaped(path: str) -> str:
    """A path as a part of an address, without anything that Markdown or HTML would read."""
    return quote(raw(path), safe="/")


def details(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Lines that are folded until somebody looks; the summary is our own words."""
    yield from (f"<details><summary>{summary}</summary>", "", *lines, "", "</details>", "")
