"""The symbol leg: definitions that the query names: whole, qualified, in part or by a prefix."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from gitsearch.features import identifiers
from gitsearch.features.ragged import contained, offsets, unique
from gitsearch.index.view import Segment, View
from gitsearch.retrieval.query import Query, inflected

# Levels of a match between a name and the query, the best first; the fraction above a level ranks
# by the kind of the definition, or by the share of the name that is covered.
EXACT_QUALIFIED = 4.0
EXACT = 3.0
PREFIX = 2.0
WORDS = 1.0

# The most that the share of covered words adds to a level, below the next level.
_MAX_WORDS_SHARE = 0.999

# Prior weights of kinds, for when several definitions have the name.
_KINDS = {
    **dict.fromkeys(("class", "struct", "interface", "trait", "enum", "type", "module"), 0.9),
    **dict.fromkeys(("function", "method", "macro", "namespace"), 0.7),
    "constructor": 0.5,
}
_NESTED = 0.1
# Added if a name has the case that was typed: less than the difference between kinds.
_EXACT_CASE = 0.09

# The least share of a name that the words of a question must cover: for a question of one word,
# and for others.
_MIN_COVERAGE_ONE = 0.75
_MIN_COVERAGE = 0.5

# Weight of a word of a name of which the query has an inflected form.
_FORM_WEIGHT = 0.9

# Stands for the position in the query of a stop word.
_STOP = -1

# The most words of a query that may together be one name, and the least number of which one may be
# missing from it.
_MAX_WORDS = 8
_MIN_WORDS_SPARE = 3

# Separators of qualified names: Foo::bar, foo.bar, Foo#bar, foo->bar; Foo::operator-> ends in none
_SEPARATORS = re.compile(r"::|->(?=.)|[.#/]")

# Stems of files that stand for their folder.
_PACKAGES = frozenset({"__init__", "index", "mod"})

# Bytes beside the name on its line, at least: `def `, or a bracket, a blank and the line feed.
_MIN_LINE_BYTES = 4

# Symbols of a more frequent term are candidates only together with rarer terms.
_MAX_SYMBOLS = 20000
_MAX_PREFIXED = 64


class NamedDefinition(NamedTuple):
    """The score of a definition for a query, and its symbol number in its segment."""

    score: float
    symbol: int


class NameLevels(NamedTuple):
    """What the choice of matches takes from all chunks that are ranked together.

    whole: a name has all words of the query that it must have; exact, exact_in_part: there is an
    exact match, with all of these words or with one missing.
    """

    whole: bool
    exact: bool
    exact_in_part: bool

    @classmethod
    def joined(cls, parts: Sequence[NameLevels]) -> NameLevels:
        """Return those of several sets of chunks together."""
        return cls(*(any(own) for own in zip(*parts, strict=True)))


NO_NAMES = NameLevels(whole=False, exact=False, exact_in_part=False)


class NameMatches:
    """The definitions of a view that a query names, in chunks that `mask` allows."""

    def __init__(self, view: View, query: Query, mask: np.ndarray) -> None:
        self._view = view
        self._query = query
        self._mask = mask
        self._whole = _scored(view, _NameMatcher(query), mask)

    @cached_property
    def _in_part(self) -> dict[int, NamedDefinition]:
        """Those of which a word of a question may be missing."""
        if self._query.symbol:
            return {}
        return _scored(self._view, _NameMatcher(self._query, spare=1), self._mask)

    @property
    def levels(self) -> NameLevels:
        """Those of these matches; in part only if no match has all words."""
        if self._whole:
            return NameLevels(whole=True, exact=_any_exact(self._whole), exact_in_part=False)
        return NameLevels(whole=False, exact=False, exact_in_part=_any_exact(self._in_part))

    def scores(self, levels: NameLevels) -> dict[int, NamedDefinition]:
        """Return the best named definition of each chunk row, by row."""
        named = self._whole if levels.whole else self._in_part
        exact = levels.exact if levels.whole else levels.exact_in_part
        if len(self._query.words) == 1 and exact:
            # a query that is a whole name does not mean others with an inflected form of it
            return {
                row: best
                for row, best in named.items()
                if self._query.symbol or best.score >= EXACT
            }
        return named


def _any_exact(named: dict[int, NamedDefinition]) -> bool:
    return any(best.score >= EXACT for best in named.values())


def _scored(view: View, matcher: _NameMatcher, mask: np.ndarray) -> dict[int, NamedDefinition]:
    best: dict[int, NamedDefinition] = {}
    found = zip(view.segments, matcher.candidates(view), view.starts.tolist(), strict=False)
    for segment, symbols, start in found:
        if not len(symbols):
            continue
        rows = _chunks(segment, symbols) + start
        symbols, rows = symbols[mask[rows]], rows[mask[rows]]
        candidates = zip(symbols.tolist(), rows.tolist(), _texts(segment, symbols), strict=True)
        for symbol, row, name in candidates:
            score = matcher.score(segment, symbol, name)
            if score > 0 and (row not in best or score > best[row].score):
                best[row] = NamedDefinition(score, symbol)
    return best


def _chunks(segment: Segment, symbols: np.ndarray) -> np.ndarray:
    """The chunk with the name of each symbol: int64.

    That is the next chunk if the decorators of a definition end the one in which it starts: if the
    part of it in that chunk is too short for its name.
    """
    rows = segment["symbol_chunk"][symbols].astype(np.int64)
    further = np.minimum(rows + 1, segment.chunks - 1)
    starts, ends, sizes, files = (
        segment[f"symbol_{what}"][symbols].astype(np.int64)
        for what in ("start", "body", "name_size", "file")
    )
    cut = segment["chunk_start"][further].astype(np.int64)
    short = (starts < cut) & (cut < np.minimum(starts + sizes + _MIN_LINE_BYTES, ends))
    shown: np.ndarray = np.where(short & (segment["chunk_file"][further] == files), further, rows)
    return shown


def _texts(segment: Segment, symbols: np.ndarray) -> list[bytes]:
    text = segment["symbol_text"].data
    ends = segment["symbol_ends"][symbols + 1].astype(np.int64)
    starts = ends - segment["symbol_name_size"][symbols]
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return [text[start:end].tobytes() for start, end in spans]


class _NameMatcher:
    """Scores names against a query.

    spare: how many words of a question, if there are enough, may be missing from a name.
    """

    def __init__(self, query: Query, spare: int = 0) -> None:
        self._symbol = query.symbol
        words = [word for word in query.words if identifiers.parts(word)]
        # the whole query may be one name, its words in any order; in prose a word may be one
        self._parts = list(dict.fromkeys(identifiers.parts_of(words)))
        self._folded = [identifiers.compound(word) for word in words]
        self._whole = "".join(self._folded)
        # a name may contain stop words of a question: is_remote, sort_by
        self._wholes = {self._whole, "".join(query.parts)}
        self._names = {
            identifiers.compound(word) for word in words if looks_like_name(word, query)
        }
        if query.symbol and len(words) > 1:
            # of Foo::bar the name is bar; Foo is a candidate at a lower level
            self._names = {self._folded[-1]}
        self._scope = set(self._folded[:-1]) if query.symbol else set()
        # valid? is the name as it was typed, of which valid is the word
        typed = (*words, *query.text.split())
        self._typed = {word.encode("utf-8", "surrogateescape") for word in typed}
        # word of a name -> (position of the query's word that it matches, weight)
        self._weights = {part: (i, 1.0) for i, part in enumerate(self._parts)}
        self._forms: list[list[str]] = [[part] for part in self._parts]
        if not query.symbol and len(self._parts) <= _MAX_WORDS:
            for i, part in enumerate(self._parts):
                # the plural also of words that are short or end like a form: ids, errors
                self._forms[i] += [*inflected(part), part.removesuffix("s"), part + "s"]
                for form in self._forms[i]:
                    self._weights.setdefault(form, (i, _FORM_WEIGHT))
        for part in query.parts:
            self._weights.setdefault(part, (_STOP, 1.0))
        many = _MIN_WORDS_SPARE <= len(self._parts) <= _MAX_WORDS
        self._least = len(self._parts) - (spare if many else 0)

        # many symbols have the same name
        self._level = cache(self._level_of)

    def candidates(self, view: View) -> list[np.ndarray]:
        """Symbols of each segment that may match: int64, ascending.

        They have the words of the query, or a name that it is or begins.
        """
        names = sorted((self._names | self._wholes | self._scope) - {""})
        numbers = view.numbers(names).T.tolist()
        by_words = _with_words(view, self._forms, self._least)
        return [
            self._of_segment(segment, own, names, known)
            for segment, own, known in zip(view.segments, by_words, numbers, strict=True)
        ]

    def _of_segment(
        self, segment: Segment, by_words: np.ndarray, names: list[str], numbers: list[int]
    ) -> np.ndarray:
        symbols = [by_words] if len(by_words) <= _MAX_SYMBOLS else []
        for name, number in zip(names, numbers, strict=True):
            terms = segment.prefixed(name) if self._symbol else [number]
            symbols += [
                _named(segment, term)[:_MAX_SYMBOLS] for term in terms[:_MAX_PREFIXED] if term >= 0
            ]
        symbols = [own for own in symbols if len(own)]
        return unique(np.concatenate(symbols).astype(np.int64)) if symbols else by_words[:0]

    def score(self, segment: Segment, symbol: int, name: bytes) -> float:
        """Score of a symbol with this name: a level and a fraction, or 0 for no match."""
        level = self._level(name)
        if level < EXACT:
            return level
        chain = segment.qualified(symbol)
        weight = _KINDS.get(segment.kind(symbol), 0.2) - min(_NESTED * chain.count("."), 0.2)
        if level == EXACT_QUALIFIED and not identifiers.compound(chain.replace(".", "")).endswith(
            self._whole
        ):
            level = WORDS
        return level + weight + (_EXACT_CASE if name in self._typed else 0.0)

    def _level_of(self, text: bytes) -> float:
        """Score of a name, whatever symbols have it; of a whole name the level alone."""
        name = text.decode("utf-8", "replace")
        # without what is no letter: valid?, save!, my-name
        folded = identifiers.compound("".join(identifiers.identifiers(name)))
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
        """Score of a name by those of its words that the query has, in any order and form."""
        pieces = identifiers.parts(name)
        matched = [self._weights[piece] for piece in pieces if piece in self._weights]
        words = len({i for i, _ in matched} - {_STOP})
        share = sum(weight for _, weight in matched) / max(len(pieces), 1)
        if words < self._least or not pieces:
            return 0.0
        if not self._symbol:
            least = _MIN_COVERAGE_ONE if len(self._parts) == 1 else _MIN_COVERAGE
            # a word of the query may be missing only if the others cover the name exactly
            if share < least or (words < len(self._parts) and share < 1):
                return 0.0
        return WORDS + share * words / len(self._parts) * _MAX_WORDS_SHARE


def looks_like_name(word: str, query: Query) -> bool:
    """Return True if a word of a query has the form of an identifier; always in a symbol query."""
    if query.symbol or len(query.words) == 1:
        return True
    return "_" in word.strip("_") or not (word.islower() or word[1:].islower() or word.isupper())


def _with_words(view: View, words: list[list[str]], least: int) -> list[np.ndarray]:
    """Symbols of each segment whose names have at least `least` of some words: int64, ascending.

    words: the forms of each.
    """
    forms = [form for own in words for form in own]
    found = [np.zeros(0, np.int64)] * len(view.segments)
    if not forms or least > identifiers.MOST_PARTS:
        return found
    first = offsets([len(own) for own in words])
    for i, (segment, numbers) in enumerate(zip(view.segments, view.numbers(forms).T, strict=True)):
        name_ends = segment["name_ends"]
        starts = name_ends[numbers].astype(np.int64)
        ends = np.where(numbers >= 0, name_ends[numbers + 1], starts)
        # how many names have a form of each word
        sizes = np.add.reduceat(ends - starts, first[:-1])
        rarest_first = np.argsort(sizes, kind="stable")[np.count_nonzero(sizes == 0) :]
        if len(rarest_first) >= least:
            spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
            words_of = (spans[first[word] : first[word + 1]] for word in rarest_first.tolist())
            found[i] = _in_several(segment["name_symbol"], words_of, len(rarest_first), least)
    return found


def _in_several(
    symbols_of: np.ndarray, words: Iterator[list[tuple[int, int]]], count: int, least: int
) -> np.ndarray:
    """Symbols with at least `least` of `count` words: int64, ascending.

    symbols_of: symbols by term; words: where in it those with each form of a word are, the word
    with the fewest first.
    """
    # a name without any of the rarest words has too few of all
    rarest = [
        [symbols_of[start:end] for start, end in forms if start < end]
        for forms in islice(words, count - least + 1)
    ]
    symbols = unique(np.concatenate([form for forms in rarest for form in forms]).astype(np.int64))
    # each word is counted once, whichever forms a name has
    having = np.ones(len(symbols), np.uint8) if len(rarest) == 1 else _counts(symbols, rarest)
    for left, forms in zip(range(least - 2, -1, -1), words, strict=True):
        having += _has_any(symbols, [symbols_of[start:end] for start, end in forms])
        kept = having + left >= least
        symbols, having = symbols[kept], having[kept]
        if not len(symbols):
            break
    return symbols[having >= least]


def _counts(symbols: np.ndarray, words: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    counts = np.zeros(len(symbols), np.uint8)
    for forms in words:
        counts += _has_any(symbols, forms)
    return counts


def _has_any(symbols: np.ndarray, forms: Sequence[np.ndarray]) -> np.ndarray:
    has = np.zeros(len(symbols), bool)
    for form in forms:
        if len(form):
            has |= contained(symbols, form)
    return has


def _named(segment: Segment, term: int) -> np.ndarray:
    """Symbols of which a term is the whole name, without case and underscores."""
    symbols = _symbols_of(segment, term)
    named: np.ndarray = symbols[segment["symbol_term"][symbols] == term]
    return named


def _symbols_of(segment: Segment, term: int) -> np.ndarray:
    """Symbols whose name contains a term."""
    start, end = segment["name_ends"][term : term + 2].tolist()
    return segment["name_symbol"][start:end]


def is_contained(view: View, parts: Sequence[str]) -> bool:
    """Return True if the name of a live definition has all of some words."""
    having = _with_words(view, [[part] for part in parts], len(parts))
    return any(
        live[segment["symbol_file"][symbols]].any()
        for symbols, (segment, live) in zip(having, view.live_segments, strict=True)
    )


def is_prefix(view: View, folded: str) -> bool:
    """Return True if the name of a live definition, or a word of one, has this prefix."""
    return any(
        live[segment["symbol_file"][_symbols_of(segment, number)]].any()
        for segment, live in view.live_segments
        for number in segment.prefixed(folded)[:_MAX_PREFIXED]
    )


class Spelling(NamedTuple):
    """How a definition spells its name, after where it is: the first one is the least.

    repository: the number of the tree in its view.
    """

    path: bytes
    start: int
    repository: int
    name: str


def spelling(view: View, folded: str) -> Spelling | None:
    """Return the spelling of a folded name in its first live definition, by path; None if none."""
    found: list[Spelling] = []
    for i, (segment, live) in enumerate(view.live_segments):
        number = segment.term(folded)
        symbols = _named(segment, number) if number >= 0 else np.zeros(0, np.int64)
        of_live_files = symbols[live[segment["symbol_file"][symbols]]]
        for symbol in of_live_files[:1].tolist():
            repository = view.repositories[i] if view.repositories else 0
            place = _path_and_start((segment, symbol))
            found.append(Spelling(*place, repository, segment.name(symbol)))
    return min(found, default=None)


def defined(view: View, name: str) -> list[tuple[Segment, int]]:
    """Return live symbols with this name, qualified or not, sorted by path and line.

    These are exact matches; if there are none, those that differ in case or underscores; if there
    are none either, those in a file of that name (`package.module.function`), or at last at the
    top of a file in a folder of that name, which may hand them on (`package.function`).
    """
    wanted = name_parts(name)
    compounds = list(map(identifiers.compound, wanted))
    exact, folded, in_module, in_package = [], [], [], []
    for segment, live in view.live_segments:
        for symbol in _maybe_named(segment, name):
            if not live[int(segment["symbol_file"][symbol])]:
                continue
            own = chain(segment.qualified(symbol), segment.name(symbol))
            last = own[-len(wanted) :]
            if is_spelt(own, name):
                exact.append((segment, symbol))
            elif list(map(identifiers.compound, last)) == compounds:
                folded.append((segment, symbol))
            elif [*(module := _module(segment, symbol)), *own][-len(wanted) :] == wanted:
                in_module.append((segment, symbol))
            elif [*module[:-1], *own][-len(wanted) :] == wanted:
                in_package.append((segment, symbol))
    return sorted(exact or folded or in_module or in_package, key=_path_and_start)


def name_parts(name: str) -> list[str]:
    """Return the parts of a qualified name: Foo::bar, foo.bar, Foo#bar, foo->bar.

    What has separators alone, such as the operator `.`, is a part.
    """
    return [part for part in _SEPARATORS.split(name) if part] or [name]


def chain(qualified: str, name: str) -> list[str]:
    """Return the parts of a definition's qualified name, the last of which is its name."""
    scope = qualified.removesuffix(name).removesuffix(".")
    return [*scope.split("."), name] if scope else [name]


def is_spelt(own: Sequence[str], name: str) -> bool:
    """Return True if a definition with this chain of names has a name, qualified or not."""
    wanted = name_parts(name)
    # a separator may be part of the name itself: r#type, <.>
    return own[-len(wanted) :] == wanted or own[-1] == name


def _maybe_named(segment: Segment, name: str) -> list[int]:
    """Symbols whose own name is a name, or the last part of it, in any case."""
    last = name_parts(name)[-1]
    if term := identifiers.compound(identifiers.longest(last)):
        number = segment.term(term)
        symbols = _symbols_of(segment, number) if number >= 0 else np.zeros(0, np.int64)
    else:
        wordless = np.ones(len(segment["symbol_file"]), bool)
        wordless[segment["name_symbol"]] = False
        symbols = np.flatnonzero(wordless)
    folded = {identifiers.compound(name), identifiers.compound(last)}
    texts = _texts(segment, symbols)
    spellings = {text: identifiers.compound(text.decode("utf-8", "replace")) for text in texts}
    return [
        symbol
        for symbol, text in zip(symbols.tolist(), texts, strict=True)
        if spellings[text] in folded
    ]


def _module(segment: Segment, symbol: int) -> list[str]:
    """Folders and stem of a symbol's file; a package is its folder."""
    *folders, name = os.fsdecode(_path_and_start((segment, symbol))[0]).split("/")
    stem = name.partition(".")[0]
    return folders if stem in _PACKAGES else [*folders, stem]


def _path_and_start(location: tuple[Segment, int]) -> tuple[bytes, int]:
    segment, symbol = location
    return segment.path(int(segment["symbol_file"][symbol])), int(segment["symbol_start"][symbol])
