"""The architecture as a picture: components in layers, with what they need.

SVG by itself, or in one page of HTML with lists of the components and the cycles of imports.
Neither loads anything, and all text of the repository is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.render import findings
from gitsearch.render.escape import quoted
from gitsearch.render.html_page import COLOURS, page, row, text

if TYPE_CHECKING:
    from gitsearch.reports.overview import ArchitectureReport, Component

# Components that are drawn, the largest; cycles that are listed, and files of each.
MOST_DRAWN, _MOST_CYCLES, _MOST_FILES = 80, 100, 30

# Boxes of a row; lengths are in units of the view box.
_ACROSS = 6
_WIDTH, _HEIGHT, _BESIDE, _BELOW, _ABOVE = 150.0, 40.0, 26.0, 34.0, 84.0
_MARGIN, _LEFT = 20.0, 96.0
# Characters of a name in a box.
_NAME = 20
# The widest line between boxes, for so many imports.
_WIDEST, _MANY = 5.0, 100

_STYLE = f"""{COLOURS}
svg.architecture {{ background: var(--ground); font: 12px system-ui, sans-serif; }}
.architecture text {{ fill: var(--ink); }} .architecture .soft {{ fill: var(--soft); }}
.architecture rect {{ fill: var(--ground); stroke: var(--soft); }}
.architecture .need {{ fill: none; stroke: var(--file); stroke-opacity: .35; }}
.architecture .mutual {{ fill: none; stroke: var(--alarm); stroke-opacity: .7; }}
.architecture path:hover {{ stroke-opacity: 1; }}
.architecture .component:hover rect {{ stroke: var(--ink); }}
"""


class _Box(NamedTuple):
    """A component and the upper left corner of its box."""

    component: Component
    x: float
    y: float


class _Layer(NamedTuple):
    """A layer, with its first ordinate."""

    number: int
    y: float
    boxes: Sequence[_Box]


def svg(report: ArchitectureReport) -> Iterator[str]:
    """The picture; what a component holds and needs is shown on hover."""
    shown = report.components[:MOST_DRAWN]
    layers = _layout(shown)
    boxes = {box.component.name: box for layer in layers for box in layer.boxes}
    across = _LEFT + _ACROSS * (_WIDTH + _BESIDE) + _MARGIN
    down = max((box.y for box in boxes.values()), default=0.0) + _HEIGHT + 2 * _MARGIN
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" class="architecture" role="img" '
        f'viewBox="0 0 {across:.0f} {down:.0f}">\n'
    )
    yield f"<title>{_title(report)}</title>\n<style>{_STYLE}</style>\n"
    for layer in layers:
        place = f'x="{_MARGIN:.0f}" y="{layer.y + _HEIGHT / 2 + 4:.0f}"'
        yield f'<text class="soft" {place}>layer {layer.number}</text>\n'
    for box in boxes.values():
        for need in box.component.needs:
            if need.name in boxes:
                yield _need(box, boxes[need.name], need.edges)
    for box in boxes.values():
        yield from _box(box)
    rest = len(report.components) - len(shown)
    if rest:
        left = f"{findings.counted(rest, 'smaller component')} not drawn"
        yield f'<text class="soft" x="{_MARGIN:.0f}" y="{down - 8:.0f}">{left}</text>\n'
    yield "</svg>\n"


def html(report: ArchitectureReport) -> Iterator[str]:
    """The picture in a page, with the components and the cycles in lists below it."""
    return page(_title(report), _body(report))


def _body(report: ArchitectureReport) -> Iterator[str]:
    yield from svg(report)
    if not report.components:
        yield "<p>No components were found.</p>\n"
        return
    yield f"<h2>Components: {len(report.components)}</h2>\n<table>\n"
    yield row(("component", "files", "layer", "needs", "first of its files"), "th")
    for one in report.components:
        needs = ", ".join(f"{text(need.name)} ({need.edges})" for need in one.needs)
        core = ", ".join(text(quoted(path)) for path in one.core)
        yield row((text(one.name), str(one.size), str(one.layer), needs, core))
    yield f"</table>\n<h2>Cycles of imports: {len(report.cycles)}</h2>\n"
    if not report.cycles:
        yield "<p>No files import each other.</p>\n"
        return
    yield "<ol>\n"
    for cycle in report.cycles[:_MOST_CYCLES]:
        files = ", ".join(text(quoted(path)) for path in cycle[:_MOST_FILES])
        rest = f" and {len(cycle) - _MOST_FILES} more" if len(cycle) > _MOST_FILES else ""
        yield f"<li>{files}{rest}</li>\n"
    yield "</ol>\n"
    if len(report.cycles) > _MOST_CYCLES:
        yield f"<p>and {len(report.cycles) - _MOST_CYCLES} smaller ones</p>\n"


def _title(report: ArchitectureReport) -> str:
    return text(f"Architecture of {report.tree.rev}")


# ---------------------------------------------------------------- parts of the picture


def _layout(components: Sequence[Component]) -> list[_Layer]:
    """Place components: the layer that needs all others above, in rows of a few boxes."""
    layers: list[_Layer] = []
    y = _MARGIN
    for number, own in _by_layer(components).items():
        boxes = []
        for place, component in enumerate(own):
            line, column = divmod(place, _ACROSS)
            x = _LEFT + column * (_WIDTH + _BESIDE)
            boxes.append(_Box(component, x, y + line * (_HEIGHT + _BELOW)))
        layers.append(_Layer(number, y, boxes))
        y = boxes[-1].y + _HEIGHT + _ABOVE
    return layers


def _by_layer(components: Sequence[Component]) -> Mapping[int, list[Component]]:
    layers: dict[int, list[Component]] = {}
    for component in sorted(components, key=lambda one: (-one.layer, -one.size, one.name)):
        layers.setdefault(component.layer, []).append(component)
    return layers


def _box(box: _Box) -> Iterator[str]:
    one = box.component
    name = one.name if len(one.name) <= _NAME else f"…{one.name[1 - _NAME :]}"
    files = findings.counted(one.size, "file")
    needs = [f"needs {need.name}: {need.edges}" for need in one.needs]
    told = "\n".join(map(text, (f"{one.name}: {files}", *map(quoted, one.core), *needs)))
    middle = box.x + _WIDTH / 2
    yield (
        f'<g class="component"><title>{told}</title><rect x="{box.x:.0f}" y="{box.y:.0f}" '
        f'width="{_WIDTH:.0f}" height="{_HEIGHT:.0f}" rx="5"/>'
        f'<text text-anchor="middle" x="{middle:.0f}" y="{box.y + 17:.0f}">{text(name)}</text>'
        f'<text class="soft" text-anchor="middle" x="{middle:.0f}" y="{box.y + 32:.0f}">{files}'
        "</text></g>\n"
    )


def _need(box: _Box, other: _Box, edges: int) -> str:
    """A line from a component down to one that it needs; both need each other in one layer."""
    mutual = box.component.layer == other.component.layer
    x, x2 = box.x + _WIDTH / 2, other.x + _WIDTH / 2
    y, y2 = box.y + _HEIGHT, other.y + (_HEIGHT if mutual else 0)
    bend = _BELOW if mutual else (y2 - y) / 2
    ends = f"{x2:.0f} {y2 + bend if mutual else y2 - bend:.0f} {x2:.0f} {y2:.0f}"
    width = 1 + (_WIDEST - 1) * min(edges, _MANY) / _MANY
    said = text(f"{box.component.name} needs {other.component.name}: {edges}")
    return (
        f'<path class="{"mutual" if mutual else "need"}" stroke-width="{width:.1f}" '
        f'd="M {x:.0f} {y:.0f} C {x:.0f} {y + bend:.0f} {ends}"><title>{said}</title></path>\n'
    )
