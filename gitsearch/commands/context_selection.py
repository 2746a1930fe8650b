"""The places, users, tests and rules that an answer of `context` is chosen from."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.context_items import ItemMaker, Span, definition_span, outermost
from gitsearch.commands.task_evidence import TaskEvidence
from gitsearch.extract import path_kinds
from gitsearch.features import identifiers
from gitsearch.reports.context import (
    CODE,
    LINE,
    NOTHING,
    PLACE,
    RULE,
    TEST,
    USED,
    USER,
    ContextItem,
)
from gitsearch.retrieval import file_likelihood

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.commands.budgeted_items import BudgetedItems
    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.commands.rule_files import FoundRule
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.cochange import History
    from gitsearch.index.open_view import OpenView
    from gitsearch.retrieval.query import Query

# The share of the budget up to which whole definitions are added, that of the largest one, and
# that of the parts of a definition that is larger.
_CODE_SHARE = 0.6
_LARGEST_SHARE = 0.2
_OUTLINE_SHARE = 0.3
# Results of a search that are shown as whole definitions while the budget lasts.
_WHOLE = 12
# Definitions of which users are looked for, and of which is said what they use.
_USED, _USING = 3, 1
_MOST_USED = 8
# The most likely files of a search: what goes with them is looked for.
_SEEDS = 30
# Files that are less likely are left out even where there is room.
_LEAST = 0.005
# Rules by kind, in this order; how many, and the share of the budget for the text of one.
_RULE_NAMES = {
    "agents": "instructions for agents",
    "contributing": "how to contribute",
    "style": "style guide",
    "lint": "settings of linters",
    "hooks": "hooks of git",
}
_RULES = tuple(_RULE_NAMES)
_MOST_RULES = 5
_RULE_SHARE = 0.15
# Words of the task that a reason has.
_MOST_WORDS = 4


class ContextSelection:
    """Gathers what belongs to a task or a place, and fills an answer with it.

    One of `begin_with_task` and `begin_with_places` comes first, then `fill`.
    """

    def __init__(self, selection: TreeSelection, opened: OpenView, tests: str) -> None:
        self._selection = selection
        self._opened = opened
        self._tests = tests
        self._make = ItemMaker(opened)
        self._evidence = TaskEvidence(opened)
        self._query: Query | None = None
        self._places: list[Span] = []
        self.warnings: list[str] = []

    # ---------------------------------------------------------------- gathering

    def begin_with_task(self, query: Query) -> None:
        """Search for the words of a task, and add what goes with the files that are found."""
        from gitsearch.retrieval import spelling

        self._query, _ = spelling.respelt(self._opened.view, query)
        found = self._evidence.search(self._query, self._tests)
        self._places = _distinct(found)[:_WHOLE]
        history = self._history()
        if history is not None:
            self._evidence.precedents(self._query, history)
        seeds = dict.fromkeys(span.path for span in found)
        likely = {path: self._evidence.likelihood(path) for path in list(seeds)[:_SEEDS]}
        self._add_connected(likely, history)

    def begin_with_places(self, places: Sequence[Span]) -> None:
        """Begin with a file or some of its definitions, and add what goes with them."""
        self._places = [*places]
        self._add_connected({places[0].path: 1.0}, self._history())

    def _add_connected(self, seeds: dict[bytes, float], history: History | None) -> None:
        if history is not None:
            self._evidence.changed_together(seeds, history)
        self._evidence.namesakes(seeds)
        if self._code_graph is None:
            return
        from gitsearch.commands.definition_links import users_of

        for span in self._places[:_USED]:
            uses = users_of(self._code_graph, span)
            # who names a place wants all of its users; many users of a result say little
            share = file_likelihood.USED / (max(len(uses), 1) if self._query else 1)
            self._evidence.users(span, seeds.get(span.path, 0.0) * share, uses)

    def _history(self) -> History | None:
        from gitsearch.errors import GitFailed
        from gitsearch.git.cochange import read_history

        commit = self._opened.tree.commit
        if commit is None:
            return None
        try:
            with trace.stage("history"):
                history = read_history(self._opened.session.repo, commit)
        except GitFailed as error:
            self.warnings.append(f"history could not be read: {error.message}")
            return None
        if cut := history.where_it_is_cut():
            self.warnings.append(cut)
        return history

    @cached_property
    def _code_graph(self) -> CodeGraph | None:
        """The graph; None of a tree that is not indexed, where it would take too long to make."""
        if self._opened.view.rest.files:
            self.warnings.append("what uses these places is said once the index is made")
            return None
        from gitsearch.commands.code_graph import whole_code_graph

        return whole_code_graph(self._selection, self._opened)

    # ---------------------------------------------------------------- filling

    def fill(self, items: BudgetedItems[ContextItem]) -> None:
        """Add items, the most important first, as far as they fit."""
        given: list[Span] = []
        for span in self._places:
            if not any(whole.has(span) for whole in given):
                given += self._add_whole(items, span)
        self._add_used(items, given)
        rules = self._add_rules(items, given)
        paths = {os.fsdecode(span.path) for span in given} | rules
        rest = [path for path in self._likely() if os.fsdecode(path) not in paths]
        self._make.read([self._evidence.span(path) for path in rest])
        for path in rest:
            items.add(self._located(path))

    def _add_whole(self, items: BudgetedItems[ContextItem], span: Span) -> list[Span]:
        """Add the whole definition of a place, else the place, else what is defined there.

        Returns the spans of what was added.
        """
        largest = _LARGEST_SHARE if self._query else _CODE_SHARE
        for part in dict.fromkeys((definition_span(span), span)):
            item = self._make.code(part, _kind(part.path), self._reason(part))
            if items.try_add(item, _CODE_SHARE, largest):
                return [part]
        return [] if self._query else self._add_outline(items, span)

    def _add_outline(self, items: BudgetedItems[ContextItem], span: Span) -> list[Span]:
        """Add what a file or a definition consists of, whole or by signature."""
        whole, rest = [], []
        for part in outermost(span):
            item = self._make.code(part, _kind(part.path), "part of what was asked for")
            if items.try_add(item, _OUTLINE_SHARE, _LARGEST_SHARE):
                whole.append(part)
            else:
                rest.append(part)
        for part in rest if whole or rest else [span]:
            items.add(self._make.location(part, _kind(part.path), "part of what was asked for"))
        return [span]

    def _add_used(self, items: BudgetedItems[ContextItem], spans: Sequence[Span]) -> None:
        """Add the signatures of what the first definitions use."""
        from gitsearch.commands.definition_links import used_by

        if self._code_graph is None:
            return
        for span in spans[:_USING]:
            used = used_by(self._code_graph, span, self._make.text(span))
            reason = f"used by {span.name or os.fsdecode(span.path)}"
            for one in islice(used, _MOST_USED):
                items.add(self._make.location(one, USED, reason))

    def _add_rules(self, items: BudgetedItems[ContextItem], spans: Sequence[Span]) -> set[str]:
        """Add the rules that apply to the places, with the text of short ones for agents."""
        from gitsearch.commands.rule_files import found_rules
        from gitsearch.commands.tree_selection import files_of

        files = files_of(self._opened)
        paths = [os.fsdecode(span.path) for span in spans]
        applying = [
            rule
            for rule in found_rules(self._opened.session.repo, files)
            if rule.rule.kind in _RULES and any(path.startswith(rule.rule.scope) for path in paths)
        ]
        applying.sort(key=lambda rule: (_RULES.index(rule.rule.kind), -len(rule.rule.scope)))
        for rule in applying[:_MOST_RULES]:
            item = _rule_item(rule)
            if not (item.text and items.try_add(item, 1.0, _RULE_SHARE)):
                items.add(item._replace(form=NOTHING, text=""))
        return {rule.path for rule in applying}

    # ---------------------------------------------------------------- files

    def _likely(self) -> Iterator[bytes]:
        """The files with enough evidence, the most likely first."""
        for path in self._evidence.ranked(_LEAST):
            if self._tests == "include" or path_kinds.is_test(path) == (self._tests == "only"):
                yield path

    def _located(self, path: bytes) -> ContextItem:
        """The item of a file, without its code."""
        clue = self._evidence.strongest(path)
        if path in self._evidence.uses and clue.kind in (USER, TEST):
            use, reason = self._evidence.uses[path]
            item = self._make.location(use.span, clue.kind, reason)
            return item._replace(form=LINE, text=use.text)
        span = definition_span(self._evidence.span(path))
        return self._make.location(span, clue.kind, clue.reason or self._reason(span))

    def _reason(self, span: Span) -> str:
        """Why a search has found a place: the words that it has."""
        if self._query is None:
            return "asked for"
        text = f"{os.fsdecode(span.path)} {self._make.text(span)}"
        has = set(identifiers.parts_of(identifiers.identifiers(text)))
        words = [word for word in self._words if word in has]
        return f"has {', '.join(words[:_MOST_WORDS])}" if words else "similar in meaning"

    @cached_property
    def _words(self) -> list[str]:
        assert self._query is not None
        return list(dict.fromkeys(identifiers.parts_of(self._query.words)))


def _kind(path: bytes) -> str:
    return TEST if path_kinds.is_test(path) else PLACE


def _distinct(spans: Sequence[Span]) -> list[Span]:
    """The spans that are part of no definition of a span before them."""
    kept: list[Span] = []
    for span in spans:
        if not any(definition_span(one).has(span) for one in kept):
            kept.append(span)
    return kept


def _rule_item(found: FoundRule) -> ContextItem:
    text = "" if found.data is None or found.link else found.data.decode("utf-8", "replace")
    lines = text.count("\n") + (not text.endswith("\n"))
    name = _RULE_NAMES[found.rule.kind]
    tool = found.rule.tool
    reason = name if tool in ("", found.path.rpartition("/")[2]) else f"{name} ({tool})"
    item = ContextItem(RULE, found.path, 1, max(lines, 1), None, reason)
    return item._replace(form=CODE, text=text.rstrip()) if found.rule.kind == "agents" else item
