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
    knowing = findings.who_knows(report, pen)
    about = (*[knowing] * bool(knowing), findings.origin(report, pen))
    foot = [f"<sub>{' '.join((*about, *findings.limits(report, pen)))}</sub>"]
    # a line for the title, one for what is folded, two for a fence
    room = VISIBLE - len(head) - len(foot) - sum(2 + 2 * section.bare for section in sections)
    counts = _shares([len(section.entries) for section in sections], room)
    left = LONGEST - _units([*head, *foot]) - _AROUND * len(sections)
    for place, section in enumerate(sections):
        counts[place] = _fitting(_written(section.entries[: counts[place]], section), left)
        left -= _units(_written(section.entries[: counts[place]], section))
    lines = list(head)
    for section, count in zip(sections, counts, strict=True):
        entries = section.full or section.entries[count:]
        fitting = _fitting(_written(entries, section), left)
        left -= _units(_written(entries[:fitting], section))
        lines += _seen(section, count)
        lines += _folded(section, entries, fitting)
    yield from (f"{line}\n" for line in [*lines, *foot])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _shares(lengths: Sequence[int], room: int) -> list[int]:
    """The number of visible entries of each section: a few of each, then more of the first."""
    shares = [min(length, _LEAST) for length in lengths]
    left = max(room - sum(shares), 0)
    for place, length in enumerate(lengths):
        more = min(length - shares[place], left)
        shares[place] += more
        left -= more
    return shares


def _units(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)


def _fitting(lines: Sequence[str], left: int) -> int:
    """The number of lines that fit into so many units."""
    for place, line in enumerate(lines):
        left -= _units([line])
        if left < 0:
            return place
    return len(lines)


def _seen(section: Section, count: int) -> Iterator[str]:
    yield from (f"#### {section.title}", "")
    if count:
        yield from (*_block(section.entries[:count], section), "")


def _folded(section: Section, entries: Sequence[str], fitting: int) -> Iterator[str]:
    """The other entries of a section, folded, as far as there is room."""
    more = len(entries) - fitting + section.more
    said = ["", f"and {more} more"] if more else []
    if fitting:
        what = "all" if section.full else ""
        title = (
            f"{what} {len(entries) + section.more}{' more' * (not what)} {section.kind}".strip()
        )
        yield from details(title, [*_block(entries[:fitting], section), *said])
    elif said:
        yield from (*said[1:], "")


def _block(entries: Sequence[str], section: Section) -> list[str]:
    written = _written(entries, section)
    return list(fence(written)) if section.bare else written


def _written(entries: Sequence[str], section: Section) -> list[str]:
    """A line each."""
    if section.bare:
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
