"""Cache of graphs of definitions on disk: keyed by tree and edits, made from the newest facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.errors import Damaged
from gitsearch.graph.definition_graph import EDGE_KINDS, LANGUAGES, DefinitionGraph
from gitsearch.graph.graph_cache import cache_key, kept_graph
from gitsearch.store import cache_files, layout
from gitsearch.store.section_schema import Array, Arrays, check_arrays, check_meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsearch.extract.definition_uses import DefinitionFacts
    from gitsearch.graph.definition_builder import Before
    from gitsearch.graph.definition_facts import FactRows
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.open_view import OpenView
    from gitsearch.store.sections import Sections

# The version of extraction and resolution of what definitions use, and of their arrays:
# 1: first version; 2: TypeScript, JavaScript, Go and Java; calls by syntax
# 3: members by other names, what assigns a variable, modules that are one value
# 4: files are resolved by themselves, and what they asked of others is kept
# 5: Rust
# 6: C and C++
# 7: C# and Kotlin
# 8: Ruby and PHP
# 9: functions of C++ behind a macro, names that a file imports and defines
# 10: what a class overrides and the base calls itself
# 11: other names of what Kotlin imports, types whose members C# imports, implementations of traits
#     apart from the type, bounds of type parameters, namespaces of C++ that macros open,
#     functions that are stored in fields
# 12: what `Object.assign` and the like return
# 13: fixtures that are marked or run for all tests, overloads of one type
# 14: in Java and C# classes by their names within them, in Java the methods of classes that
#     override one of many, and classes that are named for a static member
# 15: types that comments of JavaScript give, members that objects get from others, methods beside
#     each other in objects without a name, modules that calls have made
# 16: in JavaScript members with computed names, objects without a name that modules provide,
#     variables that modules provide, modules that are handed on, declarations and their code
# 17: lines of edges that lie in the file of their source
# 18: in Python bases without their arguments, those of its library that call nothing, methods that
#     several classes override, bounds of type variables, imports of bound names, casts and copies
# 19: in JavaScript members of `exports`, modules without a name, parts of objects, what is spread,
#     members of what a module is as a whole, functions in variables that are handed on, bases that
#     call back; variables that one declaration binds have all that it uses
#     in Java methods of one name by how many arguments they take, in Go calls of generic
#     functions, the types that generic ones are given, what types that are slices or maps hold
#     in Ruby signs and assignments that call methods, variables of blocks, members of modules that
#     other files mix in, modules without members, what names of methods return
#     in C what headers declare that a file gets some other way, and functions that are declared by
#     the name of a type; names in the texts of macros; in C++ operators, destructors, what may be
#     read as a declaration, what containers hold, macros before types, what is only declared
#     in PHP types of comments, arrays and classes in strings, traits before interfaces, methods
#     without a body, what interfaces of libraries and libraries of tests call
# 20: in JavaScript what objects are given for members that types declare, members that variables
#     are bound to, tables of functions, global variables
#     in Python paths in strings, members whose names are composed, entries of tables, special
#     methods as callbacks
#     in Rust members and calls in the arguments of macros, crates that paths begin with, signs
#     that call methods, targets of `Deref`, `drop`, which methods are those of traits
# 21: types that every value has, members of languages that call each other,
#     what components import, in Java names that begin with a package
DEFINITIONS_VERSION = 21

# The factor by which words may grow before they are collected anew.
_MAX_GROWTH = 2

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
    "definition_takes": Array("uint", "D", below="words"),
    "definition_first": Array("uint", "D"),
    "definition_last": Array("uint", "D"),
    "definition_parent": Array("int", "D", below="D"),
    "use_ends": Array("uint", "F + 1", cuts="use_name"),
    "use_name": Array("uint", "U", below="words"),
    "use_owner": Array("uint", "U", below="words"),
    "use_form": Array("uint", "U", below="words"),
    "use_given": Array("uint", "U", below="words"),
    "use_scope": Array("int", "U", below="D"),
    "use_line": Array("uint", "U"),
    "hint_ends": Array("uint", "F + 1", cuts="hint_value"),
    "hint_variable": Array("uint", "T", below="words"),
    "hint_value": Array("uint", "T", below="words"),
    "hint_scope": Array("int", "T", below="D"),
    "base_ends": Array("uint", "F + 1", cuts="base_of"),
    "base_of": Array("uint", "B", below="D"),
    "base_value": Array("int", "B", below="D"),
    "base_asked_ends": Array("uint", "F + 1", cuts="base_asked"),
    "base_asked": Array("uint", "questions of bases"),
    "edge_ends": Array("uint", "F + 1", cuts="edge_target"),
    "edge_target": Array("uint", "E", below="nodes"),
    "edge_source": Array("uint", "E", below="sources"),
    "edge_kind": Array("uint", "E", below="kinds"),
    "edge_spread": Array("uint", "E"),
    "edge_line": Array("uint", "E"),
    "called_ends": Array("uint", "F + 1", cuts="called"),
    "called": Array("uint", "called names", below="words"),
    "asked_ends": Array("uint", "F + 1", cuts="asked"),
    "asked": Array("uint", "questions"),
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

    A new one is cached if that is possible at once, and so is what it is made from. It is made
    from that of another tree, as far as this is the same.
    """
    store = opened.session.store
    name = _name(opened, layout.DEFINITIONS)
    with trace.stage("definitions"):
        cached = cache_files.load(store.folder, name, check_graph, opened.session.progress.note)
        if cached is not None and len(cached["definition_ends"]) == graph.files + 1:
            return DefinitionGraph(cached.arrays)
        return _made(opened, graph, name)


def _made(opened: OpenView, graph: Graph, name: str) -> DefinitionGraph:
    # extraction and resolution are imported only where they are needed
    from gitsearch.graph.definition_builder import build

    kept = _newest(opened)
    rows, before = _facts(opened, graph, kept)
    progress = opened.session.progress
    with trace.stage("resolve definitions"):
        built = build(graph, rows, before, progress)
    progress.close()
    trace.count("files with uses resolved", built.resolved)
    folder = opened.session.store.folder
    kinds = {"kinds": list(EDGE_KINDS)}
    cache_files.keep(folder, name, built.graph, kinds, f"*{layout.DEFINITIONS}*")
    own = {
        "oid": graph.arrays["oid"][rows.files],
        "language": graph.arrays["language"][rows.files],
    }
    meta = {
        "languages": graph.meta["languages"],
        "words": rows.table.words if kept is None else kept.words,
        "files": graph.files,
    }
    uses = _name(opened, layout.USES)
    cache_files.keep(folder, uses, own | built.kept, meta, f"*{layout.USES}*", most=2)
    return DefinitionGraph(built.graph)


def _followed(graph: Graph) -> list[int]:
    """Return the files whose uses are extracted."""
    supported = [language in LANGUAGES for language in graph.meta["languages"]]
    chosen = np.asarray(supported, bool)[graph.arrays["language"]] & (graph.arrays["searched"] > 0)
    return np.flatnonzero(chosen).tolist()


class _Kept(NamedTuple):
    """The kept facts of a tree: arrays with a row for each key, and the graph of its files.

    words: how many words there were when it was made from nothing.
    """

    arrays: Mapping[str, np.ndarray]
    keys: list[BlobKey]
    words: int
    graph: Graph | None


def _facts(opened: OpenView, graph: Graph, kept: _Kept | None) -> tuple[FactRows, Before | None]:
    """Return the facts of a tree, those of known contents from what was kept, and that tree."""
    from gitsearch.extract.definition_uses import NO_FACTS
    from gitsearch.graph.definition_builder import Before
    from gitsearch.graph.definition_facts import FACT_COLUMNS, FactRows, fact_arrays
    from gitsearch.graph.graph import FactTable, WordTable, merged
    from gitsearch.index.extraction_pool import each

    keys = _keys(graph)
    place = {} if kept is None else {key: row for row, key in enumerate(kept.keys)}
    fresh = [key for key in dict.fromkeys(keys) if key not in place]
    place |= {key: ~row for row, key in enumerate(fresh)}
    trace.count("files with uses extracted", len(fresh))
    texts = opened.texts.read([key.oid for key in fresh])

    def blobs() -> Iterator[tuple[BlobKey, bytes]]:
        size = 0
        for number, key in enumerate(fresh, 1):
            size += len(texts[key.oid])
            opened.session.progress.update("reading uses", number, len(fresh), size)
            yield key, texts[key.oid]

    found = each(_extracted, blobs(), sum(len(texts[key.oid]) for key in fresh))
    facts = [one or NO_FACTS for one in found]
    files = _followed(graph)
    if kept is None:
        own = [facts[~place[key]] for key in keys]
        return FactRows(files, fact_arrays(own, WordTable(None))), None
    old = FactTable(kept.arrays)
    new = FactTable(fact_arrays(facts, WordTable(old)))
    rows = np.asarray([place[key] for key in keys], np.int64)
    table = merged(old, new, rows, FACT_COLUMNS)
    before = None
    if kept.graph is not None:
        before = Before(kept.graph, FactRows(_followed(kept.graph), kept.arrays))
    return FactRows(files, table.arrays), before


def _extracted(blob: BlobKey, data: bytes) -> DefinitionFacts:
    from gitsearch.extract.definition_uses import definition_facts

    return definition_facts(data, blob.hint)


def _keys(graph: Graph) -> list[BlobKey]:
    """Return what the facts of each file depend on."""
    from gitsearch.index.fact_columns import BlobKey

    return [BlobKey(graph.oid(file), graph.language(file)) for file in _followed(graph)]


def _newest(opened: OpenView) -> _Kept | None:
    """Return what was kept last with the graph of the files of its tree, or else without one."""
    without: _Kept | None = None
    for name in cache_files.newest(
        opened.session.store.folder, f"*{_ending(opened, layout.USES)}"
    ):
        kept = _load(opened, name)
        if kept is not None and kept.graph is not None:
            return kept
        without = without or kept
    return without


def _load(opened: OpenView, name: str) -> _Kept | None:
    from gitsearch.graph.definition_facts import fact_arrays, facts_at
    from gitsearch.graph.graph import FactTable, WordTable
    from gitsearch.index.fact_columns import BlobKey

    store = opened.session.store
    cached = cache_files.load(store.folder, name, check_facts, opened.session.progress.note)
    if cached is None:
        return None
    languages, words = cached.meta["languages"], cached.meta["words"]
    rows = zip(cached["oid"], cached["language"].tolist(), strict=True)
    keys = [BlobKey(bytes(oid).hex(), languages[language]) for oid, language in rows]
    table = FactTable(cached.arrays)
    if table.words > _MAX_GROWTH * words:
        # words are only ever added: where most are unused, files are resolved anew
        facts = [facts_at(cached.arrays, table, row) for row in range(len(keys))]
        arrays = fact_arrays(facts, WordTable(None))
        return _Kept(arrays, keys, len(arrays["word_ends"]) - 1, None)
    graph = kept_graph(store, name.removesuffix(_ending(opened, layout.USES)))
    if graph is not None and (graph.files != cached.meta["files"] or _keys(graph) != keys):
        graph = None
    return _Kept(cached.arrays, keys, words, graph)


def _name(opened: OpenView, kind: str) -> str:
    return f"{layout.VIEWS}/{cache_key(opened)}{_ending(opened, kind)}"


def _ending(opened: OpenView, kind: str) -> str:
    return f"-{opened.session.store.recipe}{kind}{DEFINITIONS_VERSION}"


def check_facts(sections: Sections) -> None:
    """Raise Damaged unless the sections are valid facts of definitions."""
    meta = {"languages": "list", "words": "number", "files": "number"}
    check_meta(sections.meta, meta, sections.name)
    counted = ("definition_qualified", "word_ends")
    definitions, words = (len(sections[name]) if name in sections else 0 for name in counted)
    sizes = {
        "languages": len(sections.meta["languages"]),
        "kinds": len(EDGE_KINDS),
        "sources": definitions + sections.meta["files"],
        "nodes": definitions + sections.meta["files"] + words - 1,
    }
    check_arrays(sections, FACT_ARRAYS, sizes)
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
