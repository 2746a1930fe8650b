"""Graphs on disk: found by what they are of, made when missing, from the newest there is.

Named by all they are made of, so a kept one is never stale. Only a few are kept, none is sealed:
each is checked whole when it is read, and one that is bad or gone is made again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from gitsearch import trace
from gitsearch.corpus.shelf import ABSENT, open_shelf
from gitsearch.errors import Busy, Damaged, Unwritable
from gitsearch.graph import build
from gitsearch.graph.graph import EDGE, Graph
from gitsearch.store import layout, lock, sections

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np

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
            keep(shelf, name, dict(found.arrays), found.meta, layout.GRAPH)
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
            source = build.Source(repo, shelf.folder, opened.contents)
            found = build.build(build.nodes(opened.view), source, before, among)
            if not found.meta.get("near"):
                keep(shelf, name, dict(found.arrays), found.meta, layout.GRAPH)
    return found


def _name(shelf: Shelf, opened: Opened) -> str:
    digest = hashlib.blake2b(str(opened.tree.tree).encode(), digest_size=20)
    coverage = opened.view.coverage()
    # what a tree lacks now may be there the next time
    if lacking := coverage.pending + coverage.skipped[ABSENT]:
        digest.update(f"{lacking} of {coverage.tracked}".encode())
    for file in sorted(opened.dirty):
        gone = file.data is None
        digest.update(repr((file.path, file.oid, file.mode, gone, file.skip)).encode())
    return f"{layout.VIEWS}/{digest.hexdigest()}{_ending(shelf)}"


def _ending(shelf: Shelf) -> str:
    return f"-{shelf.recipe}{layout.GRAPH}{GRAPH_VERSION}"


def _load(folder: Path, name: str) -> Graph | None:
    found = load(folder, name, EDGE)
    return None if found is None else Graph(found.arrays, found.meta)


def load(folder: Path, name: str, wanted: Iterable[str]) -> sections.Sections | None:
    """A kept file that is sound and has what is wanted, or None."""
    try:
        found = sections.read(folder / name, name)
        found.check()
        for section in wanted:
            found[section]
    except (OSError, Damaged):
        return None
    trace.count("files mapped")
    trace.count("bytes mapped", found.size)
    return found


def _newest(shelf: Shelf) -> Graph | None:
    """The graph that was kept last: the tree that is asked for is likely near it."""
    for path in _all(shelf.folder, f"*{_ending(shelf)}"):
        found = _load(shelf.folder, f"{layout.VIEWS}/{path.name}")
        if found is not None:
            return found
    return None


def _all(folder: Path, pattern: str) -> list[Path]:
    """The kept files of these names, the newest first."""
    found = []
    for path in (folder / layout.VIEWS).glob(pattern):
        try:
            found.append((path.stat().st_mtime_ns, path))
        except OSError:
            continue
    return [path for _, path in sorted(found, reverse=True)]


def keep(
    shelf: Shelf, name: str, arrays: dict[str, np.ndarray], meta: dict[str, Any], kind: str
) -> None:
    """Keep a file if that is possible at once, and drop the oldest ones of its kind."""
    try:
        with lock.writer(shelf.folder, 0.0):
            sections.write(shelf.folder / name, arrays, meta)
            for path in _all(shelf.folder, f"*{kind}*")[_MOST:]:
                path.unlink(missing_ok=True)
    except (Busy, Unwritable, OSError):
        return  # the next one will
