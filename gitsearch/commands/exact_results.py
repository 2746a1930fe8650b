"""Results of exact text, made when they are asked for: a frequent word is on very many lines."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.commands.exact_files import MOST_NAMED
from gitsearch.commands.match_columns import MadeOnDemand, Matches
from gitsearch.commands.signatures import SIGNATURE
from gitsearch.extract.languages import hint, settled
from gitsearch.git import line_grep
from gitsearch.reports.search import FileCount, Result
from gitsearch.retrieval import line_ranking

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.commands.exact_contents import Contents
    from gitsearch.commands.exact_symbols import Symbol, Symbols
    from gitsearch.git.line_grep import Pattern, Place
    from gitsearch.git.repo import Repo
    from gitsearch.retrieval.line_ranking import Piece, Pieces
    from gitsearch.retrieval.matching_lines import MatchingLines
    from gitsearch.settings import SearchRequest


class LineResults(MadeOnDemand[Result]):
    """The results in order, a run of neighbouring lines each."""

    def __init__(
        self,
        request: SearchRequest,
        lines: MatchingLines,
        pieces: Pieces,
        contents: Contents,
        symbols: Symbols,
        ranks: Sequence[int] | None = None,
    ) -> None:
        """ranks: of the pieces, each of which is one result; None: all runs of them, from 1."""
        self._request = request
        self._lines = lines
        self._pieces = pieces
        self._contents = contents
        self._symbols = symbols
        self._ranks = ranks

    def __len__(self) -> int:
        return len(self._runs.first)

    def matches(self) -> Matches:
        """Return the results as columns."""
        runs, lines = self._runs, self._lines
        return Matches(
            tuple(map(_text, lines.paths)),
            np.arange(len(runs.first), dtype=np.int32),
            runs.file.astype(np.int32),
            lines.numbers[runs.first].astype(np.int32),
            (runs.upto - runs.first).astype(np.int32),
            runs.score,
        )

    def __bool__(self) -> bool:
        return bool(len(self._pieces.first))

    @cached_property
    def _runs(self) -> Pieces:
        if self._ranks is not None:
            return self._pieces
        return line_ranking.runs(self._lines, self._pieces)

    def made(self, place: int) -> Result:
        """Return the result at a place."""
        run = self._runs.at(place)
        rank = self._ranks[place] if self._ranks is not None else place + 1
        lines = self._lines
        path = lines.paths[run.file]
        first, last = int(lines.numbers[run.first]), int(lines.numbers[run.upto - 1])
        symbol = self._symbols.at(path, first, defined=run.definition)
        shown_first, shown_last = self._extent(place, symbol, first, last)
        texts = self._texts(run, path, shown_first, shown_last)
        if self._request.max_lines is not None:
            texts = texts[: self._request.max_lines]
        language = hint(path)
        if language.startswith("?"):
            language = settled(language, self._contents.data(path))
        return Result(
            rank=rank,
            path=path.decode("utf-8", "surrogateescape"),
            start=first,
            end=last,
            blob=self._contents.oid(path),
            language=language,
            kind="definition" if run.definition else "line",
            symbol=symbol.qualified if symbol else None,
            score=run.score,
            legs={"literal": rank},
            confidence="high",
            text="\n".join(texts),
            signature=_text(lines.text(run.first)).strip()[:SIGNATURE],
            first_shown=shown_first,
        )

    def _texts(self, run: Piece, path: bytes, first: int, last: int) -> list[str]:
        """The lines of a file from `first` to `last`; those that match are known already."""
        numbers = self._lines.numbers
        if (first, last) == (int(numbers[run.first]), int(numbers[run.upto - 1])):
            return [_text(self._lines.text(line)) for line in range(run.first, run.upto)]
        return [_text(line) for line in self._contents.lines(path)[first - 1 : last]]

    def _extent(self, place: int, symbol: Symbol | None, first: int, last: int) -> tuple[int, int]:
        """The lines to show with a result, without those that its neighbours in order show."""
        before, after = self._request.context
        low, high = first - before, last + after
        if self._request.whole and symbol is not None:
            low, high = min(low, symbol.first), max(high, symbol.last)
        if (low, high) != (first, last):
            low, high = self._apart(place, max(low, 1), high)
        return low, high

    def _apart(self, place: int, low: int, high: int) -> tuple[int, int]:
        numbers = self._lines.numbers
        run = self._runs.at(place)
        after = self._request.context[1]
        if place:
            above = self._runs.at(place - 1)
            if above.file == run.file and above.first < run.first:
                low = max(low, int(numbers[above.upto - 1]) + after + 1)
        if place + 1 < len(self):
            below = self._runs.at(place + 1)
            if below.file == run.file and below.first > run.first:
                high = min(high, int(numbers[below.first]) - 1)
        return min(low, int(numbers[run.first])), max(high, int(numbers[run.upto - 1]))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


class PrintedLines:
    """The lines as `git grep -n` prints them, in order."""

    def __init__(self, lines: MatchingLines, pieces: Pieces) -> None:
        self._lines = lines
        self._pieces = pieces

    def __call__(self, *, nul: bool) -> Iterator[tuple[bytes, memoryview]]:
        """Yield the path of a file, and neighbours in its lines with their paths and numbers.

        nul: a NUL stands after path and number instead of a colon.
        """
        lines, pieces = self._lines, self._pieces
        output = memoryview(lines.output if nul else lines.printed)
        if not lines.is_whole:
            pieces = line_ranking.single(pieces)
        columns = (pieces.file, lines.starts[pieces.first], lines.stops[pieces.upto - 1] + 1)
        paths = lines.paths
        for file, start, stop in zip(*(column.tolist() for column in columns), strict=True):
            yield paths[file], output[start:stop]


class FileCounts(MadeOnDemand[FileCount]):
    """The files in order, and how many of their lines match."""

    def __init__(self, lines: MatchingLines, pieces: Pieces) -> None:
        places, count = np.arange(len(pieces.file)), len(lines.paths)
        sizes = np.bincount(pieces.file, pieces.upto - pieces.first, count)
        begin = np.full(count, len(places))
        begin[pieces.file[::-1]] = places[::-1]  # the last assignment holds
        files = np.argsort(begin, kind="stable")[: np.count_nonzero(sizes)]
        self.paths = [lines.paths[file] for file in files.tolist()]
        self._sizes = sizes[files].astype(np.int64).tolist()

    def __len__(self) -> int:
        return len(self.paths)

    def made(self, place: int) -> FileCount:
        """Return the file at a place, and its number of lines."""
        return FileCount(_text(self.paths[place]), self._sizes[place])


class Spans:
    """Where in lines the pattern matches, asked for when lines are shown."""

    def __init__(self, repo: Repo, pattern: Pattern, place: Place, paths: Sequence[bytes]) -> None:
        self._repo = repo
        self._pattern = pattern
        self._place = place._replace(paths=paths) if len(paths) <= MOST_NAMED else place

    def __call__(self, path: str, line: int) -> Sequence[tuple[int, int]]:
        """Return the byte offsets of starts and ends in a line."""
        return self._known.get((path.encode("utf-8", "surrogateescape"), line), ())

    @cached_property
    def _known(self) -> dict[tuple[bytes, int], list[tuple[int, int]]]:
        known: dict[tuple[bytes, int], list[tuple[int, int]]] = {}
        for path, line, start, stop in line_grep.spans(self._repo, self._pattern, self._place):
            known.setdefault((path, line), []).append((start, stop))
        return known
