"""The filters of a search: which files may answer, and which rows of a view."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.tree_selection import select_tree, unmatched
from gitsearch.errors import BadLanguage, brief, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from typing import Any

    import numpy as np

    from gitsearch.commands.changed_lines import Change
    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.repo import Repo
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.records import LineRanges
    from gitsearch.reports.search import SearchReport
    from gitsearch.settings import SearchRequest

# What to do about a language that is like no other.
_LISTING = '`git search sql "select distinct language from blob"` lists those of this repository'


def filters_of(session: Session, request: SearchRequest) -> Filters:
    """Choose the tree that a request asks about, with its filters; raises SearchError."""
    change, at = None, request.at
    if request.changed is not None or request.removed is not None:
        from gitsearch.commands.changed_lines import change_of

        change = change_of(session, request)
        at = change.at
    selection = select_tree(
        session,
        at=at,
        cached=request.cached and at is None,
        untracked=request.untracked,
        refresh=request.refresh,
    )
    return Filters(selection, request, change)


class Filters:
    """The filters of a request: for rows of a view, and for paths before there is one.

    selection: of the tree that is searched. The lines of a change are known once it is opened.
    """

    def __init__(
        self, selection: TreeSelection, request: SearchRequest, change: Change | None = None
    ) -> None:
        self.selection = selection
        self._request = request
        self._change = change
        self._matched: dict[str | None, set[bytes]] = {}

    @cached_property
    def lines(self) -> LineRanges | None:
        """The lines of a change by path, of which each result has one; None without a change."""
        if self._change is None:
            return None
        with trace.stage("changed lines"):
            return self._change.lines(self.selection)

    def told(self, report: SearchReport) -> SearchReport:
        """The report with the change to which it is restricted, and a warning if that is empty."""
        if self._change is None or self.lines is None:
            return report
        nothing = () if self.lines else (self._change.nothing(),)
        return report._replace(
            changed=self._change.report(self.selection, self.lines),
            warnings=(*report.warnings, *nothing),
        )

    def without_each(self) -> Iterator[tuple[str, str, Filters]]:
        """Yield the name of each filter that is set, how it is asked for, and all the others."""
        request = self._request
        languages, specs = ",".join(request.languages), " ".join(request.pathspecs)
        each: tuple[tuple[str, str, bool, dict[str, Any]], ...] = (
            (
                "tests",
                f"--tests {request.tests}",
                request.tests != "include",
                {"tests": "include"},
            ),
            (
                "content",
                f"--content {request.content}",
                request.content != "all",
                {"content": "all"},
            ),
            ("languages", f"--type {languages}", bool(languages), {"languages": ()}),
            ("grep", f"--grep {request.grep}", request.grep is not None, {"grep": None}),
            ("pathspecs", f"-- {specs}", bool(specs), {"pathspecs": ()}),
        )
        for option, shown, is_set, unset in each:
            if is_set:
                others = copy(self)
                others._request = replace(request, **unset)
                yield option, shown, others

    @property
    def let_all_pass(self) -> bool:
        """True if no filter is set."""
        request = self._request
        return not (
            self.are_of_files or self.by_grep or request.pathspecs or self._change is not None
        )

    def mask(self, opened: OpenView) -> np.ndarray:
        """The rows that pass: bool (rows,)."""
        from gitsearch.retrieval import filters

        mask = self.by_file(opened)
        if self._request.grep is not None:
            mask &= filters.by_lines(opened.view, self.grepped(opened))
        if self.lines is not None:
            mask &= filters.by_ranges(opened.view, self.lines)
        return mask

    def by_file(self, opened: OpenView) -> np.ndarray:
        """The rows of the files that pass, whatever their lines: bool (rows,)."""
        from gitsearch.retrieval import filters

        request = self._request
        return filters.by_file(
            opened.view,
            languages=_languages(request.languages),
            content=request.content,
            tests=request.tests,
            paths=self._paths(opened.tree.tree),
        )

    @property
    def by_grep(self) -> bool:
        """True if lines must match a regular expression."""
        return self._request.grep is not None

    def grepped(self, opened: OpenView) -> dict[bytes, list[int]]:
        """The lines of each path that the regular expression of the request matches."""
        assert self._request.grep is not None
        return _grepped(self.selection.session.repo, self._request.grep, opened)

    def passes_language(self, language: str) -> bool:
        """Return True if files of a language may pass."""
        from gitsearch.retrieval import filters

        request = self._request
        return filters.passes_language(language, _languages(request.languages), request.content)

    def check(self) -> None:
        """Raise BadLanguage for a language that is not known."""
        _languages(self._request.languages)

    @property
    def are_of_files(self) -> bool:
        """True if there are filters besides pathspecs and lines."""
        request = self._request
        return bool(request.languages) or (request.content, request.tests) != ("all", "include")

    def passes(self, path: bytes, language: str) -> bool:
        """Return True if a file of this path and language passes all filters but pathspecs."""
        from gitsearch.retrieval import filters

        request = self._request
        return filters.passes(
            path, language, _languages(request.languages), request.content, request.tests
        )

    def of_paths(self, tree: str | None) -> Callable[[bytes], bool]:
        """Return a test of paths of a tree: False for files that cannot pass the filters."""
        from gitsearch.retrieval import filters

        request, named = self._request, self.named(tree)
        languages = _languages(request.languages)

        def passes(path: bytes) -> bool:
            return (named is None or path in named) and filters.may_pass(
                path, languages, request.content, request.tests
            )

        return passes

    def named(self, tree: str | None) -> Collection[bytes] | None:
        """The paths of a tree that may pass, if these are pathspecs' or a change's; else None."""
        paths = self._paths(tree)
        if self.lines is None:
            return paths
        return self.lines.keys() if paths is None else self.lines.keys() & paths

    def _paths(self, tree: str | None) -> set[bytes] | None:
        """The paths that the pathspecs match; None without any."""
        from gitsearch.git import trees

        selection, specs = self.selection, list(self._request.pathspecs)
        if not specs:
            return None
        if tree not in self._matched:
            repo = selection.session.repo
            paths: set[bytes] = set()
            if tree:
                paths |= trees.match_paths(repo, tree, specs)
            if selection.at is None and repo.worktree is not None:
                paths |= trees.match_worktree(repo, specs, untracked=selection.untracked)
            if not paths:
                edited = selection.at is None and not (selection.cached or selection.untracked)
                raise unmatched(selection.session, specs, edited=edited)
            self._matched[tree] = paths
        return self._matched[tree]


def _languages(names: tuple[str, ...]) -> set[str]:
    from gitsearch.extract.languages import LANGUAGES, named

    out = set()
    for name in names:
        language = named(name)
        if language is None:
            hint = nearest(name.lower(), LANGUAGES) or _LISTING
            raise BadLanguage(f"no language is called '{brief(name)}'", hint)
        out.add(language)
    return out


def _grepped(repo: Repo, regex: str, opened: OpenView) -> dict[bytes, list[int]]:
    from gitsearch.git import trees

    lines_of = trees.grep_tree(repo, opened.tree.tree, regex) if opened.tree.tree else {}
    overlaid = {file.path for file in opened.dirty}
    kept = {path: lines for path, lines in lines_of.items() if path not in overlaid}
    if opened.dirty:
        kept.update(trees.grep_worktree(repo, regex, opened.dirty))
    return kept
