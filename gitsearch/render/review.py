"""The report on a change as a comment in Markdown: the worst first, the rest folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.render import findings
from gitsearch.render.escape import folded, quoted
from gitsearch.render.markdown import clipped, details, escaped, fence, link

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.render.findings import Section
    from gitsearch.reviews import PullReport

# Lines that are seen at once, blank ones not counted.
VISIBLE = 60

# Characters as GitHub counts them (UTF-16 units), of the 65,536 that a comment may have; in UTF-8
# none of them takes more than three bytes.
LONGEST = 60_000

# What each section shows before the first ones show more.
_LEAST = 3

# Characters that stand around folded entries.
_AROUND = 200


def markdown(report: PullReport, address: str = "") -> Iterator[str]:
    """The comment, nothing where there is nothing to say; lines end in line feeds.

    address: of the repository, where its files can be looked at.
    """
    if report.silent:
        return
    pen = _Pen(report, address)
    sections = findings.sections(report, pen)
    head = [f"**{_sentence(findings.summary(report))}**", ""]
    foot = [
        f"<sub>{' '.join((findings.origin(report, pen), *findings.limits(report, pen)))}</sub>"
    ]
    # a line for the title, one for what is folded, two for a fence
    room = VISIBLE - len(head) - len(foot) - sum(2 + 2 * one.bare for one in sections)
    counts = _shares([len(one.entries) for one in sections], room)
    seen = [_seen(one, count) for one, count in zip(sections, counts, strict=True)]
    left = LONGEST - _units([*head, *foot]) - sum(map(_units, seen))
    lines = list(head)
    for one, count, shown in zip(sections, counts, seen, strict=True):
        rest = list(_folded(one, count, left))
        left -= _units(rest)
        lines += [*shown, *rest]
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


def _seen(one: Section, count: int) -> list[str]:
    return [f"#### {one.title}", "", *_written(one.entries[:count], bare=one.bare), ""]


def _written(entries: Sequence[str], *, bare: bool) -> list[str]:
    if bare:
        return list(fence(clipped(quoted(entry)) for entry in entries))
    return [f"- {entry}" for entry in entries]


def _folded(one: Section, count: int, left: int) -> Iterator[str]:
    """What is not seen of a section, as far as there is room, whole entries only."""
    entries = one.full or one.entries[count:]
    if not entries:
        yield from [f"and {one.more} more", ""] if one.more else []
        return
    written = _written(entries, bare=one.bare and not one.full)
    room = left - _AROUND
    fitting = 0
    for line in written:
        room -= _units([line])
        if room < 0:
            break
        fitting += 1
    kept = entries[:fitting] if fitting < len(written) else entries
    more = len(entries) - len(kept) + one.more
    lines = _written(kept, bare=one.bare and not one.full) if kept else []
    if more:
        lines += ["", f"and {more} more"]
    what = f"all {len(entries) + one.more}" if one.full else f"{len(entries) + one.more} more"
    yield from details(f"{what} {one.kind}", lines)


class _Pen:
    """Text in code spans; a place is a link where it is known where to look at it."""

    def __init__(self, report: PullReport, address: str) -> None:
        self._base, self._head = (
            f"{address}/blob/{one.commit}" if address and one.commit else ""
            for one in (report.base, report.head)
        )

    def word(self, text: str) -> str:
        """A name, a line of code."""
        return link(clipped(folded(text)))

    def place(self, path: str, line: int = 0, *, gone: bool = False) -> str:
        """A path, with a line."""
        tree = self._base if gone else self._head
        shown = clipped(quoted(path)) + (f":{line}" if line else "")
        anchor = f"#L{line}" if line else ""
        return link(shown, f"{tree}/{escaped(path)}{anchor}" if tree else "")
