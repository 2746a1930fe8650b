"""`git search QUERY`: rank the chunks of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.signatures import SIGNATURE, signature
from gitsearch.commands.tree_selection import TreeSelection, select_tree
from gitsearch.errors import BadLanguage, BadPath, nearest
from gitsearch.reports.search import Result, SearchReport

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from gitsearch.git.repo import Repo
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.session import Session
    from gitsearch.index.view import ChunkRow, Segment, View
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.settings import SearchRequest

# A leg that ranks a result this high vouches for it.
_SURE_RANK = 10


def search(session: Session, request: SearchRequest) -> SearchReport:
    """The best chunks for a query; raises SearchError."""
    selection = select_tree(
        session,
        at=request.at,
        cached=request.cached,
        untracked=request.untracked,
        refresh=request.refresh,
    )
    with trace.stage("imports"):  # beside git, which looks for edited files
        from gitsearch.commands.file_candidates import FileCandidates
        from gitsearch.retrieval import engine, query, spelling

    asked = query.parse(request.text)
    filters = _Filters(selection, request)
    opened = selection.open(FileCandidates(selection, asked, filters.of_paths))
    parsed, respelt = spelling.respelt(opened.view, asked)
    mask = filters.mask(opened)
    mode = request.mode or session.settings.mode
    options = engine.Options(
        mode="hybrid" if mode == "auto" else mode,
        count=request.max_count or session.settings.max_count,
        alpha=request.alpha,
        rerank=request.rerank,
        explain=request.explain,
    )
    ranked = engine.search(opened.view, parsed, mask, options)
    with trace.stage("text"):
        results = _Shown(opened, request).results(ranked)
    counts: dict[str, int] = {}
    for result in results:
        counts[result.path] = counts.get(result.path, 0) + 1
    return SearchReport(
        request.text,
        options.mode,
        opened.tree,
        opened.view.coverage(),
        tuple(results),
        tuple(counts.items()),
        parsed.words,
        respelt,
        (*opened.warnings, *parsed.warnings),
    )


class _Filters:
    """The filters of a request: for rows of a view, and for paths before there is one."""

    def __init__(self, selection: TreeSelection, request: SearchRequest) -> None:
        self._selection = selection
        self._request = request
        self._matched: dict[str | None, set[bytes]] = {}

    def mask(self, opened: OpenView) -> np.ndarray:
        """The rows that pass: bool (rows,)."""
        from gitsearch.retrieval import filters

        request = self._request
        mask = filters.by_file(
            opened.view,
            languages=_languages(request.languages),
            content=request.content,
            tests=request.tests,
            paths=self._paths(opened.tree.tree),
        )
        if request.grep is not None:
            grepped = _grepped(self._selection.session.repo, request.grep, opened)
            mask &= filters.by_lines(opened.view, grepped)
        return mask

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


class _Shown:
    """Turns ranked rows into results with their text, which comes from git."""

    def __init__(self, opened: OpenView, request: SearchRequest) -> None:
        self._view: View = opened.view
        self._texts = opened.texts
        self._request = request

    def results(self, ranked: list[Ranked]) -> list[Result]:
        """A result for each ranked row, in order."""
        places = [self._view.locate(hit.row) for hit in ranked]
        files = [(segment, segment.chunk(row)) for segment, row in places]
        self._texts.read(segment.oid(chunk.file) for segment, chunk in files)
        return [
            self._result(rank, hit, segment, chunk)
            for rank, (hit, (segment, chunk)) in enumerate(zip(ranked, files, strict=True), 1)
        ]

    def _result(self, rank: int, hit: Ranked, segment: Segment, chunk: ChunkRow) -> Result:
        oid = segment.oid(chunk.file)
        # of several definitions in a chunk the one that was asked for
        symbol = chunk.symbol if hit.symbol is None else hit.symbol
        shown_first, shown_last = self._extent(segment, symbol, chunk)
        data = self._texts[oid]
        lines = self._texts.lines(oid)
        if not lines[-1]:
            lines = lines[:-1]
        shown = [line.removesuffix("\r") for line in lines[shown_first - 1 : shown_last]]
        if self._request.max_lines is not None:
            shown = shown[: self._request.max_lines]
        context = None
        if chunk.scope >= 0:
            scope = segment.symbol(chunk.scope)
            if scope.first < shown_first:
                context = scope.first, signature(segment, chunk.scope, data)
        named = signature(segment, symbol, data) if symbol >= 0 else ""
        return Result(
            rank=rank,
            path=segment.path(chunk.file).decode("utf-8", "surrogateescape"),
            start=chunk.first,
            end=chunk.last,
            blob=oid,
            language=segment.language(chunk.file),
            kind=segment.kind(symbol) if symbol >= 0 else "text",
            symbol=segment.qualified(symbol) if symbol >= 0 else None,
            score=round(float(hit.score), 6),
            legs=hit.legs,
            confidence=_confidence(hit),
            text="\n".join(shown),
            signature=named or _first_line(lines[chunk.first - 1 : chunk.last]),
            context=context,
            first_shown=shown_first,
            explain=hit.factors,
        )

    def _extent(self, segment: Segment, symbol: int, chunk: ChunkRow) -> tuple[int, int]:
        """The lines to show: the chunk, with context, or its whole definition."""
        before, after = self._request.context
        first, last = chunk.first, chunk.last
        if self._request.whole and symbol >= 0:
            whole = segment.symbol(symbol)
            first, last = min(first, whole.first), max(last, whole.last)
        return max(1, first - before), last + after


def _first_line(lines: list[str]) -> str:
    return next((line.strip()[:SIGNATURE] for line in lines if line.strip()), "")


def _confidence(hit: Ranked) -> str:
    """high: two legs rank it among their first ten; medium: one does; low: none does."""
    sure = sum(rank is not None and rank <= _SURE_RANK for rank in hit.legs.values())
    return ("low", "medium", "high")[min(sure, 2)]
