"""The dependents of targets with their likelihood: by definitions, else by files."""

from __future__ import annotations

from functools import cache
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
    from collections.abc import Iterator, Mapping, Sequence

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
    reached = Reached(code_graph.definitions, seeds)
    support = reached.support()
    found, nodes = reached.by_file()
    ways = _Ways(code_graph)
    shown = []
    for file, node, steps in zip(found.tolist(), nodes.tolist(), reached.ways(nodes), strict=True):
        if code_graph.graph.path(file) in own:
            continue
        scores = float(reached.likelihood[node]), round(float(support[file]), _DECIMALS)
        dependent = ways.dependent(steps, scores)
        if hops is None or dependent.hops <= hops:
            shown.append(dependent)
    return shown


class _Ways:
    """Ways through the graph of definitions as reports tell them."""

    def __init__(self, code_graph: CodeGraph) -> None:
        self._code_graph = code_graph
        # many ways have their last steps in common
        self._told: dict[tuple[int, str], ImpactStep] = {}
        self._file = cache(code_graph.definitions.file_of_node)

    def dependent(self, steps: Sequence[Step], scores: tuple[float, float]) -> Dependent:
        """Return the file that a way begins in, with its likelihood and support."""
        numbers = [self._file(step.node) for step in steps]
        files = _files(numbers)
        path, test, owners = self._code_graph.about(files[0])
        # the last step that is taken in the file leads out of it
        leaving = next(
            step for step, after in zip(steps, numbers[1:], strict=False) if after != files[0]
        )
        return Dependent(
            path,
            len(files) - 1,
            tuple(map(self._code_graph.path, files)),
            "resolved" if all(step.kind in SURE for step in steps[:-1]) else "ambiguous",
            leaving.kind,
            leaving.line,
            test,
            owners,
            scores[0],
            support=scores[1],
            reasons=tuple(self._reasons(steps[:-1], numbers)),
        )

    def _reasons(self, steps: Sequence[Step], numbers: Sequence[int]) -> Iterator[ImpactStep]:
        where = ""
        for step, file in zip(steps, numbers, strict=False):
            # a name has no file: it is said in the one before
            where = self._code_graph.path(file) if file >= 0 else where
            told = self._told.get((step.node, where))
            if told is None:
                symbol = self._code_graph.definitions.symbol(step.node)
                factor = round(step.factor, _DECIMALS)
                told = ImpactStep(where, symbol, step.line, step.kind, factor)
                self._told[step.node, where] = told
            yield told


def _files(numbers: Sequence[int]) -> list[int]:
    """Return the files on a way, each once: what lies between two visits is left out."""
    files: list[int] = []
    for file in numbers:
        if file in files:
            del files[files.index(file) + 1 :]
        elif file >= 0:
            files.append(file)
    return files
