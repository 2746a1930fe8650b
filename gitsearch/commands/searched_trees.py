"""The trees that a question is asked of: one, or one of each of many repositories.

Those of many are one view: their chunks are ranked together, by the frequencies of all of them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands import repository_answers
from gitsearch.commands.pages import tree_state
from gitsearch.commands.search_filters import filters_of
from gitsearch.errors import BadLanguage, BadPath, SearchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitsearch.commands.repositories import Repository
    from gitsearch.commands.search_filters import Filters
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import ChunkRow, Segment, View
    from gitsearch.reports.search import (
        Coverage,
        SearchedRepository,
        TreeName,
        UnsearchedRepository,
    )
    from gitsearch.retrieval.query import Query
    from gitsearch.settings import SearchRequest

# Repositories in which git looks for edited files before the first one is opened.
_AHEAD = 32


class SearchedTree(NamedTuple):
    """An opened tree with the filters of the question.

    repository: its name; None for that of the current folder. request: the question as it is asked
    of this tree.
    """

    repository: str | None
    request: SearchRequest
    filters: Filters
    opened: OpenView


class Place(NamedTuple):
    """The place of a ranked row: its tree, its segment, the chunk in it, the blob of its file."""

    tree: SearchedTree
    segment: Segment
    chunk: ChunkRow
    oid: str


class ChosenTrees:
    """The trees of a question; git has begun to look for edited files, nothing else is read."""

    def __init__(self, session: Session, request: SearchRequest) -> None:
        """Raises SearchError, of many repositories only where none can be searched."""
        self._session = session
        self._request = request
        self._unsearched: list[UnsearchedRepository] = []
        self._said: tuple[str, ...] = ()
        self._chosen: deque[tuple[Repository, SearchRequest, Filters]] = deque()
        self._left: deque[Repository] = deque()
        if not request.of_many:
            self._single = filters_of(session, request)
            return
        from gitsearch.commands import repositories

        found = repositories.named(session, request.repositories, request.at)
        self._said = found.said
        self._unsearched += found.unsearched
        self._left += found.found
        self._choose()

    def open(self, asked: Query) -> SearchedTrees:
        """Open the trees; those without an index are answered from some of their files."""
        if not self._request.of_many:
            filters = self._single
            tree = SearchedTree(None, self._request, filters, _opened(filters, asked))
            return SearchedTrees(self._session, [tree])
        trees: list[SearchedTree] = []
        try:
            sharing = self._without_view()
            while self._chosen:
                self._open_next(asked, sharing, trees)
                self._choose()
        except BaseException:
            self._abandon()
            raise
        if not trees:
            raise repository_answers.nothing_left(self._unsearched) or BadPath(
                "no file of any repository matches the pathspecs"
            )
        return SearchedTrees(self._session, trees, self._unsearched, self._said)

    def _choose(self) -> None:
        """Let git begin with a few more repositories."""
        while self._left and len(self._chosen) < _AHEAD:
            one = self._left.popleft()
            request = replace(self._request, at=one.at or self._request.at)
            if one.at is not None:
                # the commit of a submodule is what the superproject has checked out or staged
                request = replace(request, cached=False, untracked=False)
            try:
                filters = filters_of(one.session, request)
                _ = filters.selection.revision  # refused here if there is none
                self._chosen.append((one, request, filters))
            except UsageError:
                self._abandon()
                raise
            except SearchError as error:
                self._refused(one, error)

    def _abandon(self) -> None:
        for _, _, filters in self._chosen:
            filters.selection.abandon()

    def _refused(self, one: Repository, error: SearchError) -> None:
        self._unsearched.append(repository_answers.unsearched(one.session, error.message))

    def _without_view(self) -> int:
        """Of how many of the first repositories the tree has no view, at least 1."""
        without = 0
        for one, _, filters in self._chosen:
            revision = filters.selection.revision
            store = one.session.store
            without += revision is not None and not store.has_view(revision.tree)
        return max(1, without)

    def _open_next(self, asked: Query, sharing: int, trees: list[SearchedTree]) -> None:
        one, request, filters = self._chosen.popleft()
        one.session.sharing = sharing
        try:
            opened = _opened(filters, asked)
        except (UsageError, BadLanguage):
            filters.selection.abandon()
            raise
        except SearchError as error:
            filters.selection.abandon()
            if not isinstance(error, BadPath):  # pathspecs match in other repositories
                self._refused(one, error)
            return
        if len(trees) >= _AHEAD:
            # of very many repositories each would keep processes of git
            one.session.repo.end_idle()
        if trees and opened.session.store.fingerprint != trees[0].opened.session.store.fingerprint:
            reason = f"its index has vectors of another model than that of '{trees[0].repository}'"
            self._unsearched.append(repository_answers.unsearched(one.session, reason))
            return
        trees.append(SearchedTree(one.name, request, filters, opened))


def _opened(filters: Filters, asked: Query) -> OpenView:
    from gitsearch.commands.file_candidates import FileCandidates

    selection = filters.selection
    return selection.open(FileCandidates(selection, asked, filters.of_paths, filters.named))


class SearchedTrees:
    """Opened trees as one view, and what an answer says of them."""

    def __init__(
        self,
        session: Session,
        trees: Sequence[SearchedTree],
        left_out: Iterable[UnsearchedRepository] = (),
        said: Iterable[str] = (),
    ) -> None:
        self._session = session
        self.trees = trees
        self.unsearched = tuple(left_out)
        self._said = said
        # of each row number from which on it is of the next tree
        self._ends = np.cumsum([int(tree.opened.view.starts[-1]) for tree in trees])

    @cached_property
    def view(self) -> View:
        """The view of all trees, in their order."""
        return self._session.joined([tree.opened.view for tree in self.trees])

    @property
    def only(self) -> SearchedTree | None:
        """The tree of the current folder, if no other one was asked for."""
        return self.trees[0] if self.trees[0].repository is None else None

    def of_row(self, row: int) -> SearchedTree:
        """Return the tree that a row of the view is of."""
        return self.trees[int(np.searchsorted(self._ends, row, side="right"))]

    def places(self, rows: Iterable[int]) -> list[Place]:
        """Return the places of rows of the view; the texts of each repository are read at once."""
        places = []
        for row in rows:
            segment, inside = self.view.locate(row)
            chunk = segment.chunk(inside)
            places.append(Place(self.of_row(row), segment, chunk, segment.oid(chunk.file)))
        self._read(places)
        return places

    @staticmethod
    def _read(places: Sequence[Place]) -> None:
        """Read the texts of each repository at once, and those of several at the same time."""
        caches = {id(place.tree): place.tree.opened.texts for place in places}

        def read(tree: int) -> None:
            caches[tree].read(place.oid for place in places if id(place.tree) == tree)

        if len(caches) < 2:
            for tree in caches:
                read(tree)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(caches)) as pool:
            list(pool.map(read, caches))

    def mask(self) -> np.ndarray:
        """The rows that pass the filters: bool (rows,).

        Raises BadPath if pathspecs match nothing in any tree.
        """
        return self._mask([tree.filters for tree in self.trees])

    def without_each(self) -> Iterator[tuple[str, str, np.ndarray]]:
        """Yield the name of each filter that is set, how it is asked for, and a mask without."""
        for each in zip(*(tree.filters.without_each() for tree in self.trees), strict=True):
            yield each[0][0], each[0][1], self._mask([filters for _, _, filters in each])

    def _mask(self, filters: Sequence[Filters]) -> np.ndarray:
        if all(own.let_all_pass for own in filters):
            return self.view.live
        parts: list[np.ndarray] = []
        refusals: list[BadPath] = []
        for tree, own in zip(self.trees, filters, strict=True):
            try:
                parts.append(own.mask(tree.opened))
            except BadPath as error:
                refusals.append(error)
                parts.append(np.zeros(int(tree.opened.view.starts[-1]), bool))
        if len(refusals) == len(parts):
            raise refusals[0]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    @cached_property
    def coverage(self) -> Coverage:
        """The files of all trees."""
        return repository_answers.coverage_of([tree.opened.view.coverage() for tree in self.trees])

    @property
    def tree(self) -> TreeName:
        """The tree, or what several have in common."""
        return repository_answers.tree_of([tree.opened.tree for tree in self.trees])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the answer, a line each."""
        if self.only is not None:
            return self.only.opened.warnings
        own = ((tree.repository or "", tree.opened.warnings) for tree in self.trees)
        return repository_answers.warnings(self.unsearched, self._said, own)

    @property
    def searched(self) -> tuple[SearchedRepository, ...] | None:
        """The repositories, if there may be many."""
        if self.only is not None:
            return None
        return tuple(
            repository_answers.searched(
                tree.repository or "",
                tree.opened.session,
                tree.opened.tree,
                tree.opened.view.coverage(),
            )
            for tree in self.trees
        )

    def states(self) -> list[object]:
        """Return the identity of these trees, to which the pages of an answer are bound."""
        return [
            (
                tree.repository,
                *tree_state(tree.opened.tree, tree.opened.dirty),
                tree.opened.view.coverage().pending,
                None if tree.filters.lines is None else sorted(tree.filters.lines.items()),
            )
            for tree in self.trees
        ]
