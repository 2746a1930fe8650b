"""The dependents of targets with their likelihood: by definitions, else by files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.impact_evidence import of_definitions, with_evidence
from gitsearch.extract.uncollected import uncollected
from gitsearch.graph.definition_graph import LANGUAGES
from gitsearch.graph.dependents import ALL, dependents, names_of, union_of
from gitsearch.graph.likelihood import (
    FACTORS,
    POSSIBLE,
    REST_OF_FILE,
    SURE,
    Reached,
    label_of,
)
from gitsearch.reports.lookup import Dependent, ImpactStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.commands.code_graph import CodeGraph, Target
    from gitsearch.graph.definition_changes import CodeChanges
    from gitsearch.graph.dependents import Dependents, Names
    from gitsearch.graph.likelihood import Step

DEFINITIONS, FILES = "definitions", "files"

# Where nothing but imports of files is known, each halves the likelihood.
_IMPORT_OF_FILE = 0.5

_DECIMALS = 4


class LikelyDependents(NamedTuple):
    """Dependents, the likeliest first, and what an ImpactReport says of them."""

    files: list[Dependent]
    granularity: str
    unlikely: int = 0


@uncollected()
def likely_dependents(
    code_graph: CodeGraph,
    targets: Sequence[Target],
    hops: int | None = None,
    changes: Mapping[bytes, CodeChanges] | None = None,
) -> LikelyDependents:
    """The files that depend on the targets, the likeliest first.

    changes: what of a target that is a whole file changed; the rest of the file counts less.
    Of definitions, these are the files that may run them. Of whole files, and where the uses of a
    definition are not known, all files that import them, directly or not, are among them.
    """
    known = [target for target in targets if _nodes(code_graph, target)]
    whole = len(known) == len(targets)
    seeds = _seeds(code_graph, known, changes or {})
    reached = _reached(code_graph, seeds, {target.path for target in targets}, hops)
    importing = _importing(code_graph, targets, hops, definitions=whole)
    found = {file.path for file in reached}
    granularity = DEFINITIONS if whole else FILES
    if reached and whole and all(target.symbol for target in targets):
        # what tests say gives the order of those that the graph calls possible at least
        possible = _labelled(reached, cut=True)
        shown = _labelled(of_definitions(code_graph, targets, possible), cut=False)
        unlikely = sum(code_graph.path(file) not in found for file in importing.files)
        unlikely += len(reached) - len(shown)
        return LikelyDependents(shown, granularity, unlikely)
    factor = FACTORS["import"] if whole else _IMPORT_OF_FILE
    others = [
        file._replace(likelihood=factor**file.hops)
        for file in code_graph.dependents(importing, found)
    ]
    files = with_evidence(code_graph, targets, [*reached, *others])
    # where nothing is known to have changed, what is most likely of all is not likely yet
    relative = not seeds or max(seeds.values()) > REST_OF_FILE
    return LikelyDependents(_labelled(files, cut=False, relative=relative), granularity)


def _labelled(files: Sequence[Dependent], *, cut: bool, relative: bool = True) -> list[Dependent]:
    """Return files with their labels, the likeliest first; cut: without those that have none.

    relative: labels depend on the likeliest one, too.
    """
    likelihoods = [(file.likelihood, file.test) for file in files]
    greatest = {
        only: max((one for one, test in likelihoods if test or not only), default=0.0)
        if relative
        else 1.0
        for only in (False, True)
    }
    labelled = []
    for file in files:
        label = label_of(file.likelihood, greatest[file.test])
        if label or not cut:
            likelihood = round(file.likelihood, _DECIMALS)
            labelled.append(file._replace(likelihood=likelihood, label=label or POSSIBLE))
    return sorted(labelled, key=in_order)


def in_order(file: Dependent) -> tuple[float, float, int, str]:
    """The key by which dependents are sorted: the likeliest first, then the nearest."""
    return -file.likelihood, -file.support, file.hops, file.path


def _importing(
    code_graph: CodeGraph, targets: Sequence[Target], hops: int | None, *, definitions: bool
) -> Dependents:
    """The dependents by files alone."""
    numbers: dict[int, Names] = {}
    for target in targets:
        file = code_graph.graph.file(target.path)
        own = names_of(target.symbol) if target.symbol and not definitions else ALL
        # a file that is also asked for as a whole matters as a whole
        numbers[file] = union_of([numbers.get(file, own), own])
    users = None if definitions else code_graph.users
    return dependents(code_graph.graph, numbers, users, hops)


# ---------------------------------------------------------------- definitions


def _nodes(code_graph: CodeGraph, target: Target) -> list[int]:
    """Return the nodes of a target; none if its language is not supported."""
    file = code_graph.graph.file(target.path)
    if file < 0 or code_graph.graph.language(file) not in LANGUAGES:
        return []
    graph = code_graph.definitions
    own = graph.of_file(file)
    if target.symbol is None:
        return [*own, graph.file_node(file)] if own else []
    inside = set(graph.named(file, target.symbol, target.line))
    parents = graph.arrays["definition_parent"]
    for number in own:
        if int(parents[number]) in inside:
            inside.add(number)
    return sorted(inside)


def _seeds(
    code_graph: CodeGraph, targets: Sequence[Target], changes: Mapping[bytes, CodeChanges]
) -> dict[int, float]:
    """Return the likelihood of each node of the targets that it matters."""
    seeds: dict[int, float] = {}
    for target in targets:
        nodes = _nodes(code_graph, target)
        change = changes.get(target.path) if target.symbol is None else None
        if change is None:
            seeds |= dict.fromkeys(nodes, 1.0)
            continue
        graph, file = code_graph.definitions, code_graph.graph.file(target.path)
        seeds |= {node: max(seeds.get(node, 0.0), REST_OF_FILE) for node in nodes}
        if change.outside:
            seeds[graph.file_node(file)] = 1.0
        for node in graph.of_file(file):
            if graph.symbol(node) in change.definitions:
                seeds[node] = 1.0
    return seeds


def _reached(
    code_graph: CodeGraph, seeds: Mapping[int, float], own: set[bytes], hops: int | None
) -> list[Dependent]:
    """The files that may run the seeds, by file; `own` are those of the targets."""
    if not seeds:
        return []
    reached = Reached(code_graph.definitions, seeds, code_graph.test_files)
    files, nodes = reached.by_file()
    others = np.asarray([code_graph.graph.path(file) not in own for file in files.tolist()], bool)
    files, nodes = files[others], nodes[others]
    support = reached.support()[files].tolist()
    likelihood = reached.likelihood[nodes].tolist()
    ways = _ways(code_graph, reached.steps(nodes))
    shown = []
    rows = zip(files.tolist(), nodes.tolist(), likelihood, support, strict=True)
    for file, node, likely, supported in rows:
        way = ways[node]
        via = _without_loops(way.files)
        if hops is None or len(via) <= hops + 1:
            path, test, owners = code_graph.about(file)
            resolution = "resolved" if way.sure else "ambiguous"
            shown.append(
                Dependent(
                    path, len(via) - 1, via, resolution, way.kind, way.line, test, owners, likely,
                    support=round(supported, _DECIMALS),
                    reasons=way.reasons,
                )
            )  # fmt: skip
    return shown


class _Way(NamedTuple):
    """A way through the graph of definitions to a target, as reports tell it.

    files: the paths of its files, none twice in a row; kind, line: of the step out of the first
    one; sure: whether all steps are of sure kinds; reasons: its steps from the first node that has
    a file; names: the steps from names before, which are told with the file of what leads there.
    """

    files: tuple[str, ...]
    kind: str = ""
    line: int = 0
    sure: bool = True
    reasons: tuple[ImpactStep, ...] = ()
    names: tuple[Step, ...] = ()


def _ways(code_graph: CodeGraph, steps: Sequence[Step]) -> dict[int, _Way]:
    """Return the way of each node by the first steps, of which those that follow come first.

    Many ways have their last steps in common, so each is made from the one that follows.
    """
    graph = code_graph.definitions
    rounded = cache(round)

    def told(step: Step, path: str) -> ImpactStep:
        factor = rounded(step.factor, _DECIMALS)
        return ImpactStep(path, graph.symbol(step.node), step.line, step.kind, factor)

    ways: dict[int, _Way] = {}
    files = graph.file_of(np.asarray([step.node for step in steps], np.int64)).tolist()
    for step, file in zip(steps, files, strict=True):
        after = ways.get(step.to)
        if after is None:  # a target
            after = ways[step.to] = _Way((code_graph.path(graph.file_of_node(step.to)),))
        sure = after.sure and step.kind in SURE
        if file < 0:
            ways[step.node] = after._replace(sure=sure, names=(step, *after.names))
            continue
        path = code_graph.path(file)
        # a name has no place of its own
        names = (told(one._replace(line=step.line), path) for one in after.names)
        reasons = told(step, path), *names, *after.reasons
        inside = path == after.files[0]
        leaving = after if inside and not after.names else step
        passed = after.files if inside else (path, *after.files)
        ways[step.node] = _Way(passed, leaving.kind, leaving.line, sure, reasons)
    return ways


def _without_loops(files: tuple[str, ...]) -> tuple[str, ...]:
    """Return the files on a way, each once: what lies between two visits is left out."""
    if len(set(files)) == len(files):
        return files
    kept: list[str] = []
    for file in files:
        if file in kept:
            del kept[kept.index(file) + 1 :]
        else:
            kept.append(file)
    return tuple(kept)
