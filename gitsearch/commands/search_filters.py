"""The filters of a search: which files may answer, and which rows of a view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gitsearch.errors import BadLanguage, BadPath, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    import numpy as np

    from gitsearch.commands.tree_selection import TreeSelection
    from gitsearch.git.repo import Repo
    from gitsearch.index.open_view import OpenView
    from gitsearch.settings import SearchRequest


class Filters:
    """The filters of a request: for rows of a view, and for paths before there is one."""

    def __init__(self, selection: TreeSelection, request: SearchRequest) -> None:
        self._selection = selection
        self._request = request
        self._matched: dict[str | None, set[bytes]] = {}

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
                yield option, shown, Filters(self._selection, replace(request, **unset))

    def mask(self, opened: OpenView) -> np.ndarray:
        """The rows that pass: bool (rows,)."""
        from gitsearch.retrieval import filters

        mask = self.by_file(opened)
        if self._request.grep is not None:
            mask &= filters.by_lines(opened.view, self.lines(opened))
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

    def lines(self, opened: OpenView) -> dict[bytes, list[int]]:
        """The lines of each path that the regular expression of the request matches."""
        assert self._request.grep is not None
        return _grepped(self._selection.session.repo, self._request.grep, opened)

    def passes_language(self, language: str) -> bool:
        """Return True if files of a language may pass."""
        from gitsearch.retrieval import filters

        request = self._request
        return filters.passes_language(language, _languages(request.languages), request.content)

    def of_paths(self, tree: str) -> Callable[[bytes], bool]:
        """Return a test of paths of a tree: False for files that cannot pass the filters."""
        from gitsearch.retrieval import filters

        request, paths = self._request, self._paths(tree)
        languages = _languages(request.languages)

        def passes(path: bytes) -> bool:
            return (paths is None or path in paths) and filters.may_pass(
                path, languages, request.content, request.tests
            )

        return passes

    def _paths(self, tree: str | None) -> set[bytes] | None:
        """The paths that the pathspecs match; None without any."""
        from gitsearch.git import trees

        selection, specs = self._selection, list(self._request.pathspecs)
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
                raise BadPath(
                    f"no file matches '{' '.join(specs)}'",
                    "paths are relative to the current folder",
                )
            self._matched[tree] = paths
        return self._matched[tree]


def _languages(names: tuple[str, ...]) -> set[str]:
    from gitsearch.extract.languages import LANGUAGES, named

    out = set()
    for name in names:
        language = named(name)
        if language is None:
            raise BadLanguage(f"no language is called '{name}'", nearest(name.lower(), LANGUAGES))
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
