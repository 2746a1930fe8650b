"""A tree that is opened with its graph: how names of people and files meet there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.line_ranges import line_number
from gitsearch.errors import BadPath, nearest, nearest_path
from gitsearch.extract import languages, path_kinds
from gitsearch.features import tokens
from gitsearch.git.codeowners import PLACES, Owners
from gitsearch.graph.project import RESOLVER_OF
from gitsearch.reports.lookup import Dependent, UnresolvedImport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.graph.dependents import Dependents
    from gitsearch.graph.graph import Graph
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment
    from gitsearch.records import Use

# A file in a language of which imports are not resolved may depend on anything.
UNSUPPORTED = "unsupported-language"

_WORD = re.compile(r"\w+")


class Target(NamedTuple):
    """A file of the tree, and the name of a symbol in it that matters alone."""

    path: bytes
    symbol: str | None = None


def open_code_graph(selection: TreeSelection) -> CodeGraph:
    """Open the view of a tree, and its graph."""
    from gitsearch.graph.graph_cache import graph_of

    opened = selection.open()
    return CodeGraph(selection, opened, graph_of(opened))


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
    return CodeGraph(selection, opened, graph_of(opened, graph, frozenset(paths)))


@dataclass
class CodeGraph:
    """What is opened, and its graph."""

    selection: TreeSelection
    opened: OpenView
    graph: Graph

    def targets(self, text: str) -> list[Target]:
        """The files that `PATH`, `PATH:SYMBOL`, `PATH:LINE` or a folder means."""
        path, _, rest = text.rpartition(":")
        whole = self._files(text)
        if whole or not path:
            return [Target(one) for one in whole] or self._refuse(text)
        found = self._files(path)
        if len(found) != 1 or self.graph.file(found[0]) < 0:
            return self._refuse(path)
        return [Target(found[0], self._symbol(found[0], rest))]

    def _files(self, text: str) -> list[bytes]:
        name = os.fsencode(self.selection.placed(text))
        if self.graph.file(name) >= 0:
            return [name]
        return [self.graph.path(file) for file in self.graph.under(name)]

    def _refuse(self, text: str) -> list[Target]:
        wanted = self.selection.placed(text)
        paths = map(self.graph.path, range(self.graph.files))
        raise BadPath(f"no file '{wanted}' in {self.opened.tree.rev}", nearest_path(wanted, paths))

    # ---------------------------------------------------------------- symbols

    def _symbol(self, path: bytes, asked: str) -> str | None:
        """The qualified name that a name or a line means; None for a line outside of all."""
        place = self.opened.view.find(path)
        if place is None:
            return None
        segment, file = place
        rows = segment.symbols_of(file)
        if (line := line_number(asked)) is not None:
            return _at_line(segment, rows, line)
        found = [
            segment.qualified(row)
            for row in rows
            if asked in (segment.qualified(row), segment.name(row))
        ]
        if found:
            return found[0]
        names = sorted({segment.name(int(row)) for row in rows})
        shown = os.fsdecode(path)
        raise BadPath(f"no symbol '{asked}' in '{shown}'", nearest(asked, names))

    def users(self, files: set[int], names: frozenset[str]) -> set[int]:
        """Those of some files that use one of some names."""
        found = set()
        open_ones = []
        for file in sorted(files):
            if self.refers(file, names):
                found.add(file)
            elif any(file in self._written(name) for name in names):
                open_ones.append(file)
        return found | set(self.spelt(open_ones, names))

    def refers(self, file: int, names: frozenset[str]) -> bool:
        """Whether a file calls or imports one of some names, or has it as a type."""
        row = self.graph.row(file)
        return bool(names & row.names) or any(
            names & imported_names(one.names) for one in row.imports
        )

    def _written(self, name: str) -> set[int]:
        """Files with the words of a name in them."""
        if name not in self._known:
            term = tokens.compound(name)
            out: set[int] = set()
            for segment, live in self.opened.view.live_segments:
                number = segment.term(term)
                if number < 0:
                    continue
                rows, _ = segment.postings(number)
                for file in np.unique(segment["chunk_file"][rows]).tolist():
                    if live[file]:
                        out.add(self.graph.file(segment.path(file)))
            self._known[name] = out
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, set[int]]:
        return {}

    def spelt(self, files: Sequence[int], names: frozenset[str]) -> dict[int, int]:
        """Those of some files in whose text a name stands as a word, each with its first line."""
        pattern = _spelling(names)
        found = {}
        for file, text in self.texts(files).items():
            if match := pattern.search(text):
                found[file] = text.count(b"\n", 0, match.start()) + 1
        return found

    def uses_of(self, name: str) -> list[tuple[int, Use]]:
        """Where a name is used or imported, by file and line."""
        return self.uses_in(sorted(self._written(name)), name)

    def uses_in(self, files: Iterable[int], name: str) -> list[tuple[int, Use]]:
        """Where some files use a name, by their syntax trees."""
        from gitsearch.index.extraction_pool import each
        from gitsearch.index.fact_columns import BlobKey

        word = name.encode("utf-8", "surrogateescape")
        files = [file for file in files if _is_code(self.graph.language(file))]
        texts = {file: text for file, text in self.texts(files).items() if word in text}
        blobs = [(BlobKey("", self.graph.language(file)), text) for file, text in texts.items()]
        found = each(partial(_uses, name), blobs, sum(map(len, texts.values())))
        return [(file, use) for file, some in zip(texts, found, strict=True) for use in some or ()]

    def lines(self, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """The text of lines of files."""
        wanted = sorted(places)
        texts = self.texts(list(dict.fromkeys(file for file, _ in wanted)))
        split = {file: text.split(b"\n") for file, text in texts.items()}
        found = {}
        for file, line in wanted:
            own = split[file]
            text = own[line - 1] if line <= len(own) else b""
            found[file, line] = text.decode("utf-8", "replace").strip()
        return found

    def texts(self, files: Sequence[int]) -> dict[int, bytes]:
        """The contents of files; what this clone lacks is empty."""
        oids = {file: self.graph.oid(file) for file in files}
        texts = self.opened.texts.read(oids.values())
        return {file: texts[oid] for file, oid in oids.items()}

    # ---------------------------------------------------------------- what is shown

    def dependents(self, found: Dependents) -> list[Dependent]:
        """Dependents as they are reported."""
        shown = []
        ways: dict[int, tuple[str, ...]] = {}
        for file, following, kind, line, certain in zip(*found, strict=True):
            path, test, who = self._about(file)
            way = ways[file] = path, *(ways.get(following) or (self.path(following),))
            label = "resolved" if certain else "ambiguous"
            shown.append(Dependent(path, len(way) - 1, way, label, kind, line, test, who))
        return shown

    @cached_property
    def _about(self) -> Callable[[int], tuple[str, bool, tuple[str, ...]]]:
        """The path of a file, whether it is a test, and its owners."""

        @cache
        def about(file: int) -> tuple[str, bool, tuple[str, ...]]:
            path = self.path(file)
            return path, self.is_test(file), self._owners.of(path)

        return about

    @cached_property
    def _owners(self) -> Owners:
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
        """Whether a file is a test: code, by its name and folders."""
        if self.graph.language(file) not in RESOLVER_OF:
            return False
        return path_kinds.is_test(self.graph.path(file))

    @cached_property
    def unresolved(self) -> tuple[UnresolvedImport, ...]:
        """Places that may depend on any file: unresolved imports and unsupported languages."""
        return tuple(self._unresolved())

    def _unresolved(self) -> Iterator[UnresolvedImport]:
        for one in self.graph.unresolved_imports():
            line = self.graph.line(one.file, one.place)
            yield UnresolvedImport(one.reason, self.path(one.file), line)
        foreign = [
            number
            for number, name in enumerate(self.graph.meta["languages"])
            if name not in RESOLVER_OF and _is_code(name)
        ]
        for file in np.flatnonzero(np.isin(self.graph.arrays["language"], foreign)).tolist():
            yield UnresolvedImport(UNSUPPORTED, self.path(file), 1)


def _spelling(names: Iterable[str]) -> re.Pattern[bytes]:
    """Finds names that stand as words."""
    either = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)".encode("utf-8", "surrogateescape"))


def _is_code(language: str) -> bool:
    row = languages.LANGUAGES.get(language)
    return row is not None and row.content == "code"


def _uses(name: str, blob: BlobKey, data: bytes) -> tuple[Use, ...]:
    from gitsearch.extract.name_uses import uses

    return uses(data, blob.hint, name)


def _at_line(segment: Segment, rows: Iterable[int], line: int) -> str | None:
    """The innermost definition around a line."""
    inside = [row for row in rows if segment.symbol(row).first <= line <= segment.symbol(row).last]
    return segment.qualified(inside[-1]) if inside else None


def imported_names(names: str) -> set[str]:
    """The names in a list of imported ones."""
    return set(_WORD.findall(names))
