"""The edges between definitions of a repository, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch.commands.code_graph import open_code_graph
from gitsearch.commands.tree_selection import select_tree
from gitsearch.graph.definition_graph import EDGE_KINDS
from tests.unit.commands.asked import session, warm_parsers

if TYPE_CHECKING:
    from tests.builder import RepoBuilder

# What every definition has.
_PLACES = frozenset({"import", "content", "module", "sibling"})


def edges(
    repo: RepoBuilder, *, places: bool = False, lines: bool = False
) -> set[tuple[str, str, str]]:
    """Return source, kind and target of each edge; a file is its path, a name has a dot before.

    lines: a definition has its line behind it, as in `Box.open:2`.
    """
    warm_parsers()
    code_graph = open_code_graph(select_tree(session(repo.path)))
    graph = code_graph.definitions
    first = graph.arrays["definition_first"].tolist()

    def node(number: int) -> str:
        file = graph.file_of_node(number)
        if file < 0:
            return f".{graph.symbol(number)}"
        symbol = graph.symbol(number) or ""
        line = f":{first[number]}" if lines and symbol else ""
        return symbol + line or code_graph.path(file)

    columns = (graph.arrays[f"edge_{name}"].tolist() for name in ("source", "kind", "target"))
    return {
        (node(source), EDGE_KINDS[kind], node(target))
        for source, kind, target in zip(*columns, strict=True)
        if places or EDGE_KINDS[kind] not in _PLACES
    }


def spreads(repo: RepoBuilder, name: str) -> dict[str, int]:
    """Return of each member of a name, with a dot before, how many alternatives it has."""
    warm_parsers()
    graph = open_code_graph(select_tree(session(repo.path))).definitions
    columns = (graph.arrays[f"edge_{name}"].tolist() for name in ("source", "target", "spread"))
    return {
        graph.symbol(target) or "": spread
        for source, target, spread in zip(*columns, strict=True)
        if graph.file_of_node(source) < 0 and f".{graph.symbol(source)}" == name
    }
