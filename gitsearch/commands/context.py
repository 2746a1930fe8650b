"""`git search context`: what is needed to begin with a task, or with a place in the code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.tree_selection import select_tree
from gitsearch.errors import BadPath
from gitsearch.reports.context import (
    KINDS,
    ContextItem,
    ContextQuery,
    ContextReport,
    TokenBudget,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsearch.commands.context_items import Span
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.tree_files import Choice, TreeFiles
    from gitsearch.retrieval.query import Query

BUDGET = 4000

_FOUR_DIGITS = 9999
# Files that are named like the place, and read before there is an index.
_NAMESAKES = 8


class ContextRequest(NamedTuple):
    """A task in words, or `PATH` or `PATH:SYMBOL`; the tree; the tests; the budget in tokens."""

    words: tuple[str, ...]
    at: str | None = None
    cached: bool = False
    tests: str = "include"
    budget: int = BUDGET


def context(
    session: Session, request: ContextRequest, written: Callable[[ContextReport], str]
) -> ContextReport:
    """The items that fit into the budget; `written` gives a report as it is printed.

    Raises BadPath for a symbol that a file does not have and for a place in a file that the tree
    does not have, and SmallBudget if the budget is too small for any item.
    """
    selection = select_tree(session, at=request.at, cached=request.cached)
    from gitsearch.commands.budgeted_items import BudgetedItems
    from gitsearch.commands.context_selection import ContextSelection
    from gitsearch.retrieval import query

    parsed = query.parse(" ".join(request.words))
    opened = selection.open(_Files(selection, request, parsed))
    place = _place(selection, opened, request.words)
    chosen = ContextSelection(selection, opened, request.tests)
    if place is None:
        chosen.begin_with_task(parsed)
        about = ContextQuery(parsed.text)
    else:
        chosen.begin_with_place(place)
        about = ContextQuery(None, os.fsdecode(place.path), place.name)

    def report(items: Sequence[ContextItem], used: int, left_out: int) -> ContextReport:
        return ContextReport(
            about,
            opened.tree,
            opened.view.coverage(),
            TokenBudget(request.budget, used, left_out),
            tuple(sorted(items, key=lambda item: KINDS.index(item.kind))),
            (*opened.warnings, *parsed.warnings, *chosen.warnings),
        )

    # no number of tokens or items has more digits than this
    most = max(request.budget, _FOUR_DIGITS)
    items: BudgetedItems[ContextItem] = BudgetedItems(
        request.budget, lambda some: written(report(some, most, most))
    )
    chosen.fill(items)
    fitting = items.fitting()
    return report(fitting, items.tokens(fitting), items.left_out)


class _Files:
    """Chooses the files that are read before there is an index: that of the place comes first."""

    def __init__(self, selection: TreeSelection, request: ContextRequest, query: Query) -> None:
        self._selection = selection
        self._request = request
        self._query = query

    def choose(self, files: TreeFiles) -> Choice:
        """Return the file that is named, its namesakes, and files with words of the task."""
        from gitsearch.commands.file_candidates import FileCandidates
        from gitsearch.extract import path_kinds
        from gitsearch.retrieval import filters

        def passes(path: bytes) -> bool:
            return filters.may_pass(path, (), "all", self._request.tests)

        candidates = FileCandidates(self._selection, self._query, lambda _: passes, lambda _: None)
        choice = candidates.choose(files)
        named = files.numbers(_possible_paths(self._selection, self._request.words))[:1]
        stems = {path_kinds.stem(files.paths[number]) for number in named}
        alike = [
            number for number, path in enumerate(files.paths) if path_kinds.stem(path) in stems
        ]
        return choice._replace(
            order=list(dict.fromkeys((*named, *alike[:_NAMESAKES], *choice.order)))
        )


def _possible_paths(selection: TreeSelection, words: Sequence[str]) -> list[bytes]:
    """The paths that one word may mean: all of it, or what stands before its last colon."""
    if len(words) != 1 or any(character.isspace() for character in words[0]):
        return []
    path, _, _ = words[0].rpartition(":")
    return [os.fsencode(selection.placed(text)) for text in (words[0], path) if text]


def _place(selection: TreeSelection, opened: OpenView, words: Sequence[str]) -> Span | None:
    """The file or definition that one word means; None for words of a task."""
    from gitsearch.commands.context_items import file_span, symbol_span
    from gitsearch.commands.named_symbols import find_symbol

    paths = _possible_paths(selection, words)
    for path in paths:
        place = opened.view.find(path)
        if place is None:
            continue
        if reason := place[0].reason(place[1]):
            raise BadPath(f"'{os.fsdecode(path)}' is not searched: {reason}")
        symbol = None
        if path != paths[0]:
            symbol = find_symbol(opened, *place, words[0].rpartition(":")[2])
        return file_span(*place) if symbol is None else symbol_span(place[0], symbol)
    if len(paths) > 1 and "::" not in words[0]:
        wanted = os.fsdecode(paths[1])
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise selection.absent(wanted, every)
    return None
