"""Dependents as lines for people, as Markdown, and as graphs for Mermaid and Graphviz."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsearch.render import color, findings
from gitsearch.render.escape import folded, plain
from gitsearch.render.markdown import code
from gitsearch.render.report_text import Pen
from gitsearch.reports.lookup import (
    ChangedDefinition,
    GraphChanges,
    ImpactReport,
    RemovedDefinition,
)

# What a label of a chart may not hold.
_UNSAFE = re.compile(r"[^\w./ -]")

# More files than these no flowchart shows well.
_MOST_NODES = 30


def lines(report: ImpactReport, brush: color.Paint) -> Iterator[str]:
    """One dependent a line, likeliest first, then the tests to run and unresolved imports."""
    for file in report.dependents:
        hops = findings.counted(file.hops, "hop")
        score = [f"{file.label} {file.likelihood:.2f}"] if file.likelihood else []
        marks = findings.marks_of(file)
        if file.package:
            marks.append(f"by {plain(file.package.name)}")
        history = [text] if (text := findings.evidence_of(file)) else []
        notes = ", ".join([*score, hops, *marks, *history, *map(plain, file.owners)])
        yield (
            f"{brush.place(file.path, file.line, file.repository)}{brush(color.SEPARATOR, ':')} "
            f"{findings.verb(file)} {' < '.join(map(brush.name, file.via[1:]))}"
            f"  {brush(color.DIM, f'({notes})')}\n"
        )
    if report.truncated:
        yield f"and {report.truncated} more\n"
    if scope := findings.granularity(report):
        yield f"\n{scope}\n"
    unknown = list(_unknown(report, Pen(brush)))
    recorded = list(findings.recorded(report, Pen(brush)))
    for title, entries in (
        ("tests to run:", list(_tests(report, brush))),
        ("to run those that are certain or likely:", list(map(plain, report.commands))),
        ("changed definitions:", [_changed(one, brush) for one in report.changed]),
        *(_change(report.delta, brush) if report.delta else ()),
        ("what was recorded:", recorded),
        ("what else may depend on it:", unknown),
    ):
        if entries:
            yield f"\n{brush(color.BOLD, title)}\n"
            yield from (f"{line}\n" for line in entries)


def _unknown(report: ImpactReport, pen: findings.FindingFormat) -> Iterator[str]:
    yield from findings.unresolved(report.unseen, pen)
    yield from findings.unread(report.coverage.skipped, pen)


def _changed(definition: ChangedDefinition, brush: color.Paint) -> str:
    place = f"{brush.name(definition.path)}: {folded(definition.symbol)}"
    return f"{place} ({definition.change})"


def _tests(report: ImpactReport, brush: color.Paint) -> Iterator[str]:
    scored = {test.path: test for test in report.tests_scored}
    shown = _shown_tests(report)
    for path in shown:
        score = f"  ({test.label} {test.likelihood:.2f})" if (test := scored.get(path)) else ""
        yield brush.name(path) + score
    if more := len(report.tests) - len(shown):
        yield f"and {more} more"


def _shown_tests(report: ImpactReport) -> tuple[str, ...]:
    """The tests; who asked for the first dependents wants the first tests, of the same number."""
    return report.tests[: len(report.dependents)] if report.truncated else report.tests


def _change(delta: GraphChanges, brush: color.Paint) -> Iterator[tuple[str, list[str]]]:
    """The changes of the graph by title, the most severe first."""
    name = brush.name
    yield (
        "broken imports:",
        [
            f"{name(ref.path)}:{ref.line}: {plain(ref.specifier)} was {name(ref.target)}"
            for ref in delta.dangling
        ],
    )
    exports = [line for definition in delta.exports for line in _export(definition, brush)]
    yield "removed and changed definitions:", exports
    yield "new import cycles:", [" <> ".join(map(name, files)) for files in delta.cycles]
    for title, edges in (("added imports:", delta.added), ("removed imports:", delta.removed)):
        yield title, [f"{name(source)} > {name(target)}" for source, target in edges]
    yield "new dependents of the changed files:", list(map(name, delta.gained))
    yield "former dependents of the changed files:", list(map(name, delta.lost))


def _export(definition: RemovedDefinition, brush: color.Paint) -> Iterator[str]:
    what = f"now {folded(definition.after)}, was" if definition.after else "removed:"
    symbol, before = folded(definition.symbol), folded(definition.before)
    yield f"{brush.name(definition.path)}: {symbol} {what} {before}"
    yield from (f"    used in {brush.name(path)}:{line}" for path, line in definition.users)


def markdown(report: ImpactReport) -> Iterator[str]:
    """A list in Markdown; text of the repository stands in code spans only."""
    targets = ", ".join(
        code(path + (f":{symbol}" if symbol else "")) for path, symbol in report.targets
    )
    from gitsearch.render.report_markdown import Pen as MarkdownPen

    pen = MarkdownPen()
    yield f"### What depends on {targets}\n\n"
    yield from (f"- {findings.dependent(file, pen)}\n" for file in report.dependents)
    if not report.dependents:
        yield "No dependents were found.\n"
    if report.truncated:
        yield f"- and {report.truncated} more\n"
    if report.tests:
        yield "\n**Tests to run**\n\n"
        shown = _shown_tests(report)
        yield from (f"- {code(path)}\n" for path in shown)
        if more := len(report.tests) - len(shown):
            yield f"- and {more} more\n"
    if scope := findings.granularity(report):
        yield f"\n{scope}\n"
    for sentence in _unknown(report, pen):
        yield f"\n{sentence}\n"


def mermaid(report: ImpactReport) -> Iterator[str]:
    """A flowchart of the likeliest: each arrow goes from a file to one that it depends on."""
    drawn = _likeliest(report)
    yield "flowchart LR\n"
    for path, number in _nodes(drawn).items():
        shown = _UNSAFE.sub(lambda match: f"#{ord(match[0])};", plain(path))
        yield f'    n{number}["{shown}"]\n'
    for source, target, certain in _arrows(drawn):
        yield f"    n{source} {'-->' if certain else '-.->'} n{target}\n"
    rest = len(report.dependents) - len(drawn.dependents) + report.truncated
    if rest:
        yield f'    more["and {rest} more"]\n'


def _likeliest(report: ImpactReport) -> ImpactReport:
    """Return the report with the likeliest dependents, as many as a flowchart shows well."""
    targets = report.targets[:_MOST_NODES]
    nodes = {path for path, _ in targets}
    count = 0
    for file in report.dependents:
        nodes.update(file.via)
        if len(nodes) > _MOST_NODES:
            break
        count += 1
    return report._replace(targets=targets, dependents=report.dependents[:count])


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
    paths += [path for file in report.dependents for path in reversed(file.via)]
    return {path: number for number, path in enumerate(dict.fromkeys(paths))}


def _arrows(report: ImpactReport) -> list[tuple[int, int, bool]]:
    nodes = _nodes(report)
    return [
        (nodes[file.path], nodes[file.via[1]], file.resolution == "resolved")
        for file in report.dependents
    ]
