"""Which files of a tree to read first, before there is an index: by their words and their paths.

git says which words of a query each file has, and how often. Files are ranked by BM25 over these
counts, which uses the words of the whole tree; the words of paths and the kinds of files count as
they do in the ranking of results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from gitsearch.extract import path_kinds
from gitsearch.extract.languages import content_of, hint
from gitsearch.features import identifiers
from gitsearch.features.ragged import offsets
from gitsearch.index.view import RestTerm
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import DEFAULT, Ranking
from gitsearch.retrieval.query import Query, inflected
from gitsearch.retrieval.rerank import noise_constants
from gitsearch.retrieval.spelling import is_slip

# Words from this length on are sought by their stem, in any form; shorter ones as they are.
_MIN_STEM = 4

# The most words that are sought: a query of 200 words is about its first ones.
_MOST_WORDS = 24

# Places in a tree, as a sample of its files tells, in which words are looked for: more words are
# left out, the most frequent ones. They tell the least, and cost the most.
_MOST_PLACES = 150_000

# The most words of a query that may be slips: one in which more are missing is not mistyped.
_MOST_SLIPS = 8

# What an occurrence of a longer name counts that begins with the one that is sought.
_LONGER = 0.2

# How much the length of a file counts in BM25, and the power of its size by which its score is
# divided, for what a large file costs is taken from others (docs/ranking.md).
_LENGTH = 1.0
_SIZE = 0.1
_LEAST_SIZE = 2000

# Weight of a word in the name of a file, and in its folders; they saturate as 1 / (1 + weight).
_IN_NAME = 2.0
_IN_FOLDERS = 1.0

# The kinds of so many files are looked at, those with the best scores.
_LOOKED_AT = 4096


class Word(NamedTuple):
    """A word that is sought: as a term of the index, the parts of it, and its other forms.

    whole: it is a name that stands for the whole query; near: words that it may be a slip for are
    sought in its place.
    """

    text: str
    parts: tuple[str, ...]
    forms: frozenset[str]
    whole: bool = False
    near: bool = False


class Files(Protocol):
    """The files of a tree by their numbers."""

    @property
    def paths(self) -> Sequence[bytes]:
        """The paths of all files."""

    def sizes(self, numbers: Sequence[int], /) -> np.ndarray:
        """Return sizes of files, int64, in bytes; -1 of those that cannot be read."""


class Found(NamedTuple):
    """A word in a text that git found: which, how much it counts, and as which term."""

    word: int
    weight: float
    term: str


def names(query: Query) -> list[Word]:
    """Return the names that a query consists of, to be found whole; none of a question."""
    if not query.symbol:
        return []
    return [
        Word(identifiers.compound(name), parts, frozenset(), whole=True)
        for name in query.words
        if (parts := tuple(identifiers.parts(name)))
    ]


def words(query: Query) -> list[Word]:
    """Return the words of a query, and the names in it of several parts."""
    found: dict[str, Word] = {}
    for name in query.words:
        parts = identifiers.parts(name)
        for part in parts:
            found.setdefault(part, Word(part, (part,), frozenset(inflected(part))))
        if len(parts) > 1:
            compound = identifiers.compound(name)
            found.setdefault(compound, Word(compound, tuple(parts), frozenset()))
    return list(found.values())[:_MOST_WORDS]


def missing(counts: WordCounts) -> list[Word]:
    """Return the words that no file has, to be sought as slips; none if there are many."""
    lacking = [
        word
        for number, word in enumerate(counts.sought)
        if len(word.parts) == 1 and not word.whole and not counts.any_of(number)
    ]
    slips = [word for word in lacking if _may_be_slip(word.text)]
    return [word._replace(near=True) for word in slips] if len(lacking) <= _MOST_SLIPS else []


def _may_be_slip(text: str) -> bool:
    return len(text) >= _MIN_STEM and text.isascii() and text.isalpha()


# ---------------------------------------------------------------- what git looks for


def pattern(sought: Iterable[Word], *, perl: bool) -> str:
    """Return a regular expression that finds the words, case ignored: Perl's, or an extended one.

    What it matches is classified by `Classifier`; it may match more.
    """
    # longer ones first: the first alternative that fits is taken
    alternatives = [_alternative(word, perl=perl) for word in sorted(sought, key=_length)]
    return "|".join(dict.fromkeys(alternatives))


def _length(word: Word) -> tuple[int, str]:
    return -len(word.text), word.text


def stem(word: Word) -> str:
    """Return the text that all forms of a word begin with."""
    return min((word.text, *word.forms), key=len)


def _alternative(word: Word, *, perl: bool) -> str:
    rest = r"\w*" if perl else "[a-zA-Z0-9_]*"
    if word.near:
        # one edit leaves the first half of a word as it is, or the second one
        half = len(word.text) // 2
        return f"{word.text[:half]}{rest}|[a-zA-Z]{{1,{half + 2}}}{word.text[half + 1 :]}"
    if not word.text.isascii():
        cases = (word.text, word.text.upper(), word.text.title())
        return "|".join(dict.fromkeys(cases))
    if len(word.parts) > 1 or word.whole:
        name = "_?".join(word.parts) + rest
        return rf"(?<![A-Za-z0-9]){name}" if word.whole and perl else name
    if len(word.text) >= _MIN_STEM:
        return stem(word) + rest
    if not perl:
        return word.text
    lower, upper, title = word.text, word.text.upper(), word.text.title()
    return f"(?-i:(?<![a-z]){lower}(?![a-z])|{title}(?![a-z])|{upper}(?![A-Z]))"


def telling(
    sought: Sequence[Word], sample: Sequence[bytes], files: int
) -> tuple[list[Word], dict[str, RestTerm]]:
    """Return the rarest words, and estimates of the frequency of the others, by term.

    sample: the texts of some of so many files. At least one word is kept, and more while they
    are expected in no more than `_MOST_PLACES` places together.
    """
    scale = files / max(len(sample), 1)
    often = []
    for word in sought:
        found = _in_text(word)
        counts = [len(found.findall(text)) for text in sample]
        often.append(RestTerm(int(sum(counts) * scale), int(np.count_nonzero(counts) * scale)))
    kept: list[Word] = []
    left_out: dict[str, RestTerm] = {}
    places = 0
    for number in sorted(range(len(sought)), key=lambda number: often[number].places):
        places += often[number].places
        if kept and places > _MOST_PLACES:
            left_out[sought[number].text] = often[number]
        else:
            kept.append(sought[number])
    return kept, left_out


def _in_text(word: Word) -> re.Pattern[bytes]:
    return re.compile(_alternative(word, perl=False).encode(), re.IGNORECASE)


class Classifier:
    """Tells which words a text that git found stands for; each distinct text is looked at once."""

    def __init__(self, sought: Sequence[Word], ranking: Ranking = DEFAULT) -> None:
        self._sought = sought
        self._form = ranking.form

    def __call__(self, text: bytes) -> list[Found]:
        """Return the words in a text."""
        written = identifiers.identifiers(text.decode("utf-8", "replace"))
        if not written:
            return []
        each = enumerate(self._sought)
        founds = (self._found(number, word, written[-1]) for number, word in each)
        return [found for found in founds if found]

    def _found(self, number: int, word: Word, name: str) -> Found | None:
        compound, parts = identifiers.compound(name), identifiers.parts(name)
        if word.near:
            meant = next((part for part in parts if is_slip(word.text, part)), None)
            return Found(number, 1.0, meant) if meant else None
        if len(word.parts) > 1 or word.whole:
            if compound == word.text:
                return Found(number, 1.0, word.text)
            longer = compound.startswith(word.text)
            return Found(number, _LONGER, "") if longer else None
        if word.text in parts:
            return Found(number, 1.0, word.text)
        if not word.text.isascii():
            return Found(number, 1.0, word.text) if word.text in compound else None
        form = next((part for part in parts if part in word.forms), None)
        return Found(number, self._form, form) if form else None


# ---------------------------------------------------------------- ranking


@dataclass
class WordCounts:
    """Texts that git found in the files of a tree.

    files, texts: int64, one of each for each place: the number of the file, and of the text among
    the distinct ones; found: of each distinct text the words that it stands for. left_out: words
    that are too frequent to be looked for, with estimates of how often they occur.
    """

    sought: Sequence[Word]
    files: np.ndarray
    texts: np.ndarray
    found: list[list[Found]]
    left_out: dict[str, RestTerm]

    def with_slips(self, other: WordCounts) -> WordCounts:
        """Return these counts and those of other words."""
        first, texts = len(self.sought), len(self.found)
        shifted = [[one._replace(word=one.word + first) for one in own] for own in other.found]
        return WordCounts(
            [*self.sought, *other.sought],
            np.concatenate([self.files, other.files]),
            np.concatenate([self.texts, other.texts + texts]),
            [*self.found, *shifted],
            self.left_out,
        )

    def any_of(self, number: int) -> bool:
        """Return True if some file has a word."""
        return any(one.word == number for founds in self.found for one in founds)

    def of_word(self, number: int, files: int) -> np.ndarray:
        """Return how often each file has a word and its forms, weighted: float64 (files,)."""
        weights = np.zeros(len(self.found))
        for text, founds in enumerate(self.found):
            for one in founds:
                if one.word == number:
                    weights[text] = max(weights[text], one.weight)
        return np.bincount(self.files, weights[self.texts], files)

    def terms(self, read: np.ndarray) -> dict[str, RestTerm]:
        """Return how many places and files have each term, of those that are not `read`.

        read: bool (files,). The terms are the words and forms as they are written in the tree.
        """
        out = dict(self.left_out)
        rest = ~read[self.files]
        texts, files = self.texts[rest], self.files[rest]
        for term, numbers in self._texts_of.items():
            of_term = np.zeros(len(self.found), bool)
            of_term[numbers] = True
            places = of_term[texts]
            out[term] = RestTerm(int(places.sum()), len(np.unique(files[places])))
        return out

    @cached_property
    def _texts_of(self) -> dict[str, list[int]]:
        texts: dict[str, list[int]] = {}
        for number, founds in enumerate(self.found):
            for one in founds:
                if one.term:
                    texts.setdefault(one.term, []).append(number)
        return texts


def ranked(
    query: Query,
    files: Files,
    sought: Sequence[Word],
    counts: WordCounts,
    ranking: Ranking = DEFAULT,
) -> list[int]:
    """Return the numbers of the files that may answer a query, the best first.

    Files with none of its words are left out, and those that cannot be read. sought: the words
    that may be in paths.
    """
    total = len(files.paths)
    text = _PathText(files.paths)
    often = [counts.of_word(number, total) for number in range(len(counts.sought))]
    named = [text.weights(word) for word in sought]
    rarity, path_rarity = (
        [idf(total, int(np.count_nonzero(column))) for column in columns]
        for columns in (often, named)
    )
    by_path = _mean([column / (column + 1) for column in named], path_rarity, total)
    # sizes cost time: those of the best are asked for, by the score of a file of mean size
    score = by_path + _mean([_saturated(column, 1.0, ranking) for column in often], rarity, total)
    best = np.argsort(-score, kind="stable")[:_LOOKED_AT]
    best = best[score[best] > 0]
    sizes = files.sizes(best.tolist())
    best, sizes = best[sizes >= 0], sizes[sizes >= 0]
    length = sizes / max(float(sizes.mean()), 1.0) if len(sizes) else sizes
    relative = 1 - _LENGTH + _LENGTH * length
    by_words = [_saturated(column[best], relative, ranking) for column in often]
    score = by_path[best] + _mean(by_words, rarity, len(best))
    score /= np.maximum(sizes, _LEAST_SIZE) ** _SIZE
    score *= [_noise(query, files.paths[file], ranking) for file in best.tolist()]
    order: list[int] = best[np.argsort(-score, kind="stable")].tolist()
    return order


def _mean(columns: Sequence[np.ndarray], weights: Sequence[float], size: int) -> np.ndarray:
    """The weighted mean of columns: float64 (size,)."""
    total = np.zeros(size)
    for column, weight in zip(columns, weights, strict=True):
        total += weight * column
    return total / max(sum(weights), 1e-9)


def _saturated(often: np.ndarray, length: np.ndarray | float, ranking: Ranking) -> np.ndarray:
    """Saturated term frequency of BM25; `length` is relative to the mean length."""
    values: np.ndarray = often * (ranking.k1 + 1) / (often + ranking.k1 * length + 1e-9)
    return values


def _noise(query: Query, path: bytes, ranking: Ranking) -> float:
    kinds = path_kinds.noise(path)
    if kinds & path_kinds.GENERATED:
        return 0.0
    language = hint(path)
    ambiguous = language.startswith("?")
    content = "code" if ambiguous and len(language) > 1 else content_of(language)
    factor = 1.0
    for name in noise_constants(query, path, kinds, "" if ambiguous else language, content):
        factor *= getattr(ranking, name)
    return factor


class _PathText:
    """The paths of a tree as one text, in which words are found."""

    def __init__(self, paths: Sequence[bytes]) -> None:
        self._text = b"\n".join(paths).lower()
        self._starts = offsets([len(path) + 1 for path in paths])
        self._names = np.asarray([path.rfind(b"/") for path in paths], np.int64)

    def weights(self, word: Word) -> np.ndarray:
        """Return what a word in each path counts: float64 (files,)."""
        out = np.zeros(len(self._names))
        places = _in_path(word).finditer(self._text)
        at = np.asarray([place.start() for place in places], np.int64)
        file = np.searchsorted(self._starts, at, side="right") - 1
        in_name = at - self._starts[file] > self._names[file]
        out[file[~in_name]] = _IN_FOLDERS
        out[file[in_name]] += _IN_NAME
        return np.minimum(out, _IN_NAME + _IN_FOLDERS)


def _in_path(word: Word) -> re.Pattern[bytes]:
    if len(word.parts) > 1:
        return re.compile(b"[_-]?".join(re.escape(part.encode()) for part in word.parts))
    text = re.escape(stem(word).encode())
    whole = len(word.text) >= _MIN_STEM
    return re.compile(text if whole else b"(?<![a-z])" + text + b"(?![a-z])")
