"""The lexical leg: exact BM25 over the chunks of all segments of a view, and over whole files.

Document frequencies, and the number and mean length of chunks, are those of the searched tree,
whatever the filters. All sums are of integers or in the order of the query's terms, so that scores
do not depend on the split of a view into segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gitsearch.features.ragged import contained
from gitsearch.index.described_words import DescribedWords
from gitsearch.index.view import Rest, Segment, View, summed
from gitsearch.retrieval.bm25 import idf
from gitsearch.retrieval.constants import Ranking
from gitsearch.retrieval.fusion import highest
from gitsearch.retrieval.query import inflected

# Rows of one segment that contain a term (int64), and its frequency in each (float64).
_Postings = tuple[np.ndarray, np.ndarray]

# A term or a form of it: its weight and its text; and with its postings by segment.
_Text = tuple[float, str]
_Variant = tuple[float, str, list[_Postings]]

# A form of a term in a segment: its rarity, rows and frequencies.
_Form = tuple[float, np.ndarray, np.ndarray]

# More than bounds and scores can differ by the order of their sums, as a factor.
_ROUNDING = 1 + 1e-9

_NO_ROWS = np.zeros(0, np.int64)


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


def variants_of(terms: Sequence[str], ranking: Ranking, *, expanded: bool) -> list[list[_Text]]:
    """Return each term with its weight, and, if `expanded`, its inflected forms with theirs."""
    variants: list[list[_Text]] = []
    for term in terms:
        forms = inflected(term) if expanded and ranking.form else []
        others = ((ranking.form, form) for form in forms if form not in terms)
        variants.append([(1.0, term), *others])
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

    expanded: inflected forms of a term count too, at the weight `Ranking.form`. Statistics are
    those of the view unless `use` gives others.
    """

    def __init__(
        self, view: View, terms: Sequence[str], ranking: Ranking, *, expanded: bool = False
    ) -> None:
        self._view = view
        self._ranking = ranking
        self._variants = variants_of(terms, ranking, expanded=expanded)
        texts = [text for own in self._variants for _, text in own]
        self._postings = dict(zip(texts, _live_postings(view, texts), strict=True))
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
        return self._total.known(self._variants)

    def use(self, total: TermStatistics) -> None:
        """Compute scores with these statistics from now on."""
        self._total = total
        # of each term itself and its forms: the weight, the text, where it occurs
        self._terms: list[list[_Variant]] = [
            [(weight, text, self._postings[text]) for weight, text in own]
            for own in total.occurring(self._variants)
        ]

    def chunks(self) -> np.ndarray:
        """BM25 of every row, of a term and its forms the best: float64 (rows,)."""
        every = np.zeros(int(self._view.starts[-1]))
        scorer = self._scorer()
        for i, start in enumerate(self._view.starts[:-1].tolist()):
            rows, scores = scorer.scored(i, 0.0)
            every[rows + start] = scores
        return every

    def leaders(self, mask: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows (int64) that `mask` allows and their BM25, above 0, in order of rows.

        The `count` best of all rows are among these, with those that tie with the last of them.
        """
        rows, values = [np.zeros(0, np.int64)], [np.zeros(0)]
        least, best = 0.0, np.zeros(0)
        scorer = self._scorer()
        for i, start in enumerate(self._view.starts[:-1].tolist()):
            among, scores = scorer.scored(i, least)
            among += start
            kept = np.flatnonzero((scores >= least) & mask[among])
            kept = kept[highest(scores[kept], count)]
            rows.append(among[kept])
            values.append(scores[kept])
            # what is below so many of the segments before is not among the best of all
            best = np.concatenate([best, values[-1]])
            if len(best) >= count:
                best = np.partition(best, len(best) - count)[len(best) - count :]
                least = float(best[0])
        return np.concatenate(rows), np.concatenate(values)

    def _scorer(self) -> _Scorer:
        return _Scorer(self._view, self._terms, self._total, self._ranking)

    def coverage(self, rows: np.ndarray) -> np.ndarray:
        """Share of the terms that a row has, or forms of them, by their rarity: float64 (rows,).

        rows: ascending.
        """
        view = self._view
        out, total = np.zeros(len(rows)), 0.0
        bounds = pairwise(np.searchsorted(rows, view.starts).tolist())
        inside = [
            (i, slice(low, high), rows[low:high] - view.starts[i])
            for i, (low, high) in enumerate(bounds)
            if low < high
        ]
        for variants in self._terms:
            rarity = max((self._total.rarity(*own[:2]) for own in variants), default=0.0)
            total += rarity
            has = np.zeros(len(rows), bool)
            for i, part, own in inside:
                for _, _, postings in variants:
                    if len(postings[i][0]):
                        has[part] |= contained(own, postings[i][0])
            out += rarity * has
        return out / max(total, 1e-12)

    def files(self, numbers: np.ndarray) -> np.ndarray:
        """BM25 of files, each as one document, by ascending file numbers: float64 (numbers,).

        A term and its forms are one term, whose frequency is the weighted sum of theirs.
        """
        return file_scores(self.in_files(numbers), self._variants, self._total, self._ranking)

    def in_files(self, numbers: np.ndarray) -> FileCounts:
        """Return the terms of files, by ascending file numbers."""
        found = [self._by_file(variants, numbers) for variants in self._terms]
        times = np.asarray([own for own, _ in found]).reshape(len(found), len(numbers))
        lengths = self._view.lengths_of(numbers)
        return FileCounts(times, lengths, tuple(containing for _, containing in found))

    def _by_file(self, variants: list[_Variant], numbers: np.ndarray) -> tuple[np.ndarray, int]:
        """Frequency of a term in some files: float64 (numbers,); and how many files have it."""
        view = self._view
        bounds = np.searchsorted(numbers, view.file_starts).tolist()
        out = np.zeros(len(numbers))
        containing = 0
        for i, segment in enumerate(view.segments):
            each = [(weight, *postings[i]) for weight, _, postings in variants]
            of_rows = segment["chunk_file"]
            found = [(of_rows[rows], weight, tf) for weight, rows, tf in each if len(rows)]
            if not found:
                continue
            having = np.zeros(segment.files, bool)
            for files, _, _ in found:
                having[files] = True
            containing += int(np.count_nonzero(having))
            part = slice(bounds[i], bounds[i + 1])
            wanted = numbers[part] - view.file_starts[i]
            if len(wanted):
                out[part] = _summed_by_file(found, wanted, segment.files)
        return out, containing


class _Scorer:
    """Scores the rows of segments by some terms, each with its forms, in memory that is kept."""

    def __init__(
        self, view: View, terms: list[list[_Variant]], total: TermStatistics, ranking: Ranking
    ) -> None:
        self._view = view
        self._terms = terms
        self._ranking = ranking
        self._mean = total.length / max(total.chunks, 1)
        self._rarities = [[total.rarity(*form[:2]) for form in own] for own in terms]
        most = max((segment.chunks for segment in view.segments), default=0)
        # of each row the sum, the best of the forms of one term, and if it is a candidate
        self._sums, self._bests = np.zeros(most), np.zeros(most)
        self._marks = np.zeros(most, bool)

    def scored(self, number: int, least: float) -> tuple[np.ndarray, np.ndarray]:
        """Rows of a segment, ascending (int64), and their BM25, above 0.

        Those whose BM25 is `least` or more are among them.
        """
        segment = self._view.segments[number]
        # of each term those forms that occur in the segment
        terms = [
            [
                (rarity, *postings[number])
                for (_, _, postings), rarity in zip(forms, own, strict=True)
                if len(postings[number][0])
            ]
            for forms, own in zip(self._terms, self._rarities, strict=True)
        ]
        enough = self._enough(terms, least)
        marks, sums = self._marks[: segment.chunks], self._sums[: segment.chunks]
        for forms, is_enough in zip(terms, enough, strict=True):
            for _, rows, _ in forms if is_enough else ():
                marks[rows] = True
        candidates = np.flatnonzero(marks)
        if not len(candidates):
            return candidates, np.zeros(0)
        for forms, is_enough in zip(terms, enough, strict=True):
            found = forms if is_enough else [_among(marks, *form) for form in forms]
            self._add(segment, found, sums)
        scores = sums[candidates]
        sums[candidates] = 0.0
        marks[candidates] = False
        return candidates, scores

    def _enough(self, terms: list[list[_Form]], least: float) -> list[bool]:
        """For each term True if rows without any of these terms are below `least`."""
        # tf * (k1 + 1) / (tf + norm) is below k1 + 1, whatever the row
        most = self._ranking.k1 + 1
        bounds = [most * max((rarity for rarity, _, _ in forms), default=0.0) for forms in terms]
        enough, left = [True] * len(terms), 0.0
        for i in sorted(range(len(terms)), key=bounds.__getitem__):
            left += bounds[i]
            if left * _ROUNDING >= least:
                break
            enough[i] = False
        return enough

    def _add(self, segment: Segment, forms: list[_Form], sums: np.ndarray) -> None:
        """Add to each row the most that it gains by one of some forms."""
        parts = [
            (rows, rarity * self._gained(segment, rows, tf))
            for rarity, rows, tf in forms
            if len(rows)
        ]
        if len(parts) == 1:
            rows, gained = parts[0]
            sums[rows] += gained
            return
        best = self._bests
        for rows, gained in parts:
            best[rows] = np.maximum(best[rows], gained)
        # each row is added once, whichever forms it contains
        for rows, _ in parts:
            sums[rows] += best[rows]
            best[rows] = 0.0

    def _gained(self, segment: Segment, rows: np.ndarray, tf: np.ndarray) -> np.ndarray:
        return _saturated(tf, segment["length"][rows] / self._mean, self._ranking)


def _among(marks: np.ndarray, rarity: float, rows: np.ndarray, tf: np.ndarray) -> _Form:
    """The part of a form in rows that are marked."""
    kept = np.flatnonzero(marks[rows])
    return rarity, rows[kept], tf[kept]


def _summed_by_file(
    found: list[tuple[np.ndarray, float, np.ndarray]], wanted: np.ndarray, count: int
) -> np.ndarray:
    """Add up weighted frequencies, each with the file of its row, by some of `count` files."""
    are_wanted = np.zeros(count, bool)
    are_wanted[wanted] = True
    files, weighted = [], []
    for of_rows, weight, tf in found:
        among = are_wanted[of_rows]
        files.append(of_rows[among])
        weighted.append(weight * tf[among])
    places = np.searchsorted(wanted, np.concatenate(files).astype(np.int64))
    return np.bincount(places, np.concatenate(weighted), len(wanted))


def _saturated(tf: np.ndarray, length: np.ndarray, ranking: Ranking) -> np.ndarray:
    """Saturated term frequency of BM25; `length` is relative to the mean length."""
    norm = ranking.k1 * (1 - ranking.b + ranking.b * length)
    return tf * (ranking.k1 + 1) / (tf + norm)


def _frequency(postings: list[_Postings]) -> int:
    return sum(len(rows) for rows, _ in postings)


def frequency(view: View, term: str) -> int:
    """Return the number of live rows with a term in their text or path."""
    return _frequency(next(_live_postings(view, [term])))


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


def _live_postings(view: View, terms: Sequence[str]) -> Iterator[list[_Postings]]:
    """Yield for each term its postings by segment; each segment is read once for all terms."""
    found: list[list[_Postings]] = [[(_NO_ROWS, _NO_ROWS)] * len(view.segments) for _ in terms]
    for i, (segment, start) in enumerate(zip(view.segments, view.starts, strict=False)):
        words = view.words_beside(i)
        for place, own, times in _postings(segment, words, terms):
            if not view.whole[i]:
                live = view.live[own + start]
                own, times = own[live], times[live]
            found[place][i] = own, times
    return iter(found)


def _postings(
    segment: Segment, words: DescribedWords | None, terms: Sequence[str]
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the place of each term that occurs, and its postings in text, path and description.

    A word of a description counts as one of the text.
    """
    numbers = np.asarray(segment.numbers(terms), np.int64)
    known = np.flatnonzero(numbers >= 0)
    if len(known):
        found = segment.postings(numbers[known])
        for place, (own, times) in zip(known.tolist(), found, strict=True):
            if words is not None:
                more = words.postings(terms[place])
                yield place, *summed(own, times, *more)
            else:
                yield place, own, times
    if words is not None:
        for place in np.flatnonzero(numbers < 0).tolist():
            own, often = words.postings(terms[place])
            yield place, own, often.astype(np.float64)
