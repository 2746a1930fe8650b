"""Graphs on disk: found by what they are of, made when missing, from the newest there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.graph.graph import Graph
from gitsearch.index.overlay_cache import digest_of
from gitsearch.index.view_store import ABSENT
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from pathlib import Path

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import View
    from gitsearch.index.view_store import ViewStore
    from gitsearch.store.sections import Sections

# What is said of imports, and the arrays and meta that hold it:
# 1: first version
# 2: how many words it had when it was made from nothing
# 3: names of the files that resolution reads
# 4: absolute imports of Python lead only below folders that are on the path of the importing file
GRAPH_VERSION = 4

# What a file of a graph holds, as docs/format.md has it; "words", "imports", "names" and
# "definitions" are how many there are.
ARRAYS: Arrays = {
    "path_text": Array("uint8", "bytes"),
    "path_ends": Array("uint", "N + 1", cuts="path_text"),
    "oid": Array("uint8", "N x H"),
    "language": Array("uint", "N", below="languages"),
    "searched": Array("uint", "N"),
    "word_text": Array("uint8", "bytes"),
    "word_ends": Array("uint", "words + 1", cuts="word_text"),
    "import_ends": Array("uint", "N + 1", cuts="import_specifier"),
    "import_specifier": Array("uint", "imports", below="words"),
    "import_kind": Array("uint", "imports", below="words"),
    "import_names": Array("uint", "imports", below="words"),
    "import_line": Array("uint", "imports"),
    "name_ends": Array("uint", "N + 1", cuts="name"),
    "name": Array("uint", "names", below="words"),
    "definition_ends": Array("uint", "N + 1", cuts="definition"),
    "definition": Array("uint", "definitions", below="words"),
    "definition_kind": Array("uint", "definitions", below="words"),
    "edge_source": Array("uint", "E", below="N", ascends=True),
    "edge_target": Array("uint", "E", below="N"),
    "edge_place": Array("int", "E"),
    "edge_ambiguous": Array("uint", "E"),
    "unseen_file": Array("uint", "n", below="N"),
    "unseen_place": Array("uint", "n"),
    "unseen_reason": Array("uint", "n", below="reasons"),
}
META = {"languages": "list", "reasons": "list", "digests": "map", "read": "list"} | {
    "resolved": "number",
    "words": "number",
}


def graph_of(opened: OpenView) -> Graph:
    """The graph of what is opened, edited files included; kept if that is possible at once."""
    store = opened.session.store
    name = _name(store, opened)
    with trace.stage("graph"):
        found = _load(store.folder, name)
        if found is None or not _is_of(found, opened.view):
            found = _made(opened, _newest(store))
            _keep(store, name, found)
    return found


def graph_near(opened: OpenView, before: Graph, among: frozenset[bytes]) -> Graph:
    """The graph of what is opened, right for some paths: the others may have edges of `before`.

    Made sooner than the whole one, and then not kept.
    """
    store = opened.session.store
    name = _name(store, opened)
    with trace.stage("graph"):
        found = _load(store.folder, name)
        if found is None or not _is_of(found, opened.view):
            found = _made(opened, before, among)
            if not found.meta.get("near"):
                _keep(store, name, found)
    return found


def _made(opened: OpenView, before: Graph | None, among: frozenset[bytes] | None = None) -> Graph:
    # what extracts and resolves is loaded only where that must be done
    from gitsearch.graph import graph_builder

    source = graph_builder.FactSource(
        opened.session.repo, opened.session.store.folder, opened.texts.edited
    )
    found = graph_builder.build(graph_builder.nodes(opened.view), source, before, among)
    trace.count("files resolved", found.meta["resolved"])
    return found


def _keep(store: ViewStore, name: str, made: Graph) -> None:
    cache_files.keep(store.folder, name, dict(made.arrays), made.meta, f"*{layout.GRAPH}*")


def _name(store: ViewStore, opened: OpenView) -> str:
    below = str(opened.tree.tree)
    coverage = opened.view.coverage()
    # what a tree lacks now may be there the next time
    if lacking := coverage.pending + coverage.skipped[ABSENT]:
        below += f"{lacking} of {coverage.tracked}"
    return f"{layout.VIEWS}/{digest_of(below, opened.dirty)}{_ending(store)}"


def _ending(store: ViewStore) -> str:
    return f"-{store.recipe}{layout.GRAPH}{GRAPH_VERSION}"


def _load(folder: Path, name: str) -> Graph | None:
    found = cache_files.load(folder, name, check)
    return None if found is None else Graph(found.arrays, found.meta)


def _is_of(found: Graph, view: View) -> bool:
    """Whether a graph has the files of a view, by path: what is found in one is sought in both."""
    ours = [found.arrays[name] for name in _PATHS]
    if view.whole == (True,):
        theirs = [view.segments[0][name] for name in _PATHS]
        return all(map(np.array_equal, ours, theirs))
    if found.files != sum(int(np.count_nonzero(live)) for live in view.live_files):
        return False
    files = enumerate(view.each_file())
    return all(found.path(i) == segment.path(file) for i, (segment, file) in files)


_PATHS = ("path_text", "path_ends")


def check(found: Sections) -> None:
    """Raise Damaged unless a file holds a graph."""
    check_meta(found.meta, META, found.name)
    sizes = {name: len(found.meta[name]) for name in ("languages", "reasons")}
    check_arrays(found, ARRAYS, sizes)
    imports = np.diff(found["import_ends"].astype(np.int64))
    for file, place in (("edge_source", "edge_place"), ("unseen_file", "unseen_place")):
        if (found[place] >= imports[found[file]]).any():
            raise Damaged(found.name, f"section '{place}' refers to an import that is not there")
    starts = found["word_ends"][:-1]
    if np.count_nonzero(found["word_text"] == 0) != len(starts) or (
        (np.diff(found["word_ends"].astype(np.int64)) < 1).any()
        or found["word_text"][starts].any()
    ):
        raise Damaged(found.name, "section 'word_text' does not have a NUL before each word")


def _newest(store: ViewStore) -> Graph | None:
    """The graph that was kept last: the tree that is asked for is likely near it."""
    for name in cache_files.newest(store.folder, f"*{_ending(store)}"):
        found = _load(store.folder, name)
        if found is not None:
            return found
    return None
