"""The report on a change as a comment in Markdown: the worst first, the rest folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.render import findings
from gitsearch.render.escape import folded, quoted
from gitsearch.render.markdown import clipped, details, escaped, fence, link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.render.findings import Section
    from gitsearch.reports.change import ChangeReport

# Lines that are seen at once, blank ones not counted.
VISIBLE = 60

# Characters as GitHub counts them (UTF-16 units), of the 65,536 that a comment may have; in UTF-8
# none of them takes more than three bytes.
LONGEST = 60_000

# What each section shows before the first ones show more.
_LEAST = 3

# Characters that stand around the entries of a section; in a fence, ticks may be many.
_AROUND = 1000

# A longer address is not written: so many characters are better used otherwise.
_FAR = 600


def markdown(report: ChangeReport, address: str = "") -> Iterator[str]:
    """The comment, nothing where there is nothing to say; lines end in line feeds.

    address: of the repository, where its files can be looked at.
    """
    if report.silent:
        return
    commits = [escaped(end.commit) if end.commit else "" for end in (report.base, report.head)]
    pen = Pen(*(f"{address}/blob/{commit}" if address and commit else "" for commit in commits))
    sections = findings.sections(report, pen)
    head = [f"**{_sentence(findings.summary(report))}**", ""]
    foot = [
        f"<sub>{' '.join((findings.origin(report, pen), *findings.limits(report, pen)))}</sub>"
    ]
    # a line for the title, one for what is folded, two for a fence
    room = VISIBLE - len(head) - len(foot) - sum(2 + 2 * one.bare for one in sections)
    counts = _shares([len(one.entries) for one in sections], room)
    left = LONGEST - _units([*head, *foot]) - _AROUND * len(sections)
    for place, one in enumerate(sections):
        counts[place] = _fitting(_written(one.entries[: counts[place]], one), left)
        left -= _units(_written(one.entries[: counts[place]], one))
    lines = list(head)
    for one, count in zip(sections, counts, strict=True):
        entries = one.full or one.entries[count:]
        fitting = _fitting(_written(entries, one), left)
        left -= _units(_written(entries[:fitting], one))
        lines += _seen(one, count)
        lines += _folded(one, entries, fitting)
    yield from (f"{line}\n" for line in [*lines, *foot])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _shares(lengths: Sequence[int], room: int) -> list[int]:
    """How many entries of each section are seen: a few of each, then all of the first ones."""
    found = [min(length, _LEAST) for length in lengths]
    left = max(room - sum(found), 0)
    for place, length in enumerate(lengths):
        more = min(length - found[place], left)
        found[place] += more
        left -= more
    return found


def _units(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)


def _fitting(lines: Sequence[str], left: int) -> int:
    """How many lines there is room for."""
    for place, line in enumerate(lines):
        left -= _units([line])
        if left < 0:
            return place
    return len(lines)


def _seen(one: Section, count: int) -> Iterator[str]:
    yield from (f"#### {one.title}", "")
    if count:
        yield from (*_block(one.entries[:count], one), "")


def _folded(one: Section, entries: Sequence[str], fitting: int) -> Iterator[str]:
    """What is not seen of a section, as far as there is room, whole entries only."""
    more = len(entries) - fitting + one.more
    said = ["", f"and {more} more"] if more else []
    if fitting:
        what = "all" if one.full else ""
        title = f"{what} {len(entries) + one.more}{' more' * (not what)} {one.kind}".strip()
        yield from details(title, [*_block(entries[:fitting], one), *said])
    elif said:
        yield from (*said[1:], "")


def _block(entries: Sequence[str], one: Section) -> list[str]:
    written = _written(entries, one)
    return list(fence(written)) if one.bare else written


def _written(entries: Sequence[str], one: Section) -> list[str]:
    """A line each."""
    if one.bare:
        return [clipped(quoted(entry)) for entry in entries]
    return [f"- {entry}" for entry in entries]


class Pen:
    """Text in code spans; a place is a link if the address of its commit is known."""

    def __init__(self, base: str = "", head: str = "") -> None:
        self._base = base
        self._head = head

    def word(self, text: str) -> str:
        """A name, a line of code."""
        return link(clipped(folded(text)))

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line."""
        tree = self._base if gone else self._head
        shown = clipped(quoted(path)) + (f":{line}" if line else "")
        address = f"{tree}/{escaped(path)}" + (f"#L{line}" if line else "")
        return link(shown, address if tree and len(address) <= _FAR else "")
