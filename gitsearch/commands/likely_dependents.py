"""The dependents of targets with their likelihood: by definitions, else by files."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.impact_evidence import with_evidence, with_mentions
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
    from gitsearch.graph.dependents import Names
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
    seeds = _seeds(code_graph, known, changes or {})
    reached = _reached(code_graph, seeds, {target.path for target in targets}, hops)
    narrow = len(known) == len(targets) and all(target.symbol for target in targets)
    importing = _importing(code_graph, targets, hops, definitions=len(known) == len(targets))
    found = {file.path: file for file in reached}
    others = [file for file in importing if file.path not in found]
    granularity = DEFINITIONS if len(known) == len(targets) else FILES
    if narrow and reached:
        # what tests mention gives the order of those that the graph calls possible at least
        possible = _labelled(reached, cut=True)
        shown = _labelled(with_mentions(code_graph, targets, possible), cut=False)
        left = len(reached) - len(shown) + len(others)
        return LikelyDependents(shown, granularity, left)
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
) -> list[Dependent]:
    """The dependents by files alone."""
    numbers: dict[int, Names] = {}
    for target in targets:
        file = code_graph.graph.file(target.path)
        own = names_of(target.symbol) if target.symbol and not definitions else ALL
        # a file that is also asked for as a whole matters as a whole
        numbers[file] = union_of([numbers.get(file, own), own])
    users = None if definitions else code_graph.users
    factor = FACTORS["import"] if definitions else _IMPORT_OF_FILE
    return [
        file._replace(likelihood=factor**file.hops)
        for file in code_graph.dependents(dependents(code_graph.graph, numbers, users, hops))
    ]


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
    graph = code_graph.definitions
    reached = Reached(graph, seeds)
    support = reached.support()
    shown = []
    for file, node in zip(*(column.tolist() for column in reached.by_file()), strict=True):
        if code_graph.graph.path(file) in own:
            continue
        steps = reached.way(node)
        files = _files(code_graph, steps)
        if hops is None or len(files) - 1 <= hops:
            scores = float(reached.likelihood[node]), round(float(support[file]), _DECIMALS)
            shown.append(_dependent(code_graph, steps, files, scores))
    return shown


def _files(code_graph: CodeGraph, steps: Sequence[Step]) -> list[int]:
    """Return the files on a way, each once: what lies between two visits is left out."""
    graph = code_graph.definitions
    files: list[int] = []
    for step in steps:
        file = graph.file_of_node(step.node)
        if file in files:
            del files[files.index(file) + 1 :]
        elif file >= 0:
            files.append(file)
    return files


def _dependent(
    code_graph: CodeGraph, steps: Sequence[Step], files: Sequence[int], scores: tuple[float, float]
) -> Dependent:
    graph = code_graph.definitions
    path, test, owners = code_graph.about(files[0])
    reasons: list[ImpactStep] = []
    for step in steps[:-1]:
        file = graph.file_of_node(step.node)
        where = code_graph.path(file) if file >= 0 else reasons[-1].path
        factor = round(step.factor, _DECIMALS)
        reasons.append(ImpactStep(where, graph.symbol(step.node), step.line, step.kind, factor))
    # the last step that is taken in the file leads out of it
    leaving = next(
        step for step, after in pairwise(steps) if graph.file_of_node(after.node) != files[0]
    )
    return Dependent(
        path,
        len(files) - 1,
        tuple(map(code_graph.path, files)),
        "resolved" if all(step.kind in SURE for step in steps[:-1]) else "ambiguous",
        leaving.kind,
        leaving.line,
        test,
        owners,
        scores[0],
        support=scores[1],
        reasons=tuple(reasons),
    )
