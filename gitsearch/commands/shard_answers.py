"""One shard: whole repositories that answer the rounds of questions together with other shards.

A round is a method with arguments that can be sent anywhere; all that it depends on is in them, so
that it can be asked again of a process that has just started. What a question has opened is kept
for its next rounds.
"""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gitsearch.commands import repositories
from gitsearch.commands.identical_code import IdenticalCode
from gitsearch.commands.searched_trees import (
    ChosenTrees,
    FirstModel,
    SearchedTrees,
    TreeState,
)
from gitsearch.commands.shard_matches import ShardMatches
from gitsearch.commands.shards import Stale
from gitsearch.commands.shown_results import Hit, ShownResults
from gitsearch.commands.tree_selection import session_opener
from gitsearch.errors import BadPath, NotARepository, SearchError, UsageError
from gitsearch.reports.search import Copy, Result, SearchedRepository, UnsearchedRepository
from gitsearch.retrieval import engine, query
from gitsearch.retrieval.numbered import NumberedShard, Numbering
from gitsearch.retrieval.spelling import ViewVocabulary
from gitsearch.settings import OFF, RepositoryNames, SearchRequest, Silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitsearch.commands.repositories import Oddity
    from gitsearch.commands.shard_matches import Made, Portion, Wanted
    from gitsearch.index.session import Session
    from gitsearch.retrieval.columns import Identity
    from gitsearch.retrieval.query import Query
    from gitsearch.retrieval.spelling import Near

# Questions, and rankings of each, that are kept for their next rounds.
_QUESTIONS = 8
_RANKINGS = 4


class OpenedTree(NamedTuple):
    """A tree of a shard, as it was opened: the number of its rows and files, and what is said."""

    state: TreeState
    searched: SearchedRepository
    warnings: tuple[str, ...]
    rows: int
    files: int


class Opened(NamedTuple):
    """The trees of a shard in their order, and what an answer says of them.

    fingerprint: of the model of their vectors; "" without a tree. has_others: a tree was left out
    for the model of its vectors. filters: those that are set; refusal: why none of the trees has a
    file that may answer.
    """

    trees: tuple[OpenedTree, ...]
    unsearched: tuple[UnsearchedRepository, ...]
    oddities: tuple[Oddity, ...]
    fingerprint: str
    has_others: bool
    filters: tuple[tuple[str, str], ...]
    refusal: BadPath | None


class Place(NamedTuple):
    """The place of a shard among all: the first row and file of each of its trees, numbered.

    trees: their states when the question began; model: that of all shards, if there are others.
    """

    first_rows: tuple[int, ...]
    first_files: tuple[int, ...]
    trees: tuple[TreeState, ...]
    model: FirstModel | None


class ShownHit(NamedTuple):
    """A hit of any shard: its rank, its row among those of all, and what copies of it share."""

    rank: int
    ranked: engine.Ranked
    confidence: str
    identity: Identity | None


class ShardAnswers:
    """The repositories of a shard, by their folders, with the names that answers call them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {Path(os.path.realpath(folder)): name for folder, name in names.items()}
        self._opener = session_opener()
        self._kept: OrderedDict[bytes, _Question] = OrderedDict()
        self._matches = ShardMatches(self._names, self._session)

    def _session(self) -> Session:
        return self._opener(Path.cwd(), Silent())

    def matches(
        self, request: SearchRequest, after: str, count: int | None
    ) -> Portion | SearchError:
        """Look for exact text or a pattern: see `ShardMatches.portion`."""
        try:
            _check(request)
            return self._matches.portion(request, after, count)
        except SearchError as error:
            return error

    def made(self, request: SearchRequest, wanted: Sequence[Wanted]) -> Made | SearchError:
        """Return some results of that: see `ShardMatches.made`."""
        try:
            return self._matches.made(request, wanted)
        except SearchError as error:
            return error

    def open(
        self, request: SearchRequest, model: FirstModel | None = None
    ) -> Opened | SearchError:
        """Begin a question: open the trees, of which the index is taken as it is.

        model: that of the first tree of all shards; None for that of this one.
        """
        try:
            question = self._begin(request, model)
        except SearchError as error:
            return error
        return question.opened

    def ask(
        self, request: SearchRequest, place: Place, method: str, arguments: Sequence[Any]
    ) -> Any:
        """Answer one round: a method of `_Question`. A refusal is returned, not raised."""
        try:
            model = place.model
            question = self._kept.get(_key(request, model)) or self._begin(request, model)
            if question.states != place.trees:
                self._kept.clear()
                raise Stale("a repository was updated while it was searched")
            question.place(place)
            return getattr(question, method)(*arguments)
        except SearchError as error:
            return error

    def _begin(self, request: SearchRequest, model: FirstModel | None) -> _Question:
        _check(request)
        session = self._session()
        asked = replace(
            request,
            refresh=OFF,
            repositories=RepositoryNames(tuple(map(str, self._names))),
        )
        found = repositories.known(session, self._names)
        question = _Question(asked, found, session, model)
        self._kept[_key(request, model)] = question
        self._kept.move_to_end(_key(request, model))
        if len(self._kept) > _QUESTIONS:
            self._kept.popitem(last=False)
        return question


def _check(request: SearchRequest) -> None:
    if request.cached or request.untracked:
        raise UsageError("a cluster searches commits; --cached and --untracked are no trees")


def _key(request: SearchRequest, model: FirstModel | None) -> bytes:
    return pickle.dumps((request, model))


class _Question:
    """The opened trees of one question; its public methods are the rounds."""

    def __init__(
        self,
        request: SearchRequest,
        found: repositories.Repositories,
        session: Any,
        model: FirstModel | None,
    ) -> None:
        self._request = request
        self._oddities = tuple(map(repositories.oddity, found.found))
        chosen = ChosenTrees(session, request, found, model)
        self._trees, self._unsearched = _opened(chosen, request)
        self._has_others = chosen.has_others
        self._refusal: BadPath | None = None
        self._rankings: OrderedDict[bytes, NumberedShard] = OrderedDict()

    @cached_property
    def opened(self) -> Opened:
        trees = self._trees
        if trees is None:
            return Opened((), self._unsearched, self._oddities, "", self._has_others, (), None)
        _ = self._mask
        each = [
            OpenedTree(
                state,
                searched,
                tree.opened.warnings,
                int(tree.opened.view.starts[-1]),
                int(tree.opened.view.file_starts[-1]),
            )
            for tree, state, searched in zip(
                trees.trees, self.states, trees.searched or (), strict=True
            )
        ]
        return Opened(
            tuple(each),
            self._unsearched,
            self._oddities,
            trees.trees[0].opened.session.store.fingerprint,
            self._has_others,
            tuple((option, shown) for option, shown, _ in self._without),
            self._refusal,
        )

    @cached_property
    def states(self) -> tuple[TreeState, ...]:
        return tuple(self._trees.states()) if self._trees else ()

    def place(self, place: Place) -> None:
        self._place = place
        self._numbering = Numbering(self._view, place.first_rows, place.first_files)

    @property
    def _own(self) -> SearchedTrees:
        assert self._trees is not None  # only shards with trees are asked
        return self._trees

    @property
    def _view(self) -> Any:
        return self._own.view

    @cached_property
    def _mask(self) -> np.ndarray:
        try:
            return self._own.mask()
        except BadPath as error:
            self._refusal = error
            return np.zeros(int(self._view.starts[-1]), bool)

    @cached_property
    def _without(self) -> list[tuple[str, str, np.ndarray]]:
        return list(self._own.without_each())

    # ---------------------------------------------------------------- rounds

    def vocabulary(self, method: str, argument: Any) -> Any:
        """Ask the words of the trees."""
        answer = getattr(ViewVocabulary(self._view), method)(argument)
        if method == "near":
            return {other: self._numbered(near) for other, near in answer.items()}
        return answer

    def _numbered(self, near: Near) -> Near:
        """Of equal places of definitions the first tree among those of all shards counts."""
        first = near.first
        if first is None:
            return near
        row = self._place.first_rows[first.repository]
        return near._replace(first=first._replace(repository=row))

    def ranking(self, method: str, arguments: Sequence[Any]) -> Any:
        """Ask for a part of a ranking: the query, the options, a filter to leave out, the rest."""
        asked, rest = tuple(arguments[:3]), arguments[3:]
        key = pickle.dumps((self._place, asked))
        shard = self._rankings.get(key)
        if shard is None:
            parsed, options, without = asked
            mask = self._mask if without is None else self._without[without][2]
            shard = NumberedShard(self._view, mask, parsed, options, self._numbering)
            self._rankings[key] = shard
            if len(self._rankings) > _RANKINGS:
                self._rankings.popitem(last=False)
        return getattr(shard, method)(*rest)

    def shown(self, hits: Sequence[ShownHit]) -> tuple[list[Result], list[list[Copy]]]:
        """Return the results of those hits that are of this shard, and the copies of all."""
        numbers = np.asarray([hit.ranked.row for hit in hits], np.int64)
        rows, places = self._numbering.own_rows(numbers)
        own = dict(zip(places.tolist(), rows.tolist(), strict=True))
        identical = IdenticalCode(self._own, self._mask, fold=True)
        copies = [
            list(identical.each(hit.identity, own.get(i))) if hit.identity else []
            for i, hit in enumerate(hits)
        ]
        chosen = [
            Hit(hit.rank, replace(hit.ranked, row=own[i]), hit.confidence, ())
            for i, hit in enumerate(hits)
            if i in own
        ]
        return ShownResults(self._own, self._request).of(chosen), copies


def _opened(
    chosen: ChosenTrees, request: SearchRequest
) -> tuple[SearchedTrees | None, tuple[UnsearchedRepository, ...]]:
    """Open the trees; None if there are none, with those that are not searched."""
    asked: Query = query.parse(request.text)
    try:
        trees = chosen.open(asked)
    except (NotARepository, BadPath):  # there is none to search
        return None, chosen.unsearched
    return trees, trees.unsearched
