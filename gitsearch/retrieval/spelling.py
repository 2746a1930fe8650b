"""Spelling correction: words of a query that the tree lacks, and their likely corrections.

`getUserByld` and `tokeniser` stand for terms of the tree at one edit, or in the other English
spelling. A word that the tree contains is never corrected. One edit (a byte inserted, deleted or
substituted, or two adjacent ones transposed: Damerau-Levenshtein) leaves either the first or the
second half of a word as it is, so only terms that share one of the two are compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from gitsearch import trace
from gitsearch.features import identifiers
from gitsearch.index.view import Segment, View
from gitsearch.reports.search import Respelt
from gitsearch.retrieval import lexical_leg, query, symbol_leg
from gitsearch.retrieval.query import Query

# Shorter words are not corrected: nearly each of them is one edit from some other.
_MIN_LETTERS = 4

_WORD = re.compile(r"\w+")

# Bytes of the end of a term that are compared at once, as one 64-bit integer.
_TAIL = 8

# The most words that are corrected: a query in which more are missing is not mistyped.
_MAX_WORDS = 8

# British and American spellings of the same sounds.
_SPELLINGS = (
    *(("is", "iz"), ("ys", "yz"), ("our", "or"), ("re", "er")),
    *(("ogue", "og"), ("ll", "l"), ("ce", "se"), ("amme", "am")),
)


class Near(NamedTuple):
    """A term at one edit from a word.

    frequency: the number of chunks with it; first: the first definition of which it is the name;
    named: a definition's name contains it.
    """

    frequency: int
    first: symbol_leg.Spelling | None
    named: bool


class Vocabulary(Protocol):
    """What spelling correction asks of the chunks that are ranked together."""

    def occurring(self, terms: Sequence[str]) -> set[str]:
        """Return those of some terms that a chunk has, or a file that is read later."""

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return the number of chunks with each of some terms."""

    def near(self, text: str) -> dict[str, Near]:
        """Return the terms at one edit from a text that chunks have."""

    def has_name(self, parts: Sequence[str]) -> bool:
        """Return True if the name of a definition has all of some words."""

    def has_prefix(self, folded: str) -> bool:
        """Return True if the name of a definition, or a word of one, has this prefix."""

    def is_token(self, word: str) -> bool:
        """Return True if a word is one token of the model."""


class ViewVocabulary:
    """The vocabulary of one view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def occurring(self, terms: Sequence[str]) -> set[str]:
        """Return those of some terms that a chunk has, or a file that is read later."""
        return {term for term in terms if lexical_leg.occurs(self._view, term)}

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """Return the number of chunks with each of some terms."""
        return lexical_leg.frequencies(self._view, terms)

    def near(self, text: str) -> dict[str, Near]:
        """Return the terms at one edit from a text that chunks have."""
        view = self._view
        found = (
            segment.term_text(term)
            for segment in view.segments
            for term in within_one_edit(segment, text.encode())
        )
        others = list(dict.fromkeys(found))
        return {
            other: Near(
                frequency,
                symbol_leg.spelling(view, other),
                symbol_leg.is_contained(view, [other]),
            )
            for other, frequency in zip(others, self.frequencies(others), strict=True)
            if frequency
        }

    def has_name(self, parts: Sequence[str]) -> bool:
        """Return True if the name of a definition has all of some words."""
        return symbol_leg.is_contained(self._view, parts)

    def has_prefix(self, folded: str) -> bool:
        """Return True if the name of a definition, or a word of one, has this prefix."""
        return symbol_leg.is_prefix(self._view, folded)

    def is_token(self, word: str) -> bool:
        """Return True if a word is one token of the model."""
        return len(self._view.model.tokens([word])[0]) == 1


def respelt(view: View, asked: Query) -> tuple[Query, tuple[Respelt, ...]]:
    """Return the query with words that the tree lacks corrected, and the corrections."""
    return respelt_by(ViewVocabulary(view), asked)


def respelt_by(vocabulary: Vocabulary, asked: Query) -> tuple[Query, tuple[Respelt, ...]]:
    """Return the query with words that a vocabulary lacks corrected, and the corrections.

    To one that asks for uses the name that all of its words make is a term, if anything has it.
    """
    with trace.stage("spelling"):
        corrector = _Corrector(vocabulary, asked)
        pairs = [Respelt(word, corrector.correct(word)) for word in corrector.lacking()]
        corrections = tuple(pair for pair in pairs if pair.asked != pair.taken)
    if corrections:
        trace.count("words respelt", len(corrections))
        taken = dict(corrections)
        asked = query.parse(_WORD.sub(lambda word: taken.get(word[0], word[0]), asked.text))
    if asked.uses:
        has = vocabulary.occurring(asked.names)
        names = (name for name in asked.names if name in has)
        asked = replace(asked, terms=tuple(dict.fromkeys((*asked.terms, *names))))
    return asked, corrections


class _Candidate(NamedTuple):
    """A term that may be meant; candidates compare by likelihood.

    whole: it is a definition's name, and the query is one word; named: a definition's name
    contains it; spelt: the definition's spelling of it, or "".
    """

    whole: bool
    named: bool
    same_start: bool
    frequency: int
    text: str
    spelt: str


class _Corrector:
    def __init__(self, vocabulary: Vocabulary, asked: Query) -> None:
        self._vocabulary = vocabulary
        self._asked = asked

    def correct(self, word: str) -> str:
        """Return the correction of a word that the tree lacks, or the word if there is none."""
        pieces = identifiers.parts(word)
        if len(pieces) > 1:
            return self._correct_name(word, identifiers.compound(word), pieces)
        return self._correct_word(word, pieces[0]) if pieces else word

    def lacking(self) -> list[str]:
        """Return the words that are long enough to be corrected and that no file contains."""
        folded = {word: identifiers.compound(word) for word in dict.fromkeys(self._asked.words)}
        long = {
            word: text
            for word, text in folded.items()
            if len(text) >= _MIN_LETTERS and text.isascii()
        }
        has = self._vocabulary.occurring(list(long.values()))
        return [word for word, text in long.items() if text not in has][:_MAX_WORDS]

    def _correct_name(self, word: str, folded: str, pieces: list[str]) -> str:
        """Correct a name of several parts: to a definition at one edit, else part by part."""
        begun = self._asked.symbol and self._vocabulary.has_prefix(folded)
        if begun or self._vocabulary.has_name(pieces):
            return word
        candidates = self._candidates(folded)
        if defined := [candidate for candidate in candidates if candidate.spelt]:
            return max(defined).spelt
        has = self._vocabulary.occurring(pieces)
        corrected = [part if part in has else self._correct_word(part, part) for part in pieces]
        if corrected == pieces:
            return _apply_style(max(candidates).text, word) if candidates else word
        return _replace_parts(word, pieces, corrected)

    def _correct_word(self, word: str, part: str) -> str:
        if len(part) < _MIN_LETTERS or not part.isalpha():
            return word
        forms = [] if self._asked.symbol else query.inflected(part)
        candidates = [other for other in self._candidates(part) if other.text not in forms]
        if fitting := [other for other in candidates if self._fits(part, other.text)]:
            return _apply_style(max(fitting).text, word)
        known = self._most_frequent(part)
        other = max(map(self._most_frequent, spellings(part)), default=known)
        if other[0] > known[0]:
            return _apply_style(other[1], word)
        # a word with an inflected form in the tree, or that is one token of the model, is no typo
        if known[0] or not candidates or self._vocabulary.is_token(part):
            return word
        return _apply_style(max(candidates).text, word)

    def _most_frequent(self, word: str) -> tuple[int, str]:
        """Chunks with the most frequent of a word and, unless in a symbol, its forms; and it."""
        forms = [word] if self._asked.symbol else [word, *query.inflected(word)]
        return max(zip(self._vocabulary.frequencies(forms), forms, strict=True))

    def _fits(self, part: str, other: str) -> bool:
        """Return True if a definition's name has all words of the query, `part` replaced."""
        pieces = identifiers.parts_of(self._asked.words)
        replaced = [other if piece == part else piece for piece in pieces]
        return len(replaced) > 1 and self._vocabulary.has_name(replaced)

    def _candidates(self, text: str) -> list[_Candidate]:
        alone = len(self._asked.words) == 1
        candidates = []
        for other, (frequency, first, named) in self._vocabulary.near(text).items():
            spelt = first.name if first else ""
            whole = alone and bool(spelt)
            same_start = other[:1] == text[:1]
            candidates.append(_Candidate(whole, named, same_start, frequency, other, spelt))
        return candidates


def is_slip(word: str, other: str) -> bool:
    """Return True if a word may stand for another: at one edit, or in the other spelling."""
    return is_one_edit(word.encode(), other.encode()) or other in spellings(word)


def spellings(word: str) -> list[str]:
    """Return the British and American respellings of a word, sorted; some are no words."""
    return sorted(
        word[:i] + new + word[i + len(old) :]
        for pair in _SPELLINGS
        for old, new in (pair, pair[::-1])
        for i in range(1, len(word))
        if word.startswith(old, i)
    )


def _replace_parts(word: str, pieces: list[str], corrected: list[str]) -> str:
    """Replace the parts of a name, each in the style of the part that it replaces."""
    position = 0
    for piece, other in zip(pieces, corrected, strict=True):
        position = word.lower().index(piece, position)
        part = _apply_style(other, word[position : position + len(piece)])
        word = word[:position] + part + word[position + len(piece) :]
        position += len(part)
    return word


def _apply_style(text: str, word: str) -> str:
    """Write a folded text with the case and underscores of a word; equal ends are copied."""
    letters = [i for i, letter in enumerate(word) if letter != "_"]
    folded = identifiers.compound(word)
    start = _common_prefix_length(folded, text)
    rest, other = folded[start:], text[start:]
    suffix = _common_prefix_length(rest[::-1], other[::-1])
    middle = other[: len(other) - suffix]
    first = letters[start] if rest else len(word)
    if word[first : first + 1].isupper():
        middle = middle[:1].upper() + middle[1:]
    last = letters[len(letters) - suffix] if suffix else len(word)
    styled = word[:first] + middle + word[last:]
    return styled.upper() if word.isupper() else styled


def within_one_edit(segment: Segment, word: bytes) -> list[int]:
    """Return the term numbers of a segment, ascending, whose text is one edit from a word."""
    half = len(word) // 2
    candidates = {*segment.prefixed(word[:half].decode()), *_ending(segment, word, half + 1)}
    texts = ((term, segment.term_text(term).encode()) for term in sorted(candidates))
    return [term for term, text in texts if is_one_edit(word, text)]


def _ending(segment: Segment, word: bytes, start: int) -> list[int]:
    """Return terms whose length differs by at most one, with the word's suffix from `start`."""
    ends = segment["term_ends"].astype(np.int64)
    similar = np.flatnonzero(np.abs(np.diff(ends) - len(word)) <= 1)
    tail = word[start:][-_TAIL:]
    # the last bytes of each term are read as one big-endian integer
    text = np.concatenate([np.zeros(_TAIL, np.uint8), segment["term_text"]])
    before_each_byte = np.ndarray(len(text) - _TAIL + 1, ">u8", text, strides=(1,))
    differing = before_each_byte[ends[1:][similar]] ^ np.uint64(int.from_bytes(tail, "big"))
    shift = np.uint64(8 * (_TAIL - len(tail)))
    terms: list[int] = similar[differing << shift == 0].tolist()
    return terms


def is_one_edit(first: bytes, second: bytes) -> bool:
    """Return True if two texts are at a Damerau-Levenshtein distance of exactly one."""
    # after the first difference the rests are equal but for one byte, or two transposed ones
    start = _common_prefix_length(first, second)
    first, second = first[start:], second[start:]
    transposed = len(first) > 1 and first[:2] == second[1::-1] and first[2:] == second[2:]
    return first != second and (
        first[1:] in (second, second[1:]) or first == second[1:] or transposed
    )


def _common_prefix_length(first: Sequence[object], second: Sequence[object]) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (left, right) in pairs if left != right), min(len(first), len(second)))
