"""What depends on what: lines for people, Markdown, and graphs for Mermaid and Graphviz."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from gitsearch.render import color
from gitsearch.render.escape import folded, plain, quoted
from gitsearch.render.markdown import code
from gitsearch.reports.lookup import Dependent, GraphChanges, ImpactReport, RemovedDefinition

_SHOWN = 3
# What a label of a chart may not hold.
_UNSAFE = re.compile(r"[^\w./ -]")


def lines(report: ImpactReport, *, colour: bool) -> Iterator[str]:
    """One dependent a line, nearest first, then the tests to run and what cannot be seen."""
    brush = color.Paint(colour=colour)
    for one in report.dependents:
        notes = [f"{one.hops} hop{'s' * (one.hops > 1)}", *_marks(one), *map(plain, one.owners)]
        yield (
            f"{brush(color.PATH, quoted(one.path))}{brush(color.SEPARATOR, ':')}"
            f"{brush(color.LINE, str(one.line))}{brush(color.SEPARATOR, ':')} "
            f"{_verb(one)} {' < '.join(map(quoted, one.via[1:]))}"
            f"  {brush(color.DIM, '(' + ', '.join(notes) + ')')}\n"
        )
    if report.truncated:
        yield f"and {report.truncated} more\n"
    if report.tests:
        yield f"\n{brush(color.BOLD, 'tests to run:')}\n"
        yield from (f"{quoted(path)}\n" for path in report.tests)
    if report.delta:
        yield from _change(report.delta, brush)
    unresolved = list(_unresolved(report))
    if unresolved:
        yield f"\n{brush(color.BOLD, 'what else may depend on it cannot be seen:')}\n"
        yield from (f"{line}\n" for line in unresolved)


def _change(delta: GraphChanges, brush: color.Paint) -> Iterator[str]:
    """What a change does to the graph, the worst first; only what there is."""
    dangling = [
        f"{quoted(path)}:{line}: {plain(specifier)} was {quoted(target)}"
        for path, line, specifier, target in delta.dangling
    ]
    exports = [line for one in delta.exports for line in _export(one)]
    cycles = [" <> ".join(map(quoted, one)) for one in delta.cycles]
    for title, found in (
        ("imports that lead nowhere now:", dangling),
        ("definitions that are gone or have another signature:", exports),
        ("new cycles:", cycles),
        ("imports that are new:", [f"{quoted(a)} > {quoted(b)}" for a, b in delta.added]),
        ("imports that are gone:", [f"{quoted(a)} > {quoted(b)}" for a, b in delta.removed]),
        ("files that depend on the changed ones only now:", list(map(quoted, delta.gained))),
        ("files that do so no more:", list(map(quoted, delta.lost))),
    ):
        if found:
            yield f"\n{brush(color.BOLD, title)}\n"
            yield from (f"{line}\n" for line in found)


def _export(one: RemovedDefinition) -> Iterator[str]:
    what = f"now {folded(one.after)}, was" if one.after else "gone:"
    yield f"{quoted(one.path)}: {folded(one.symbol)} {what} {folded(one.before)}"
    yield from (f"    used in {quoted(path)}:{line}" for path, line in one.users)


def _verb(one: Dependent) -> str:
    return {"reference": "uses", "export": "exports from"}.get(one.kind, "imports")


def _marks(one: Dependent) -> list[str]:
    return ["ambiguous"] * (one.label == "ambiguous") + ["test"] * one.test


def _unresolved(report: ImpactReport) -> Iterator[str]:
    """One line a reason, with how often and where for example."""
    counts = Counter(one.reason for one in report.unresolved)
    for reason, count in sorted(counts.items()):
        places = [one for one in report.unresolved if one.reason == reason][:_SHOWN]
        shown = ", ".join(f"{quoted(one.path)}:{one.line}" for one in places)
        yield f"{count} {reason}: {shown}{', ...' if count > _SHOWN else ''}"


def markdown(report: ImpactReport) -> Iterator[str]:
    """A list in Markdown; text of the repository stands in code spans only."""
    targets = ", ".join(
        code(path + (f":{symbol}" if symbol else "")) for path, symbol in report.targets
    )
    yield f"### What depends on {targets}\n\n"
    for one in report.dependents:
        way = " ← ".join(map(code, one.via[1:]))
        notes = ", ".join(_marks(one))
        owners = "".join(f" {code(owner)}" for owner in one.owners)
        more = f" ({notes})" if notes else ""
        yield f"- {code(f'{one.path}:{one.line}')} {_verb(one)} {way}{more}{owners}\n"
    if not report.dependents:
        yield "Nothing that can be seen.\n"
    if report.truncated:
        yield f"- and {report.truncated} more\n"
    if report.tests:
        yield "\n**Tests to run**\n\n"
        yield from (f"- {code(path)}\n" for path in report.tests)
    unresolved = Counter(one.reason for one in report.unresolved)
    if unresolved:
        counts = ", ".join(f"{count} {reason}" for reason, count in sorted(unresolved.items()))
        yield f"\nCannot be seen: {counts}.\n"


def mermaid(report: ImpactReport) -> Iterator[str]:
    """A flowchart: each arrow goes from a file to one that it depends on."""
    yield "flowchart LR\n"
    for path, number in _nodes(report).items():
        shown = _UNSAFE.sub(lambda found: f"#{ord(found[0])};", plain(path))
        yield f'    n{number}["{shown}"]\n'
    for source, target, certain in _arrows(report):
        yield f"    n{source} {'-->' if certain else '-.->'} n{target}\n"


def dot(report: ImpactReport) -> Iterator[str]:
    """The same for Graphviz."""
    yield "digraph impact {\n    rankdir=LR;\n    node [shape=box];\n"
    for path, number in _nodes(report).items():
        shown = plain(path).replace("\\", "\\\\").replace('"', '\\"')
        yield f'    n{number} [label="{shown}"];\n'
    for source, target, certain in _arrows(report):
        style = "" if certain else " [style=dashed]"
        yield f"    n{source} -> n{target}{style};\n"
    yield "}\n"


def _nodes(report: ImpactReport) -> dict[str, int]:
    paths = [path for path, _ in report.targets]
    paths += [path for one in report.dependents for path in reversed(one.via)]
    return {path: number for number, path in enumerate(dict.fromkeys(paths))}


def _arrows(report: ImpactReport) -> list[tuple[int, int, bool]]:
    nodes = _nodes(report)
    return [
        (nodes[one.path], nodes[one.via[1]], one.label == "resolved") for one in report.dependents
    ]
