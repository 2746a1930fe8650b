"""Ask questions of trees in this process: one view at a time, one or many rankings.

The answers are those of `git search --at <revision> -k <count> <question>`; for one question of
each repository this is checked.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gitsearch.commands import reader, shown_results
from gitsearch.commands import search as command
from gitsearch.features.embedding import PACKAGED, Model
from gitsearch.features.sentence_encoder import SentenceEncoder
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.session import Session
from gitsearch.retrieval import engine, query, reading, spelling
from gitsearch.retrieval.constants import DEFAULT, Ranking
from gitsearch.settings import OFF, SearchRequest, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.git.blob_cache import BlobCache
    from gitsearch.index.open_view import OpenView
    from gitsearch.index.view import View


@dataclass(frozen=True)
class Variant:
    """One way to rank: the default or a change of it.

    reader: the weight of the reader; 0 is the order without it.
    """

    name: str
    ranking: Ranking = field(default=DEFAULT)
    mode: str = "hybrid"
    rerank: bool = True
    group: str = ""
    reader: float = 0.0


@dataclass(frozen=True)
class Tree:
    """A revision of a repository and what is asked of it: (key of the question, its text)."""

    folder: Path
    revision: str
    questions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Found:
    """One result: where it is, what it defines, 1-based ranks per leg."""

    path: str
    start: int
    end: int
    symbol: str
    legs: dict[str, int | None]

    def __str__(self) -> str:
        legs = " ".join(f"{name} {rank or '-'}" for name, rank in self.legs.items())
        return f"{self.path}:{self.start}-{self.end} {self.symbol or '-'} ({legs})"


# Constants that no leg knows of: what the legs find is the same whatever these are.
_AFTER = (
    *("rrf_k", "alpha_prose", "alpha_symbol", "names_symbol", "names_prose"),
    *("coherence", "group", "definition", "definition_stem", "definition_words"),
    *("stem_share", "stem_boost"),
    *("file", "coverage", "in_definition", "link", "link_files"),
    *("test", "example", "docs", "compat", "barrel", "declarations", "vendored"),
    *("prose", "config", "guide", "unnamed"),
    *("saturation_how", "saturation", "saturation_later", "first_results"),
    *("twin_cosine", "twin"),
)

# Results by variant, then by the key of the question.
Answers = list[dict[str, list[Found]]]


class Quiet(Silent):
    """Progress that shows nothing but what a user must know."""

    def note(self, line: str) -> None:
        print(line, file=sys.stderr)


def answer(trees: Sequence[Tree], count: int, variants: Sequence[Variant], jobs: int) -> Answers:
    """The best `count` results of every question under every variant."""
    folders: dict[Path, list[Tree]] = {}
    for tree in trees:
        folders.setdefault(tree.folder, []).append(tree)
    answers: Answers = [{} for _ in variants]
    work = [(own, count, tuple(variants)) for own in folders.values()]
    for part in _each(work, jobs):
        for whole, found in zip(answers, part, strict=True):
            whole.update(found)
    return answers


def _each(work: list[tuple[Any, ...]], jobs: int) -> Iterator[Answers]:
    # One process a repository: two that ask one repository would wait for its writer's lock.
    if jobs == 1:
        yield from map(_answer_folder, work)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_answer_folder, work)


def _answer_folder(work: tuple[list[Tree], int, tuple[Variant, ...]]) -> Answers:
    trees, count, variants = work
    answers: Answers = [{} for _ in variants]
    started = time.monotonic()
    for tree in trees:
        whole = opened_tree(tree.folder, tree.revision)
        for key, text in tree.questions:
            question = Question(whole.view, text, count, whole.texts)
            for variant, found in zip(variants, answers, strict=True):
                found[key] = question.answered(variant)
    _compare(trees[0], count, variants, answers)
    asked = sum(len(tree.questions) for tree in trees)
    took = time.monotonic() - started
    print(f"{trees[0].folder.name}: {asked} questions, {took:.1f} s", file=sys.stderr, flush=True)
    return answers


@cache
def _model() -> Model:
    return Model(PACKAGED)


@cache
def _encoder() -> SentenceEncoder:
    return SentenceEncoder()


def opened(folder: Path, revision: str) -> View:
    """The view of a revision, indexed first where it is not yet."""
    return opened_tree(folder, revision).view


def opened_tree(folder: Path, revision: str) -> OpenView:
    """Open a clone at a revision, which is indexed first if it is not."""
    session = Session(folder, Quiet())
    opener = ViewOpener(session)
    found = session.resolve(revision)
    first = opener.open(found, [], revision)
    if first.counters.files_parsed:
        # The model that indexed holds its whole table and its tokeniser: let go of it.
        first = opener.open(found, [], revision)
    # One model for all views: each would load a tokeniser for the first word it does not know.
    return replace(first, view=replace(first.view, model=_model()))


class Question:
    """A question to a view, whose legs are asked once for all rankings that leave them alike.

    texts: has the blobs of the view, for a reader.
    """

    def __init__(self, view: View, text: str, count: int, texts: BlobCache | None = None) -> None:
        self._view = view
        self._texts = texts
        self._read: dict[str, float] = {}
        self._query, _ = spelling.respelt(view, query.parse(text))
        self._count = count
        self._found: dict[tuple[Any, ...], engine.Candidates] = {}

    def answered(self, variant: Variant) -> list[Found]:
        """The best results under a variant."""
        ranking = variant.ranking
        is_read = variant.reader > 0 and not self._query.symbol
        count = max(self._count, reading.READ) if is_read else self._count
        options = engine.Options(
            mode=variant.mode, count=count, rerank=variant.rerank, ranking=ranking
        )
        legs = replace(ranking, **{name: getattr(DEFAULT, name) for name in _AFTER})
        key = (variant.mode, count, astuple(legs))
        if key not in self._found:
            view = self._view
            self._found[key] = engine.gather(view, self._query, view.live, options)
        found = engine.ranked(self._view, self._query, self._found[key], options)
        if is_read and found and _encoder().knows(self._query.text):
            first = found[: reading.READ]
            nearness = self._nearness(first)
            files = self._view.files(np.asarray([one.row for one in first], np.int64))
            spread = reading.spread_of(self._query, ranking)
            found = reading.reordered(found, nearness, files, spread=spread, weight=variant.reader)
        return [self._told(one) for one in found[: self._count]]

    def _nearness(self, found: Sequence[engine.Ranked]) -> np.ndarray:
        if self._texts is None:
            raise ValueError("the reader needs the texts of the view")
        texts = []
        for one in found:
            segment, row = self._view.locate(one.row)
            texts.append(reader.text_of(segment, segment.chunk(row), one.symbol, self._texts))
        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        if new:
            scores = _encoder().scores(self._query.text, new).tolist()
            self._read.update(zip(new, scores, strict=True))
        return np.asarray([self._read[text] for text in texts])

    def _told(self, one: engine.Ranked) -> Found:
        segment, row = self._view.locate(one.row)
        chunk = segment.chunk(row)
        symbol = chunk.symbol
        if one.symbol is not None and self._texts is not None:
            lines = self._texts.lines(segment.oid(chunk.file))
            chunk = shown_results.from_definition(segment, chunk, one.symbol, lines)
        return Found(
            segment.path(chunk.file).decode("utf-8", "surrogateescape"),
            chunk.first,
            chunk.last,
            segment.qualified(symbol) if symbol >= 0 else "",
            one.legs,
        )


def _compare(tree: Tree, count: int, variants: Sequence[Variant], answers: Answers) -> None:
    """Figures must be those of the command: stop when it answers a question otherwise."""
    for variant, found in zip(variants, answers, strict=True):
        plain = replace(variant, name="", group="")
        if plain not in (Variant(""), Variant("", reader=reading.WEIGHT)):
            continue
        key, text = tree.questions[0]
        asked = "on" if variant.reader else OFF
        request = SearchRequest(text, at=tree.revision, max_count=count, reader=asked)
        report = command.search(Session(tree.folder), request)
        theirs = [(one.path, one.start, one.end) for one in report.results]
        ours = [(one.path, one.start, one.end) for one in found[key]]
        if theirs != ours:
            sys.exit(
                f"{tree.folder}: `git search --at {tree.revision} -k {count} {text}` answers"
                " otherwise than this evaluation; is a search.* setting configured?"
            )
