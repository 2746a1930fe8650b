"""`git search context`: what is needed to begin with a task, or with a place in the code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitsearch.commands.line_ranges import readings
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
    """A task in words, `PATH`, `PATH:SYMBOL` or `PATH:LINES`; tree, tests, budget in tokens."""

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
    places = _places(selection, opened, request.words)
    chosen = ContextSelection(selection, opened, request.tests)
    if not places:
        chosen.begin_with_task(parsed)
        about = ContextQuery(parsed.text)
    else:
        chosen.begin_with_places(places)
        names = ", ".join(place.name for place in places if place.name)
        about = ContextQuery(None, os.fsdecode(places[0].path), names or None)

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
        named = files.numbers(_paths(self._selection, self._request.words))[:1]
        stems = {path_kinds.stem(files.paths[number]) for number in named}
        alike = [
            number for number, path in enumerate(files.paths) if path_kinds.stem(path) in stems
        ]
        return choice._replace(
            order=list(dict.fromkeys((*named, *alike[:_NAMESAKES], *choice.order)))
        )


def _readings(selection: TreeSelection, words: Sequence[str]) -> list[tuple[bytes, str]]:
    """The paths that one word may begin with, each with what follows; none for several words."""
    if len(words) != 1 or any(character.isspace() for character in words[0]):
        return []
    found = readings(words[0])
    return [(os.fsencode(selection.placed(path)), part) for path, part in found]


def _paths(selection: TreeSelection, words: Sequence[str]) -> list[bytes]:
    return [path for path, _ in _readings(selection, words)]


def _places(selection: TreeSelection, opened: OpenView, words: Sequence[str]) -> list[Span]:
    """The file or the definitions that one word means; none for words of a task."""
    from gitsearch.commands.context_items import file_span, symbol_span
    from gitsearch.commands.named_symbols import find_symbols

    found = _readings(selection, words)
    for path, part in found:
        place = opened.view.find(path)
        if place is None:
            continue
        if reason := place[0].reason(place[1]):
            raise BadPath(f"'{os.fsdecode(path)}' is not searched: {reason}")
        symbols = find_symbols(opened, *place, part) if part else []
        return [symbol_span(place[0], symbol) for symbol in symbols] or [file_span(*place)]
    if len(found) > 1 and "::" not in words[0]:
        wanted = os.fsdecode(found[-1][0])
        every = (segment.path(file) for segment, file in opened.view.each_file())
        raise selection.absent(wanted, every)
    return []
