"""A search of many shards, wherever they are: the answer of one process over all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gitsearch.commands import repositories, repository_answers
from gitsearch.commands.ranked_answer import answered
from gitsearch.commands.scattered_matches import scattered_matches
from gitsearch.commands.searched_trees import FirstModel, nothing_searched, page_of_trees
from gitsearch.commands.shard_answers import Opened, OpenedTree, Place, ShownHit
from gitsearch.commands.shards import of_one_state
from gitsearch.errors import SearchError, UsageError
from gitsearch.index.session import settings_of
from gitsearch.reports.search import UnsearchedRepository
from gitsearch.retrieval import query
from gitsearch.retrieval.confidence import confidence
from gitsearch.retrieval.scattered import ScatteredRanking, ScatteredVocabulary
from gitsearch.settings import LITERAL, ON, STRUCTURAL

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from gitsearch.commands.shards import Shards
    from gitsearch.index.session import Session
    from gitsearch.reports.pages import Page
    from gitsearch.reports.search import (
        Copy,
        Coverage,
        Result,
        SearchedRepository,
        SearchReport,
        TreeName,
    )
    from gitsearch.retrieval import engine
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest


def scattered_search(
    shards: Shards,
    unsearched: Sequence[UnsearchedRepository],
    session: Session,
    request: SearchRequest,
) -> SearchReport:
    """Return the best chunks of all shards for a query, or all matches of exact text or a pattern.

    unsearched: repositories that are in no shard. Raises SearchError.
    """
    if request.mode in (LITERAL, STRUCTURAL):
        return scattered_matches(shards, unsearched, session, request)
    if request.reader == ON:
        raise UsageError("results are not read again on a cluster", "leave out --reader=on")
    usual = settings_of(session.own_config).max_count
    asked = query.parse(request.text)
    return of_one_state(
        lambda: answered(_Scattered(shards, unsearched, request), request, asked, usual)
    )


class _Scattered:
    """The trees of all shards as the source of an answer."""

    def __init__(
        self, shards: Shards, unsearched: Sequence[UnsearchedRepository], request: SearchRequest
    ) -> None:
        self._shards = shards
        self._request = request
        with_trees, left_out = self._open(unsearched, None)
        model = _first_model(with_trees)
        if model is not None:
            with_trees, left_out = self._open(unsearched, model)
        self._opened = with_trees
        refusals = [one.refusal for one in self._opened.values() if one.refusal is not None]
        if len(refusals) == len(self._opened):
            raise refusals[0]
        self.unsearched = left_out
        self._places = _places(self._opened, model)
        self._trees = _in_order(self._opened)
        self._ranking = ScatteredRanking(self._ask_ranking)
        self.vocabulary = ScatteredVocabulary(partial(self._ask, "vocabulary"))
        self.filters = next(iter(self._opened.values())).filters

    def _open(
        self, unsearched: Sequence[UnsearchedRepository], model: FirstModel | None
    ) -> tuple[dict[int, Opened], tuple[UnsearchedRepository, ...]]:
        """The shards with trees that are ranked, by number, and what is not searched."""
        shards = self._shards
        answers = shards.call([(i, "open", (self._request, model)) for i in range(len(shards))])
        opened = {i: one for i, one in enumerate(answers) if isinstance(one, Opened)}
        for one in answers:
            if isinstance(one, UsageError):
                raise one
        left_out = [*unsearched, *(out for one in opened.values() for out in one.unsearched)]
        left_out += [
            UnsearchedRepository(f"shard {i}", one.message)
            for i, one in enumerate(answers)
            if isinstance(one, SearchError)
        ]
        ordered = repository_answers.in_order(left_out)
        with_trees = {i: one for i, one in opened.items() if one.trees}
        if not with_trees:
            raise nothing_searched(ordered)
        return with_trees, ordered

    def _ask(self, method: str, *arguments: Any) -> list[Any]:
        """The answers of the shards that have trees; raises what one of them refuses."""
        calls = [
            (i, "ask", (self._request, place, method, arguments))
            for i, place in self._places.items()
        ]
        answers = self._shards.call(calls)
        for answer in answers:
            if isinstance(answer, SearchError):
                raise answer
        return answers

    def _ask_ranking(self, method: str, *arguments: Any) -> list[Any]:
        return self._ask("ranking", method, arguments)

    def most_read(self, _: Query) -> int:
        """Return 0: nothing is read again."""
        return 0

    def read(self, query: Query, options: engine.Options) -> list[Ranked]:
        """Return the best chunks, which are not read again."""
        return self.search(query, options)

    def search(
        self, query: Query, options: engine.Options, without: int | None = None
    ) -> list[Ranked]:
        """Return the best chunks; `without` is the number of a filter that is left out."""
        return self._ranking.search(query, options, without)

    @property
    def _folds(self) -> bool:
        return len(self._trees) > 1

    def identity(self, row: int) -> Hashable:
        """Return what rows that are one result have in common."""
        return self._ranking.identity(row) if self._folds else row

    def results(
        self, query: Query, ranked: Sequence[Ranked], ranks: Sequence[int]
    ) -> list[Result]:
        """Return the results with these ranks, from 1, in order."""
        if not ranks:
            return []
        hits = [
            ShownHit(
                rank,
                ranked[rank - 1],
                confidence(query, ranked, rank),
                self._ranking.identity(ranked[rank - 1].row) if self._folds else None,
            )
            for rank in ranks
        ]
        results: dict[int, Result] = {}
        copies: dict[int, list[Copy]] = {rank: [] for rank in ranks}
        for own, others in self._ask("shown", hits):
            results |= {result.rank: result for result in own}
            for rank, more in zip(ranks, others, strict=True):
                copies[rank] += more
        return [results[rank]._replace(copies=tuple(sorted(copies[rank]))) for rank in ranks]

    def page(self, request: SearchRequest) -> Page:
        """Return the page that is asked for."""
        states = [tree.state for tree in self._trees]
        return page_of_trees(request, self.tree, states, self.coverage)

    @property
    def searched(self) -> tuple[SearchedRepository, ...]:
        """The repositories."""
        return tuple(tree.searched for tree in self._trees)

    @property
    def tree(self) -> TreeName:
        """The name of the tree, or of all that the trees have in common."""
        return repository_answers.tree_of([tree.searched.tree for tree in self._trees])

    @property
    def coverage(self) -> Coverage:
        """The files of all trees."""
        return repository_answers.coverage_of([tree.searched.coverage for tree in self._trees])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, a line each."""
        odd = sorted(odd for one in self._opened.values() for odd in one.oddities)
        own = [(tree.searched.repository, tree.warnings) for tree in self._trees]
        return repository_answers.warnings(self.unsearched, repositories.oddities(odd), own)


def _in_order(opened: dict[int, Opened]) -> list[OpenedTree]:
    """All trees, by the names of their repositories."""
    trees = [tree for one in opened.values() for tree in one.trees]
    return sorted(trees, key=lambda tree: tree.searched.repository)


def _first_model(opened: dict[int, Opened]) -> FirstModel | None:
    """The model of the first tree of all; None if all trees have one model."""
    models = {one.fingerprint for one in opened.values()}
    if len(models) == 1 and not any(one.has_others for one in opened.values()):
        return None
    first = _in_order(opened)[0].searched.repository
    return next(
        FirstModel(one.fingerprint, first)
        for one in opened.values()
        if any(tree.searched.repository == first for tree in one.trees)
    )


def _places(opened: dict[int, Opened], model: FirstModel | None) -> dict[int, Place]:
    """Number the rows and files of all trees, in their order."""
    first: dict[str, tuple[int, int]] = {}
    rows = files = 0
    for tree in _in_order(opened):
        first[tree.searched.repository] = rows, files
        rows, files = rows + tree.rows, files + tree.files
    return {
        i: Place(
            tuple(first[tree.searched.repository][0] for tree in one.trees),
            tuple(first[tree.searched.repository][1] for tree in one.trees),
            tuple(tree.state for tree in one.trees),
            model,
        )
        for i, one in opened.items()
    }
