"""A tree that is opened with its graph: targets as written, and dependents as reported."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.line_ranges import readings
from gitsearch.commands.named_symbols import find_symbols
from gitsearch.extract import path_kinds
from gitsearch.git.codeowners import PLACES, Owners
from gitsearch.graph.name_users import FileTexts, IndexedWords, NameUsers, is_code
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.reports.lookup import Dependent, UnresolvedImport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Set

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.cochange import History
    from gitsearch.graph.definition_graph import DefinitionGraph
    from gitsearch.graph.dependents import Dependents
    from gitsearch.graph.graph import Graph
    from gitsearch.graph.name_users import Words
    from gitsearch.index.open_view import OpenView

# A file in a language of which imports are not resolved may depend on anything.
UNSUPPORTED = "unsupported-language"


class Target(NamedTuple):
    """A file of the tree, and the name of a symbol in it that matters alone, with its line."""

    path: bytes
    symbol: str | None = None
    line: int | None = None


def open_code_graph(selection: TreeSelection) -> CodeGraph:
    """Open the view of a tree, and its graph."""
    return whole_code_graph(selection, selection.open())


def whole_code_graph(selection: TreeSelection, opened: OpenView) -> CodeGraph:
    """Return the graph of an opened tree, of which the view has all files."""
    from gitsearch.graph.graph_cache import graph_of

    return CodeGraph(selection, opened, graph_of(opened), IndexedWords(opened.view))


def open_nearest_code_graph(
    selection: TreeSelection, before: CodeGraph, changed: Iterable[bytes]
) -> CodeGraph:
    """Open a view with a graph that is right for files that changed, and for who imports them.

    The others have the edges of the graph before.
    """
    from gitsearch.graph.graph_cache import graph_of

    opened = selection.open()
    graph = before.graph
    paths = set(changed)
    files = [file for path in paths if (file := graph.file(path)) >= 0]
    edges = graph.in_edge_numbers(np.asarray(sorted(files), np.int64))
    paths |= {graph.path(file) for file in np.unique(graph.arrays["edge_source"][edges]).tolist()}
    found = graph_of(opened, graph, frozenset(paths))
    return CodeGraph(selection, opened, found, IndexedWords(opened.view))


@dataclass
class CodeGraph:
    """An opened tree and its graph; `words` tells which files have a name."""

    selection: TreeSelection
    opened: OpenView
    graph: Graph
    words: Words

    def targets(self, text: str) -> list[Target]:
        """The files or definitions that a file, a folder, `PATH:SYMBOL` or `PATH:LINES` means."""
        path = text
        for path, part in readings(text):
            files = self._files(path)
            if files and not part:
                return [Target(file) for file in files]
            if len(files) == 1:
                return self._parts(files[0], part)
        wanted = self.selection.placed(path)
        raise self.selection.absent(wanted, map(self.graph.path, range(self.graph.files)))

    def _files(self, text: str) -> list[bytes]:
        name = os.fsencode(self.selection.placed(text))
        if self.graph.file(name) >= 0:
            return [name]
        return [self.graph.path(file) for file in self.graph.under(name)]

    # ---------------------------------------------------------------- symbols

    def _parts(self, path: bytes, asked: str) -> list[Target]:
        """The definitions that a name or lines mean; the whole file outside of all."""
        place = self.opened.view.find(path)
        if place is None:
            return [Target(path)]
        segment, _ = place
        rows = find_symbols(self.opened, *place, asked)
        found = [Target(path, segment.qualified(row), segment.symbol(row).first) for row in rows]
        return found or [Target(path)]

    @cached_property
    def definitions(self) -> DefinitionGraph:
        """The graph of the definitions of the tree."""
        from gitsearch.graph.definition_cache import definitions_of

        return definitions_of(self.opened, self.graph)

    @cached_property
    def texts(self) -> FileTexts:
        """The texts of the files."""
        return FileTexts(self.graph, self.opened.texts)

    @cached_property
    def users(self) -> NameUsers:
        """The files that use a name."""
        return NameUsers(self.graph, self.words, self.texts)

    @cached_property
    def history(self) -> History:
        """The changes up to the commit of the tree."""
        from gitsearch.index.change_history import change_history

        return change_history(self.opened.session, self.opened.tree.commit)

    @cached_property
    def tests(self) -> frozenset[bytes]:
        """The paths of all tests."""
        return frozenset(map(self.graph.path, self.test_files))

    @cached_property
    def test_files(self) -> tuple[int, ...]:
        """The numbers of all tests."""
        languages = map(RESOLVER_OF.__contains__, self.graph.meta["languages"])
        known = np.fromiter(languages, bool)[self.graph.arrays["language"]]
        files = np.flatnonzero(known).tolist()
        return tuple(file for file in files if path_kinds.is_test(self.graph.path(file)))

    # ---------------------------------------------------------------- what is shown

    def dependents(self, walked: Dependents, known: Set[str] = frozenset()) -> list[Dependent]:
        """Dependents as they are reported, but for paths that are known."""
        shown = []
        ways: dict[int, tuple[str, ...]] = {}
        for file, following, kind, line, certain in zip(*walked, strict=True):
            path = self.path(file)
            way = ways[file] = path, *(ways.get(following) or (self.path(following),))
            if path not in known:
                label = "resolved" if certain else "ambiguous"
                _, test, who = self.about(file)
                shown.append(Dependent(path, len(way) - 1, way, label, kind, line, test, who))
        return shown

    @cached_property
    def about(self) -> Callable[[int], tuple[str, bool, tuple[str, ...]]]:
        """The path of a file, whether it is a test, and its owners."""
        tests = frozenset(self.test_files)

        @cache
        def about(file: int) -> tuple[str, bool, tuple[str, ...]]:
            path = self.path(file)
            return path, file in tests, self.owners.of(path)

        return about

    @cached_property
    def owners(self) -> Owners:
        """Whom CODEOWNERS of this tree names."""
        for place in PLACES:
            file = self.graph.file(os.fsencode(place))
            if file >= 0:
                text = self.opened.texts[self.graph.oid(file)]
                return Owners(text.decode("utf-8", "replace"))
        return Owners("")

    def path(self, file: int) -> str:
        """The path of a file."""
        if file not in self._paths:
            self._paths[file] = os.fsdecode(self.graph.path(file))
        return self._paths[file]

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {}

    def is_test(self, file: int) -> bool:
        """Return True for a test: code with the name or folder of one."""
        if self.graph.language(file) not in RESOLVER_OF:
            return False
        return path_kinds.is_test(self.graph.path(file))

    @cached_property
    def unresolved(self) -> tuple[UnresolvedImport, ...]:
        """Places that may depend on any file: unresolved imports and unsupported languages."""
        return tuple(self._unresolved())

    def _unresolved(self) -> Iterator[UnresolvedImport]:
        for place in self.graph.unresolved_imports():
            line = self.graph.line(place.file, place.place)
            yield UnresolvedImport(place.reason, self.path(place.file), line)
        foreign = [
            number
            for number, name in enumerate(self.graph.meta["languages"])
            if name not in RESOLVER_OF and is_code(name)
        ]
        for file in np.flatnonzero(np.isin(self.graph.arrays["language"], foreign)).tolist():
            yield UnresolvedImport(UNSUPPORTED, self.path(file), 1)
