"""The names leg: definitions that the query names, whole, qualified, in part or as a prefix."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

from gitsearch.features import tokens

if TYPE_CHECKING:
    from gitsearch.corpus.view import Segment, View
    from gitsearch.retrieval.query import Query

# How well a name meets the query, best first; what lies between them is room for the kind of the
# definition and for the share of the name that is covered.
EXACT_QUALIFIED = 4.0
EXACT = 3.0
PREFIX = 2.0
WORDS = 1.0

# What a name most likely means when several definitions carry it.
_KINDS = {
    **dict.fromkeys(("class", "struct", "interface", "trait", "enum", "type", "module"), 0.9),
    **dict.fromkeys(("function", "method", "macro", "namespace"), 0.7),
    "constructor": 0.5,
}
_NESTED = 0.1

# A name in a question must be covered to this share by the words of the question.
_PROSE_SHARE = 0.75

# How languages write "of": Foo::bar, foo.bar, Foo#bar, foo->bar
_SEPARATORS = re.compile(r"::|->|[.#/]")

# Files that stand for their folder.
_PACKAGES = frozenset({"__init__", "index", "mod"})

# Terms that more symbols carry than this are looked at only together with rarer ones.
_COMMON = 20000
_MOST_PREFIXED = 64


def scores(view: View, query: Query, mask: np.ndarray) -> dict[int, float]:
    """The best score of a name in each chunk row: only rows that `mask` allows."""
    out: dict[int, float] = {}
    wanted = _Wanted(query)
    for i, segment in enumerate(view.segments):
        start = int(view.starts[i])
        for symbol in wanted.candidates(segment):
            row = int(segment["symbol_chunk"][symbol]) + start
            score = wanted.meets(segment, symbol) if mask[row] else 0.0
            if score > out.get(row, 0.0):
                out[row] = score
    return out


class _Wanted:
    """The names that a query may mean."""

    def __init__(self, query: Query) -> None:
        self._symbol = query.symbol
        words = [word for word in query.words if tokens.parts(word)]
        # the whole query may be one name, its words in any order; in prose a word may be one
        self._parts = {part for word in words for part in tokens.parts(word)}
        self._folded = [tokens.compound(word) for word in words]
        self._whole = "".join(self._folded)
        self._names = {tokens.compound(word) for word in words if looks_like_name(word, query)}

    def candidates(self, segment: Segment) -> list[int]:
        """Symbols that carry all words of the query, or a name that it gives or begins."""
        out: set[int] = set(_with_all(segment, self._parts))
        for name in sorted({*self._names, self._whole} - {""}):
            numbers = segment.prefixed(name) if self._symbol else [segment.term(name)]
            for number in list(numbers)[:_MOST_PREFIXED]:
                if number >= 0:
                    out.update(_symbols_of(segment, number)[:_COMMON].tolist())
        return sorted(out)

    def meets(self, segment: Segment, symbol: int) -> float:
        """How well one symbol is meant, 0 when it is not."""
        name = segment.name(symbol)
        folded = tokens.compound(name)
        if not folded:
            return 0.0
        chain = segment.qualified(symbol)
        weight = _KINDS.get(segment.kind(symbol), 0.2) - min(_NESTED * chain.count("."), 0.2)
        if self._symbol and len(self._folded) > 1 and folded == self._folded[-1]:
            scope = tokens.compound(chain.replace(".", ""))
            return (EXACT_QUALIFIED if scope.endswith(self._whole) else WORDS) + weight
        if folded in self._names or folded == self._whole:
            return EXACT + weight
        if self._symbol and len(self._folded) == 1 and folded.startswith(self._whole):
            return PREFIX + len(self._whole) / len(folded)
        return self._by_words(name)

    def _by_words(self, name: str) -> float:
        pieces = tokens.parts(name)
        share = sum(piece in self._parts for piece in pieces) / max(len(pieces), 1)
        if not self._parts <= set(pieces) or (not self._symbol and share < _PROSE_SHARE):
            return 0.0
        return WORDS + share


def looks_like_name(word: str, query: Query) -> bool:
    """Whether a word of a query is written as names are: all of them in a query that is a name."""
    if query.symbol or len(query.words) == 1:
        return True
    return "_" in word.strip("_") or not (word.islower() or word[1:].islower() or word.isupper())


def _with_all(segment: Segment, parts: set[str]) -> list[int]:
    """Symbols whose names hold all these words."""
    numbers = [segment.term(part) for part in sorted(parts)]
    if not numbers or min(numbers) < 0:
        return []
    lists = sorted((_symbols_of(segment, number) for number in numbers), key=len)
    both = lists[0]
    for other in lists[1:]:
        both = np.intersect1d(both, other, assume_unique=True)
    found: list[int] = both.tolist() if len(both) <= _COMMON else []
    return found


def _symbols_of(segment: Segment, term: int) -> np.ndarray:
    start, end = (int(i) for i in segment["name_ends"][term : term + 2])
    return segment["name_symbol"][start:end]


def defined(view: View, name: str) -> list[tuple[Segment, int]]:
    """Live symbols with this name, qualified or not, by path and line.

    Those that are spelt exactly so; where there is none, those that differ in case or underscores;
    where there is none either, those in a file of that name (`package.module.function`).
    """
    wanted = [part for part in _SEPARATORS.split(name) if part]
    if not wanted:
        return []
    compounds = list(map(tokens.compound, wanted))
    exact, folded, placed = [], [], []
    for segment, live in zip(view.segments, view.live_files, strict=True):
        for symbol in _named(segment, wanted[-1]):
            if not live[int(segment["symbol_file"][symbol])]:
                continue
            own = segment.qualified(symbol).split(".")
            chain = own[-len(wanted) :]
            if chain == wanted:
                exact.append((segment, symbol))
            elif list(map(tokens.compound, chain)) == compounds:
                folded.append((segment, symbol))
            elif [*_module(segment, symbol), *own][-len(wanted) :] == wanted:
                placed.append((segment, symbol))
    return sorted(exact or folded or placed, key=_place)


def _module(segment: Segment, symbol: int) -> list[str]:
    """The folders and the name of the file of a symbol; a package is its folder."""
    path = os.fsdecode(segment.path(int(segment["symbol_file"][symbol])))
    folders, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return [*folders.split("/"), *([] if stem in _PACKAGES else [stem])]


def _named(segment: Segment, name: str) -> list[int]:
    number = segment.term(tokens.compound(name))
    return _symbols_of(segment, number).tolist() if number >= 0 else []


def _place(found: tuple[Segment, int]) -> tuple[bytes, int]:
    segment, symbol = found
    return segment.path(int(segment["symbol_file"][symbol])), int(segment["symbol_start"][symbol])
