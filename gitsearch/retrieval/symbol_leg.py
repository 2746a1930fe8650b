"""The names leg: definitions that the query names, whole, qualified, in part or as a prefix."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.features import tokens
from gitsearch.features.ragged import unique
from gitsearch.retrieval import inflection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.index.view import Segment, View
    from gitsearch.retrieval.query import Query

# How well a name meets the query, best first; what lies between them is room for the kind of the
# definition and for the share of the name that is covered.
EXACT_QUALIFIED = 4.0
EXACT = 3.0
PREFIX = 2.0
WORDS = 1.0

# All words of a name are less than its beginning.
_BELOW = 0.999

# What a name most likely means when several definitions carry it.
_KINDS = {
    **dict.fromkeys(("class", "struct", "interface", "trait", "enum", "type", "module"), 0.9),
    **dict.fromkeys(("function", "method", "macro", "namespace"), 0.7),
    "constructor": 0.5,
}
_NESTED = 0.1
# One that is spelt as it was typed: more than another one, less than one of another kind.
_SPELT = 0.09

# What the words of a query must cover of a name: of one that the query gives whole, and of one
# that it remembers in part.
_ALONE = 0.75
_PARTLY = 0.5

# What a word of a name is worth that the query has in another form.
_FORM = 0.9

# The place of a word in a question that says nothing about code.
_STOP = -1

# Words of a query that may be those of one name, and how many of them make one too many bearable.
_MOST_WORDS = 8
_SPARE = 3

# How languages write "of": Foo::bar, foo.bar, Foo#bar, foo->bar
_SEPARATORS = re.compile(r"::|->|[.#/]")

# Files that stand for their folder.
_PACKAGES = frozenset({"__init__", "index", "mod"})

# Bytes that stand with a name on its line at least: `def ` or a bracket, a blank, the line feed.
_KEYWORD = 4

# Terms that more symbols carry than this are looked at only together with rarer ones.
_COMMON = 20000
_MOST_PREFIXED = 64


class NamedDefinition(NamedTuple):
    """How well a query names a definition, and the row of the definition in its segment."""

    score: float
    symbol: int


def scores(view: View, query: Query, mask: np.ndarray) -> dict[int, NamedDefinition]:
    """The definition that is named best in each chunk row: only rows that `mask` allows."""
    found = _scored(view, _Wanted(query), mask)
    if not found and not query.symbol:
        found = _scored(view, _Wanted(query, spare=1), mask)
    if len(query.words) == 1 and any(one.score >= EXACT for one in found.values()):
        # who gives a name that is there does not mean others that have a form of it
        return {row: one for row, one in found.items() if query.symbol or one.score >= EXACT}
    return found


def _scored(view: View, wanted: _Wanted, mask: np.ndarray) -> dict[int, NamedDefinition]:
    out: dict[int, NamedDefinition] = {}
    for segment, start in zip(view.segments, view.starts.tolist(), strict=False):
        symbols = wanted.candidates(segment)
        rows = _chunks(segment, symbols) + start
        symbols, rows = symbols[mask[rows]], rows[mask[rows]]
        found = zip(symbols.tolist(), rows.tolist(), _texts(segment, symbols), strict=True)
        for symbol, row, name in found:
            score = wanted.meets(segment, symbol, name)
            if score > 0 and (row not in out or score > out[row].score):
                out[row] = NamedDefinition(score, symbol)
    return out


def _chunks(segment: Segment, symbols: np.ndarray) -> np.ndarray:
    """The chunk that says each name: int64.

    Decorators that a definition starts with may end another chunk; they do where what that has of
    it is too short for its name.
    """
    rows = segment["symbol_chunk"][symbols].astype(np.int64)
    further = np.minimum(rows + 1, segment.chunks - 1)
    starts, ends, sizes, files = (
        segment[f"symbol_{what}"][symbols].astype(np.int64)
        for what in ("start", "body", "name_size", "file")
    )
    cut = segment["chunk_start"][further].astype(np.int64)
    short = (starts < cut) & (cut < np.minimum(starts + sizes + _KEYWORD, ends))
    same: np.ndarray = segment["chunk_file"][further] == files
    shown: np.ndarray = np.where(short & same, further, rows)
    return shown


def _texts(segment: Segment, symbols: np.ndarray) -> list[bytes]:
    """The name of each of many symbols."""
    text = segment["symbol_text"].data
    ends = segment["symbol_ends"][symbols + 1].astype(np.int64)
    starts = ends - segment["symbol_name_size"][symbols]
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [text[start:end].tobytes() for start, end in spans]


class _Wanted:
    """The names that a query may mean; of many words in a question some may be too many."""

    def __init__(self, query: Query, spare: int = 0) -> None:
        self._symbol = query.symbol
        words = [word for word in query.words if tokens.parts(word)]
        # the whole query may be one name, its words in any order; in prose a word may be one
        self._parts = list(dict.fromkeys(part for word in words for part in tokens.parts(word)))
        self._folded = [tokens.compound(word) for word in words]
        self._whole = "".join(self._folded)
        # a name may have words that are none in a question: is_remote, sort_by
        self._wholes = {self._whole, "".join(query.parts)}
        self._names = {tokens.compound(word) for word in words if looks_like_name(word, query)}
        if query.symbol and len(words) > 1:
            # of Foo::bar the name is bar; Foo is found where that is not
            self._names = {self._folded[-1]}
        self._scope = set(self._folded[:-1]) if query.symbol else set()
        self._typed = {word.encode() for word in words}
        # which word of the query a word of a name is, and what it is worth as that
        self._meant = {part: (i, 1.0) for i, part in enumerate(self._parts)}
        self._forms: list[list[str]] = [[part] for part in self._parts]
        if not query.symbol and len(self._parts) <= _MOST_WORDS:
            for i, part in enumerate(self._parts):
                # the plural also of what is short, or ends as if it were a form: ids, errors
                self._forms[i] += [*inflection.of(part), part.removesuffix("s"), part + "s"]
                for form in self._forms[i]:
                    self._meant.setdefault(form, (i, _FORM))
        for part in query.parts:
            self._meant.setdefault(part, (_STOP, 1.0))
        many = _SPARE <= len(self._parts) <= _MOST_WORDS
        self._least = len(self._parts) - (spare if many else 0)

        # names are alike in many places
        self._level = cache(self._level_of)

    def candidates(self, segment: Segment) -> np.ndarray:
        """Symbols that carry the words of the query, or a name that it gives or begins: int64."""
        held = _with_most(segment, self._forms, self._least)
        found = [held] if len(held) <= _COMMON else []
        for name in sorted((self._names | self._wholes | self._scope) - {""}):
            numbers = segment.prefixed(name) if self._symbol else [segment.term(name)]
            found += [_called(segment, n)[:_COMMON] for n in numbers[:_MOST_PREFIXED] if n >= 0]
        return unique(np.concatenate([np.zeros(0, np.int64), *found]))

    def meets(self, segment: Segment, symbol: int, name: bytes) -> float:
        """How well one symbol with this name is meant, 0 when it is not."""
        level = self._level(name)
        if level < EXACT:
            return level
        chain = segment.qualified(symbol)
        weight = _KINDS.get(segment.kind(symbol), 0.2) - min(_NESTED * chain.count("."), 0.2)
        if level == EXACT_QUALIFIED and not tokens.compound(chain.replace(".", "")).endswith(
            self._whole
        ):
            level = WORDS
        return level + weight + (_SPELT if name in self._typed else 0.0)

    def _level_of(self, text: bytes) -> float:
        """How well a name is meant, whatever carries it; that of a whole one is only its level."""
        name = text.decode("utf-8", "replace")
        folded = tokens.compound(name)
        if not folded:
            return 0.0
        if self._symbol and len(self._folded) > 1 and folded == self._folded[-1]:
            return EXACT_QUALIFIED
        if folded in self._names or folded in self._wholes:
            return EXACT
        if self._symbol and len(self._folded) == 1 and folded.startswith(self._whole):
            return PREFIX + len(self._whole) / len(folded)
        return WORDS if folded in self._scope else self._by_words(name)

    def _by_words(self, name: str) -> float:
        """As one whose words are among those of the query, in any order and form."""
        pieces = tokens.parts(name)
        found = [self._meant[piece] for piece in pieces if piece in self._meant]
        words = len({i for i, _ in found} - {_STOP})
        share = sum(worth for _, worth in found) / max(len(pieces), 1)
        if words < self._least or not pieces:
            return 0.0
        if not self._symbol:
            least = _ALONE if len(self._parts) == 1 else _PARTLY
            # one word too many only where all others are there as they are
            if share < least or (words < len(self._parts) and share < 1):
                return 0.0
        return WORDS + share * words / len(self._parts) * _BELOW


def looks_like_name(word: str, query: Query) -> bool:
    """Whether a word of a query is written as names are: all of them in a query that is a name."""
    if query.symbol or len(query.words) == 1:
        return True
    return "_" in word.strip("_") or not (word.islower() or word[1:].islower() or word.isupper())


def _with_most(segment: Segment, words: list[list[str]], least: int) -> np.ndarray:
    """Symbols whose names hold so many of some words, each in one of its forms: int64."""
    lists = [
        [_symbols_of(segment, n) for n in segment.numbers(texts) if n >= 0] for texts in words
    ]
    lists = [own for own in lists if own]
    if not lists or len(lists) < least or least > tokens.MOST_PARTS:
        return np.zeros(0, np.int64)
    count = np.zeros(len(segment["symbol_chunk"]), np.uint8)
    for own in lists:
        # each symbol once, whichever forms its name has
        has = np.zeros(len(count), bool)
        for symbols in own:
            has[symbols] = True
        count += has
    return np.flatnonzero(count >= least)


def _called(segment: Segment, term: int) -> np.ndarray:
    """Symbols of which a term is the whole name, without case and underscores."""
    symbols = _symbols_of(segment, term)
    called: np.ndarray = symbols[segment["symbol_term"][symbols] == term]
    return called


def _symbols_of(segment: Segment, term: int) -> np.ndarray:
    start, end = (int(i) for i in segment["name_ends"][term : term + 2])
    return segment["name_symbol"][start:end]


def is_held(view: View, parts: Sequence[str]) -> bool:
    """Whether a definition's name has all of some words."""
    return any(
        _living(segment, live, _with_most(segment, [[part] for part in parts], len(parts))).any()
        for segment, live in zip(view.segments, view.live_files, strict=True)
    )


def is_begun(view: View, folded: str) -> bool:
    """Whether a definition's name, or a word of one, begins so."""
    return any(
        _living(segment, live, _symbols_of(segment, number)).any()
        for segment, live in zip(view.segments, view.live_files, strict=True)
        for number in segment.prefixed(folded)[:_MOST_PREFIXED]
    )


def spelt(view: View, folded: str) -> str:
    """How the first definition of a name without case and underscores spells it; "": none."""
    found = []
    for segment, live in zip(view.segments, view.live_files, strict=True):
        number = segment.term(folded)
        if number >= 0:
            symbols = _called(segment, number)
            named = symbols[_living(segment, live, symbols)][:1].tolist()
            found += [(*_place((segment, one)), segment.name(one)) for one in named]
    return min(found)[-1] if found else ""


def _living(segment: Segment, live: np.ndarray, symbols: np.ndarray) -> np.ndarray:
    found: np.ndarray = live[segment["symbol_file"][symbols]]
    return found


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
