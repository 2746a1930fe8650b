"""Dependents with what besides the graph says that a change concerns them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitsearch.graph.evidence import MENTIONS, Evidence
from gitsearch.graph.likelihood import POSSIBLE_FROM, raised, weighed
from gitsearch.graph.mentions import Mentions
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.reports.lookup import Dependent, ImpactEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.commands.code_graph import CodeGraph, Target

_DECIMALS = 4


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


def with_mentions(
    code_graph: CodeGraph, targets: Sequence[Target], files: Sequence[Dependent]
) -> list[Dependent]:
    """Return dependents of definitions, of tests by what they mention, too."""
    mentions = Mentions(code_graph.words, _tests(code_graph, {one.path for one in targets}))
    told: dict[bytes, ImpactEvidence] = {}
    for target in targets:
        path = os.fsdecode(target.path)
        for test, share in mentions.shares(target.path, target.symbol or "").items():
            if test not in told or told[test].share < share:
                told[test] = ImpactEvidence(MENTIONS, path, round(share, _DECIMALS))
    return [_mentioning(file, told) if told and file.test else file for file in files]


def _mentioning(file: Dependent, told: Mapping[bytes, ImpactEvidence]) -> Dependent:
    own = told.get(os.fsencode(file.path))
    likelihood = weighed(file.likelihood, own.share if own else 0.0)
    return file._replace(likelihood=likelihood, evidence=(own,) if own else ())


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
