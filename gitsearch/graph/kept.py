"""Graphs on disk: found by what they are of, made when missing, from the newest there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.corpus.edits import digest_of
from gitsearch.corpus.shelf import ABSENT, open_shelf
from gitsearch.graph.graph import EDGE, Graph
from gitsearch.store import keeping, layout

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.corpus.opening import Opened
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Settings

# What is said of imports, and the arrays and meta that hold it:
# 1: first version
# 2: how many words it had when it was made from nothing
# 3: names of the files that resolution reads
GRAPH_VERSION = 3


def graph_of(repo: Repo, settings: Settings, opened: Opened) -> Graph:
    """The graph of what is opened, edited files included; kept if that is possible at once."""
    shelf = open_shelf(repo, settings)
    name = _name(shelf, opened)
    with trace.stage("graph"):
        found = _load(shelf.folder, name)
        if found is None:
            found = _made(repo, shelf, opened, _newest(shelf))
            _keep(shelf, name, found)
    return found


def graph_near(
    repo: Repo, settings: Settings, opened: Opened, before: Graph, among: frozenset[bytes]
) -> Graph:
    """The graph of what is opened, right for some paths: the others may have edges of `before`.

    Made sooner than the whole one, and then not kept.
    """
    shelf = open_shelf(repo, settings)
    name = _name(shelf, opened)
    with trace.stage("graph"):
        found = _load(shelf.folder, name)
        if found is None:
            found = _made(repo, shelf, opened, before, among)
            if not found.meta.get("near"):
                _keep(shelf, name, found)
    return found


def _made(
    repo: Repo,
    shelf: Shelf,
    opened: Opened,
    before: Graph | None,
    among: frozenset[bytes] | None = None,
) -> Graph:
    # what extracts and resolves is loaded only where that must be done
    from gitsearch.graph import build

    source = build.Source(repo, shelf.folder, opened.contents)
    found = build.build(build.nodes(opened.view), source, before, among)
    trace.count("files resolved", found.meta["resolved"])
    return found


def _keep(shelf: Shelf, name: str, made: Graph) -> None:
    keeping.keep(shelf.folder, name, dict(made.arrays), made.meta, f"*{layout.GRAPH}*")


def _name(shelf: Shelf, opened: Opened) -> str:
    below = str(opened.tree.tree)
    coverage = opened.view.coverage()
    # what a tree lacks now may be there the next time
    if lacking := coverage.pending + coverage.skipped[ABSENT]:
        below += f"{lacking} of {coverage.tracked}"
    return f"{layout.VIEWS}/{digest_of(below, opened.dirty)}{_ending(shelf)}"


def _ending(shelf: Shelf) -> str:
    return f"-{shelf.recipe}{layout.GRAPH}{GRAPH_VERSION}"


def _load(folder: Path, name: str) -> Graph | None:
    found = keeping.load(folder, name, EDGE)
    return None if found is None else Graph(found.arrays, found.meta)


def _newest(shelf: Shelf) -> Graph | None:
    """The graph that was kept last: the tree that is asked for is likely near it."""
    for name in keeping.newest(shelf.folder, f"*{_ending(shelf)}"):
        found = _load(shelf.folder, name)
        if found is not None:
            return found
    return None
