"""Draw cost against size: small multiples on logarithmic axes, as SVG for light and dark pages.

    python -m bench.plot RESULT... [--out docs/cost.svg]

RESULT: files of `bench.speed` over repositories of different sizes. The same files give the same
picture, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from bench.filing import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# One panel: where it stands in the grid, and where the area of the lines lies in it.
_COLUMNS = 3
_WIDTH, _HEIGHT = 300, 235
_LEFT, _TOP, _RIGHT, _BOTTOM = 50, 40, 70, 36
_INNER_WIDTH = _WIDTH - _LEFT - _RIGHT
_INNER_HEIGHT = _HEIGHT - _TOP - _BOTTOM
_FOOT = 28
# Labels at the ends of lines stay so far apart.
_APART = 13

_STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; } .minor { fill: #59636e; } .label { fill: currentColor; }
.page { fill: #ffffff; } .grid { stroke: #d1d9e0; }
.line { fill: none; stroke: currentColor; stroke-width: 2; } .mark { fill: currentColor; }
.ours { color: #0969da; } .rival { color: #bc4c00; } .other { color: #59636e; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .minor { fill: #9198a1; } .label { fill: currentColor; }
.page { fill: #0d1117; } .grid { stroke: #3d444d; }
.ours { color: #4493f8; } .rival { color: #f0883e; } .other { color: #9198a1; }
}
"""

Points = list[tuple[float, float]]


@dataclass(frozen=True)
class _Source:
    """A figure of a repository: in which section, whose (by how its name begins), which one.

    Without a section it is one of the repository itself.
    """

    label: str
    look: str
    section: str
    name: str
    key: str
    unit: float = 1.0

    def points(self, repositories: Sequence[dict[str, Any]]) -> Points:
        """Files and figure, for every repository that has it."""
        out = []
        for one in repositories:
            rows = one["sections"].get(self.section, []) if self.section else [one]
            named = [row for row in rows if row.get("name", "").startswith(self.name)]
            if named and self.key in named[0]:
                out.append((float(one["tracked"]), named[0][self.key] * self.unit))
        return out


def _both(section: str, key: str, unit: float = 1.0) -> list[_Source]:
    return [
        _Source("git search", "ours", section, "git search", key, unit),
        _Source("semble", "rival", section, "semble", key, unit),
    ]


_PANELS = {
    "first search, s": _both("first", "wall_ms", 1e-3),
    "later search, ms": [
        *_both("cold", "wall_ms"),
        _Source("git grep", "other", "cold", "git grep", "wall_ms"),
    ],
    "update after a commit, CPU ms": _both("update", "cpu_ms"),
    "peak memory of the first search, MB": _both("first", "shared_once_mb"),
    "memory of a later search, MB": _both("cold", "largest_process_mb"),
    "index on disk, MB": [
        *_both("first", "index_mb"),
        _Source("text", "other", "", "", "text_mb"),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.plot",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "cost.svg")
    args = parser.parse_args()
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in args.results]
    args.out.write_text(_drawn(documents), encoding="utf-8")
    print(f"drawn: {args.out}", file=sys.stderr)


def _drawn(documents: Sequence[dict[str, Any]]) -> str:
    repositories = [one for document in documents for one in document["repositories"]]
    repositories.sort(key=lambda one: (one["tracked"], one["repository"]))
    width = _COLUMNS * _WIDTH
    height = math.ceil(len(_PANELS) / _COLUMNS) * _HEIGHT + _FOOT
    cores = sorted({f"{one['machine']['cores']} cores" for one in documents})
    commits = sorted({f"commit {one['commit'][:10]}" for one in documents})
    foot = "; ".join(["Medians by number of tracked files", *cores, *commits])
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img">',
        "<title>Cost of git search and semble against the size of a repository</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for i, (title, sources) in enumerate(_PANELS.items()):
        row, column = divmod(i, _COLUMNS)
        lines.append(f'<g transform="translate({column * _WIDTH} {row * _HEIGHT})">')
        lines.append(_text(_LEFT, 22, title, "title", "start"))
        found = [(one, one.points(repositories)) for one in sources]
        found = [(one, points) for one, points in found if points]
        lines.extend(_panel(found) if found else [])
        lines.append("</g>")
    lines += [_text(_LEFT, height - 10, foot, "minor", "start"), "</svg>"]
    return "\n".join(lines) + "\n"


def _panel(found: Sequence[tuple[_Source, Points]]) -> Iterator[str]:
    across = _Axis([x for _, points in found for x, _ in points], _LEFT, _INNER_WIDTH)
    up = _Axis([y for _, points in found for _, y in points], _TOP + _INNER_HEIGHT, -_INNER_HEIGHT)
    right, bottom = _LEFT + _INNER_WIDTH, _TOP + _INNER_HEIGHT
    yield f'<path class="grid" d="M{_LEFT} {bottom}H{right}"/>'
    for tick in up.ticks:
        y = up.at(tick)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{right}"/>'
        yield _text(_LEFT - 6, y + 4, _short(tick), "minor", "end")
    for tick in across.ticks:
        x = across.at(tick)
        yield f'<path class="grid" d="M{x:.1f} {bottom}v4"/>'
        yield _text(x, bottom + 17, _short(tick), "minor", "middle")
    yield _text(right + 12, bottom + 17, "files", "minor", "start")
    places = _apart([up.at(points[-1][1]) for _, points in found])
    for (source, points), place in zip(found, places, strict=True):
        dots = [(across.at(x), up.at(y)) for x, y in points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in dots)
        yield f'<g class="{source.look}"><path class="line" d="M{path}"/>'
        for x, y in dots:
            yield f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>'
        yield _text(dots[-1][0] + 8, place + 4, source.label, "label", "start") + "</g>"


class _Axis:
    """A logarithmic scale between round numbers that hold all values."""

    def __init__(self, values: Sequence[float], start: float, length: float) -> None:
        low = math.floor(math.log10(min(values)))
        steps = [
            factor * 10.0**power
            for power in range(low, math.ceil(math.log10(max(values))) + 1)
            for factor in (1, 2, 5)
        ]
        below = max(step for step in steps if step <= min(values) * 1.001)
        above = min(step for step in steps if step >= max(values) * 0.999 and step > below)
        inside = [step for step in steps if below <= step <= above]
        decades = [step for step in inside if math.log10(step).is_integer()]
        # over two decades the powers of ten say enough
        self.ticks = decades if len(decades) > 2 else inside
        self._low, self._span = math.log10(below), math.log10(above / below)
        self._start, self._length = start, length

    def at(self, value: float) -> float:
        """Where a value lies on the page."""
        return self._start + self._length * (math.log10(value) - self._low) / self._span


def _apart(places: Sequence[float]) -> list[float]:
    """The places of labels, those below moved down where they would overlap."""
    out = list(places)
    order = sorted(range(len(out)), key=out.__getitem__)
    for upper, lower in pairwise(order):
        out[lower] = max(out[lower], out[upper] + _APART)
    return out


def _text(x: float, y: float, text: str, look: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{look}" {place}>{escape(text)}</text>'


def _short(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


if __name__ == "__main__":
    main()
