"""Words of a query that the tree does not have, and those that were most likely meant.

Who types `getUserByld` or asks for a `tokeniser` means a name that is there, with one letter
wrong, missing, too many or swapped with the next. What the tree has is never touched.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from gitsearch import trace
from gitsearch.features import tokens
from gitsearch.reports.search import Respelt
from gitsearch.retrieval import inflection, lexical_leg, query, symbol_leg
from gitsearch.retrieval.edit_distance import shared, within_one_edit

if TYPE_CHECKING:
    from gitsearch.index.view import View
    from gitsearch.retrieval.query import Query

# Letters of a word that is looked at: nearly every shorter one is near to some other.
_SHORTEST = 4

_WORD = re.compile(r"\w+")

# Words of a query that are looked at: one with more that the tree lacks is not mistyped.
_MOST = 8

# What is written in the one English where the other has the other.
_SPELLINGS = (
    ("is", "iz"),
    ("ys", "yz"),
    ("our", "or"),
    ("re", "er"),
    ("ogue", "og"),
    ("ll", "l"),
    ("ce", "se"),
    ("amme", "am"),
)


def respelt(view: View, asked: Query) -> tuple[Query, tuple[Respelt, ...]]:
    """The query with words of the tree in place of those that it does not have, and which."""
    with trace.stage("spelling"):
        meant = _Meant(view, asked)
        foreign = [word for word in dict.fromkeys(asked.words) if meant.lacks(word)]
        pairs = [Respelt(word, meant.by(word)) for word in foreign[:_MOST]]
        found = tuple(one for one in pairs if one.asked != one.taken)
    if not found:
        return asked, ()
    trace.count("words respelt", len(found))
    taken = dict(found)
    text = _WORD.sub(lambda word: taken.get(word[0], word[0]), asked.text)
    return query.parse(text), found


class _Near(NamedTuple):
    """A term near to a word: how likely it is meant, the best last; how a definition spells it."""

    whole: bool
    named: bool
    same_start: bool
    frequency: int
    text: str
    spelt: str


class _Often(NamedTuple):
    """In how many chunks a word is."""

    chunks: int
    word: str


class _Meant:
    """What words of one query mean in one view."""

    def __init__(self, view: View, asked: Query) -> None:
        self._view = view
        self._asked = asked
        self._alone = len(asked.words) == 1
        self._has = cache(partial(lexical_leg.occurs, view))

    def by(self, word: str) -> str:
        """What is to be searched for in place of a word: itself, unless the tree has another."""
        pieces = tokens.parts(word)
        if len(pieces) > 1:
            return self._name(word, tokens.compound(word), pieces)
        return self._word(word, pieces[0]) if pieces else word

    def lacks(self, word: str) -> bool:
        """Whether no file of the tree has a word that is worth looking for."""
        folded = tokens.compound(word)
        return len(folded) >= _SHORTEST and folded.isascii() and not self._has(folded)

    def _name(self, word: str, folded: str, pieces: list[str]) -> str:
        """As a name of several parts: a definition that is nearly so called, else its parts."""
        begun = self._asked.symbol and symbol_leg.is_begun(self._view, folded)
        if begun or symbol_leg.is_held(self._view, pieces):
            return word
        near = self._near(folded)
        if defined := [one for one in near if one.spelt]:
            return max(defined).spelt
        found = [part if self._has(part) else self._word(part, part) for part in pieces]
        if found == pieces:
            return _written(max(near).text, word) if near else word
        return _rewritten(word, pieces, found)

    def _word(self, word: str, part: str) -> str:
        """As a word by itself."""
        if len(part) < _SHORTEST or not part.isalpha():
            return word
        others = [] if self._asked.symbol else inflection.of(part)
        near = [one for one in self._near(part) if one.text not in others]
        if fitting := [one for one in near if self._fits(part, one.text)]:
            return _written(max(fitting).text, word)
        known = self._often(part)
        other = max((self._often(other) for other in spellings(part)), default=known)
        if other.chunks > known.chunks:
            return _written(other.word, word)
        # what has another form here, and what the model knows whole, is a word and not a slip
        if known.chunks or not near or len(self._view.model.tokens([part])[0]) == 1:
            return word
        return _written(max(near).text, word)

    def _often(self, word: str) -> _Often:
        """In how many chunks a word is, or the form of it that is in most, and which that is."""
        words = [word] if self._asked.symbol else [word, *inflection.of(word)]
        return max(_Often(lexical_leg.frequency(self._view, one), one) for one in words)

    def _fits(self, part: str, other: str) -> bool:
        """Whether a definition's name holds all words of the query, this one replaced."""
        every = [piece for word in self._asked.words for piece in tokens.parts(word)]
        meant = [other if piece == part else piece for piece in every]
        return len(meant) > 1 and symbol_leg.is_held(self._view, meant)

    def _near(self, text: str) -> list[_Near]:
        """Terms of the tree that one slip makes of a text."""
        near = {
            segment.term_text(term)
            for segment in self._view.segments
            for term in within_one_edit(segment, text.encode())
        }
        found = []
        for other in near:
            frequency = lexical_leg.frequency(self._view, other)
            if frequency:
                spelt = symbol_leg.spelt(self._view, other)
                whole = self._alone and bool(spelt)
                named = symbol_leg.is_held(self._view, [other])
                start = other[:1] == text[:1]
                found.append(_Near(whole, named, start, frequency, other, spelt))
        return found


def spellings(word: str) -> list[str]:
    """The other spelling of a British or an American word; not all of them are words."""
    return sorted(
        word[:at] + other + word[at + len(one) :]
        for pair in _SPELLINGS
        for one, other in (pair, pair[::-1])
        for at in range(1, len(word))
        if word.startswith(one, at)
    )


def _rewritten(word: str, pieces: list[str], found: list[str]) -> str:
    """A name with other parts, each written as the one before it."""
    at = 0
    for piece, other in zip(pieces, found, strict=True):
        at = word.lower().index(piece, at)
        part = _written(other, word[at : at + len(piece)])
        word = word[:at] + part + word[at + len(piece) :]
        at += len(part)
    return word


def _written(text: str, word: str) -> str:
    """A folded text as a word like it is written: what both begin and end with stays."""
    letters = [i for i, letter in enumerate(word) if letter != "_"]
    folded = tokens.compound(word)
    start = shared(folded, text)
    rest, other = folded[start:], text[start:]
    same = shared(rest[::-1], other[::-1])
    middle = other[: len(other) - same]
    first = letters[start] if rest else len(word)
    if word[first : first + 1].isupper():
        middle = middle[:1].upper() + middle[1:]
    made = word[:first] + middle + word[letters[len(letters) - same] if same else len(word) :]
    return made.upper() if word.isupper() else made
