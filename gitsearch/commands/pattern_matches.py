"""The matches of a pattern in files, found by child processes, and the definitions around them."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.commands.signatures import signature
from gitsearch.extract import code_patterns
from gitsearch.extract.languages import settled
from gitsearch.extract.skip_reasons import skip_reason
from gitsearch.git import blobs
from gitsearch.index import extraction_pool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitsearch.commands.pattern_files import PatternFile
    from gitsearch.extract.code_patterns import CodePattern
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment
    from gitsearch.reports.code_match import CodeMatch


class Scope(NamedTuple):
    """A definition: its first and last line from 1, its qualified name, and its signature."""

    first: int
    last: int
    qualified: str
    signature: str


class FileMatches(NamedTuple):
    """A file with its text and the matches in it; None if they could not be looked for."""

    file: PatternFile
    data: bytes
    matches: list[CodeMatch] | None
    scopes: Scopes


def matches(
    opened: OpenView,
    files: Sequence[PatternFile],
    patterns: Mapping[str, CodePattern],
    most: int,
) -> Iterator[FileMatches]:
    """Yield each file that has the words of the pattern, in order, with the first matches in it.

    patterns: the pattern as the languages see it; most: matches in one file.
    """
    read: deque[tuple[PatternFile, bytes]] = deque()

    def texts() -> Iterator[tuple[BlobKey, bytes]]:
        for file, data in _texts(opened, files):
            pattern = patterns.get(file.key.hint)
            if pattern is None or pattern.may_match(data):
                read.append((file, data))
                yield file.key, data

    unindexed = frozenset(file.key.oid for file in files if file.place is None)
    matcher = _Matcher(patterns, most, unindexed)
    for answer in extraction_pool.each(matcher, texts(), sum(file.size for file in files)):
        file, data = read.popleft()
        trace.count("files matched")
        found, scopes = answer or (None, [])
        known = _IndexedScopes(*file.place, data) if file.place else Scopes(scopes)
        yield FileMatches(file, data, found, known)


def _texts(opened: OpenView, files: Sequence[PatternFile]) -> Iterator[tuple[PatternFile, bytes]]:
    """The contents of files; one that this clone lacks is empty."""
    edited = opened.texts.edited
    stored = [file.key.oid for file in files if file.key.oid not in edited]
    contents = blobs.read_blobs(opened.session.repo, stored)
    for file in files:
        data = edited.get(file.key.oid)
        yield file, next(contents)[1] or b"" if data is None else data


# ---------------------------------------------------------------- in a child process


class _Answer(NamedTuple):
    """The matches in a file, None if no parser may be given its text, and its definitions.

    The definitions are those of a file that is not indexed, and has matches.
    """

    matches: list[CodeMatch] | None
    scopes: list[Scope]


_NOTHING = _Answer([], [])


class _Matcher:
    """Finds the matches in a file. unindexed: blobs of files whose definitions are wanted."""

    def __init__(
        self,
        patterns: Mapping[str, CodePattern],
        most: int,
        unindexed: frozenset[str],
    ) -> None:
        self._patterns = patterns
        self._most = most
        self._unindexed = unindexed

    def __call__(self, key: BlobKey, data: bytes) -> _Answer:
        """Return the matches; there are none in a file that is not searched at all."""
        language = settled(key.hint, data)
        pattern = self._patterns.get(language)
        if pattern is None or not pattern.may_match(data):
            return _NOTHING
        if skip_reason(data, language, forced=key.forced):
            return _NOTHING
        found = code_patterns.matches(data, language, pattern.readings, self._most)
        wanted = found and key.oid in self._unindexed
        return _Answer(found, _definitions(data, language) if wanted else [])


def _definitions(data: bytes, language: str) -> list[Scope]:
    # parsers are loaded only where no index has the definitions
    from gitsearch.extract import facts

    return [
        Scope(one.first_line, one.last_line, one.qualified, one.signature)
        for one in facts.definitions(data, language, searched=True)
    ]


# ---------------------------------------------------------------- definitions around matches


class Scopes:
    """The definitions of a file, in order of position."""

    def __init__(self, scopes: Sequence[Scope]) -> None:
        self._scopes = scopes
        self._firsts = [scope.first for scope in scopes]
        # the last line that a definition reaches, of all up to here
        self._reach = list(accumulate((scope.last for scope in scopes), max))

    def around(self, first: int, last: int) -> Scope | None:
        """Return the innermost definition that has these lines; None if none has."""
        at = bisect_right(self._firsts, first) - 1
        while at >= 0 and self._reach[at] >= last:
            if self._scopes[at].last >= last:
                return self.scope(at)
            at -= 1
        return None

    def scope(self, number: int) -> Scope:
        """Return a definition by its number."""
        return self._scopes[number]


class _IndexedScopes(Scopes):
    """The definitions of a file of a segment, with this content."""

    def __init__(self, segment: Segment, row: int, data: bytes) -> None:
        self._segment = segment
        self._data = data
        self._symbols = segment.symbols_of(row)
        rows = map(segment.symbol, self._symbols)
        super().__init__([Scope(symbol.first, symbol.last, "", "") for symbol in rows])

    def scope(self, number: int) -> Scope:
        """Return a definition by its number; its signature is read only now."""
        symbol = self._symbols[number]
        named = self._segment.qualified(symbol)
        shown = signature(self._segment, symbol, self._data)
        return self._scopes[number]._replace(qualified=named, signature=shown)
