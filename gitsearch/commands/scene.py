"""A tree that is opened with its graph: how names of people and files meet there."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.near_names import near_paths
from gitsearch.errors import BadPath
from gitsearch.extract import languages, pathkinds
from gitsearch.features import tokens
from gitsearch.git import blobs
from gitsearch.git.owners import PLACES, Owners
from gitsearch.graph.registry import FAMILY_OF
from gitsearch.reports import Dark, Dependent
from gitsearch.store import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsearch.commands.asking import Asking
    from gitsearch.corpus.opening import Opened
    from gitsearch.corpus.view import Segment
    from gitsearch.graph.backwards import Dependent as Walked
    from gitsearch.graph.graph import Graph

# A file in a language of which imports are not resolved may depend on anything.
UNSUPPORTED = "unsupported-language"


class Target(NamedTuple):
    """A file of the tree, and the name of a symbol in it that matters alone."""

    path: bytes
    symbol: str | None = None


def open_scene(asking: Asking) -> Scene:
    """Open the view that is asked for, and its graph."""
    from gitsearch.graph.kept import graph_of

    opened = asking.open()
    return Scene(asking, opened, graph_of(asking.repo, asking.settings, opened))


def open_near(asking: Asking, before: Scene, changed: Iterable[bytes]) -> Scene:
    """Open a view with a graph that is right for files that changed, and for who imports them.

    The others have the edges of the scene before.
    """
    from gitsearch.graph.kept import graph_near

    opened = asking.open()
    graph = before.graph
    paths = set(changed)
    files = [file for path in paths if (file := graph.file(path)) >= 0]
    edges = graph.back(np.asarray(sorted(files), np.int64))
    paths |= {graph.path(file) for file in np.unique(graph.arrays["edge_source"][edges]).tolist()}
    near = graph_near(asking.repo, asking.settings, opened, graph, frozenset(paths))
    return Scene(asking, opened, near)


@dataclass
class Scene:
    """What is opened, and its graph."""

    asking: Asking
    opened: Opened
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
        wanted = posixpath.normpath(posixpath.join(self.asking.repo.prefix, text))
        name = os.fsencode("" if wanted == "." else wanted)
        if self.graph.file(name) >= 0:
            return [name]
        return [self.graph.path(file) for file in self.graph.under(name)]

    def _refuse(self, text: str) -> list[Target]:
        wanted = posixpath.normpath(posixpath.join(self.asking.repo.prefix, text))
        if wanted.startswith(("../", "/")) or wanted == "..":
            raise BadPath(f"'{text}' is outside the repository")
        paths = (self.graph.path(file) for file in range(self.graph.files))
        raise BadPath(f"no file '{wanted}' in {self.opened.tree.rev}", near_paths(wanted, paths))

    # ---------------------------------------------------------------- symbols

    def _symbol(self, path: bytes, asked: str) -> str | None:
        """The qualified name that a name or a line means; None for a line outside of all."""
        place = self.opened.view.find(path)
        if place is None:
            return None
        segment, file = place
        rows = np.flatnonzero(segment["symbol_file"] == file)
        if asked.isdecimal():
            return _at_line(segment, rows, int(asked))
        found = [
            segment.qualified(int(row))
            for row in rows
            if asked in (segment.qualified(int(row)), segment.name(int(row)))
        ]
        if found:
            return found[0]
        names = sorted({segment.name(int(row)) for row in rows})
        shown = os.fsdecode(path)
        raise BadPath(f"no symbol '{asked}' in '{shown}'", _close(asked, names))

    def users(self, files: set[int], names: frozenset[str]) -> set[int]:
        """Those of some files that use one of some names."""
        found = set()
        open_ones = []
        for file in sorted(files):
            row = self.graph.row(file)
            if names & row.names or any(names & words(one.names) for one in row.imports):
                found.add(file)
            elif any(file in self._written(name) for name in names):
                open_ones.append(file)
        return found | set(self.spelt(open_ones, names))

    def _written(self, name: str) -> set[int]:
        """Files with the words of a name in them."""
        if name not in self._known:
            term = tokens.compound(name)
            out: set[int] = set()
            for segment, live in zip(
                self.opened.view.segments, self.opened.view.live_files, strict=True
            ):
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
        either = "|".join(map(re.escape, sorted(names)))
        pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)".encode("utf-8", "surrogateescape"))
        found = {}
        for file, text in self.texts(files).items():
            if match := pattern.search(text):
                found[file] = text.count(b"\n", 0, match.start()) + 1
        return found

    def uses_of(self, name: str) -> list[tuple[int, int, str]]:
        """Where a name is imported or used: file, line and kind, by file and line."""
        from gitsearch.graph.gathering import Wanted, uses_of

        table = self.graph.table
        files = table.rows_with("name", "name", np.asarray([table.number(name)])).tolist()
        oids = (self.graph.arrays["oid"][file].tobytes().hex() for file in files)
        wanted = [
            Wanted(oid, self.graph.language(file)) for file, oid in zip(files, oids, strict=True)
        ]
        repo = self.asking.repo
        folder = repo.common_dir / layout.FOLDER
        used = uses_of(repo, folder, wanted, self.opened.contents, name)
        found = {(files[row], line, kind) for row, line, kind in used}
        known = {(file, line) for file, line, _ in found}
        for file in table.rows_with("import", "import_names", self._handing(name)).tolist():
            for one in self.graph.row(file).imports:
                if name in words(one.names) and (file, one.line) not in known:
                    found.add((file, one.line, "import"))
        return sorted(found)

    def _handing(self, name: str) -> np.ndarray:
        """The words among the imported names in which a name stands."""
        table = self.graph.table
        distinct = np.unique(table["import_names"])
        said = [one for one in distinct.tolist() if name in words(table.word(one))]
        return np.asarray(said, np.int64)

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
        oids = {file: self.graph.arrays["oid"][file].tobytes().hex() for file in files}
        stored = [oid for oid in oids.values() if oid not in self.opened.contents]
        texts = {**dict(blobs.read_blobs(self.asking.repo, stored)), **self.opened.contents}
        return {file: texts[oid] or b"" for file, oid in oids.items()}

    # ---------------------------------------------------------------- what is shown

    def dependent(self, one: Walked) -> Dependent:
        """A dependent as it is reported."""
        via = tuple(map(self.path, one.files))
        test = self.is_test(one.files[0])
        label = "resolved" if one.certain else "ambiguous"
        who = self._owners.of(via[0])
        return Dependent(via[0], len(via) - 1, via, label, one.kind, one.line, test, who)

    @cached_property
    def _owners(self) -> Owners:
        """Whom CODEOWNERS of this tree names."""
        for place in PLACES:
            file = self.graph.file(os.fsencode(place))
            if file >= 0:
                oid = self.graph.arrays["oid"][file].tobytes().hex()
                text = self.opened.contents.get(oid) or blobs.read_one(self.asking.repo, oid)
                return Owners((text or b"").decode("utf-8", "replace"))
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
        if self.graph.language(file) not in FAMILY_OF:
            return False
        return pathkinds.is_test(self.graph.path(file))

    def unseen(self) -> Iterable[Dark]:
        """What may depend on anything: imports that lead nobody knows where, foreign languages."""
        for one in self.graph.blind():
            line = self.graph.line(one.file, one.place)
            yield Dark(one.reason, self.path(one.file), line)
        foreign = [
            number
            for number, name in enumerate(self.graph.meta["languages"])
            if name not in FAMILY_OF
            and (language := languages.LANGUAGES.get(name)) is not None
            and language.content == "code"
        ]
        for file in np.flatnonzero(np.isin(self.graph.arrays["language"], foreign)).tolist():
            yield Dark(UNSUPPORTED, self.path(file), 1)


def _at_line(segment: Segment, rows: np.ndarray, line: int) -> str | None:
    """The innermost definition around a line."""
    inside = [
        int(row)
        for row in rows
        if segment["symbol_first"][row] <= line <= segment["symbol_last"][row]
    ]
    return segment.qualified(inside[-1]) if inside else None


def words(names: str) -> set[str]:
    """The names in a list of imported ones."""
    return set(re.findall(r"\w+", names))


def _close(asked: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(asked, names, 3)
    return "did you mean " + " or ".join(f"'{name}'" for name in near) + "?" if near else ""
