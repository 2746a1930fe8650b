"""Cache of dependency graphs on disk: keyed by tree and edits, updated from the newest."""

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

# The version of import resolution, and of the arrays and meta that hold its results:
# 1: first version
# 2: how many words it had when it was made from nothing
# 3: names of the files that resolution reads
# 4: absolute imports of Python lead only below folders that are on the path of the importing file
# 5: an import of a whole package leads to what a file came to name of it
# 6: other names of what Kotlin imports, types whose members C# imports
# 7: computed imports of JavaScript lead to the modules of a folder
# 8: crates of Rust that paths begin with
# 9: names that scripts of components refer to, names of Java with a package of one word
GRAPH_VERSION = 9

# The arrays of a graph file, as in docs/format.md; "words", "imports", "names" and
# "definitions" are counts.
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


def graph_of(
    opened: OpenView, before: Graph | None = None, among: frozenset[bytes] | None = None
) -> Graph:
    """Return the graph of an open view, edited files included, from the cache or newly built.

    A new graph is cached if that is possible at once. It is built from `before`, by default the
    graph that was cached last.

    among: the paths for which the graph is exact; other paths may have the edges that they have in
    `before`. Such a graph takes less time to build than the whole one, and is not cached.
    """
    store = opened.session.store
    name = _name(store, opened)
    with trace.stage("graph"):
        graph = _load(store.folder, name)
        if graph is None or not _matches(graph, opened.view):
            graph = _build(opened, before or newest(store), among)
            if not graph.meta.get("near"):
                kind = f"*{layout.GRAPH}*"
                # a graph of definitions is made from a kept one with the graph of its files
                cache_files.keep(
                    store.folder,
                    name,
                    dict(graph.arrays),
                    graph.meta,
                    kind,
                    beside=layout.USES,
                )
    return graph


def _build(opened: OpenView, before: Graph | None, among: frozenset[bytes] | None) -> Graph:
    # extraction and resolvers are imported only where they are needed
    from gitsearch.graph import graph_builder

    files, source = graph_builder.nodes(opened.view), graph_builder.source_of(opened)
    graph = graph_builder.build(files, source, before, among)
    trace.count("files resolved", graph.meta["resolved"])
    return graph


def _name(store: ViewStore, opened: OpenView) -> str:
    return f"{layout.VIEWS}/{cache_key(opened)}{_ending(store)}"


def cache_key(opened: OpenView) -> str:
    """Return a digest of all that the graphs of an open view depend on, besides the recipe."""
    below = str(opened.tree.tree)
    coverage = opened.view.coverage()
    # blobs that are missing now may be present the next time
    if lacking := coverage.pending + coverage.skipped[ABSENT]:
        below += f"{lacking} of {coverage.tracked}"
    return digest_of(below, opened.dirty)


def _ending(store: ViewStore) -> str:
    return f"-{store.recipe}{layout.GRAPH}{GRAPH_VERSION}"


def _load(folder: Path, name: str) -> Graph | None:
    sections = cache_files.load(folder, name, check)
    return None if sections is None else Graph(sections.arrays, sections.meta)


def kept_graph(store: ViewStore, place: str) -> Graph | None:
    """Return the graph that is kept at a place, the name of its file without an ending."""
    return _load(store.folder, f"{place}{_ending(store)}")


def _matches(graph: Graph, view: View) -> bool:
    """Return True if a graph has the same paths as a view: file numbers are used in both."""
    if view.whole == (True,):
        names = ("path_text", "path_ends")
        return all(np.array_equal(graph.arrays[name], view.segments[0][name]) for name in names)
    if graph.files != sum(int(np.count_nonzero(live)) for live in view.live_files):
        return False
    files = enumerate(view.each_file())
    return all(graph.path(i) == segment.path(file) for i, (segment, file) in files)


def check(sections: Sections) -> None:
    """Raise Damaged unless the sections are a valid graph."""
    check_meta(sections.meta, META, sections.name)
    sizes = {name: len(sections.meta[name]) for name in ("languages", "reasons")}
    check_arrays(sections, ARRAYS, sizes)
    imports = np.diff(sections["import_ends"].astype(np.int64))
    for file, place in (("edge_source", "edge_place"), ("unseen_file", "unseen_place")):
        if (sections[place] >= imports[sections[file]]).any():
            reason = f"section '{place}' refers to an import that is not there"
            raise Damaged(sections.name, reason)
    starts = sections["word_ends"][:-1]
    if np.count_nonzero(sections["word_text"] == 0) != len(starts) or (
        (np.diff(sections["word_ends"].astype(np.int64)) < 1).any()
        or sections["word_text"][starts].any()
    ):
        raise Damaged(sections.name, "section 'word_text' does not have a NUL before each word")


def newest(store: ViewStore) -> Graph | None:
    """Return the graph that was cached last: its tree is likely similar to the requested one."""
    names = cache_files.newest(store.folder, f"*{_ending(store)}")
    graphs = (_load(store.folder, name) for name in names)
    return next((graph for graph in graphs if graph is not None), None)
