"""Ask questions of trees in this process: one view at a time, one or many rankings.

The answers are those of `git search --at <revision> -k <count> <question>`; for one question of
each repository this is checked.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsearch.commands import search as command
from gitsearch.corpus.opening import Opener
from gitsearch.features.vectors import PACKAGED, Model
from gitsearch.git import repo as repository
from gitsearch.retrieval import engine, query
from gitsearch.retrieval.constants import DEFAULT, Ranking
from gitsearch.settings import SearchRequest, Settings, Silent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitsearch.corpus.view import View


@dataclass(frozen=True)
class Variant:
    """One way to rank: the default or a change of it."""

    name: str
    ranking: Ranking = field(default=DEFAULT)
    mode: str = "hybrid"
    rerank: bool = True
    group: str = ""


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
        view = opened(tree.folder, tree.revision)
        for variant, found in zip(variants, answers, strict=True):
            for key, text in tree.questions:
                found[key] = ask(view, text, count, variant)
    _compare(trees[0], count, variants, answers)
    asked = sum(len(tree.questions) for tree in trees)
    took = time.monotonic() - started
    print(f"{trees[0].folder.name}: {asked} questions, {took:.1f} s", file=sys.stderr, flush=True)
    return answers


@cache
def _model() -> Model:
    return Model(PACKAGED)


def opened(folder: Path, revision: str) -> View:
    """The view of a revision, indexed first where it is not yet."""
    repo = repository.open_repo(folder)
    opener = Opener(repo, Settings(), Quiet())
    found = repository.resolve(repo, revision)
    first = opener.open(found, [], revision)
    if first.counters.files_parsed:
        # The model that indexed holds its whole table and its tokeniser: let go of it.
        first = opener.open(found, [], revision)
    # One model for all views: each would load a tokeniser for the first word it does not know.
    return replace(first.view, model=_model())


def ask(view: View, text: str, count: int, variant: Variant) -> list[Found]:
    """The best results for a question."""
    options = engine.Options(
        mode=variant.mode, count=count, rerank=variant.rerank, ranking=variant.ranking
    )
    found = []
    for one in engine.search(view, query.parse(text), view.live, options):
        segment, row = view.locate(one.row)
        symbol = int(segment["chunk_symbol"][row])
        path = segment.path(int(segment["chunk_file"][row]))
        found.append(
            Found(
                path.decode("utf-8", "surrogateescape"),
                int(segment["chunk_first_line"][row]),
                int(segment["chunk_first_line"][row]) + int(segment["chunk_more_lines"][row]),
                segment.qualified(symbol) if symbol >= 0 else "",
                one.legs,
            )
        )
    return found


def _compare(tree: Tree, count: int, variants: Sequence[Variant], answers: Answers) -> None:
    """Figures must be those of the command: stop when it answers a question otherwise."""
    default = Variant("")
    for variant, found in zip(variants, answers, strict=True):
        if replace(variant, name="", group="") != default:
            continue
        key, text = tree.questions[0]
        request = SearchRequest(text, at=tree.revision, max_count=count)
        report = command.search(tree.folder, request, Quiet())
        theirs = [(one.path, one.start, one.end) for one in report.results]
        ours = [(one.path, one.start, one.end) for one in found[key]]
        if theirs != ours:
            sys.exit(
                f"{tree.folder}: `git search --at {tree.revision} -k {count} {text}` answers"
                " otherwise than this evaluation; is a search.* setting configured?"
            )
        return
