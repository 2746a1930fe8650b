"""Dependents with what besides the graph says that a change concerns them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.graph.evidence import MENTIONS, SIMILAR, Evidence
from gitsearch.graph.likelihood import POSSIBLE_FROM, raised, weighed
from gitsearch.graph.mentions import Mentions
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.reports.lookup import Dependent, ImpactEvidence
from gitsearch.retrieval import chunk_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from gitsearch.commands.code_graph import CodeGraph, Target
    from gitsearch.index.view import Segment

_DECIMALS = 4

# The tests that are compared with definitions: the likeliest, for all of their vectors are read.
_COMPARED = 200

# Of more definitions, as those that a change removes, some test is near to each.
_MOST_DEFINITIONS = 30


def with_evidence(
    code_graph: CodeGraph, targets: Sequence[Target], files: Sequence[Dependent]
) -> list[Dependent]:
    """Return dependents with more likelihood where there is evidence, and tests with nothing else.

    targets: files, which are no dependents themselves.
    """
    paths = {target.path for target in targets}
    evidence = Evidence(code_graph.history, paths, _tests(code_graph, paths))
    found = [_with(file, evidence) for file in files]
    known = {os.fsencode(file.path) for file in files} | paths
    others = (path for path in evidence.supported() if path not in known)
    alone = [_alone(code_graph, path, evidence) for path in others]
    return [*found, *(file for file in alone if file.likelihood >= POSSIBLE_FROM)]


def of_definitions(
    code_graph: CodeGraph, targets: Sequence[Target], files: Sequence[Dependent]
) -> list[Dependent]:
    """Return dependents of definitions, of tests by what else says that they run these, too."""
    words = _mentioned(code_graph, targets)
    tests = {os.fsencode(file.path): file for file in files if file.test}
    shares = {test: words[test].share if test in words else 0.0 for test in tests if words}
    together = _together(code_graph, targets) if tests else {}
    near: dict[bytes, ImpactEvidence] = {}

    def likelihood_of(test: bytes) -> float:
        cosine = near[test].share if test in near else None
        changed = together[test].share if test in together else 0.0
        return weighed(tests[test].likelihood, shares.get(test), cosine, changed)

    likely = sorted(tests, key=lambda test: -likelihood_of(test))
    near.update(_similar(code_graph, targets, likely[:_COMPARED]))

    def with_evidence_of(file: Dependent) -> Dependent:
        test = os.fsencode(file.path)
        evidence = (own.get(test) for own in (words, near, together))
        return file._replace(
            likelihood=likelihood_of(test), evidence=tuple(filter(None, evidence))
        )

    return [with_evidence_of(file) if file.test else file for file in files]


def _together(code_graph: CodeGraph, targets: Sequence[Target]) -> dict[bytes, ImpactEvidence]:
    """The share of the changes of the file of a target in which each other file changed."""
    evidence = Evidence(code_graph.history, {target.path for target in targets}, frozenset())
    return {
        path: one._replace(share=round(one.share, _DECIMALS))
        for path, one in evidence.together.items()
    }


def _mentioned(code_graph: CodeGraph, targets: Sequence[Target]) -> dict[bytes, ImpactEvidence]:
    """The share of the words of a target that each test has which has one."""
    mentions = Mentions(code_graph.words, _tests(code_graph, {one.path for one in targets}))
    told: dict[bytes, ImpactEvidence] = {}
    for target in targets:
        for test, share in mentions.shares(target.path, target.symbol or "").items():
            _keep(told, test, ImpactEvidence(MENTIONS, os.fsdecode(target.path), share))
    return told


def _similar(
    code_graph: CodeGraph, targets: Sequence[Target], tests: Sequence[bytes]
) -> dict[bytes, ImpactEvidence]:
    """The cosine of a target and the place of each test that is nearest to it.

    None of what is not in the index, nor of very many targets.
    """
    few = targets if len(targets) <= _MOST_DEFINITIONS else ()
    known = [
        (os.fsdecode(target.path), vector)
        for target in few
        if (vector := _vector(code_graph, target)) is not None
    ]
    view = code_graph.opened.view
    held = {test: place for test in tests if (place := view.find(test)) and _chunks(*place)}
    told: dict[bytes, ImpactEvidence] = {}
    if not known or not held:
        return told
    cosines = chunk_vectors.likeness(view, [one for _, one in known], list(held.values()))
    for (path, _), nearest in zip(known, cosines, strict=True):
        for test, cosine in zip(held, nearest.tolist(), strict=True):
            _keep(told, test, ImpactEvidence(SIMILAR, path, cosine))
    return told


def _vector(code_graph: CodeGraph, target: Target) -> np.ndarray | None:
    """The vector of the code of a definition; None if it is not in the index."""
    view, graph = code_graph.opened.view, code_graph.definitions
    place = view.find(target.path)
    if place is None or target.symbol is None:
        return None
    nodes = graph.named(code_graph.graph.file(target.path), target.symbol, target.line)
    first = min(int(graph.arrays["definition_first"][node]) for node in nodes)
    last = max(int(graph.arrays["definition_last"][node]) for node in nodes)
    return chunk_vectors.vector_of(view, chunk_vectors.rows_of_lines(view, *place, first, last))


def _chunks(segment: Segment, file: int) -> int:
    """The number of chunks of a file."""
    return int(segment.file_sizes[file])


def _keep(told: dict[bytes, ImpactEvidence], test: bytes, one: ImpactEvidence) -> None:
    """Keep evidence of a test if that of no other target is stronger."""
    if test not in told or told[test].share < one.share:
        told[test] = one._replace(share=round(one.share, _DECIMALS))


def _tests(code_graph: CodeGraph, targets: Iterable[bytes]) -> set[bytes]:
    """The tests in languages of the targets: others are named alike by chance."""
    graph = code_graph.graph
    resolvers = [RESOLVER_OF.get(language) for language in graph.meta["languages"]]
    numbers = graph.arrays["language"].tolist()
    wanted = {resolvers[numbers[graph.file(path)]] for path in targets}
    known = (file for file in code_graph.test_files if resolvers[numbers[file]] in wanted)
    return set(map(graph.path, known))


def _with(file: Dependent, evidence: Evidence) -> Dependent:
    shown = evidence.of(os.fsencode(file.path))
    if not shown:
        return file
    likelihood = raised(file.likelihood, [one.share for one in shown])
    told = tuple(one._replace(share=round(one.share, _DECIMALS)) for one in shown)
    return file._replace(likelihood=likelihood, evidence=told)


def _alone(code_graph: CodeGraph, path: bytes, evidence: Evidence) -> Dependent:
    """A test that nothing but evidence leads to."""
    told, test, owners = code_graph.about(code_graph.graph.file(path))
    best = max(evidence.of(path), key=lambda one: one.share)
    file = Dependent(told, 1, (told, best.path), "ambiguous", best.kind, 1, test, owners)
    return _with(file, evidence)
