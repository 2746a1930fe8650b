"""`git search QUERY`: rank the chunks of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsearch import trace
from gitsearch.commands.session import Session, open_session
from gitsearch.commands.signatures import SIGNATURE, signature
from gitsearch.errors import BadLanguage, BadPath, nearest
from gitsearch.reports.search import Result, SearchReport

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import Segment, View
    from gitsearch.retrieval.engine import Ranked
    from gitsearch.settings import Progress, SearchRequest

# A leg that ranks a result this high vouches for it.
_SURE_RANK = 10


def search(cwd: Path, request: SearchRequest, progress: Progress) -> SearchReport:
    """The best chunks for a query; raises SearchError."""
    session = open_session(
        cwd,
        progress,
        at=request.at,
        cached=request.cached,
        untracked=request.untracked,
        refresh=request.refresh,
    )
    with trace.stage("imports"):  # beside git, which looks for edited files
        from gitsearch.retrieval import engine, query, spelling

    opened = session.open()
    parsed, respelt = spelling.respelt(opened.view, query.parse(request.text))
    mask = _mask(session, request, opened)
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
        results = _Shown(session, opened, request).results(ranked)
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


def _mask(session: Session, request: SearchRequest, opened: OpenView) -> np.ndarray:
    from gitsearch.retrieval import filters

    mask = filters.by_file(
        opened.view,
        languages=_languages(request.languages),
        content=request.content,
        tests=request.tests,
        paths=_paths(session, request, opened) if request.pathspecs else None,
    )
    if request.grep is not None:
        mask &= filters.by_lines(opened.view, _grepped(session, request.grep, opened))
    return mask


def _languages(names: tuple[str, ...]) -> set[str]:
    from gitsearch.extract.languages import LANGUAGES, named

    out = set()
    for name in names:
        found = named(name)
        if found is None:
            raise BadLanguage(f"no language is called '{name}'", nearest(name.lower(), LANGUAGES))
        out.add(found)
    return out


def _paths(session: Session, request: SearchRequest, opened: OpenView) -> set[bytes]:
    from gitsearch.git import trees

    specs = list(request.pathspecs)
    found: set[bytes] = set()
    if opened.tree.tree:
        found |= trees.match_paths(session.repo, opened.tree.tree, specs)
    if session.at is None and session.repo.worktree is not None:
        found |= trees.match_worktree(session.repo, specs, untracked=session.untracked)
    if not found:
        raise BadPath(
            f"no file matches '{' '.join(specs)}'", "paths are relative to the current folder"
        )
    return found


def _grepped(session: Session, regex: str, opened: OpenView) -> dict[bytes, list[int]]:
    from gitsearch.git import trees

    found = trees.grep_tree(session.repo, opened.tree.tree, regex) if opened.tree.tree else {}
    overlaid = {file.path for file in opened.dirty}
    kept = {path: lines for path, lines in found.items() if path not in overlaid}
    if opened.dirty:
        kept.update(trees.grep_worktree(session.repo, regex, opened.dirty))
    return kept


class _Shown:
    """Turns ranked rows into results with their text, which comes from git."""

    def __init__(self, session: Session, opened: OpenView, request: SearchRequest) -> None:
        self._repo = session.repo
        self._view: View = opened.view
        self._request = request
        self._contents = dict(opened.contents)

    def results(self, ranked: list[Ranked]) -> list[Result]:
        places = [self._view.locate(one.row) for one in ranked]
        self._read([_oid(segment, row) for segment, row in places])
        return [
            self._result(i + 1, one, segment, row)
            for i, (one, (segment, row)) in enumerate(zip(ranked, places, strict=True))
        ]

    def _read(self, oids: list[str]) -> None:
        from gitsearch.git import blobs

        wanted = [oid for oid in dict.fromkeys(oids) if oid not in self._contents]
        for oid, data in blobs.read_blobs(self._repo, wanted) if wanted else ():
            self._contents[oid] = data or b""

    def _result(self, rank: int, one: Ranked, segment: Segment, row: int) -> Result:
        file = int(segment["chunk_file"][row])
        data = self._contents[_oid(segment, row)]
        first = int(segment["chunk_first_line"][row])
        last = first + int(segment["chunk_more_lines"][row])
        scope, symbol = int(segment["chunk_scope"][row]), int(segment["chunk_symbol"][row])
        if one.symbol is not None:
            # of several definitions in a chunk the one that was asked for
            symbol = one.symbol
        shown_first, shown_last = self._extent(segment, symbol, first, last)
        lines = data.decode("utf-8", "replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        shown = [line.removesuffix("\r") for line in lines[shown_first - 1 : shown_last]]
        if self._request.max_lines is not None:
            shown = shown[: self._request.max_lines]
        context = None
        if scope >= 0 and int(segment["symbol_first"][scope]) < shown_first:
            context = (int(segment["symbol_first"][scope]), signature(segment, scope, data))
        named = signature(segment, symbol, data) if symbol >= 0 else ""
        return Result(
            rank=rank,
            path=segment.path(file).decode("utf-8", "surrogateescape"),
            start=first,
            end=last,
            blob=_oid(segment, row),
            language=str(segment.meta["languages"][int(segment["language"][file])]),
            kind=segment.kind(symbol) if symbol >= 0 else "text",
            symbol=segment.qualified(symbol) if symbol >= 0 else None,
            score=round(float(one.score), 6),
            legs=one.legs,
            confidence=_confidence(one),
            text="\n".join(shown),
            signature=named or _first_line(lines[first - 1 : last]),
            context=context,
            first_shown=shown_first,
            explain=one.factors,
        )

    def _extent(self, segment: Segment, symbol: int, first: int, last: int) -> tuple[int, int]:
        """The lines to show: the chunk, with context, or its whole definition."""
        before, after = self._request.context
        if self._request.whole and symbol >= 0:
            first = min(first, int(segment["symbol_first"][symbol]))
            last = max(last, int(segment["symbol_last"][symbol]))
        return max(1, first - before), last + after


def _oid(segment: Segment, row: int) -> str:
    oid: bytes = segment["oid"][int(segment["chunk_file"][row])].tobytes()
    return oid.hex()


def _first_line(lines: list[str]) -> str:
    return next((line.strip()[:SIGNATURE] for line in lines if line.strip()), "")


def _confidence(one: Ranked) -> str:
    """high: two legs rank it among their first ten; medium: one does; low: none does."""
    sure = sum(rank is not None and rank <= _SURE_RANK for rank in one.legs.values())
    return ("low", "medium", "high")[min(sure, 2)]
