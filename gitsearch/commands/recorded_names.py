"""The files of a tree that names in data of test runners mean: of tests, and of files that ran."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from gitsearch.commands.code_graph import CodeGraph

# What follows the file or the class in the name of a test: tests/test_a.py::test_b[1]|run, A#b
_REST = re.compile(r"::|[|#(\[\s]")
_FOLDED = re.compile(r"[^0-9a-z]+")


class RecordedNames:
    """Looks names up in an opened tree; a name that means several files means none."""

    def __init__(self, code_graph: CodeGraph) -> None:
        self._code_graph = code_graph

    # ---------------------------------------------------------------- tests

    def test(self, name: str) -> str | None:
        """Return the path of the test file that a runner's name of a test means, None if none.

        A name may be a path, with what stands in it behind `::`; a dotted module or class, with
        what stands in it; a function at the top of a test file; or a path whose other characters
        than letters and digits are replaced, as lcov wants it.
        """
        whole = _REST.split(name.strip(), maxsplit=1)[0]
        path = whole.replace("\\", "/").removeprefix("./")
        if os.fsencode(path) in self._code_graph.tests:
            return path
        dotted = whole
        while dotted:
            if found := self._dotted.get(dotted):
                return found
            dotted = dotted.rpartition(".")[0]
        return self._functions.get(whole) or self._folded.get(_fold(whole))

    @property
    def _tests(self) -> list[str]:
        return sorted(map(os.fsdecode, self._code_graph.tests))

    @cached_property
    def _dotted(self) -> dict[str, str]:
        """Test files by their paths with dots, without the first folders or with them."""
        names: list[tuple[str, str]] = []
        for path in self._tests:
            parts = _without_ending(path).split("/")
            names += ((".".join(parts[first:]), path) for first in range(len(parts)))
        return _unique(names)

    @cached_property
    def _folded(self) -> dict[str, str]:
        names: list[tuple[str, str]] = []
        for path in self._tests:
            parts = path.split("/")
            for first in range(len(parts)):
                below = "/".join(parts[first:])
                names += ((_fold(below), path), (_fold(_without_ending(below)), path))
        return _unique(names)

    @cached_property
    def _functions(self) -> dict[str, str]:
        """Test files by the functions at their top that runners take for tests, as in Go."""
        graph = self._code_graph.graph
        names = [
            (name, path)
            for path in self._tests
            for name, _ in graph.row(graph.file(os.fsencode(path))).definitions
            if name.lower().startswith("test")
        ]
        return _unique(names)

    # ---------------------------------------------------------------- files

    def files(self, recorded: Iterable[str]) -> dict[str, bytes]:
        """Return the paths in the tree of recorded ones, which may be of another machine.

        What stands before the path in the tree, such as a checkout or a Go module, is the same for
        all: that with which most are found. A path in a package of Java stands below a folder.
        """
        ordered = sorted(set(recorded))
        longest = {path: self._suffix(path.replace("\\", "/").split("/")) for path in ordered}
        before = Counter(
            path[: len(path) - len(found)] for path, found in longest.items() if found
        )
        usual = min(before, key=lambda one: (-before[one], len(one), one), default="")
        known: dict[str, bytes] = {}
        for path, found in longest.items():
            if found and path[: len(path) - len(found)] == usual:
                known[path] = os.fsencode(found)
            elif below := self._below.get(path):
                known[path] = os.fsencode(below)
        return known

    def _suffix(self, parts: list[str]) -> str:
        """Return the longest end of a path that is a path of the tree, "" if none is."""
        graph = self._code_graph.graph
        ends = ("/".join(parts[first:]) for first in range(len(parts)))
        return next((end for end in ends if graph.file(os.fsencode(end)) >= 0), "")

    @cached_property
    def _below(self) -> dict[str, str]:
        """Files of Java and the like by the path in their package."""
        graph = self._code_graph.graph
        names: list[tuple[str, str]] = []
        for file in range(graph.files):
            if graph.language(file) in ("java", "kotlin", "scala", "groovy"):
                path = self._code_graph.path(file)
                parts = path.split("/")
                names += (("/".join(parts[first:]), path) for first in range(1, len(parts)))
        return _unique(names)


def _without_ending(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition('.')[0] or name}"


def _fold(name: str) -> str:
    return _FOLDED.sub("_", name.lower()).strip("_")


def _unique(names: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return the names that mean one file alone."""
    files: dict[str, str] = {}
    several = set()
    for name, path in names:
        if files.setdefault(name, path) != path:
            several.add(name)
    return {name: path for name, path in files.items() if name and name not in several}
