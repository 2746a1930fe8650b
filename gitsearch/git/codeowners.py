r"""Owners of paths by a CODEOWNERS file, according to GitHub's rules.

GitHub's rules are those of .gitignore, but: patterns are case-sensitive, `!`, `[...]` and a `\#`
at the start of a line do not work, `folder/*` does not match in subfolders, and an invalid line is
skipped. Headers of GitLab's sections are not rules.

A file may have a hundred thousand rules, and is untrusted: matching never backtracks, and a path
is compared only with the rules that share a path component, or a few letters of one, with it.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# Possible paths of the file; the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")

# GitHub does not load a larger file.
MOST_BYTES = 3 << 20

_OWNER = re.compile(
    r"@[A-Za-z0-9_-]+(?:/[A-Za-z0-9_.-]+)?|[A-Za-z0-9._'%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"
)
# A word of a line; a backslash escapes the next character.
_WORD = re.compile(r"(?:\\.|[^\s\\]|\\$)+")
_PIECE = re.compile(r"\\.|.", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)")
_REFUSED = re.compile(r"[\[\]]|\*\*\*")
_SECTION = ("[", "^[")

# Wildcards of a parsed pattern, to tell them from escaped characters: `*`, `?`, and `**` as a
# whole component.
_STAR, _ONE = "\0", "\1"
_DEPTH = _STAR + _STAR

# Length of the n-grams of components with wildcards by which rules are indexed.
_LETTERS = 4


class _Glob(NamedTuple):
    """A component with wildcards: its prefix, the literals between stars in order, and its suffix.

    Without a `*` the head is the whole pattern, and the tail is None. least: the least length of
    a match.
    """

    head: str
    middle: tuple[str, ...]
    tail: str | None
    least: int

    def matches(self, name: str) -> bool:
        """Return True if a component matches: each piece is matched at its first occurrence."""
        if len(name) < self.least or _find(self.head, name, 0, len(self.head)) != 0:
            return False
        if self.tail is None:
            return len(name) == len(self.head)
        end = len(name) - len(self.tail)
        if _find(self.tail, name, end, len(name)) != end:
            return False
        position = len(self.head)
        for piece in self.middle:
            position = _find(piece, name, position, end)
            if position < 0:
                return False
            position += len(piece)
        return True


def _find(piece: str, name: str, start: int, end: int) -> int:
    """Position of the first match of a piece, which may have `?`, in a slice of a name; or -1."""
    if _ONE not in piece:
        return name.find(piece, start, end)
    match = _with_wildcards(piece).search(name, start, end)
    return match.start() if match else -1


@lru_cache(4096)
def _with_wildcards(piece: str) -> re.Pattern[str]:
    return re.compile(re.escape(piece).replace(re.escape(_ONE), "."), re.DOTALL)


# A literal component, or one with wildcards.
_Segment = str | _Glob


class _Rule(NamedTuple):
    """One rule: runs of segments, between which any number of folders may be.

    floating: the first run may begin at any depth; end: what must follow the last run: "any" (the
    path itself or something below it matches), "below" (at least one component) or "here"
    (nothing).
    """

    runs: tuple[tuple[_Segment, ...], ...]
    floating: bool
    end: str
    owners: tuple[str, ...]

    def matches(self, names: list[str]) -> bool:
        """Return True if the components of a path match: each run at its first occurrence."""
        position = 0
        for number, run in enumerate(self.runs):
            fixed = number == 0 and not self.floating
            if number == len(self.runs) - 1 and self.end == "here":
                begin = len(names) - len(run)
                return (begin == 0 if fixed else begin >= position) and _fits(run, names, begin)
            begin = position if fixed else _first(run, names, position)
            if begin < 0 or not _fits(run, names, begin):
                return False
            position = begin + len(run)
        return self.end == "any" or position < len(names)


def _fits(run: tuple[_Segment, ...], names: list[str], start: int) -> bool:
    """Return True if a run matches the components from `start` on."""
    if start + len(run) > len(names):
        return False
    for i, segment in enumerate(run, start):
        name = names[i]
        if not (segment == name if isinstance(segment, str) else segment.matches(name)):
            return False
    return True


def _first(run: tuple[_Segment, ...], names: list[str], start: int) -> int:
    """Position of the first match of a run at or after `start`; -1 if there is none."""
    for begin in range(start, len(names) - len(run) + 1):
        if _fits(run, names, begin):
            return begin
    return -1


class Owners:
    """The rules of one CODEOWNERS file."""

    def __init__(self, text: str) -> None:
        """Parse the rules; a text that is too large for GitHub has none."""
        self.too_large = len(text.encode("utf-8", "surrogateescape")) > MOST_BYTES
        # of two lines with the same pattern the later one counts
        rules: dict[str, _Rule] = {}
        for line in () if self.too_large else text.removeprefix("\ufeff").split("\n"):
            parsed = _parse(line)
            if parsed is not None:
                pattern, rule = parsed
                rules.pop(pattern, None)
                rules[pattern] = rule
        self._rules = list(rules.values())
        self._named: dict[str, list[int]] = {}
        self._lettered: dict[str, list[int]] = {}
        self._others: list[int] = []
        self._index_rules()

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a path by the last rule that matches; () if it has none."""
        if not self._rules:
            return ()
        names = path.split("/")
        for number in self._candidates(names):
            if self._rules[number].matches(names):
                return self._rules[number].owners
        return ()

    def _index_rules(self) -> None:
        """Index each rule by its rarest literal component, or else by its rarest n-gram."""
        literals = [set(_names(rule)) for rule in self._rules]
        letters = [
            set() if names else set(_letters(rule))
            for names, rule in zip(literals, self._rules, strict=True)
        ]
        named, lettered = (
            Counter(key for keys in keys_of for key in keys) for keys_of in (literals, letters)
        )
        for number, (names, parts) in enumerate(zip(literals, letters, strict=True)):
            if names:
                rules = self._named.setdefault(min(names, key=lambda key: (named[key], key)), [])
            elif parts:
                key = min(parts, key=lambda key: (lettered[key], key))
                rules = self._lettered.setdefault(key, [])
            else:
                rules = self._others
            rules.append(number)

    def _candidates(self, names: list[str]) -> list[int]:
        """The numbers of the rules that may match, the last first."""
        candidates = set(self._others)
        for name in set(names):
            candidates.update(self._named.get(name, ()))
            if self._lettered:
                for part in _parts(name, range(1, _LETTERS + 1)):
                    candidates.update(self._lettered.get(part, ()))
        return sorted(candidates, reverse=True)


def find(paths: Collection[str]) -> str | None:
    """Return the path of the CODEOWNERS file that counts among the paths of a tree, or None."""
    return next((path for path in PLACES if path in paths), None)


# ---------------------------------------------------------------- index of rules


def _names(rule: _Rule) -> Iterator[str]:
    """The literal components of a rule."""
    return (segment for run in rule.runs for segment in run if isinstance(segment, str))


def _letters(rule: _Rule) -> Iterator[str]:
    """N-grams of the literal parts of components with wildcards."""
    for run in rule.runs:
        for glob in run:
            if isinstance(glob, _Glob):
                for piece in (glob.head, *glob.middle, glob.tail or ""):
                    for text in piece.split(_ONE):
                        yield from _parts(text, (min(len(text), _LETTERS),))


def _parts(text: str, sizes: Collection[int]) -> Iterator[str]:
    for size in sizes:
        if size:
            yield from (text[i : i + size] for i in range(len(text) - size + 1))


# ---------------------------------------------------------------- parsing


def _parse(line: str) -> tuple[str, _Rule] | None:
    """Return pattern and rule of a line; None for blanks, comments, headers, invalid lines."""
    words = _WORD.findall(line) if "\\" in line else line.split()
    comment = next((i for i, word in enumerate(words) if word.startswith("#")), None)
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
    folder = names[-1] == ""
    if folder:
        names.pop()
    # `a//b` and `/` match nothing
    if not names or "" in names:
        return None
    if folder and names[-1] == _DEPTH:
        names.append(_STAR)
    floating = "/" not in pattern[:-1] or names[0] == _DEPTH
    return _Rule(_runs(names), floating, _end(names, pattern, folder=folder), owners)


def _end(names: list[str], pattern: str, *, folder: bool) -> str:
    if folder or (names[-1] == _DEPTH and len(names) > 1):
        return "below"
    return "here" if names[-1] == _STAR and "/" in pattern else "any"


def _runs(names: list[str]) -> tuple[tuple[_Segment, ...], ...]:
    """Split the components of a pattern at `**` into runs of segments."""
    runs: list[list[_Segment]] = [[]]
    for name in names:
        if name == _DEPTH:
            runs.append([])
        else:
            runs[-1].append(_segment(name))
    return tuple(tuple(run) for run in runs if run)


def _wild(name: str) -> str:
    """Replace the wildcards of a component by marks, and remove escapes."""
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
