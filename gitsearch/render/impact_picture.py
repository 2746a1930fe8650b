"""Dependents of something as a picture: rings by distance, folders as sectors, tests apart.

SVG by itself, or in one page of HTML with a list of the files. Neither loads anything, and all
text of the repository is escaped: harmless to terminals first, then for XML.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.render import findings
from gitsearch.render.escape import plain, quoted
from gitsearch.render.html_page import COLOURS, page, row, text

if TYPE_CHECKING:
    from gitsearch.reports.lookup import Dependent, ImpactReport

# Files that are drawn, the first of the answer; a page with more is slow to move in.
MOST_DRAWN = 2000
# Sectors of each half: more names could not be told apart. Files further away share a ring.
MOST_SECTORS, _RINGS = 14, 5

# All lengths are in units of the view box. A mark has its cell; rings have a gap between them.
_CELL, _GAP, _CENTRE = 11.0, 22.0, 58.0
# Beside the outer ring, and above and below it, are the names of folders, of so many characters.
_SIDE, _EDGE = 210.0, 56.0
_NAME = 28
# Characters of the target's name in the middle.
_TARGET = 17
# The share of the circle that stays empty at the top, where the distances are written, and the
# least share of a sector.
_APART, _LEAST_SHARE = 0.08, 0.035

_STYLE = f"""{COLOURS}
svg.impact {{ background: var(--ground); font: 12px system-ui, sans-serif; }}
.impact text {{ fill: var(--ink); }} .impact .soft {{ fill: var(--soft); }}
.impact .ring {{ fill: none; stroke: var(--line); }} .impact .target {{ fill: var(--line); }}
.impact .file {{ fill: var(--file); }} .impact .test {{ fill: var(--test); }}
.impact .certain {{ fill-opacity: 1; }} .impact .likely {{ fill-opacity: .65; }}
.impact .possible {{ fill-opacity: .3; }} .impact circle.mark:hover {{ stroke: var(--ink); }}
"""


class _Mark(NamedTuple):
    """A file in the picture: the angle and radius of its centre."""

    file: Dependent
    angle: float
    radius: float


class _Sector(NamedTuple):
    """A folder, and the angles between which its files lie, in radians clockwise from the top."""

    name: str
    start: float
    end: float
    marks: list[_Mark]


class _Layout(NamedTuple):
    """Sectors, and the inner and outer radius of each ring."""

    sectors: Sequence[_Sector]
    rings: Sequence[tuple[float, float]]


def svg(report: ImpactReport) -> Iterator[str]:
    """The picture; names and reasons are shown on hover."""
    shown = report.dependents[:MOST_DRAWN]
    layout = _layout(shown)
    outer = layout.rings[-1][1] if layout.rings else _CENTRE
    across, down = outer + _SIDE, outer + _EDGE
    box = f"{-across:.0f} {-down:.0f} {2 * across:.0f} {2 * down:.0f}"
    title = f"what depends on {_targets(report)}"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" class="impact" viewBox="{box}" role="img">\n'
    yield f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n"
    for number, (inner, end) in enumerate(layout.rings):
        hops = findings.counted(number + 1, "hop") + (" and more" * (number == _RINGS - 1))
        yield f'<circle class="ring" r="{end + _GAP / 2:.1f}"/>\n'
        yield f'<text class="soft" text-anchor="middle" y="{-inner:.1f}">{hops}</text>\n'
    for sector in layout.sectors:
        yield from _sector(sector, outer)
    name = _targets(report).rpartition("/")[2]
    name = name if len(name) <= _TARGET else f"{name[: _TARGET - 1]}…"
    yield f'<circle class="target" r="{_CENTRE - 6:.0f}"/>\n'
    yield f'<text text-anchor="middle" y="4">{text(name)}</text>\n'
    yield from _caption(report, len(shown), -across + 12, down - 34)
    yield "</svg>\n"


def html(report: ImpactReport) -> Iterator[str]:
    """The picture in a page, with the files in a list below it."""
    return page(text(f"What depends on {_targets(report)}"), _body(report))


def _body(report: ImpactReport) -> Iterator[str]:
    yield from svg(report)
    if not report.dependents:
        yield "<p>No dependents were found.</p>\n"
    for heading, tests in (("Files", False), ("Tests", True)):
        files = [file for file in report.dependents if file.test is tests]
        if files:
            yield f"<h2>{heading}: {len(files)}</h2>\n<table>\n"
            yield row(("file", "likelihood", "because it"), "th")
            yield from map(_row, files)
            yield "</table>\n"


def _row(file: Dependent) -> str:
    place = text(f"{quoted(file.path)}:{file.line}")
    return row((place, f"{file.label} {file.likelihood:.2f}", text(_reason(file))))


# ---------------------------------------------------------------- parts of the picture


def _sector(sector: _Sector, outer: float) -> Iterator[str]:
    for angle in (sector.start, sector.end):
        (x, y), (x2, y2) = _at(angle, _CENTRE), _at(angle, outer + _GAP / 2)
        yield f'<line class="ring" x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>\n'
    x, y = _at((sector.start + sector.end) / 2, outer + _GAP)
    turned = "start" if x > 1 else "end" if x < -1 else "middle"
    count = findings.counted(len(sector.marks), "file")
    yield (
        f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{turned}">{text(_short(sector.name))}'
        f"<title>{text(sector.name)}: {count}</title></text>\n"
    )
    for mark in sector.marks:
        x, y = _at(mark.angle, mark.radius)
        kind = "test" if mark.file.test else "file"
        score = f"{mark.file.label} {mark.file.likelihood:.2f}"
        shown = "\n".join(map(text, (quoted(mark.file.path), _reason(mark.file), score)))
        yield (
            f'<circle class="mark {kind} {mark.file.label}" cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{_CELL * 0.42:.1f}"><title>{shown}</title></circle>\n'
        )


def _caption(report: ImpactReport, drawn: int, left: float, top: float) -> Iterator[str]:
    """Yield the legend, and the number of files that are not in the picture."""
    labels = Counter(file.label for file in report.dependents)
    lines = [f"{count} {label}" for label, count in sorted(labels.items(), key=_strength)]
    rest = len(report.dependents) - drawn + report.truncated
    facts = [*lines, *([f"{rest} not drawn"] if rest else [])]
    yield f'<circle class="file" cx="{left:.0f}" cy="{top - 4:.0f}" r="4"/>\n'
    yield f'<text x="{left + 10:.0f}" y="{top:.0f}">files</text>\n'
    yield f'<circle class="test" cx="{left + 52:.0f}" cy="{top - 4:.0f}" r="4"/>\n'
    yield f'<text x="{left + 62:.0f}" y="{top:.0f}">tests</text>\n'
    yield f'<text class="soft" x="{left - 4:.0f}" y="{top + 20:.0f}">{", ".join(facts)}</text>\n'


def _strength(entry: tuple[str, int]) -> int:
    return ("certain", "likely", "possible").index(entry[0])


def _reason(file: Dependent) -> str:
    way = " < ".join(map(quoted, file.via[1:]))
    return f"{findings.verb(file)} {way}"


def _targets(report: ImpactReport) -> str:
    first, *others = report.targets
    name = quoted(first.path) + (f":{plain(first.symbol)}" if first.symbol else "")
    return f"{name} and {findings.counted(len(others), 'other')}" if others else name


def _short(folder: str) -> str:
    """A path with its middle left out, if it is long."""
    if len(folder) <= _NAME:
        return folder
    first = folder.partition("/")[0][: _NAME // 2]
    return f"{first}/…{folder[len(first) + 2 - _NAME :]}"


def _at(angle: float, radius: float) -> tuple[float, float]:
    return radius * math.sin(angle), -radius * math.cos(angle)


# ---------------------------------------------------------------- where files are drawn


def _layout(files: Sequence[Dependent]) -> _Layout:
    """Place files: sectors of folders clockwise from the top, those with tests behind the others.

    The angle of a sector is given by its number of files, the depth of a ring by the sector that
    needs the most rows in it.
    """
    groups = [
        (name, found)
        for tests in (False, True)
        for name, found in _folders([file for file in files if file.test is tests]).items()
    ]
    shares = [len(found) for _, found in groups]
    least = _LEAST_SHARE * sum(shares)
    widths = [max(share, least) for share in shares]
    turn = 2 * math.pi * (1 - _APART) / max(sum(widths), 1)
    ends = [math.pi * _APART + turn * width for width in accumulate(widths, initial=0)]
    sectors = [
        _Sector(name, start, end, [])
        for (name, _), (start, end) in zip(groups, pairwise(ends), strict=True)
    ]
    rings: list[tuple[float, float]] = []
    radius = _CENTRE
    for ring in range(1 + max(map(_ring, files), default=-1)):
        inner = outer = radius + _GAP / 2
        for sector, (_, found) in zip(sectors, groups, strict=True):
            placed = _placed([file for file in found if _ring(file) == ring], sector, inner)
            sector.marks.extend(placed)
            outer = max(outer, *(mark.radius + _CELL / 2 for mark in placed), inner + _CELL)
        rings.append((inner, outer))
        radius = outer + _GAP / 2
    return _Layout(sectors, rings)


def _ring(file: Dependent) -> int:
    return min(max(file.hops, 1), _RINGS) - 1


def _placed(files: Sequence[Dependent], sector: _Sector, inner: float) -> list[_Mark]:
    """Files in rows from the inside to the outside, each row around the middle of the sector."""
    marks: list[_Mark] = []
    radius = inner + _CELL / 2
    while len(marks) < len(files):
        fit = max(1, int((sector.end - sector.start) * radius / _CELL) - 1)
        row = files[len(marks) : len(marks) + fit]
        middle, step = (sector.start + sector.end) / 2, _CELL / radius
        marks += [
            _Mark(file, middle + (place - (len(row) - 1) / 2) * step, radius)
            for place, file in enumerate(row)
        ]
        radius += _CELL
    return marks


def _folders(files: Sequence[Dependent]) -> dict[str, list[Dependent]]:
    """Files by folder: again and again the largest is taken apart, while there is room."""
    groups = {"": list(files)} if files else {}
    whole: set[str] = set()
    while open_ := [name for name in groups if name not in whole]:
        largest = max(open_, key=lambda name: (len(groups[name]), name))
        whole.add(largest)
        parts: dict[str, list[Dependent]] = {}
        for file in groups[largest]:
            folder, slash, _ = file.path.removeprefix(largest).partition("/")
            parts.setdefault(f"{largest}{folder}/" if slash else largest, []).append(file)
        room = MOST_SECTORS - len(groups) + 1
        ordered = sorted(parts, key=lambda name: (name == largest, -len(parts[name]), name))
        kept = ordered if len(ordered) <= room else ordered[: room - 1]
        rest = [file for name in ordered[len(kept) :] for file in parts[name]]
        del groups[largest]
        groups |= {name: parts[name] for name in kept}
        if rest:
            groups[largest] = rest
    return {name or "./": groups[name] for name in sorted(groups)}
