"""Cache of graphs of definitions on disk: keyed by tree and edits, made from the newest facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.graph.definition_graph import EDGE_KINDS, LANGUAGES, DefinitionGraph
from gitsearch.graph.graph_cache import cache_key
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.open_view import OpenView
    from gitsearch.store.sections import Sections

# The version of extraction and resolution of what definitions use, and of their arrays:
# 1: first version; 2: TypeScript, JavaScript, Go and Java; calls by syntax
# 3: members by other names, what assigns a variable, modules that are one value
DEFINITIONS_VERSION = 3

_WORDS: Arrays = {
    "word_text": Array("uint8", "bytes"),
    "word_ends": Array("uint", "words + 1", cuts="word_text"),
}

# The arrays of a file of facts and of one of a graph, as in docs/format.md.
FACT_ARRAYS: Arrays = _WORDS | {
    "oid": Array("uint8", "F x H"),
    "language": Array("uint", "F", below="languages"),
    "definition_ends": Array("uint", "F + 1", cuts="definition_qualified"),
    "definition_qualified": Array("uint", "D", below="words"),
    "definition_kind": Array("uint", "D", below="words"),
    "definition_first": Array("uint", "D"),
    "definition_last": Array("uint", "D"),
    "definition_parent": Array("int", "D", below="D"),
    "use_ends": Array("uint", "F + 1", cuts="use_name"),
    "use_name": Array("uint", "U", below="words"),
    "use_owner": Array("uint", "U", below="words"),
    "use_form": Array("uint", "U", below="words"),
    "use_scope": Array("int", "U", below="D"),
    "use_line": Array("uint", "U"),
    "hint_ends": Array("uint", "F + 1", cuts="hint_value"),
    "hint_variable": Array("uint", "T", below="words"),
    "hint_value": Array("uint", "T", below="words"),
    "hint_scope": Array("int", "T", below="D"),
}
GRAPH_ARRAYS: Arrays = _WORDS | {
    "definition_ends": Array("uint", "N + 1", cuts="definition"),
    "definition": Array("uint", "D", below="words"),
    "definition_kind": Array("uint", "D", below="words"),
    "definition_first": Array("uint", "D"),
    "definition_last": Array("uint", "D"),
    "definition_parent": Array("int", "D", below="D"),
    "edge_target": Array("uint", "E", below="nodes", ascends=True),
    "edge_source": Array("uint", "E", below="nodes"),
    "edge_kind": Array("uint", "E", below="kinds"),
    "edge_spread": Array("uint", "E"),
    "edge_line": Array("uint", "E"),
    "name": Array("uint", "names", below="words"),
}


def definitions_of(opened: OpenView, graph: Graph) -> DefinitionGraph:
    """Return the graph of the definitions of an open view, from the cache or newly made.

    A new one is cached if that is possible at once, and so are the facts that it is made from.
    """
    store = opened.session.store
    name = _name(opened, layout.DEFINITIONS)
    with trace.stage("definitions"):
        cached = cache_files.load(store.folder, name, check_graph)
        if cached is not None and len(cached["definition_ends"]) == graph.files + 1:
            return DefinitionGraph(cached.arrays)
        return _made(opened, graph, name)


def _made(opened: OpenView, graph: Graph, name: str) -> DefinitionGraph:
    # extraction and resolution are imported only where they are needed
    from gitsearch.graph.definition_builder import fact_arrays, graph_arrays

    supported = [language in LANGUAGES for language in graph.meta["languages"]]
    chosen = np.asarray(supported, bool)[graph.arrays["language"]] & (graph.arrays["searched"] > 0)
    files = np.flatnonzero(chosen).tolist()
    facts = _facts(opened, graph, files)
    arrays = graph_arrays(graph, dict(zip(files, facts, strict=True)))
    folder = opened.session.store.folder
    cache_files.keep(folder, name, arrays, {"kinds": list(EDGE_KINDS)}, f"*{layout.DEFINITIONS}*")
    own = {"oid": graph.arrays["oid"][files], "language": graph.arrays["language"][files]}
    languages = {"languages": graph.meta["languages"]}
    kept = _name(opened, layout.USES)
    cache_files.keep(folder, kept, own | fact_arrays(facts), languages, f"*{layout.USES}*", most=2)
    return DefinitionGraph(arrays)


def _facts(opened: OpenView, graph: Graph, files: Sequence[int]) -> list[DefinitionFacts]:
    """Return the facts of files: those of known contents from the newest cache."""
    from gitsearch.extract.definition_uses import NO_FACTS
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey

    known = _known(opened)
    keys = [(graph.oid(file), graph.language(file)) for file in files]
    fresh = [key for key in dict.fromkeys(keys) if key not in known]
    trace.count("files with uses extracted", len(fresh))
    texts = opened.texts.read([oid for oid, _ in fresh])
    blobs = [(BlobKey(oid, language), texts[oid]) for oid, language in fresh]
    found = each(_extracted, blobs, sum(len(data) for _, data in blobs))
    known |= {key: facts or NO_FACTS for key, facts in zip(fresh, found, strict=True)}
    return [known[key] for key in keys]


def _extracted(blob: BlobKey, data: bytes) -> DefinitionFacts:
    from gitsearch.extract.definition_uses import definition_facts

    return definition_facts(data, blob.hint)


def _known(opened: OpenView) -> dict[tuple[str, str], DefinitionFacts]:
    from gitsearch.graph.definition_builder import facts_at
    from gitsearch.graph.graph import FactTable

    folder = opened.session.store.folder
    for name in cache_files.newest(folder, f"*{_ending(opened, layout.USES)}"):
        cached = cache_files.load(folder, name, check_facts)
        if cached is not None:
            words = FactTable(cached.arrays)
            languages = cached.meta["languages"]
            keys = zip(cached["oid"], cached["language"].tolist(), strict=True)
            return {
                (bytes(oid).hex(), languages[language]): facts_at(cached.arrays, words, row)
                for row, (oid, language) in enumerate(keys)
            }
    return {}


def _name(opened: OpenView, kind: str) -> str:
    return f"{layout.VIEWS}/{cache_key(opened)}{_ending(opened, kind)}"


def _ending(opened: OpenView, kind: str) -> str:
    return f"-{opened.session.store.recipe}{kind}{DEFINITIONS_VERSION}"


def check_facts(sections: Sections) -> None:
    """Raise Damaged unless the sections are valid facts of definitions."""
    check_meta(sections.meta, {"languages": "list"}, sections.name)
    check_arrays(sections, FACT_ARRAYS, {"languages": len(sections.meta["languages"])})
    ends = sections["definition_ends"].astype(np.int64)
    own = ends[1:] - ends[:-1]
    # a parent stands before what is in it, so that ways upwards end
    place = np.arange(ends[-1]) - np.repeat(ends[:-1], own)
    if (sections["definition_parent"] >= place).any():
        raise Damaged(sections.name, "section 'definition_parent' does not lead upwards")
    for run in ("use", "hint"):
        run_ends = sections[f"{run}_ends"].astype(np.int64)
        if (sections[f"{run}_scope"] >= np.repeat(own, run_ends[1:] - run_ends[:-1])).any():
            raise Damaged(sections.name, f"section '{run}_scope' refers to another file")


def check_graph(sections: Sections) -> None:
    """Raise Damaged unless the sections are a valid graph of definitions."""
    check_meta(sections.meta, {"kinds": "list"}, sections.name)
    if sections.meta["kinds"] != list(EDGE_KINDS):
        raise Damaged(sections.name, "its kinds of edges are others")
    arrays = ("definition", "definition_ends", "name")
    sizes = [len(sections[name]) if name in sections else 0 for name in arrays]
    nodes = sum(sizes) - 1
    check_arrays(sections, GRAPH_ARRAYS, {"kinds": len(EDGE_KINDS), "nodes": nodes})
