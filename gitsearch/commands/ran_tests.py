"""The tests that ran a target, by data of test runners, laid over what the graph says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from gitsearch.commands.likely_dependents import in_order
from gitsearch.commands.recorded_names import RecordedNames
from gitsearch.errors import BadCoverage
from gitsearch.git.regular_file import read
from gitsearch.graph.likelihood import CERTAIN
from gitsearch.reports.lookup import Dependent, ImpactEvidence, RecordedRuns
from gitsearch.test_runs.recorded import recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitsearch.commands.code_graph import CodeGraph, Target

# The most bytes of a file of data.
_MOST = 256 << 20

RAN = "ran"


class RanTests:
    """The tests that ran each file of an opened tree, by files of data; raises BadCoverage."""

    def __init__(self, code_graph: CodeGraph, names: Sequence[str]) -> None:
        self._code_graph = code_graph
        runs: dict[tuple[str, str], int] = {}
        for name in names:
            for key, lines in _recorded(name).items():
                runs[key] = runs.get(key, 0) | lines
        self._runs = self._placed(runs)
        self.summary = self._summary(names, runs)

    def _placed(self, runs: Mapping[tuple[str, str], int]) -> dict[bytes, dict[str, int]]:
        """The lines that test files ran, by file of the tree."""
        lookup = RecordedNames(self._code_graph)
        self._files = lookup.files(path for _, path in runs)
        self._tests = {test: lookup.test(test) for test, _ in runs}
        placed: dict[bytes, dict[str, int]] = {}
        for (name, path), lines in sorted(runs.items()):
            test, file = self._tests[name], self._files.get(path)
            if test is not None and file is not None:
                own = placed.setdefault(file, {})
                own[test] = own.get(test, 0) | lines
        self._other = {file for file, tests in placed.items() if self._differs(file, tests)}
        return {file: tests for file, tests in placed.items() if file not in self._other}

    def _differs(self, file: bytes, tests: Mapping[str, int]) -> bool:
        """Return True if the data is of another content: a line ran that is empty or not there."""
        text = self._text(file).split(b"\n")
        empty = sum(1 << number for number, line in enumerate(text, 1) if not line.strip())
        ran = 0
        for lines in tests.values():
            ran |= lines
        # line 0 stands for nothing, and blocks of Go hold empty lines
        ran &= ~1
        beyond = ran >> (len(text) + 1)
        return bool(beyond or (ran & empty and not file.endswith(b".go")))

    def _text(self, path: bytes) -> bytes:
        return self._code_graph.opened.texts[self._oid(path)]

    def _oid(self, path: bytes) -> str:
        graph = self._code_graph.graph
        return graph.oid(graph.file(path))

    def _summary(self, names: Sequence[str], runs: Iterable[tuple[str, str]]) -> RecordedRuns:
        known = {test for test in self._tests.values() if test is not None}
        return RecordedRuns(
            tuple(names),
            len(known),
            len(self._runs),
            tuple(sorted(name for name, test in self._tests.items() if test is None)),
            tuple(sorted({path for _, path in runs} - self._files.keys())),
            tuple(sorted(map(os.fsdecode, self._other))),
        )

    def ignore_changed(self, oids: Mapping[bytes, str | None]) -> None:
        """Ignore files that had another content where the data was recorded: by path, the blob."""
        other = {path for path in self._runs if oids.get(path) != self._oid(path)}
        self._runs = {path: tests for path, tests in self._runs.items() if path not in other}
        shown = sorted({*self.summary.other_content, *map(os.fsdecode, other)})
        self.summary = self.summary._replace(files=len(self._runs), other_content=tuple(shown))

    @property
    def paths(self) -> list[bytes]:
        """The files of which the data tells what ran."""
        return sorted(self._runs)

    def of(self, target: Target) -> set[str]:
        """Return the paths of the tests that ran a target."""
        tests = self._runs.get(target.path, {})
        wanted = self._lines(target)
        return {test for test, lines in tests.items() if lines & wanted}

    def _lines(self, target: Target) -> int:
        """The lines of a target as bits: of a definition those behind its head, if it has any."""
        place = self._code_graph.opened.view.find(target.path)
        if target.symbol is None or place is None:
            return -1
        segment, file = place
        wanted = 0
        text = self._text(target.path)
        for row in segment.symbols_of(file):
            symbol = segment.symbol(row)
            same = segment.qualified(row) == target.symbol
            if same and (target.line is None or symbol.first <= target.line <= symbol.last):
                head = text.count(b"\n", 0, symbol.body) + 1
                # the head of a definition runs where it is defined
                first = head if head > symbol.first or symbol.last == symbol.first else head + 1
                wanted |= (1 << (symbol.last + 1)) - (1 << min(first, symbol.last))
        return wanted


def _recorded(name: str) -> dict[tuple[str, str], int]:
    try:
        data = read(Path(name), _MOST)
    except OSError as error:
        raise BadCoverage(f"cannot read '{name}': {error.strerror or error}") from error
    return recorded(name, data)


def with_runs(
    code_graph: CodeGraph, targets: Sequence[Target], files: Sequence[Dependent], ran: RanTests
) -> list[Dependent]:
    """Return dependents with the tests that ran a target, which are certain.

    targets: as they are called in the tree of the data. Tests that the tree of the answer lacks,
    and targets themselves, are left out.
    """
    own = {os.fsdecode(target.path) for target in targets}
    first: dict[str, str] = {}
    for target in targets:
        for test in sorted(ran.of(target)):
            first.setdefault(test, os.fsdecode(target.path))
    known = {file.path: file for file in files}
    for test, path in first.items():
        number = code_graph.graph.file(os.fsencode(test))
        if test in own or number < 0:
            continue
        _, is_test, owners = code_graph.about(number)
        alone = Dependent(test, 1, (test, path), "resolved", RAN, 1, is_test, owners)
        file = known.get(test, alone)
        evidence = (ImpactEvidence(RAN, path, 1.0), *file.evidence)
        known[test] = file._replace(likelihood=1.0, label=CERTAIN, evidence=evidence)
    return sorted(known.values(), key=in_order)
