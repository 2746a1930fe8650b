"""Exact text: the lines of a tree with a text or a regular expression, those of `git grep`.

The index says which files can have a match; git looks at these, or at all of them where they are
many or there is no index yet.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch import trace
from gitsearch.commands import exact_files
from gitsearch.commands.exact_contents import Contents
from gitsearch.commands.exact_results import FileCounts, LineResults, PrintedLines, Spans
from gitsearch.commands.exact_symbols import Symbols
from gitsearch.commands.exact_traits import traits
from gitsearch.commands.pages import new_files, page_of
from gitsearch.commands.search_filters import filters_of
from gitsearch.extract.languages import hint, settled
from gitsearch.features import identifiers
from gitsearch.git import line_grep
from gitsearch.git.line_grep import Pattern
from gitsearch.index.stored_view import FilePlaces
from gitsearch.reports.search import FileCount, SearchReport
from gitsearch.retrieval import line_ranking, required_words
from gitsearch.retrieval.matching_lines import parsed
from gitsearch.retrieval.required_words import NOTHING
from gitsearch.settings import (
    ANY,
    BY_PATH,
    COUNTS,
    EXTENDED,
    FILES,
    FIXED,
    LITERAL,
    PERL,
    RESULTS,
    WITHOUT,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitsearch.commands.exact_files import FilesToSearch
    from gitsearch.commands.search_filters import Filters
    from gitsearch.index.session import Session
    from gitsearch.records import LineRanges
    from gitsearch.reports.pages import Page
    from gitsearch.retrieval.matching_lines import MatchingLines
    from gitsearch.retrieval.required_words import Requirement
    from gitsearch.settings import SearchRequest

# The most results for a budget of tokens, as of a search.
MOST_IN_BUDGET = 200


def exact_search(session: Session, request: SearchRequest) -> SearchReport:
    """The answer; raises SearchError."""
    pattern = Pattern(
        request.text, request.syntax, request.ignore_case, request.word, request.invert
    )
    pattern.arguments()  # refused before git is started
    # a file may have no word of the pattern, and lines that do not match
    required = NOTHING if pattern.invert or request.shown == WITHOUT else _required(pattern)
    filters = filters_of(session, request)
    selection = filters.selection
    try:
        filters.check()
        files = exact_files.files_to_search(selection, request, required)
    except BaseException:
        selection.abandon()
        raise
    answer = _Answer(session, request, pattern, required, files, filters)
    of_lines = request.grep is not None or filters.lines is not None or request.budget is not None
    if request.shown == RESULTS or of_lines:
        return filters.told(answer.lines())
    return answer.files()


def _required(pattern: Pattern) -> Requirement:
    text, word = pattern.text, pattern.word
    if pattern.syntax == FIXED:
        return required_words.required_by_text(text, word=word)
    perl = pattern.syntax == PERL
    return required_words.required_by_expression(text, word=word, perl=perl)


def _within(lines: MatchingLines, ranges: LineRanges) -> np.ndarray:
    """A mask of the lines that lie in ranges of their files: bool (lines)."""
    mask = np.zeros(len(lines.numbers), bool)
    for number, path in enumerate(lines.paths):
        low, high = lines.ends[number], lines.ends[number + 1]
        own = lines.numbers[low:high]
        for first, last in ranges.get(path, ()):
            mask[low:high] |= (first <= own) & (own <= last)
    return mask


class _Paged(NamedTuple):
    """A page: the ranks of its results, and the token for the next page if more follow."""

    page: Page | None = None
    ranks: Sequence[int] = ()
    following: str | None = None


class _Answer:
    """Asks git for the lines or files, and puts them in order."""

    def __init__(
        self,
        session: Session,
        request: SearchRequest,
        pattern: Pattern,
        required: Requirement,
        files: FilesToSearch,
        filters: Filters,
    ) -> None:
        self._session = session
        self._request = request
        self._pattern = pattern
        self._required = required
        self._files = files
        self._filters = filters

    @cached_property
    def _most(self) -> int | None:
        """The most results or files to show; None for all."""
        request, settings = self._request, self._session.settings
        known = settings.max_count if settings.max_count_is_set else None
        return request.max_count or known or (MOST_IN_BUDGET if request.budget else None)

    def lines(self) -> SearchReport:
        """All lines that match, in order, or those of a page."""
        repo, place = self._session.repo, self._files.place
        with trace.stage("git grep"):
            lines = parsed(line_grep.lines(repo, self._pattern, place)).by_path()
        lines = self._filtered(lines)
        contents = Contents(repo, self._files, lines.paths)
        names = frozenset(identifiers.identifiers(self._request.text))
        places = FilePlaces(self._files.stored, lines.paths)
        symbols = Symbols(self._files, self._required, names, lines, contents, places)
        with trace.stage("rank"):
            if self._request.sort == BY_PATH:
                pieces = line_ranking.by_path(lines)
            else:
                counts = np.diff(lines.ends)
                own = traits(self._files, places, contents, counts, self._required)
                pieces = line_ranking.ranked(lines, own, symbols.defining())
        # a budget is filled with results, of which the files are shown
        if self._request.shown != RESULTS and self._request.budget is None:
            return self._of_files(FileCounts(lines, pieces))
        ranks = None
        paged = _Paged()
        earlier: Sequence[FileCount] = ()
        if self._is_paged:
            runs = line_ranking.runs(lines, pieces)
            paged = self._paged(len(runs.first))
            ranks = paged.ranks
            pieces = runs.some([rank - 1 for rank in ranks])
            if self._request.shown == FILES and paged.page:
                given = [rank - 1 for rank in paged.page.given if rank <= len(runs.first)]
                earlier = FileCounts(lines, runs.some(given))
        results = LineResults(self._request, lines, pieces, contents, symbols, ranks)
        by_file = FileCounts(lines, pieces)
        spans = None
        if self._request.highlighted and not self._pattern.invert:
            spans = Spans(repo, self._pattern, place, by_file.paths)
        files = new_files(by_file, earlier) if earlier else by_file
        return self._report(files)._replace(
            results=results,
            lines=PrintedLines(lines, pieces),
            spans=spans,
            page=paged.page,
            more=paged.following is not None,
            next=paged.following,
        )

    @property
    def _is_paged(self) -> bool:
        return self._most is not None or self._request.page is not None

    def _paged(self, count: int, *unit: str) -> _Paged:
        """Return the page of so many results; unit: FILES if these are files."""
        page = page_of(
            self._request,
            self._files.tree,
            self._files.edited.values(),
            0,
            self._filters.lines,
            unit,
        )
        ranks = [*page.left, *range(page.before + 1, count + 1)]
        shown = [rank for rank in ranks[: self._most] if rank <= count]
        return _Paged(page, shown, page.after(shown) if len(ranks) > len(shown) else None)

    def _of_files(self, counts: Sequence[FileCount]) -> SearchReport:
        """The report on files in order, or on those of a page."""
        if not self._is_paged:
            return self._report(counts)
        paged = self._paged(len(counts), WITHOUT if self._request.shown == WITHOUT else FILES)
        return self._report([counts[rank - 1] for rank in paged.ranks])._replace(
            page=paged.page, more=paged.following is not None, next=paged.following
        )

    def files(self) -> SearchReport:
        """The files with such lines, in order."""
        request = self._request
        found = line_grep.files(
            self._session.repo,
            self._pattern,
            self._files.place,
            counted=request.shown == COUNTS,
            without=request.shown == WITHOUT,
        )
        pairs: list[tuple[bytes, int]] = []
        for path, count in found:
            if self._passes(path):
                pairs.append((path, count))
                if request.shown == ANY and request.page is None:
                    break
        pairs.sort()
        if request.sort != BY_PATH and len(pairs) > 1:
            paths = [path for path, _ in pairs]
            counts = np.asarray([count for _, count in pairs], np.int64)
            places = FilePlaces(self._files.stored, paths)
            contents = Contents(self._session.repo, self._files, paths)
            own = traits(self._files, places, contents, counts, self._required)
            scores = own.kind + line_ranking.file_scores(own)
            pairs = [pairs[place] for place in np.argsort(-scores, kind="stable").tolist()]
        return self._of_files([FileCount(os.fsdecode(path), count) for path, count in pairs])

    # ------------------------------------------------------------ filters

    def _filtered(self, lines: MatchingLines) -> MatchingLines:
        """The lines of files that pass the filters, and that pass as lines."""
        if self._filters.are_of_files:
            passing = np.fromiter(map(self._passes, lines.paths), bool, len(lines.paths))
            lines = lines.of_files(passing)
        if self._request.grep is not None:
            lines = lines.where(self._grepped(lines, self._request.grep))
        if self._filters.lines is not None:
            lines = lines.where(_within(lines, self._filters.lines))
        return lines

    def _passes(self, path: bytes) -> bool:
        """Return True if a file passes the filters of languages, contents and tests."""
        if not self._filters.are_of_files:
            return True
        stored = self._files.stored
        place = stored.find(path) if stored else None
        language = hint(path)
        if stored and place and not stored.segments[place[0]].reason(place[1]):
            language = stored.segments[place[0]].language(place[1])
        elif language.startswith("?"):
            contents = Contents(self._session.repo, self._files, [path])
            language = settled(language, contents.data(path))
        return self._filters.passes(path, language)

    def _grepped(self, lines: MatchingLines, regex: str) -> np.ndarray:
        """A mask of the lines that another expression matches, too: bool (lines)."""
        place = self._files.place
        if len(lines.paths) <= exact_files.MOST_NAMED:
            place = place._replace(paths=lines.paths)
        own = parsed(line_grep.lines(self._session.repo, Pattern(regex, EXTENDED), place))
        numbers = {path: number for number, path in enumerate(lines.paths)}
        step = 1 + max(int(lines.numbers.max(initial=0)), int(own.numbers.max(initial=0)))
        known = np.asarray([numbers.get(path, -1) for path in own.paths], np.int64)
        return np.isin(lines.file * step + lines.numbers, known[own.file] * step + own.numbers)

    # ------------------------------------------------------------ the report

    def _report(self, counts: Sequence[FileCount]) -> SearchReport:
        request, files = self._request, self._files
        if not counts and request.pathspecs:
            exact_files.matched(self._session, files.place, request.pathspecs)
        return SearchReport(
            request.text,
            LITERAL,
            files.tree,
            files.coverage,
            (),
            counts,
            (),
            (),
            files.warnings,
        )
