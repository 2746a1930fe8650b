"""The trees that a question is asked of: one, or one of each of many repositories.

Those of many are one view: their chunks are ranked together, by the frequencies of all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands import repository_answers
from gitsearch.commands.pages import page_of, tree_state
from gitsearch.commands.search_filters import filters_of
from gitsearch.errors import BadPath, SearchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np

    from gitsearch.commands.repositories import Repositories, Repository
    from gitsearch.commands.search_filters import Filters
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import ChunkRow, Segment, View
    from gitsearch.records import DirtyFile, LineRanges
    from gitsearch.reports.pages import Page
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


class FirstModel(NamedTuple):
    """The model of the vectors that are ranked: its fingerprint, the repository that has it."""

    fingerprint: str
    repository: str | None


class ChosenTrees:
    """The trees of a question; git has begun to look for edited files, nothing else is read."""

    def __init__(
        self,
        session: Session,
        request: SearchRequest,
        found: Repositories | None,
        model: FirstModel | None = None,
    ) -> None:
        """Raises SearchError, of many repositories only where none can be searched.

        found: the repositories of a request of many, which have been opened; model: that of the
        trees that are ranked; None for that of the first tree.
        """
        self._session = session
        self._model = model
        # True if a tree was left out for the model of its vectors
        self.has_others = False
        self._request = request
        self._unsearched: list[UnsearchedRepository] = []
        self._said: tuple[str, ...] = ()
        self._chosen: deque[tuple[Repository, SearchRequest, Filters]] = deque()
        self._left: deque[Repository] = deque()
        if found is None:
            self._single = filters_of(session, request)
            return
        self._said = found.said
        self._unsearched += found.unsearched
        self._left += found.found
        self._choose()

    @property
    def unsearched(self) -> tuple[UnsearchedRepository, ...]:
        """The repositories that are not searched, as far as that is known."""
        return repository_answers.in_order(self._unsearched)

    def open(self, asked: Query) -> SearchedTrees:
        """Open the trees; those without an index are answered from some of their files."""
        if not self._request.of_many:
            filters = self._single
            tree = SearchedTree(None, self._request, filters, _opened(filters, asked))
            return SearchedTrees(self._session, [tree])
        trees: list[SearchedTree] = []
        try:
            sharing = self._without_view()
            for _, _, filters in self._chosen:
                filters.selection.prepare()
            while self._chosen:
                self._open_next(asked, sharing, trees)
                self._choose()
        except BaseException:
            self._abandon()
            raise
        if not trees:
            raise nothing_searched(self.unsearched)
        return SearchedTrees(self._session, trees, self.unsearched, self._said)

    def _choose(self) -> None:
        """Let git begin with a few more repositories."""
        while self._left and len(self._chosen) < _AHEAD:
            one = self._left.popleft()
            try:
                request = one.question(self._request)
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
        except UsageError:
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
        own = opened.session.store.fingerprint
        self._model = self._model or FirstModel(own, one.name)
        if own != self._model.fingerprint:
            self.has_others = True
            reason = other_model(self._model.repository)
            self._unsearched.append(repository_answers.unsearched(one.session, reason))
            return
        trees.append(SearchedTree(one.name, request, filters, opened))


def other_model(first: str | None) -> str:
    """The reason why a tree is not ranked together with those before it."""
    return f"its index has vectors of another model than that of '{first}'"


def nothing_searched(left_out: Sequence[UnsearchedRepository]) -> SearchError:
    """The error for repositories of which none has a tree to search."""
    return repository_answers.nothing_left(left_out) or BadPath(
        "no file of any repository matches the pathspecs"
    )


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
        left_out: tuple[UnsearchedRepository, ...] = (),
        said: Iterable[str] = (),
    ) -> None:
        self._session = session
        self.trees = trees
        self.unsearched = left_out
        self._said = said
        # of each row number from which on it is of the next tree
        self._ends = list(accumulate(int(tree.opened.view.starts[-1]) for tree in trees))

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
        return self.trees[bisect_right(self._ends, row)]

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
        import numpy as np  # not before git looks for edited files

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

    def states(self) -> list[TreeState]:
        """Return the state of each tree."""
        return [TreeState.of(tree) for tree in self.trees]


class TreeState(NamedTuple):
    """What tells one state of a searched tree from others; an answer's pages are bound to it.

    lines: those to which a search of it is restricted.
    """

    repository: str | None
    tree: TreeName
    dirty: tuple[DirtyFile, ...]
    pending: int
    lines: LineRanges | None

    @classmethod
    def of(cls, tree: SearchedTree) -> TreeState:
        """Return that of an opened tree."""
        opened = tree.opened
        # contents are told by their ids
        dirty = tuple(file._replace(data=None) for file in opened.dirty)
        pending = opened.view.coverage().pending
        return cls(tree.repository, opened.tree, dirty, pending, tree.filters.lines)


def page_of_trees(
    request: SearchRequest,
    tree: TreeName,
    states: Sequence[TreeState],
    coverage: Coverage,
) -> Page:
    """Return the page of an answer about some trees; `tree` and `coverage` are of all of them."""
    if len(states) == 1:
        (one,) = states
        return page_of(request, one.tree, one.dirty, coverage.pending, one.lines)
    others = [
        (
            one.repository,
            *tree_state(one.tree, one.dirty),
            one.pending,
            None if one.lines is None else sorted(one.lines.items()),
        )
        for one in states
    ]
    return page_of(request, tree, (), coverage.pending, None, others)
