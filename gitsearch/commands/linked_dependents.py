"""The dependents of targets in other repositories, by the packages that these import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.graph.dependents import ALL, dependents, names_of, passes_on, union_of
from gitsearch.graph.likelihood import POSSIBLE, label_of
from gitsearch.graph.linked_graphs import FileOf
from gitsearch.reports.lookup import Dependent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.code_graph import Target
    from gitsearch.commands.linked_repositories import LinkedRepositories
    from gitsearch.graph.dependents import Names
    from gitsearch.reports.lookup import ImportedPackage

# Nothing but imports of files, and names in them, is known across repositories: each import halves
# the likelihood, unless its file does nothing but hand on what it imports.
_IMPORT = 0.5

_DECIMALS = 4


def linked_dependents(
    repositories: LinkedRepositories, own: int, targets: Sequence[Target], hops: int | None
) -> list[Dependent]:
    """The dependents of targets of one repository in all others, the nearest first."""
    _link(repositories, own)
    linked, graph = repositories.linked, repositories.graph
    numbers: dict[int, Names] = {}
    for target in targets:
        file = linked.number(FileOf(own, linked.graphs[own].file(target.path)))
        names = names_of(target.symbol) if target.symbol else ALL
        # a file that is also asked for as a whole matters as a whole
        numbers[file] = union_of([numbers.get(file, names), names])
    walked = dependents(graph, numbers, repositories.users, hops)
    shown: list[Dependent] = []
    ways: dict[int, tuple[str, ...]] = {}
    likelihoods: dict[int, float] = {}
    packages: dict[int, ImportedPackage | None] = {}
    for file, following, kind, line, certain in zip(*walked, strict=True):
        factor = 1.0 if passes_on(graph, file, kind) else _IMPORT
        likelihood = likelihoods[file] = factor * likelihoods.get(following, 1.0)
        before = ways.get(following) or (repositories.shown(following),)
        way = ways[file] = repositories.shown(file), *before
        place, next_to = linked.place(file), linked.place(following)
        packages[file] = packages.get(following)
        if place.repository != next_to.repository:
            packages[file] = repositories.package(place, next_to.repository)
        if place.repository != own:
            path, test, owners = repositories.code_graphs[place.repository].about(place.file)
            resolution = "resolved" if certain else "ambiguous"
            shown.append(
                Dependent(
                    path, len(way) - 1, way, resolution, kind, line, test, owners,
                    round(likelihood, _DECIMALS),
                    label_of(likelihood, 1.0) or POSSIBLE,
                    repository=repositories.names[place.repository],
                    package=packages[file],
                )
            )  # fmt: skip
    return shown


def _link(repositories: LinkedRepositories, own: int) -> None:
    """Link the repositories that depend on one, directly or not."""
    reached = [own]
    for target in reached:
        for source in range(len(repositories.names)):
            links = list(repositories.linked.links(source, [target]))
            repositories.links += links
            if links and source not in reached:
                reached.append(source)
