"""Graphs on disk: found by what they are of, made when missing, from the newest there is.

Named by all they are made of, so a kept one is never stale. Only a few are kept, none is sealed:
each is checked whole when it is read, and one that is bad or gone is made again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.corpus.shelf import open_shelf
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.graph import build
from gitsearch.graph.graph import EDGE, Graph
from gitsearch.store import layout, lock, sections

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.corpus.opening import Opened
    from gitsearch.corpus.shelf import Shelf
    from gitsearch.git.repo import Repo
    from gitsearch.settings import Settings

# What is said of imports, and the arrays and meta that hold it:
# 1: first version
GRAPH_VERSION = 1

_MOST = 8


def graph_of(repo: Repo, settings: Settings, opened: Opened) -> Graph:
    """The graph of what is opened, edited files included; kept if that is possible at once."""
    shelf = open_shelf(repo, settings)
    name = _name(shelf, opened)
    with trace.stage("graph"):
        found = _load(shelf.folder, name)
        if found is None:
            source = build.Source(repo, shelf.folder, opened.contents)
            found = build.build(build.nodes(opened.view), source, _newest(shelf))
            _keep(shelf, name, found)
    return found


def _name(shelf: Shelf, opened: Opened) -> str:
    digest = hashlib.blake2b(str(opened.tree.tree).encode(), digest_size=20)
    for file in sorted(opened.dirty):
        gone = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, gone, file.skip)).encode())
    return f"{layout.VIEWS}/{digest.hexdigest()}{_ending(shelf)}"


def _ending(shelf: Shelf) -> str:
    return f"-{shelf.recipe}{layout.GRAPH}{GRAPH_VERSION}"


def _load(folder: Path, name: str) -> Graph | None:
    try:
        found = sections.read(folder / name, name)
        found.check()
        trace.count("files mapped")
        trace.count("bytes mapped", found.size)
        return Graph({key: found[key] for key in (*found.arrays, *EDGE)}, found.meta)
    except (OSError, Damaged):
        return None


def _newest(shelf: Shelf) -> Graph | None:
    """The graph that was kept last: the tree that is asked for is likely near it."""
    for path in _all(shelf.folder, _ending(shelf)):
        found = _load(shelf.folder, f"{layout.VIEWS}/{path.name}")
        if found is not None:
            return found
    return None


def _all(folder: Path, ending: str = "") -> list[Path]:
    """The kept graphs, the newest first."""
    found = []
    for path in (folder / layout.VIEWS).glob(f"*{ending or layout.GRAPH + '*'}"):
        try:
            found.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(found, reverse=True)]


def _keep(shelf: Shelf, name: str, graph: Graph) -> None:
    try:
        with lock.writer(shelf.folder, 0.0):
            sections.write(shelf.folder / name, dict(graph.arrays), graph.meta)
            for path in _all(shelf.folder)[_MOST:]:
                path.unlink(missing_ok=True)
    except (Busy, Unwritable, OSError):
        return  # the next one will
