"""The map and the architecture of a code base, as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from gitsearch.render import color
from gitsearch.render.escape import folded, plain, quoted
from gitsearch.render.findings import counted
from gitsearch.reports.overview import ArchitectureReport, Component, MapReport, Module, Role

_SHOWN = 3  # examples
_NEEDED = 5  # components that one needs
_LISTED = 10  # entry points, hubs, circles
_LARGE = 20  # components that are shown with all there is to them


def code_map(report: MapReport, brush: color.Paint) -> Iterator[str]:
    """Modules under their tier: path and documentation, then one signature a line."""
    for tier, modules in groupby(report.modules, key=lambda module: module.tier):
        yield f"{brush(color.BOLD, tier)}\n"
        for module in modules:
            yield from _module(module, brush)
    if report.left_out:
        shown = f"{len(report.modules)} of {report.files} files in {report.tokens} tokens"
        large = [brush.name(path) for path in report.too_large[:_SHOWN]]
        more = ", ..." if len(report.too_large) > _SHOWN else ""
        also = f"; too large for what was left: {', '.join(large)}{more}" if large else ""
        yield f"\n{brush(color.DIM, f'{shown}; --budget shows more{also}')}\n"


def _module(module: Module, brush: color.Paint) -> Iterator[str]:
    doc = f"  {brush(color.DIM, folded(module.doc))}" if module.doc else ""
    yield f"{brush.path(module.path)}{doc}\n"
    for _, text in module.signatures:
        yield f"    {folded(text)}\n"


# ---------------------------------------------------------------- architecture


def architecture(report: ArchitectureReport, brush: color.Paint) -> Iterator[str]:
    """Components from the highest layer down, entry points and hubs, circles."""
    yield f"{_summary(report)}\n"
    large = report.components[:_LARGE]
    ordered = sorted(large, key=lambda component: -component.layer)
    for layer, components in groupby(ordered, key=lambda component: component.layer):
        yield f"\n{brush(color.BOLD, f'layer {layer}')}\n"
        for component in components:
            yield from _component(component, brush)
    small = report.components[_LARGE:]
    if small:
        size = sum(component.size for component in small)
        others = counted(len(small), "smaller component")
        yield f"\nand {others} with {counted(size, 'file')}\n"
    yield from _files("entry points", "entry", report, brush)
    yield from _files("hubs", "hub", report, brush)
    yield from _cycles(report, brush)


def _summary(report: ArchitectureReport) -> str:
    counts = Counter(file.role for file in report.files)
    alone = sum(file.component is None for file in report.files)
    parts = [
        counted(len(report.components), "component"),
        counted(len(report.files), "file"),
        counted(counts["entry"], "entry point"),
        counted(counts["hub"], "hub"),
        counted(counts["leaf"], "leaf", "leaves"),
        f"{counts['peripheral']} peripheral",
        counted(len(report.cycles), "cycle"),
    ]
    notes = [f"{alone} without imports"] * bool(alone)
    notes += [f"{report.aside} tests, examples and the like beside them"] * bool(report.aside)
    return ", ".join(parts) + (f" ({'; '.join(notes)})" if notes else "")


def _component(component: Component, brush: color.Paint) -> Iterator[str]:
    size = brush(color.DIM, f"({counted(component.size, 'file')})")
    yield f"{brush(color.PATH, plain(component.name))} {size}\n"
    core = [_short(path, component.name, brush) for path in component.core[:_SHOWN]]
    yield f"    core: {', '.join(core)}\n"
    needs = [f"{plain(name)} {count}" for name, count in component.needs[:_NEEDED]]
    if needs:
        more = ", ..." if len(component.needs) > _NEEDED else ""
        yield f"    needs: {', '.join(needs)}{more}\n"


def _short(path: str, component: str, brush: color.Paint) -> str:
    """A path below the folder that its component is named after, or as it is seen elsewhere."""
    folder = f"{component.partition(' (')[0]}/"
    return quoted(path.removeprefix(folder)) if path.startswith(folder) else brush.name(path)


def _files(title: str, role: str, report: ArchitectureReport, brush: color.Paint) -> Iterator[str]:
    """The files of a role with the most imports."""
    files = [file for file in report.files if file.role == role]
    if not files:
        return
    yield f"\n{brush(color.BOLD, f'{title}:')}\n"
    for file in sorted(files, key=_busy)[:_LISTED]:
        into = f"imported by {file.imported_by}, " if file.imported_by else ""
        notes = brush(color.DIM, f"({into}imports {file.imports})")
        yield f"{brush.path(file.path)} {notes}\n"
    if len(files) > _LISTED:
        yield f"and {len(files) - _LISTED} more\n"


def _busy(file: Role) -> tuple[int, str]:
    return -(file.imported_by + file.imports), file.path


def _cycles(report: ArchitectureReport, brush: color.Paint) -> Iterator[str]:
    if not report.cycles:
        return
    yield f"\n{brush(color.BOLD, 'cycles of imports:')}\n"
    for cycle in report.cycles[:_LISTED]:
        more = f" and {len(cycle) - _SHOWN} more" if len(cycle) > _SHOWN else ""
        yield f"{' <> '.join(map(brush.name, cycle[:_SHOWN]))}{more}\n"
    if len(report.cycles) > _LISTED:
        yield f"and {len(report.cycles) - _LISTED} more\n"
