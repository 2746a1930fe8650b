"""Definitions in the files in which exact text was found, and those of what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.extract.languages import content_of, hint
from gitsearch.features.identifiers import compound
from gitsearch.features.ragged import gather, unique
from gitsearch.retrieval.line_ranking import DefiningLines
from gitsearch.retrieval.required_words import runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.commands.exact_contents import Contents
    from gitsearch.commands.exact_files import FilesToSearch
    from gitsearch.index.stored_view import FilePlaces
    from gitsearch.index.view import Segment
    from gitsearch.records import Definition
    from gitsearch.retrieval.matching_lines import MatchingLines
    from gitsearch.retrieval.required_words import Requirement

# Files that are in no view are parsed, but no more than so many, and bytes of them together.
_MOST_PARSED, _MOST_BYTES = 50, 512 << 10

# Lines with matches from the first of a definition, among which its name is looked for: decorators
# and comments may stand before it.
_LINES_BEFORE_NAME = 3


class Symbol(NamedTuple):
    """A definition: its names and its 1-based lines."""

    name: str
    qualified: str
    first: int
    last: int


class Symbols:
    """The definitions of files with matching lines."""

    def __init__(
        self,
        files: FilesToSearch,
        required: Requirement,
        names: frozenset[str],
        lines: MatchingLines,
        contents: Contents,
        places: FilePlaces,
    ) -> None:
        """names: words that are whole names of what is looked for, if they are names of it."""
        self._places = places
        self._files = files
        self._runs = runs_of(required)
        self._names = names
        self._lines = lines
        self._contents = contents
        self._known: dict[bytes, list[Symbol]] = {}
        self._parsed: dict[bytes, list[Symbol]] | None = None

    def at(self, path: bytes, line: int, *, defined: bool) -> Symbol | None:
        """Return the innermost definition around a line; `defined`: the one named in it."""
        around = [symbol for symbol in self._of(path) if symbol.first <= line <= symbol.last]
        if defined:
            named = [symbol for symbol in around if self._fits(symbol.name)]
            around = named or around
        return max(around, key=lambda symbol: (symbol.first, -symbol.last), default=None)

    def defining(self) -> DefiningLines:
        """Return the lines that define what is looked for."""
        exact: dict[int, bool] = {}
        if self._runs and len(self._lines):
            for file, name, first, last, whole in (*self._stored(), *self._others()):
                line = self._named_in(file, name.encode("utf-8", "surrogateescape"), first, last)
                if line is not None:
                    exact[line] = exact.get(line, False) or whole
        order = sorted(exact)
        return DefiningLines(
            np.asarray(order, np.int64), np.asarray([exact[line] for line in order], bool)
        )

    # ------------------------------------------------------------ definitions that fit

    def _stored(self) -> Iterator[tuple[int, str, int, int, bool]]:
        """Yield what fits in the view: file, name, first and last line, if the whole name does."""
        stored = self._files.stored
        if stored is None or not self._files.words:
            return
        numbers = {path: number for number, path in enumerate(self._lines.paths)}
        for segment, live, words in zip(
            stored.segments, stored.live, self._files.words, strict=True
        ):
            found = [terms for run in self._runs if (terms := words.terms_with(run)) is not None]
            for symbol in _of_terms(segment, found, live).tolist():
                _, first, last, _, _ = place = segment.symbol(symbol)
                file = numbers.get(segment.path(place.file))
                if file is not None:
                    name = segment.name(symbol)
                    yield file, name, first, last, name in self._names

    def _others(self) -> Iterator[tuple[int, str, int, int, bool]]:
        """Yield the same of files that are in no view."""
        numbers = {path: number for number, path in enumerate(self._lines.paths)}
        for path, symbols in self._parse().items():
            for symbol in symbols:
                if self._fits(symbol.name):
                    whole = symbol.name in self._names
                    yield numbers[path], symbol.name, symbol.first, symbol.last, whole

    def _fits(self, name: str) -> bool:
        folded = compound(name)
        return any(
            run.text in folded
            and (not run.starts or folded.startswith(run.text))
            and (not run.ends or folded.endswith(run.text))
            for run in self._runs
        )

    def _named_in(self, file: int, name: bytes, first: int, last: int) -> int | None:
        """Return the first line with a match in a definition that has its name, or None."""
        low, high = self._lines.ends[file : file + 2].tolist()
        numbers = self._lines.numbers[low:high]
        at = low + int(np.searchsorted(numbers, first))
        for line in range(at, min(at + _LINES_BEFORE_NAME, high)):
            if self._lines.numbers[line] <= last and name in self._lines.text(line):
                return line
        return None

    # ------------------------------------------------------------ definitions of files

    def _of(self, path: bytes) -> list[Symbol]:
        if path not in self._known:
            stored = self._files.stored
            place = stored.find(path) if stored else None
            if stored and place:
                self._known[path] = _symbols_of(stored.segments[place[0]], place[1])
            else:
                self._known[path] = self._parse().get(path, [])
        return self._known[path]

    def _parse(self) -> dict[bytes, list[Symbol]]:
        """Return the definitions of files that are in no view, as far as they are few."""
        if self._parsed is None:
            paths = self._unknown()
            self._parsed = _parsed({path: self._contents.data(path) for path in paths})
        return self._parsed

    def _unknown(self) -> list[bytes]:
        paths: list[bytes] = []
        room = _MOST_BYTES
        for file in np.flatnonzero(self._places.found[0] < 0).tolist():
            path = self._places.paths[file]
            language = hint(path)
            if self._files.reasons.get(path):
                continue
            if not language.startswith("?") and content_of(language) != "code":
                continue
            size = len(self._contents.data(path))
            if size <= room:
                paths.append(path)
                room -= size
            if len(paths) == _MOST_PARSED or room < 0:
                break
        return paths


def _of_terms(segment: Segment, terms: Sequence[np.ndarray], live: np.ndarray) -> np.ndarray:
    """Return the definitions whose whole names are some terms: int64, ascending."""
    wanted = unique(np.concatenate([np.zeros(0, np.int64), *terms]))
    low, high = (segment["name_ends"][wanted + more].astype(np.int64) for more in (0, 1))
    symbols = segment["name_symbol"][gather(low, high - low)].astype(np.int64)
    whole = segment["symbol_term"][symbols] == np.repeat(wanted, high - low)
    symbols = symbols[whole & live[segment["symbol_file"][symbols]]]
    return unique(symbols)


def _symbols_of(segment: Segment, file: int) -> list[Symbol]:
    return [
        Symbol(segment.name(row), segment.qualified(row), place.first, place.last)
        for row in segment.symbols_of(file)
        for place in (segment.symbol(row),)
    ]


def _parsed(contents: dict[bytes, bytes]) -> dict[bytes, list[Symbol]]:
    """Return the definitions of contents by path."""
    if not contents:
        return {}
    # parsers are loaded only where something must be parsed
    from gitsearch.index.extraction_pool import each
    from gitsearch.index.fact_columns import BlobKey, defined

    batch = [
        (BlobKey(f"{number:040x}", hint(path)), data)
        for number, (path, data) in enumerate(contents.items())
    ]
    answers = each(defined, batch, sum(map(len, contents.values())))
    return {
        path: [_symbol(definition) for definition in answer or ()]
        for path, answer in zip(contents, answers, strict=True)
    }


def _symbol(definition: Definition) -> Symbol:
    return Symbol(
        definition.name, definition.qualified, definition.first_line, definition.last_line
    )
