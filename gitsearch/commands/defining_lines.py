"""Changed lines that define a name: by their own words, else by parsing the files they are in."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.features.whole_words import place
from gitsearch.git import blobs
from gitsearch.index.commit_documents import begun_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.git.commit_changes import CommitChange
    from gitsearch.index.fact_columns import BlobKey
    from gitsearch.index.session import Session

# Bytes of text that are parsed for one question: about three seconds of one processor.
_PARSED = 3 << 20

# A line that may define a name: neither "(" nor "=" before it, but for the receiver of a method,
# and a sign behind it that stands behind names of definitions, too.
_BEFORE = rb"(?:[^()=\"'`]|\([^()]*\)\s)*(?<!\w)"
_BEHIND = rb"(?!\w)\s*(?:[(=:;,{\[<]|$)"
# Most lines with a name that begin so, or that are only a call, use it.
_STATEMENT = re.compile(
    rb"\s*(?:(?:return|await|throw|new|else|case|goto|yield|delete|import|from|using|include"
    rb"|require|package|use)\s|[*/]|#\s|#include)|[}\s]+[\w.>:-]*\w\([^{]*\);?\s*$"
)


class _Line(NamedTuple):
    """A changed line: the number of its commit and of its hunk, its sign and its number."""

    commit: int
    hunk: int
    sign: bytes
    number: int


class DefiningLines:
    """Tells which lines of changes define one name; parses up to a bound of text.

    unparsed: how many files were not parsed, of which only some definitions are told.
    """

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name
        self._word = name.encode("utf-8", "surrogateescape")
        self._may_define = _defining_pattern(self._word)
        self._left = _PARSED
        self.unparsed = 0

    def signs(self, changes: Sequence[tuple[CommitChange, str]]) -> list[list[set[bytes]]]:
        """Return the signs of the defining lines of each hunk of each change.

        changes: each with the parent of its commit; of those that cannot remove a definition
        added lines may not be told.
        """
        found = [[set[bytes]() for _ in change.hunks] for change, _ in changes]
        asked: dict[tuple[str, bytes], list[_Line]] = {}
        for commit, (change, parent) in enumerate(changes):
            named = [(line, text) for line, text in _lines(commit, change) if self._word in text]
            open_lines = []
            for line, text in named:
                if self._word in begun_names(text):
                    found[commit][line.hunk].add(line.sign)
                elif self._may_define.match(text) and not _STATEMENT.match(text):
                    open_lines.append(line)
            removing = any(line.sign == b"-" for line in open_lines)
            if removing or any(b"-" in signs for signs in found[commit]):
                for line in open_lines:
                    version = _version(line, change, parent)
                    asked.setdefault(version, []).append(line)
        for version, numbers in self._parsed(list(asked)):
            for line in asked[version]:
                if line.number in numbers:
                    found[line.commit][line.hunk].add(line.sign)
        return found

    def _parsed(
        self, versions: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[tuple[str, bytes], frozenset[int]]]:
        """Yield each file that can be parsed with the numbers of its lines that define the name.

        A file is given by a commit and its path.
        """
        from gitsearch.extract.languages import LANGUAGES, hint

        repo = self._session.repo
        names: dict[str, tuple[tuple[str, bytes], str]] = {}
        for version in versions:
            commit, path = version
            language = hint(path)
            row = LANGUAGES.get(language)
            parsable = row.grammar is not None if row else language.startswith("?")
            if parsable and b"\n" not in path and (text := _utf8(path)) is not None:
                names[f"{commit}:{text}"] = version, language
        sizes = blobs.sizes(repo, names) if names else {}
        read = [name for name in names if self._fits(sizes.get(name))]
        if not read:
            return
        # parsers are loaded only where something must be parsed
        from gitsearch.index.extraction_pool import each
        from gitsearch.index.fact_columns import BlobKey

        batch = [
            (BlobKey(name, names[name][1]), text)
            for name, text in blobs.read_blobs(repo, read)
            if text is not None
        ]
        lines = each(partial(_defining, self._name), batch, sum(len(text) for _, text in batch))
        for (key, _), numbers in zip(batch, lines, strict=True):
            yield names[key.oid][0], numbers or frozenset()

    def _fits(self, size: int | None) -> bool:
        """Return True if so much text may be parsed, and count it; None: it is not here."""
        if size is None or size > min(self._left, self._session.settings.max_file_size):
            self.unparsed += 1
            return False
        self._left -= size
        return True


def _lines(commit: int, change: CommitChange) -> Iterator[tuple[_Line, bytes]]:
    """Yield the lines of a change, removed ones with their numbers in the earlier version."""
    for hunk, one in enumerate(change.hunks):
        following = {b"-": one.old_first, b"+": one.first}
        for text in one.lines:
            sign = text[:1]
            yield _Line(commit, hunk, sign, following[sign]), text[1:]
            following[sign] += 1


def _version(line: _Line, change: CommitChange, parent: str) -> tuple[str, bytes]:
    """Return the commit and the path of the file that has a line."""
    hunk = change.hunks[line.hunk]
    return (parent, hunk.old_path) if line.sign == b"-" else (change.oid, hunk.path)


def _utf8(path: bytes) -> str | None:
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _defining_pattern(word: bytes) -> re.Pattern[bytes]:
    return re.compile(_BEFORE + re.escape(word) + _BEHIND)


def _defining(name: str, blob: BlobKey, data: bytes) -> frozenset[int]:
    """Return the line of each definition of a name on which the name stands."""
    from gitsearch.index.fact_columns import defined

    word = name.encode("utf-8", "surrogateescape")
    lines = data.split(b"\n")
    numbers = set()
    for one in defined(blob, data):
        if one.name == name:
            own = range(one.first_line, one.last_line + 1)
            numbers.update(
                [number for number in own if place(lines[number - 1], word) is not None][:1]
            )
    return frozenset(numbers)
