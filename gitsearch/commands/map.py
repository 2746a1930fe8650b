"""`git search map`: the files of the highest rank, with their definitions."""

from __future__ import annotations

import math
import os
import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gitsearch.commands.tree_selection import select_tree
from gitsearch.reports.overview import MOST_TOO_LARGE, MapReport, Module, SignatureLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitsearch.commands.budgeted_items import BudgetedItems
    from gitsearch.commands.code_graph import CodeGraph
    from gitsearch.graph.graph_metrics import GraphMetrics
    from gitsearch.index.session import Session
    from gitsearch.index.view import Segment
    from gitsearch.retrieval.query import Query

BUDGET = 2000

_LONG = 120  # characters of a signature
# The map is full when so many files in a row do not fit.
_MISSES = 16
# Files that are read at once.
_AT_ONCE = 32
# Namespaces in which a file tests itself.
_TESTS = frozenset({"test", "tests"})
# What a header says so that it is read once.
_GUARD = re.compile(r"#\s*define \w+")
# White space beside brackets.
_BLANK = re.compile(r",? (?=[)\]])|, (?=>)|(?<=[(\[<]) ")
# Results of a search where walks start.
_FOUND = 50


class MapRequest(NamedTuple):
    """The tree, the paths and the query to rank files by, and the budget in tokens."""

    paths: tuple[str, ...] = ()
    query: str | None = None
    at: str | None = None
    cached: bool = False
    budget: int = BUDGET


def code_map(
    session: Session, request: MapRequest, written: Callable[[MapReport], str]
) -> MapReport:
    """The modules of the highest rank that fit; `written` gives a report as it is printed.

    Raises BadPath for what the tree does not have, and SmallBudget if no answer fits.
    """
    from gitsearch.commands.budgeted_items import BudgetedItems
    from gitsearch.commands.code_graph import open_code_graph
    from gitsearch.features.token_count import count
    from gitsearch.graph.graph_metrics import metrics_of

    code_graph = open_code_graph(select_tree(session, at=request.at, cached=request.cached))
    shape = metrics_of(code_graph.opened.session, code_graph.graph)
    named = _named(code_graph, shape, request.paths)
    start, warnings = _start(code_graph, shape, request, named)
    ranked = _Ranked(shape, start, named)

    def report(modules: Sequence[Module], tokens: int, too_large: Sequence[str] = ()) -> MapReport:
        return MapReport(
            code_graph.opened.tree,
            code_graph.opened.view.coverage(),
            request.paths,
            request.query,
            request.budget,
            tokens,
            len(shape.code),
            tuple(modules),
            len(shape.code) - len(modules),
            tuple(too_large),
            (*code_graph.opened.warnings, *warnings),
        )

    # no number of tokens has more digits than the budget
    most = request.budget
    items = BudgetedItems[Module](most, lambda modules: written(report(modules, most)))
    _fill(items, _modules(code_graph, shape, ranked), ranked.main)
    modules = items.fitting()
    passed_over = list(islice(ranked.passed_over(modules), MOST_TOO_LARGE))
    while passed_over and count(written(report(modules, most, passed_over))) > most:
        passed_over.pop()
    return report(modules, items.tokens(modules), passed_over)


# ---------------------------------------------------------------- where walks start


def _named(code_graph: CodeGraph, shape: GraphMetrics, paths: Sequence[str]) -> np.ndarray:
    """One bool a file of code: whether a path means it."""
    wanted = {target.path for text in paths for target in code_graph.targets(text)}
    return np.asarray([path in wanted for path in shape.code.paths], bool)


def _start(
    code_graph: CodeGraph, shape: GraphMetrics, request: MapRequest, named: np.ndarray
) -> tuple[np.ndarray | None, list[str]]:
    """The teleport vector, half of it each where paths and a query are given; None: uniform."""
    from gitsearch.retrieval import query

    parts: dict[str, np.ndarray] = {}
    warnings: list[str] = []
    if request.paths:
        parts["these paths"] = named.astype(np.float64)
    if request.query is not None:
        parsed = query.parse(request.query)
        warnings += parsed.warnings
        parts["the query"] = _found(code_graph, shape, parsed)
    nothing = "no code is found for {}; the map is drawn without"
    warnings += [nothing.format(what) for what, part in parts.items() if not part.any()]
    shares = [part / np.cumsum(part)[-1] for part in parts.values() if part.any()]
    return (np.cumsum(shares, axis=0)[-1] if shares else None), warnings


def _found(code_graph: CodeGraph, shape: GraphMetrics, wanted: Query) -> np.ndarray:
    """The scores of what a search finds, by file."""
    from gitsearch.retrieval import engine, filters

    view = code_graph.opened.view
    mode = code_graph.opened.session.settings.mode
    options = engine.Options(mode="hybrid" if mode == "auto" else mode, count=_FOUND, deeper=5)
    mask = filters.by_file(view, content="code")
    scores: dict[bytes, float] = {}
    for hit in engine.search(view, wanted, mask, options):
        segment, row = view.locate(hit.row)
        path = segment.path(int(segment["chunk_file"][row]))
        scores[path] = scores.get(path, 0.0) + max(float(hit.score), 0.0)
    return np.asarray([scores.get(path, 0.0) for path in shape.code.paths])


class _Ranked:
    """Files of code in the order of the map, those aside last, each with its tier and rank."""

    def __init__(self, shape: GraphMetrics, start: np.ndarray | None, named: np.ndarray) -> None:
        from gitsearch.graph.graph_metrics import TIERS, pagerank, tiers

        code = shape.code
        self.rank = shape.rank if start is None else pagerank(*code.pairs, len(code), start)
        aside = shape.aside & ~named
        self.order = np.lexsort((-self.rank, aside)).tolist()
        self.tier = [TIERS[-1]] * len(code)
        chosen = np.flatnonzero(~aside)
        self.main = len(chosen)
        for file, tier in zip(chosen.tolist(), tiers(self.rank[chosen]).tolist(), strict=True):
            self.tier[file] = TIERS[tier]
        self._paths = code.paths

    def passed_over(self, modules: Sequence[Module]) -> Iterator[str]:
        """Iterate over the files of the program that rank higher than the last of some modules."""
        shown = {module.path for module in modules}
        least = modules[-1].rank if modules else math.inf
        for file in self.order[: self.main]:
            if self.rank[file] <= least:
                return
            path = os.fsdecode(self._paths[file])
            if path not in shown:
                yield path


# ---------------------------------------------------------------- what is said of a file


def _modules(code_graph: CodeGraph, shape: GraphMetrics, ranked: _Ranked) -> Iterator[Module]:
    """The entry of each file, in order; files are read a few at a time."""
    for first in range(0, len(ranked.order), _AT_ONCE):
        some = ranked.order[first : first + _AT_ONCE]
        texts = _texts(code_graph, [int(shape.code.files[file]) for file in some])
        for file, data in zip(some, texts, strict=True):
            yield _module(code_graph, shape.code.paths[file], data)._replace(
                tier=ranked.tier[file], rank=float(ranked.rank[file])
            )


def _texts(code_graph: CodeGraph, files: Sequence[int]) -> list[bytes]:
    texts = code_graph.opened.texts.read(map(code_graph.graph.oid, files))
    return [texts[code_graph.graph.oid(file)] for file in files]


def _module(code_graph: CodeGraph, path: bytes, data: bytes) -> Module:
    from gitsearch.commands.signatures import signature
    from gitsearch.extract.comments import about

    place = code_graph.opened.view.find(path)
    assert place is not None
    segment, file = place
    symbols = _outermost(segment, file)
    texts = [(segment.symbol(i).first, signature(segment, i, data)) for i in symbols]
    comment = _trailing_comment(segment.language(file))
    shown = [
        SignatureLine(line, _tight(text, comment))
        for line, text in texts
        if not _GUARD.fullmatch(text)
    ]
    own = _own(segment, symbols, path)
    return Module(
        os.fsdecode(path), segment.language(file), "", 0.0, about(data, own), tuple(shown)
    )


@cache
def _trailing_comment(language: str) -> re.Pattern[str]:
    from gitsearch.extract.languages import LANGUAGES

    starts = LANGUAGES[language].syntax.line_comments if language in LANGUAGES else ()
    return re.compile(rf"(?<=\S) (?:{'|'.join(starts) or '(?!)'}) .*")


def _tight(text: str, comment: re.Pattern[str]) -> str:
    """Return a signature without a trailing comment, as one line of at most _LONG characters."""
    text = _BLANK.sub("", comment.sub("", text).rstrip(" :{"))
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."


def _outermost(segment: Segment, file: int) -> list[int]:
    """Functions and types of a file that lie in no other, by line; also those of namespaces."""
    from gitsearch.extract.symbol_kinds import MEMBERS, SPACES

    outermost: list[int] = []
    inside, last = "", 0
    for i in segment.symbols_of(file):
        kind, qualified = segment.kind(i), segment.qualified(i)
        symbol = segment.symbol(i)
        if symbol.first <= last and qualified.startswith(inside):
            continue
        if kind in MEMBERS or (kind in SPACES and segment.name(i) not in _TESTS):
            continue
        inside, last = f"{qualified}.", symbol.last
        if kind not in SPACES:
            outermost.append(i)
    return outermost


def _own(segment: Segment, symbols: Sequence[int], path: bytes) -> int:
    """The start of the definition that a file is named after, or of its only one; 0 for none."""
    stem = os.fsdecode(path.rpartition(b"/")[2].partition(b".")[0]).lower()
    named = [i for i in symbols if segment.name(i).lower() == stem]
    own = named[:1] or (symbols if len(symbols) == 1 else [])
    return segment.symbol(own[0]).start if own else 0


# ---------------------------------------------------------------- the budget


def _fill(items: BudgetedItems[Module], modules: Iterator[Module], main: int) -> None:
    """Add the first modules that fit, whole; one that does not is passed over.

    The first `main` are the program: what stands aside comes only where all of these are shown.
    """
    misses = shown = 0
    for i, module in enumerate(modules):
        fits = items.add(module)
        shown += fits
        misses = 0 if fits else misses + 1
        if misses == _MISSES or (i + 1 >= main > shown):
            return
