"""`git search QUERY`: rank the chunks of a tree."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.settings import AUTO, HYBRID, LITERAL, STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy as np

    from gitsearch.commands.reader import Reader
    from gitsearch.commands.searched_trees import SearchedTrees
    from gitsearch.index.session import Session
    from gitsearch.reports.pages import Page
    from gitsearch.reports.search import Result, SearchReport
    from gitsearch.retrieval import engine
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest, Settings

# A query without any of these is neither a pattern nor in quotes.
_SIGNS = frozenset("$\"'`\\[(.|^*+")


def load() -> None:
    """Load what a ranked search needs, in a process that has nothing else to do yet."""
    from gitsearch.commands import file_candidates
    from gitsearch.index import open_view, view_store
    from gitsearch.retrieval import engine, filters, query, spelling

    del engine, file_candidates, filters, open_view, query, spelling, view_store


def search(session: Session, request: SearchRequest) -> SearchReport:
    """What a query finds, in the mode that is asked for or that its form asks for.

    Raises SearchError.
    """
    mode, reason, advice = request.mode or _settings(session, request).mode, "", ""
    if mode == AUTO:
        mode, text, reason, advice = _detected(request.text)
        request = replace(request, text=text)
    request = replace(request, mode=mode)
    if mode == LITERAL and request.of_many:
        from gitsearch.commands.many_exact import exact_search_in as answer
    elif mode == STRUCTURAL and request.of_many:
        from gitsearch.commands.many_structural import structural_search_in as answer
    elif mode == LITERAL:
        from gitsearch.commands.exact_search import exact_search as answer
    elif mode == STRUCTURAL:
        from gitsearch.commands.structural_search import structural_search as answer
    else:
        answer = _ranked_search
    report = (session.elsewhere or answer)(session, request)
    if reason and mode == LITERAL and not report.counts:
        advice = "no line has this text; without the quotes it is searched for by meaning"
    if not report.coverage.tracked and _has_only_untracked(session, request):
        advice = "there are only untracked files; --untracked searches them"
    warnings = (*report.warnings, advice) if advice else report.warnings
    return report._replace(reason=reason or report.reason, warnings=warnings)


def _has_only_untracked(session: Session, request: SearchRequest) -> bool:
    """Return True if a tree without files was searched that untracked files are laid over."""
    if request.of_many or request.untracked or request.cached or not request.in_working_tree:
        return False
    from gitsearch.git.worktree import untracked

    repo = session.repo
    return session.elsewhere is None and repo.worktree is not None and bool(untracked(repo))


def _settings(session: Session, request: SearchRequest) -> Settings:
    """The settings of the repository, or of the folder that asks many."""
    if not request.of_many:
        return session.settings
    from gitsearch.index.session import settings_of

    return settings_of(session.own_config)


def _detected(text: str) -> tuple[str, str, str, str]:
    """The mode for a query, its text in that mode, the reason, and advice if it is doubtful."""
    if _SIGNS.isdisjoint(text):
        return HYBRID, text, "", ""
    from gitsearch.retrieval import query_mode

    return query_mode.detect(text)


def _ranked_search(session: Session, request: SearchRequest) -> SearchReport:
    """The best chunks for a query."""
    found = None
    if request.of_many:
        from gitsearch.commands import repositories

        found = repositories.named(session, request.repositories, request.at, _load_answer)
    from gitsearch.commands.searched_trees import ChosenTrees

    chosen = ChosenTrees(session, request, found)
    with trace.stage("imports"):  # beside git, which looks for edited files
        _load_answer()
    from gitsearch.commands.ranked_answer import answered
    from gitsearch.retrieval import query

    asked = query.parse(request.text)
    trees = chosen.open(asked)
    only = trees.only
    settings = _settings(session, request)
    source = _Trees(trees, request, settings.reader, lasting=session.is_lasting)
    report = answered(source, request, asked, settings.max_count)
    return report if only is None else only.filters.told(report)


def _load_answer() -> None:
    """Load what every answer needs."""
    from gitsearch.commands import answer_cache, ranked_answer, searched_trees, shown_results
    from gitsearch.retrieval import confidence, query

    del answer_cache, confidence, query, ranked_answer, searched_trees, shown_results


class _Trees:
    """Opened trees as the source of an answer.

    reader: what the settings say; lasting: further questions will be asked of this process.
    """

    def __init__(
        self, trees: SearchedTrees, request: SearchRequest, reader: str, *, lasting: bool
    ) -> None:
        from gitsearch.commands.identical_code import IdenticalCode
        from gitsearch.retrieval.spelling import ViewVocabulary

        self._trees = trees
        self._request = request
        self._wanted = reader
        self._reader: Reader | None = None
        self._is_lasting = lasting
        self._mask = trees.mask()
        self._identical = IdenticalCode(trees, self._mask, fold=len(trees.trees) > 1)
        self.vocabulary = ViewVocabulary(trees.view)
        self.tree = trees.tree
        self.coverage = trees.coverage
        self.warnings = trees.warnings
        self.searched = trees.searched
        self.unsearched = trees.unsearched

    @cached_property
    def _without_each(self) -> list[tuple[str, str, np.ndarray]]:
        return list(self._trees.without_each())

    @property
    def filters(self) -> list[tuple[str, str]]:
        """The filters that are set, by name, and how each is asked for."""
        return [(option, shown) for option, shown, _ in self._without_each]

    def most_read(self, query: Query) -> int:
        """Return how many of the best chunks are read again; 0 where none are."""
        from gitsearch.commands.reader import reader_for

        self._reader = reader_for(
            self._request, self._wanted, self._trees, query, lasting=self._is_lasting
        )
        return 0 if self._reader is None else self._reader.most

    def read(self, query: Query, options: engine.Options) -> list[Ranked]:
        """Return the best chunks in the order of the reader. Raises BadReader."""
        reader = self._reader
        assert reader is not None
        found = partial(self._found, query, options)
        return self._kept(options, reader.fingerprint, partial(reader.ordered, found))

    def search(
        self, query: Query, options: engine.Options, without: int | None = None
    ) -> list[Ranked]:
        """Return the best chunks; `without` is the number of a filter that is left out."""
        if without is not None:
            return self._found(query, options, self._without_each[without][2])
        return self._kept(options, "", partial(self._found, query, options))

    def _found(
        self, query: Query, options: engine.Options, mask: np.ndarray | None = None
    ) -> list[Ranked]:
        from gitsearch.retrieval import engine

        mask = self._mask if mask is None else mask
        return engine.search(self._trees.view, query, mask, options)

    def _kept(
        self, options: engine.Options, read: str, find: Callable[[], list[Ranked]]
    ) -> list[Ranked]:
        """The ranking that is kept, or what is found now.

        read: what the order of the reader depends on; "" without it.
        """
        from gitsearch.commands.answer_cache import AnswerCache

        only = self._trees.only
        if only is None:
            return find()
        cache = AnswerCache(self._request, only.opened, read)
        hits = cache.load(options)
        if hits is None:
            hits = find()
            cache.keep(options, hits)
        return hits

    def identity(self, row: int) -> Hashable:
        """Return what rows that are one result have in common."""
        return self._identical.identity(row)

    def results(
        self, query: Query, ranked: Sequence[Ranked], ranks: Sequence[int]
    ) -> list[Result]:
        """Return the results with these ranks, from 1, in order."""
        from gitsearch.commands.shown_results import Hit, ShownResults
        from gitsearch.retrieval.confidence import confidence

        hits = [
            Hit(
                rank,
                ranked[rank - 1],
                confidence(query, ranked, rank),
                self._identical.copies(ranked[rank - 1].row),
            )
            for rank in ranks
        ]
        return ShownResults(self._trees, self._request).of(hits)

    def page(self, request: SearchRequest) -> Page:
        """Return the page that is asked for."""
        from gitsearch.commands.searched_trees import page_of_trees

        return page_of_trees(request, self.tree, self._trees.states(), self.coverage)
