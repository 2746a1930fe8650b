r"""CODEOWNERS by GitHub's rules: who owns a path. A pure function of the file's text.

GitHub's rules are those of .gitignore, but: patterns are case-sensitive, `!`, `[...]` and a `\#`
at the start of a line do not work, `folder/*` does not reach into folders, and a line that is not
valid is skipped. Headers of GitLab's sections are not rules.

A file may have a hundred thousand rules, and is somebody else's: nothing here backtracks, and a
path is compared only with the rules that share a name, or a few letters of one, with it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# Where the file may be; the first there is counts, the others are not read.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")

# A larger file is not loaded.
MOST_BYTES = 3 << 20

_OWNER = re.compile(
    r"@[A-Za-z0-9_-]+(?:/[A-Za-z0-9_.-]+)?|[A-Za-z0-9._'%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"
)
# A word of a line; a backslash takes the next character with it.
_WORD = re.compile(r"(?:\\.|[^\s\\]|\\$)+")
_PIECE = re.compile(r"\\.|.", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")
_REFUSED = re.compile(r"[\[\]]|\*\*\*")
_SECTION = ("[", "^[")

# Wildcards of a pattern once it is read, so that an escaped one can be itself: `*`, `?`, and `**`
# as a whole name.
_STAR, _ONE = "\0", "\1"
_DEPTH = _STAR + _STAR

# Letters of a name with wildcards by which its rule is filed.
_LETTERS = 4


class _Glob(NamedTuple):
    """A name with wildcards: what it begins and ends with, and what comes between in order.

    Without a `*` there is only a head, which is the whole.
    """

    head: str
    middle: tuple[str, ...]
    tail: str | None
    least: int

    def matches(self, name: str) -> bool:
        """Whether a name of a file or folder fits: each piece is taken where it first occurs."""
        if len(name) < self.least or _found(self.head, name, 0, len(self.head)) != 0:
            return False
        if self.tail is None:
            return len(name) == len(self.head)
        end = len(name) - len(self.tail)
        if _found(self.tail, name, end, len(name)) != end:
            return False
        at = len(self.head)
        for piece in self.middle:
            at = _found(piece, name, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True


def _found(piece: str, name: str, start: int, end: int) -> int:
    """Where a piece first occurs in a part of a name, or -1; it has a fixed length."""
    if _ONE not in piece:
        return name.find(piece, start, end)
    found = _with_wildcards(piece).search(name, start, end)
    return found.start() if found else -1


@lru_cache(4096)
def _with_wildcards(piece: str) -> re.Pattern[str]:
    return re.compile(re.escape(piece).replace(re.escape(_ONE), "."), re.DOTALL)


# A name that is compared as it is, or one with wildcards.
_Segment = str | _Glob


class _Rule(NamedTuple):
    """One line: runs of segments with any number of folders between them.

    `floating`: the first run may begin at any depth. `end` says what must follow the last one:
    "any" (the path is matched, or a folder above it), "below" (something in the folder) or
    "here" (nothing).
    """

    runs: tuple[tuple[_Segment, ...], ...]
    floating: bool
    end: str
    owners: tuple[str, ...]

    def matches(self, names: list[str]) -> bool:
        """Whether the names of a path fit: each run is taken where it first occurs."""
        at = 0
        for number, run in enumerate(self.runs):
            fixed = number == 0 and not self.floating
            if number == len(self.runs) - 1 and self.end == "here":
                begin = len(names) - len(run)
                return (begin == 0 if fixed else begin >= at) and _fits(run, names, begin)
            begin = at if fixed else _first(run, names, at)
            if begin < 0 or not _fits(run, names, begin):
                return False
            at = begin + len(run)
        return self.end == "any" or at < len(names)


def _fits(run: tuple[_Segment, ...], names: list[str], at: int) -> bool:
    if at + len(run) > len(names):
        return False
    for place, segment in enumerate(run, at):
        name = names[place]
        if not (segment == name if isinstance(segment, str) else segment.matches(name)):
            return False
    return True


def _first(run: tuple[_Segment, ...], names: list[str], at: int) -> int:
    for begin in range(at, len(names) - len(run) + 1):
        if _fits(run, names, begin):
            return begin
    return -1


class Owners:
    """The rules of one CODEOWNERS file."""

    def __init__(self, text: str) -> None:
        """Read the rules; of a text that GitHub would not load there are none."""
        self.too_large = len(text.encode("utf-8", "surrogateescape")) > MOST_BYTES
        # of two lines with one pattern the later one counts
        rules: dict[str, _Rule] = {}
        for line in () if self.too_large else text.removeprefix("\ufeff").split("\n"):
            read = _read(line)
            if read is not None:
                rules.pop(read[0], None)
                rules[read[0]] = read[1]
        self._rules = list(rules.values())
        self._named: dict[str, list[int]] = {}
        self._lettered: dict[str, list[int]] = {}
        self._others: list[int] = []
        self._file_rules()

    def of(self, path: str) -> tuple[str, ...]:
        """The owners of a path from the top, by the last rule that matches; () where nobody is."""
        if not self._rules:
            return ()
        names = path.split("/")
        for number in self._candidates(names):
            if self._rules[number].matches(names):
                return self._rules[number].owners
        return ()

    def _file_rules(self) -> None:
        """File each rule under the name, or else the letters, that it needs and few others do."""
        plain = [set(_names(rule)) for rule in self._rules]
        letters = [
            set() if names else set(_letters(rule))
            for names, rule in zip(plain, self._rules, strict=True)
        ]
        named, lettered = (
            Counter(key for keys in every for key in keys) for every in (plain, letters)
        )
        for number, (names, parts) in enumerate(zip(plain, letters, strict=True)):
            if names:
                place = self._named.setdefault(min(names, key=lambda key: (named[key], key)), [])
            elif parts:
                key = min(parts, key=lambda key: (lettered[key], key))
                place = self._lettered.setdefault(key, [])
            else:
                place = self._others
            place.append(number)

    def _candidates(self, names: list[str]) -> list[int]:
        """The rules that may match, the last first."""
        found = set(self._others)
        for name in set(names):
            found.update(self._named.get(name, ()))
            if self._lettered:
                for part in _parts(name, range(1, _LETTERS + 1)):
                    found.update(self._lettered.get(part, ()))
        return sorted(found, reverse=True)


def find(paths: Collection[str]) -> str | None:
    """The CODEOWNERS file that counts among the paths of a tree."""
    return next((place for place in PLACES if place in paths), None)


# ---------------------------------------------------------------- filing


def _names(rule: _Rule) -> Iterator[str]:
    return (segment for run in rule.runs for segment in run if isinstance(segment, str))


def _letters(rule: _Rule) -> Iterator[str]:
    """Letters that some name of a matching path must have one after the other."""
    for run in rule.runs:
        for glob in run:
            if isinstance(glob, _Glob):
                for piece in (glob.head, *glob.middle, glob.tail or ""):
                    for text in piece.split(_ONE):
                        yield from _parts(text, (min(len(text), _LETTERS),))


def _parts(text: str, sizes: Collection[int]) -> Iterator[str]:
    for size in sizes:
        if size:
            yield from (text[at : at + size] for at in range(len(text) - size + 1))


# ---------------------------------------------------------------- reading


def _read(line: str) -> tuple[str, _Rule] | None:
    """The pattern and the rule of a line; None for blanks, comments, headers, invalid lines."""
    words = _WORD.findall(line) if "\\" in line else line.split()
    comment = next((place for place, word in enumerate(words) if word.startswith("#")), None)
    words = words[:comment]
    if not words or words[0].startswith(("\\#", "!", *_SECTION)):
        return None
    pattern, *owners = words
    if any(_OWNER.fullmatch(owner) is None for owner in owners):
        return None
    rule = _compiled(pattern, tuple(owners))
    return None if rule is None else (pattern, rule)


def _compiled(pattern: str, owners: tuple[str, ...]) -> _Rule | None:
    if _REFUSED.search(_ESCAPED.sub("", pattern)) or _STAR in pattern or _ONE in pattern:
        return None
    names = [_wild(name) for name in pattern.removeprefix("/").split("/")]
    inside = names[-1] == ""
    if inside:
        names.pop()
    # `a//b` names nothing, and `/` no file
    if not names or "" in names:
        return None
    if inside and names[-1] == _DEPTH:
        names.append(_STAR)
    floating = "/" not in pattern[:-1] or names[0] == _DEPTH
    return _Rule(_runs(names), floating, _end(names, pattern, inside=inside), owners)


def _end(names: list[str], pattern: str, *, inside: bool) -> str:
    if inside or (names[-1] == _DEPTH and len(names) > 1):
        return "below"
    return "here" if names[-1] == _STAR and "/" in pattern else "any"


def _runs(names: list[str]) -> tuple[tuple[_Segment, ...], ...]:
    """The segments between any number of folders."""
    runs: list[list[_Segment]] = [[]]
    for name in names:
        if name == _DEPTH:
            runs.append([])
        else:
            runs[-1].append(_segment(name))
    return tuple(tuple(run) for run in runs if run)


def _wild(name: str) -> str:
    """A segment with its wildcards as marks, and what was escaped as itself."""
    if "\\" not in name:
        return name.replace("*", _STAR).replace("?", _ONE)
    marks = {"*": _STAR, "?": _ONE}
    pieces = _PIECE.findall(name)
    return "".join(piece[1] if len(piece) > 1 else marks.get(piece, piece) for piece in pieces)


def _segment(name: str) -> _Segment:
    if _STAR not in name:
        return _Glob(name, (), None, len(name)) if _ONE in name else name
    head, *middle, tail = name.split(_STAR)
    least = max(len(name) - name.count(_STAR), 1)
    return _Glob(head, tuple(piece for piece in middle if piece), tail, least)
