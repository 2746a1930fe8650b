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
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

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
_WILDCARD = re.compile("[\0\1]")

# Length of the n-grams of components with wildcards by which rules are indexed.
_LETTERS = 4


class _Rule(NamedTuple):
    """One rule: runs of components, between which any number of folders may be.

    floating: the first run may begin at any depth; end: what must follow the last run: "any" (the
    path itself or something below it matches), "below" (at least one component) or "here"
    (nothing).
    """

    runs: tuple[tuple[str, ...], ...]
    floating: bool
    end: str
    owners: tuple[str, ...]

    def keys(self) -> set[str]:
        """Return texts that a path must have to match: components, or else n-grams of them."""
        components = list(chain(*self.runs))
        literals = {name for name in components if not _WILDCARD.search(name)}
        pieces = chain(*map(_WILDCARD.split, () if literals else components))
        return literals.union(*(_ngrams(piece, _sizes_of(piece)) for piece in pieces))

    def matches(self, names: Sequence[str]) -> bool:
        """Return True if the components of a path match: each run at its first occurrence."""
        position = 0
        for number, run in enumerate(self.runs):
            latest = len(names) - len(run)
            fixed = number == 0 and not self.floating
            starts = range(position, (position if fixed else latest) + 1)
            if number == len(self.runs) - 1 and self.end == "here":
                starts = range(latest, latest + (latest in starts))
            begin = next((start for start in starts if _fits(run, names, start)), None)
            if begin is None:
                return False
            position = begin + len(run)
        return self.end != "below" or position < len(names)


def _fits(run: Sequence[str], names: Sequence[str], start: int) -> bool:
    part = names[start : start + len(run)]
    return len(part) == len(run) and all(map(_matches, run, part))


def _matches(component: str, name: str) -> bool:
    """Return True if a component of a pattern matches, each piece at its first occurrence."""
    head, *others = component.split(_STAR)
    if not others:
        return len(head) == len(name) and _find(head, name, 0, len(name)) == 0
    *middle, tail = others
    position, end = len(head), len(name) - len(tail)
    if not name or position > end or _find(head, name, 0, position) != 0:
        return False
    for piece in middle:
        start = _find(piece, name, position, end)
        if start < 0:
            return False
        position = start + len(piece)
    return _find(tail, name, end, len(name)) == end


def _find(piece: str, name: str, start: int, end: int) -> int:
    """Position of the first match of a piece, which may have `?`, in a slice of a name; or -1."""
    if _ONE not in piece:
        return name.find(piece, start, end)
    match = _with_wildcards(piece).search(name, start, end)
    return match.start() if match else -1


@lru_cache(4096)
def _with_wildcards(piece: str) -> re.Pattern[str]:
    return re.compile(re.escape(piece).replace(re.escape(_ONE), "."), re.DOTALL)


class Owners:
    """The rules of one CODEOWNERS file."""

    def __init__(self, text: str) -> None:
        """Parse the rules; a text that is too large for GitHub has none."""
        self.too_large = len(text.encode("utf-8", "surrogateescape")) > MOST_BYTES
        lines = [] if self.too_large else text.removeprefix("\ufeff").split("\n")
        # of two rules with the same pattern the later one counts
        rules: dict[tuple[object, ...], _Rule] = {}
        for rule in filter(None, map(_parse, lines)):
            pattern = rule[:3]
            rules.pop(pattern, None)
            rules[pattern] = rule
        self._rules = list(rules.values())
        # each rule is indexed by its rarest key, or by "" without any
        keys = [rule.keys() for rule in self._rules]
        counts = Counter(chain(*keys))
        self._by_key: dict[str, list[int]] = {}
        for number, own in enumerate(keys):
            rarest = min(own, key=lambda key: (counts[key], key), default="")
            self._by_key.setdefault(rarest, []).append(number)
        marked = (key for key in self._by_key if key.startswith(_STAR))
        self._sizes = sorted({len(key) - len(_STAR) for key in marked})

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a path by the last rule that matches; () if it has none."""
        if not self._rules:
            return ()
        names = path.split("/")
        keys = chain(("",), names, *(_ngrams(name, self._sizes) for name in names))
        candidates = {number for key in keys for number in self._by_key.get(key, ())}
        for number in sorted(candidates, reverse=True):
            if self._rules[number].matches(names):
                return self._rules[number].owners
        return ()


def _sizes_of(piece: str) -> range:
    """The sizes of n-grams that index a piece of a pattern: the largest that it has."""
    return range(max(min(len(piece), _LETTERS), 1), _LETTERS + 1)


def _ngrams(text: str, sizes: Iterable[int]) -> Iterator[str]:
    """Yield the n-grams of a text, each behind a mark that tells it from a component."""
    for size in sizes:
        yield from (_STAR + text[i : i + size] for i in range(len(text) - size + 1))


def find(paths: Collection[str]) -> str | None:
    """Return the path of the CODEOWNERS file that counts among the paths of a tree, or None."""
    return next((path for path in PLACES if path in paths), None)


# ---------------------------------------------------------------- parsing


def _parse(line: str) -> _Rule | None:
    """Return the rule of a line; None for blanks, comments, headers, invalid lines."""
    words = _WORD.findall(line) if "\\" in line else line.split()
    comment = next((i for i, word in enumerate(words) if word.startswith("#")), None)
    words = words[:comment]
    if not words or words[0].startswith(("\\#", "!", *_SECTION)):
        return None
    pattern, *owners = words
    if not all(map(_OWNER.fullmatch, owners)):
        return None
    if _REFUSED.search(_ESCAPED.sub("", pattern)) or _STAR in pattern or _ONE in pattern:
        return None
    names = [_with_marks(name) for name in pattern.removeprefix("/").split("/")]
    folder = names[-1] == ""
    if folder:
        names.pop()
    # `a//b` and `/` match nothing
    if not names or "" in names:
        return None
    if folder and names[-1] == _DEPTH:
        names.append(_STAR)
    floating = "/" not in pattern[:-1] or names[0] == _DEPTH
    end = "here" if names[-1] == _STAR and "/" in pattern else "any"
    if folder or (names[-1] == _DEPTH and len(names) > 1):
        end = "below"
    runs: list[list[str]] = [[]]
    for name in names:
        if name == _DEPTH:
            runs.append([])
        else:
            runs[-1].append(name)
    return _Rule(tuple(tuple(run) for run in runs if run), floating, end, tuple(owners))


def _with_marks(name: str) -> str:
    """Replace the wildcards of a component by marks, and remove escapes."""
    marks = {"*": _STAR, "?": _ONE}
    pieces = _PIECE.findall(name) if "\\" in name else name
    return "".join(piece[1] if len(piece) > 1 else marks.get(piece, piece) for piece in pieces)
