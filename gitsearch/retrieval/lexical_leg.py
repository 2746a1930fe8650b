"""The lexical leg: exact BM25 over the chunks of all segments of a view, and over whole files.

Document frequencies, and the number and mean length of chunks, are those of the searched tree,
whatever the filters. All sums are of integers or in the order of the query's terms, so that scores
do not depend on the split of a view into segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from gitsearch.features.near_words import near
from gitsearch.features.ragged import contained, gather, unique
from gitsearch.index.view import Occurrences, Rest, View
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.fusion import highest
from gitsearch.retrieval.query import inflected

# Where a term occurs: parts that have no row in common.
_Postings = list[Occurrences]

# A term, a form of it or a word near to it: its weight and its text; and with its postings.
_Text = tuple[float, str]
_Variant = tuple[float, str, _Postings]

# Words that more than one of so many rows have are looked at last, if at all.
_COMMON = 8

# Rows that are scored without an upper bound, and times as many rows as are wanted that are
# scored by one.
_FEW = 1 << 15
_HIGH = 20

# Of so many times as many values each is not looked at, but searched for.
_SEARCHED = 32

# Of so many rows one is in a sample that tells how much the best gain, in runs of so many that lie
# side by side in memory; so many more of the sample are taken than should be enough.
_EVERY = 64
_RUN = 16
_MORE = 64

# More than bounds in single precision and scores can differ, as a factor.
_ROUNDING = 1 + 1e-5


class TermStatistics(NamedTuple):
    """What BM25 takes from all chunks that are ranked together.

    chunks, length: their number and how many terms they have together; files: those with terms;
    frequency: the number of chunks with each term of the query, or form of one; rest: what is
    known of files that are read later.
    """

    chunks: int
    length: int
    files: int
    frequency: Mapping[str, int]
    rest: Rest

    @classmethod
    def joined(cls, parts: Sequence[TermStatistics]) -> TermStatistics:
        """Return those of several sets of chunks together."""
        frequency: dict[str, int] = {}
        for part in parts:
            for text, count in part.frequency.items():
                frequency[text] = frequency.get(text, 0) + count
        return cls(
            sum(part.chunks for part in parts),
            sum(part.length for part in parts),
            sum(part.files for part in parts),
            frequency,
            Rest.joined([part.rest for part in parts]),
        )

    def rarity(self, weight: float, text: str) -> float:
        """Return the weighted inverse document frequency of a text."""
        chunks = self.frequency[text] + self.rest.term(text).places
        return weight * idf(max(self.chunks + self.rest.chunks, chunks), chunks)

    def occurring(self, variants: Sequence[Sequence[_Text]]) -> list[list[_Text]]:
        """Return the variants of each term that occur: most generated forms are no words."""
        return [[one for one in own if self.frequency.get(one[1])] for own in variants]

    def known(self, variants: Sequence[Sequence[_Text]]) -> float:
        """Return the share of the terms, by their rarity, of which any variant occurs."""
        terms = self.occurring(variants)
        there = sum(max(self.rarity(*one) for one in own) for own in terms if own)
        absent = sum(not own for own in terms) * idf(self.chunks + self.rest.chunks, 0)
        return there / max(there + absent, 1e-12)


class FileCounts(NamedTuple):
    """The terms of a query in files: their frequencies, and the lengths of the files in terms.

    times: float64 (terms, files); lengths: int64 (files,); containing: how many files of all have
    each term, not only of these.
    """

    times: np.ndarray
    lengths: np.ndarray
    containing: tuple[int, ...]


def forms_of(terms: Sequence[str], ranking: Ranking, *, expanded: bool) -> list[list[_Text]]:
    """Return each term with its weight, and, if `expanded`, its inflected forms with theirs."""
    variants: list[list[_Text]] = []
    for term in terms:
        forms = inflected(term) if expanded and ranking.form else []
        others = ((ranking.form, form) for form in forms if form not in terms)
        variants.append([(1.0, term), *others])
    return variants


def variants_of(terms: Sequence[str], ranking: Ranking, *, expanded: bool) -> list[list[_Text]]:
    """Return each term with its forms, and, if `expanded`, the words near to it."""
    variants = forms_of(terms, ranking, expanded=expanded)
    if expanded and ranking.near:
        for own in variants:
            others = [word for word in near(own[0][1]) if word not in terms]
            own += [(ranking.near, word) for word in others]
    return variants


def file_scores(
    counts: FileCounts,
    variants: Sequence[Sequence[_Text]],
    total: TermStatistics,
    ranking: Ranking,
) -> np.ndarray:
    """BM25 of files, each as one document: float64 (files,)."""
    relative = counts.lengths * (total.files / max(total.length, 1))
    out = np.zeros(len(counts.lengths))
    each = zip(total.occurring(variants), counts.times, counts.containing, strict=True)
    for own, times, containing in each:
        among = np.flatnonzero(times)
        gained = _saturated(times[among], relative[among], ranking)
        # files with several forms of a word count once here, more often among the rest
        elsewhere = max((total.rest.term(text).files for _, text in own), default=0)
        out[among] += idf(total.files + total.rest.files, containing + elsewhere) * gained
    return out


def scores(view: View, terms: Sequence[str], ranking: Ranking) -> np.ndarray:
    """BM25 of every row: float64 (rows,), 0 where no term occurs or the row is not live."""
    return QueryTerms(view, terms, ranking).chunks()


class QueryTerms:
    """The terms of a query with their postings in a view, which are read once.

    expanded: inflected forms of a term count too, at the weight `Ranking.form`, and words near to
    it, at `Ranking.near`. Statistics are those of the view unless `use` gives others.
    """

    def __init__(
        self, view: View, terms: Sequence[str], ranking: Ranking, *, expanded: bool = False
    ) -> None:
        self._view = view
        self._ranking = ranking
        self._variants = variants_of(terms, ranking, expanded=expanded)
        self._forms = forms_of(terms, ranking, expanded=expanded)
        texts = [text for own in self._variants for _, text in own]
        self._postings = dict(zip(texts, view.occurrences(texts), strict=True))
        self.use(
            TermStatistics(
                view.count,
                view.total_length,
                view.nonempty_files,
                {text: _frequency(own) for text, own in self._postings.items()},
                view.rest,
            )
        )

    @property
    def statistics(self) -> TermStatistics:
        """The statistics that scores are computed with."""
        return self._total

    @property
    def known(self) -> float:
        """The share of the terms, by their rarity, that occur anywhere."""
        return self._total.known(self._forms)

    def use(self, total: TermStatistics) -> None:
        """Compute scores with these statistics from now on."""
        self._total = total
        # of each term itself and its variants, near words last: weight, text, where it occurs
        self._terms = self._occurring(self._variants)
        self._formed = self._occurring(self._forms)

    def _occurring(self, variants: list[list[_Text]]) -> list[list[_Variant]]:
        return [
            [(weight, text, self._postings[text]) for weight, text in own]
            for own in self._total.occurring(variants)
        ]

    def chunks(self) -> np.ndarray:
        """BM25 of every row, of a term and its variants the best: float64 (rows,)."""
        every = np.zeros(int(self._view.starts[-1]))
        scorer = _Scorer(self._view, self._terms, self._total, self._ranking)
        rows = scorer.having()
        every[rows] = scorer.scores(rows)
        return every

    def leaders(self, mask: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows (int64) that `mask` allows and their BM25, above 0, in order of rows.

        The `count` best of all rows are among these, with those that tie with the last of them.
        """
        scorer = _Scorer(self._view, self._terms, self._total, self._ranking)
        rows = scorer.reaching(count, mask)
        scores = scorer.scores(rows)
        best = highest(scores, count)
        return rows[best], scores[best]

    def coverage(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that a row has, or forms of them, by their rarity: float64 (rows,).

        rows: ascending. A term of which it has near words alone counts `Ranking.near_coverage`.
        """
        return self._share(self._terms, rows)

    def told(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that a row has, or forms of them: float64 (rows,).

        rows: ascending. A word near to a term does not say that the term is there.
        """
        return self._share(self._formed, rows)

    def _share(self, terms: list[list[_Variant]], rows: np.ndarray) -> np.ndarray:
        out, total = np.zeros(len(rows)), 0.0
        for variants, forms in zip(terms, self._formed, strict=True):
            rarity = max((self._total.rarity(*own[:2]) for own in variants), default=0.0)
            total += rarity
            near_it = self._ranking.near_coverage * _has(variants[len(forms) :], rows)
            out += rarity * np.where(_has(forms, rows), 1.0, near_it)
        return out / max(total, 1e-12)

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """BM25 of files, each as one document, by ascending file numbers: float64 (numbers,).

        A term and its forms are one term, whose frequency is the weighted sum of theirs.
        """
        return file_scores(self.in_files(numbers), self._forms, self._total, self._ranking)

    def in_files(self, numbers: np.ndarray) -> FileCounts:
        """Return the terms of files, by ascending file numbers."""
        found = [self._by_file(variants, numbers) for variants in self._formed]
        times = np.asarray([own for own, _ in found]).reshape(len(found), len(numbers))
        lengths = self._view.lengths_of(numbers)
        return FileCounts(times, lengths, tuple(containing for _, containing in found))

    def _by_file(self, variants: list[_Variant], numbers: np.ndarray) -> tuple[np.ndarray, int]:
        """Frequency of a term in some files: float64 (numbers,); and how many files have it."""
        view = self._view
        first, end = view.file_ends[numbers], view.file_ends[numbers + 1]
        out = np.zeros(len(numbers))
        for weight, _, parts in variants:
            for rows, times in parts:
                low, high = np.searchsorted(rows, first), np.searchsorted(rows, end)
                sizes = high - low
                which = np.repeat(np.arange(len(numbers)), sizes)
                out += np.bincount(which, weight * times[gather(low, sizes)], len(numbers))
        parts_of_all = [rows for _, _, parts in variants for rows, _ in parts]
        texts = tuple(text for _, text, _ in variants)
        return out, view.files_with.get(texts, partial(_holding, view, parts_of_all))


def _has(variants: Sequence[_Variant], rows: np.ndarray) -> np.ndarray:
    """Tell which of ascending rows have any variant: bool (rows,)."""
    has = np.zeros(len(rows), bool)
    for holding, _ in chain.from_iterable(parts for _, _, parts in variants):
        has |= contained(rows, holding)
    return has


def _holding(view: View, parts: Sequence[np.ndarray]) -> int:
    """Return how many files have any of some rows, which ascend in each part."""
    if len(parts) == 1:
        files = view.files(parts[0])
        return 1 + int(np.count_nonzero(files[1:] != files[:-1]))
    having = np.zeros(view.file_starts[-1], bool)
    for rows in parts:
        having[view.files(rows)] = True
    return int(np.count_nonzero(having))


class _Form(NamedTuple):
    """A form of a term: the number of the term, its rarity, how many rows have it, and which."""

    term: int
    rarity: float
    size: int
    parts: _Postings


def _size(form: _Form) -> int:
    return form.size


class _Scorer:
    """Scores rows by some terms, each with its forms."""

    def __init__(
        self, view: View, terms: list[list[_Variant]], total: TermStatistics, ranking: Ranking
    ) -> None:
        self._view = view
        # tf * (k1 + 1) / (tf + norm) is below k1 + 1, whatever the row
        self._most = ranking.k1 + 1
        self._terms = [
            [
                _Form(i, total.rarity(weight, text), _frequency(parts), parts)
                for weight, text, parts in own
            ]
            for i, own in enumerate(terms)
        ]
        mean = total.length / max(total.chunks, 1)
        lengths = np.arange(view.longest + 1)
        self._norms = _norms(lengths / mean, ranking) if mean else np.zeros(len(lengths))

    def having(self) -> np.ndarray:
        """Return the rows with any of the terms: int64, ascending."""
        parts = chain.from_iterable(form.parts for forms in self._terms for form in forms)
        return unique(np.concatenate([np.zeros(0, np.int64), *(rows for rows, _ in parts)]))

    def reaching(self, count: int, mask: np.ndarray) -> np.ndarray:
        """Return rows that `mask` allows, int64, ascending; the `count` best are among them.

        So are those that tie with the last of them.
        """
        forms = sorted(chain.from_iterable(self._terms), key=_size)
        if sum(form.size for form in forms) < _FEW:
            few = self.having()
            allowed_rows: np.ndarray = few[mask[few]]
            return allowed_rows
        # all occurrences are in live rows
        allowed = None if mask is self._view.live or mask.all() else mask
        gained = np.zeros(len(mask), np.float32)
        common = [form for form in forms if form.size * _COMMON >= len(mask)]
        # what a row gains by a common form of a term is added to what it gains by others
        is_exact = not common
        for term in self._terms:
            rare = sorted((form for form in term if form.size * _COMMON < len(mask)), key=_size)
            self._add(rare, gained, allowed)
        while True:
            high, beyond = _above(gained, _HIGH * count)
            of_high = gained[high]
            best = highest(of_high, count)
            values = of_high[best] / _ROUNDING if is_exact else self.scores(high[best])
            least = _least(values, count)
            # without the words that are left, of whose forms a row gains by one
            bounds = [0.0] * len(self._terms)
            for form in common:
                bounds[form.term] = max(bounds[form.term], self._most * form.rarity)
            enough = (least - sum(bounds)) / _ROUNDING
            # no other row gains more than `beyond`
            if enough > beyond:
                reached: np.ndarray = high[of_high >= enough]
                return reached
            if not common:
                return np.flatnonzero(gained >= enough if enough > 0 else gained > 0)
            self._add([common.pop(0)], gained, allowed)

    def _add(self, forms: Sequence[_Form], gained: np.ndarray, allowed: np.ndarray | None) -> None:
        """Add what rows gain by forms of one term, about."""
        # the best gain of each row by all forms but the last, which most rows have
        best = self._memory.view(np.float32)
        before: list[np.ndarray] = []
        for i, form in enumerate(forms):
            for rows, values in self._gains(form, allowed):
                if i < len(forms) - 1:
                    np.maximum.at(best, rows, values)
                    before.append(rows)
                    continue
                if before:
                    known = best.take(rows)
                    values = np.maximum(values, known)
                    best[rows[np.flatnonzero(known)]] = 0
                np.add.at(gained, rows, values)
        # each row is added once, whichever forms it contains
        for rows in before:
            np.add.at(gained, rows, best[rows])
            best[rows] = 0

    def _gains(
        self, form: _Form, allowed: np.ndarray | None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield rows and what each gains by a form, about: float32."""
        norms, lengths = self._single_norms, self._view.lengths
        most = np.float32(self._most * form.rarity)
        for rows, times in form.parts:
            if allowed is not None:
                own = np.flatnonzero(allowed[rows])
                rows, times = rows[own], times[own]
            often = times.astype(np.float32)
            yield rows, often * most / (often + norms.take(lengths.take(rows)))

    @cached_property
    def _single_norms(self) -> np.ndarray:
        return self._norms.astype(np.float32)

    @cached_property
    def _memory(self) -> np.ndarray:
        """Zeros, before and after each use, of four bytes: int32 (rows of the view,)."""
        return np.zeros(len(self._view.lengths), np.int32)

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """BM25 of some ascending rows: float64 (rows,)."""
        norms = self._norms[self._view.lengths[rows]]
        sums = np.zeros(len(rows))
        self._memory[rows] = np.arange(1, len(rows) + 1)
        for forms in self._terms:
            best = np.zeros(len(rows))
            for form in forms:
                for having, times in form.parts:
                    at, own = self._places(rows, having)
                    often = times[own].astype(np.float64)
                    gained = form.rarity * (often * self._most / (often + norms[at]))
                    best[at] = np.maximum(best[at], gained)
            sums += best
        self._memory[rows] = 0
        return sums

    def _places(self, rows: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places of what rows, whose numbers are in memory, have in common with others: int64."""
        if len(rows) * _SEARCHED < len(others):
            found = np.searchsorted(others[:-1], rows)
            both = others[found] == rows
            return np.flatnonzero(both), found[both]
        numbers: np.ndarray = self._memory[others]
        own = np.flatnonzero(numbers)
        return numbers[own] - 1, own


def _above(gained: np.ndarray, count: int) -> tuple[np.ndarray, float]:
    """Rows that gain more than some value, about `count`, and that value: int64, ascending.

    Where few rows gain anything these are all of them, and the value is 0.
    """
    whole = len(gained) // (_EVERY * _RUN) * _EVERY * _RUN
    sample = gained[:whole].reshape(-1, _EVERY * _RUN)[:, :_RUN].reshape(-1)
    value = _least(sample[sample > 0], count // _EVERY + _MORE)
    return np.flatnonzero(gained > np.float32(value)), value


def _least(values: np.ndarray, count: int) -> float:
    """Return the last of the `count` highest values; 0 if there are fewer."""
    return float(np.partition(values, -count)[-count]) if len(values) >= count else 0.0


def _saturated(tf: np.ndarray, length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """Saturated term frequency of BM25; `length` is relative to the mean length."""
    saturated: np.ndarray = tf * (ranking.k1 + 1) / (tf + _norms(length, ranking))
    return saturated


def _norms(length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """The part of BM25 that depends on the length alone."""
    return ranking.k1 * (1 - ranking.b + ranking.b * length)


def _frequency(postings: _Postings) -> int:
    return sum(len(rows) for rows, _ in postings)


def frequency(view: View, term: str) -> int:
    """Return the number of live rows with a term in their text or path."""
    return frequencies(view, [term])[0]


def frequencies(view: View, terms: Sequence[str]) -> list[int]:
    """Return the number of live rows with each of some terms in their text or path."""
    return list(map(_frequency, view.occurrences(terms)))


def occurs(view: View, term: str) -> bool:
    """Return True if a live row contains a term, or one of the files that a view lacks."""
    if view.rest.term(term).places:
        return True
    # where all rows are live, which is the usual case, no list need be read
    return any(
        whole and np.diff(segment["posting_ends"][number : number + 2]).any()
        for segment, whole in zip(view.segments, view.whole, strict=True)
        if (number := segment.term(term)) >= 0
    ) or bool(frequency(view, term))
