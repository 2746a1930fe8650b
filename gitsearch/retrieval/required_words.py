"""Words that a line must have for a pattern to match it: a text, or a regular expression.

What is required is a formula over runs of word characters. It may ask for less than the pattern,
never for more: where a part of an expression is not understood, nothing is required of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"[0-9A-Za-z_]+")
_INTERVAL = re.compile(r"\{([0-9]*)(?:,([0-9]*))?\}")
_NAMED_CLASS = re.compile(r"\[([:.=])[^\[\]\\]*?\1\]")

# Of Perl's escapes, those that are one letter long and say nothing of where a match begins; and
# what opens a group, or tells what stands before or after a place without being part of a match.
_PERL_ESCAPES = frozenset("dDwWsShHvVRbBAzZtrnfea")
_PERL_GROUP, _LOOKAROUND = "?:", ("?=", "?!", "?<=", "?<!")

# Groups in groups, beyond which nothing is required.
_DEEPEST = 50

# Runs of one pattern: more cost more than they tell apart.
_MOST_RUNS = 12


class Run(NamedTuple):
    """Word characters in a row: in lower case and without underscores, as terms of the index.

    starts, ends: no ASCII word character stands before or after it.
    """

    text: str
    starts: bool = False
    ends: bool = False


class All(NamedTuple):
    """Every part is required; without any, nothing is."""

    parts: tuple[Requirement, ...]


class Any(NamedTuple):
    """One of the parts is required."""

    parts: tuple[Requirement, ...]


Requirement = Run | All | Any
NOTHING = All(())


def required_by_text(text: str, *, word: bool = False) -> Requirement:
    """Return what lines with a text have; `word`: no word character stands around it.

    Line feeds separate alternatives, as for `git grep -F`.
    """
    return _either([_of_text(line, word, word) for line in text.split("\n")])


def required_by_expression(
    expression: str, *, word: bool = False, perl: bool = False
) -> Requirement:
    """Return what lines have that an extended regular expression matches, or one of Perl.

    word: it matches between characters that are no word characters, as `git grep -w` asks for.
    """
    parts = []
    for line in expression.split("\n"):
        try:
            parts.append(_Expression(line, perl=perl).required(word=word))
        except _NotUnderstoodError:
            return NOTHING
    return _either(parts)


def runs_of(requirement: Requirement) -> list[Run]:
    """Return all runs of a formula, in order."""
    if isinstance(requirement, Run):
        return [requirement]
    return [run for part in requirement.parts for run in runs_of(part)]


def _of_text(text: str, starts: bool, ends: bool) -> Requirement:  # noqa: FBT001
    """Return the runs of a text that stands in a line; starts, ends: no word is around it."""
    runs = []
    for match in _WORD.finditer(text):
        folded = match[0].replace("_", "").lower()
        if folded:
            first, last = match.span()
            before = text[first - 1].isascii() if first else starts
            after = text[last].isascii() if last < len(text) else ends
            runs.append(Run(folded, before, after))
    return _every(runs)


def _every(parts: list[Run] | list[Requirement]) -> Requirement:
    known = [part for part in dict.fromkeys(parts) if part != NOTHING]
    # long runs tell more files apart
    known.sort(key=lambda part: -len(part.text) if isinstance(part, Run) else 0)
    known = known[:_MOST_RUNS]
    return known[0] if len(known) == 1 else All(tuple(known))


def _either(parts: list[Requirement]) -> Requirement:
    if NOTHING in parts or len(parts) > _MOST_RUNS:
        return NOTHING
    return parts[0] if len(parts) == 1 else Any(tuple(parts))


# ---------------------------------------------------------------- expressions


class _NotUnderstoodError(Exception):
    """A part of an expression has a meaning that is not known here."""


# A text that must be there; a formula about an unknown text; None for an unknown one.
_Piece = str | Requirement | None

# Stands for the border of a line in texts: it is no word character.
_BORDER = "\n"


class _Expression:
    """A parser of extended regular expressions, as far as it takes to find required words.

    Those of Perl are read alike: what they mean beyond that is not understood, or told apart.
    """

    def __init__(self, text: str, *, perl: bool) -> None:
        self._text = text
        self._perl = perl
        self._at = 0
        self._depth = 0

    def required(self, *, word: bool) -> Requirement:
        branches = self._alternatives()
        if self._at < len(self._text):
            raise _NotUnderstoodError
        return _either([_of_pieces(pieces, word, word) for pieces in branches])

    def _alternatives(self) -> list[list[_Piece]]:
        """Parse up to the end or a closing parenthesis."""
        branches: list[list[_Piece]] = [[]]
        while self._at < len(self._text) and self._text[self._at] != ")":
            if self._text[self._at] == "|":
                self._at += 1
                branches.append([])
            else:
                branches[-1] += self._repeated(self._atom())
        if any(not branch for branch in branches) and len(branches) > 1:
            raise _NotUnderstoodError  # an empty alternative
        return branches

    def _atom(self) -> list[_Piece]:
        character = self._text[self._at]
        self._at += 1
        if character == "(":
            return self._group()
        if character == "[":
            self._skip_class()
            return [None]
        if character == "\\":
            return [self._escaped()]
        if character in "^$":
            if self._text[self._at : self._at + 1] in ("*", "+", "?", "{"):
                raise _NotUnderstoodError
            return [_BORDER]
        if character in "*+?{":
            raise _NotUnderstoodError
        return [None] if character == "." else [character]

    def _group(self) -> list[_Piece]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _NotUnderstoodError
        looks_around = self._perl and self._takes(*_LOOKAROUND)
        if self._perl and not looks_around:
            self._takes(_PERL_GROUP)
        branches = self._alternatives()
        if self._text[self._at : self._at + 1] != ")":
            raise _NotUnderstoodError
        self._at += 1
        self._depth -= 1
        if looks_around:
            return [None]
        if len(branches) == 1:
            return branches[0]
        return [_either([_of_pieces(pieces, False, False) for pieces in branches])]

    def _takes(self, *signs: str) -> bool:
        """Go behind one of some signs, if one stands here."""
        found = next((sign for sign in signs if self._text.startswith(sign, self._at)), "")
        self._at += len(found)
        return bool(found)

    def _skip_class(self) -> None:
        """Go behind a bracket expression, whose first member may be a closing bracket."""
        at = self._at
        if self._text[at : at + 1] == "^":
            at += 1
        if self._text[at : at + 1] == "]":
            at += 1
        while at < len(self._text) and self._text[at] != "]":
            kind = self._text[at + 1 : at + 2]
            if self._text[at] == "[" and kind and kind in ".:=":
                named = _NAMED_CLASS.match(self._text, at)
                if named is None:
                    raise _NotUnderstoodError
                at = named.end()
            elif self._perl and self._text[at] == "\\":
                if kind in ("Q", "E"):
                    raise _NotUnderstoodError
                at += 2
            else:
                at += 1
        if at >= len(self._text):
            raise _NotUnderstoodError
        self._at = at + 1

    def _escaped(self) -> _Piece:
        character = self._text[self._at : self._at + 1]
        if not character:
            raise _NotUnderstoodError
        self._at += 1
        if self._perl and character.isalnum() and character not in _PERL_ESCAPES:
            raise _NotUnderstoodError  # it may be longer, or change what follows
        # escaped letters, digits and some signs are classes, places and references
        plain = character.isascii() and not character.isalnum() and character not in "<>`'_"
        return character if plain else None

    def _repeated(self, pieces: list[_Piece]) -> list[_Piece]:
        """Parse what follows an atom: how often it stands there."""
        while (sign := self._text[self._at : self._at + 1]) and sign in "*+?{":
            least, most = 0, -1
            if sign == "{":
                interval = _INTERVAL.match(self._text, self._at)
                if interval is None or interval[0] == "{}":
                    raise _NotUnderstoodError
                least = int(interval[1][:9] or 0)
                most = least if interval[2] is None else -1
                self._at = interval.end()
            else:
                least = 1 if sign == "+" else 0
                self._at += 1
            if not least:
                pieces = [None]
            elif (least, most) != (1, 1):
                # it is there at least once, and what stands before and after it is itself
                single = pieces[0] if len(pieces) == 1 else None
                if isinstance(single, str) and not _WORD.match(single):
                    pieces = [single, None, single]
                else:
                    pieces = [None, _of_pieces(pieces, False, False), None]
        return pieces


def _of_pieces(pieces: list[_Piece], starts: bool, ends: bool) -> Requirement:  # noqa: FBT001
    """Return what a sequence requires; starts, ends: no word character stands around it."""
    parts: list[Requirement] = []
    text = ""
    left = starts
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        parts.append(_of_text(text, left, False))
        if piece is not None:
            parts.append(piece)
        text, left = "", False
    parts.append(_of_text(text, left, ends))
    return _every(_flattened(parts))


def _flattened(parts: list[Requirement]) -> list[Requirement]:
    out: list[Requirement] = []
    for part in parts:
        out += part.parts if isinstance(part, All) else [part]
    return out
