"""Quality of answers before there is an index: the files that are read, and what is found there.

    python -m bench.first_answer --yardstick DIR [--whole DIR] [--lines-checkouts DIR] ...
                                 [--each N] [--bytes N]

Asks the questions of the yardsticks twice, of the whole index and of the files that are read
first, and prints the figures of both. The curve says for how many of the questions a right file is
among the first megabytes that would be read. DIR and the other options are those of bench.quality;
--each takes so many questions of a repository, --bytes reads so many bytes.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench import filing
from bench.evaluation import Question, Quiet, Tree, Variant, opened
from bench.quality import add_yardsticks, yardsticks
from bench.yardsticks import Lines, Scored
from gitsearch.commands.file_candidates import FileCandidates
from gitsearch.commands.tree_selection import select_tree
from gitsearch.git import blobs, trees
from gitsearch.index import first_view, tree_files
from gitsearch.index.segment_assembly import SegmentAssembler
from gitsearch.index.session import Session
from gitsearch.index.update_counts import Counters
from gitsearch.index.view import View
from gitsearch.retrieval import query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.evaluation import Found
    from bench.quality import Yardstick

# Megabytes that are read first, of which the curve tells.
_CURVE = (0.25, 0.5, 1.0, 1.2, 1.5, 2.0, 3.0, 6.0)
_MB = 1e6

# A tree is large from this many bytes of text on.
_LARGE = 20e6

Answer = dict[str, list["Found"]]


class Asked(NamedTuple):
    """Answers to the questions about a tree, and the megabytes that are read up to each file."""

    whole: Answer
    first: Answer
    before: dict[str, dict[str, float]]
    text: float
    seconds: list[float]


def main() -> None:
    args = _parser().parse_args()
    if args.bytes:
        for module in (tree_files, first_view):
            vars(module)["BYTES"] = args.bytes  # what is measured here
    figures: dict[str, Any] = {}
    for one in yardsticks(args):
        taken = list(_some(one.trees(), args.each))
        with ProcessPoolExecutor(args.jobs, get_context("fork")) as pool:
            asked = list(pool.map(_ask, taken, [one.count] * len(taken)))
        figures[one.name] = _figures(one, asked)
    filing.write("first-answer", figures, args.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.first_answer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_yardsticks(parser)
    add = parser.add_argument
    add("--each", type=int, default=10**6, help="questions of a repository, drawn with seed 0")
    add("--bytes", type=int, help="that are read")
    add("--jobs", type=int, default=1, help="repositories asked at once")
    add("--out", type=Path, help="where to file the figures")
    return parser


def _some(every: Sequence[Tree], each: int) -> Iterator[Tree]:
    by_folder: dict[Path, list[tuple[Tree, tuple[str, str]]]] = defaultdict(list)
    for tree in every:
        by_folder[tree.folder] += [(tree, question) for question in tree.questions]
    for own in by_folder.values():
        chosen = random.Random(0).sample(own, min(each, len(own)))
        for tree in dict.fromkeys(tree for tree, _ in chosen):
            yield replace(tree, questions=tuple(one for of, one in chosen if of is tree))


def _ask(tree: Tree, count: int) -> Asked:
    whole = opened(tree.folder, tree.revision)
    asked = Asked({}, {}, {}, _text(tree), [])
    for key, text in tree.questions:
        asked.whole[key] = Question(whole, text, count).answered(Variant(""))
        started = time.monotonic()
        view, order = _first(tree, text)
        asked.first[key] = Question(view, text, count).answered(Variant(""))
        asked.seconds.append(time.monotonic() - started)
        asked.before[key] = order
    print(f"{tree.folder.name}: {len(tree.questions)}", file=sys.stderr, flush=True)
    return asked


def _text(tree: Tree) -> float:
    session = Session(tree.folder)
    listed = trees.list_tree(session.repo, session.resolve(tree.revision).tree)
    sizes = blobs.sizes(session.repo, [entry.oid for entry in listed if entry.regular])
    return float(sum(size for size in sizes.values() if size <= session.settings.max_file_size))


def _first(tree: Tree, text: str) -> tuple[View, dict[str, float]]:
    """The view of the files that are read first, and what is read up to the end of each, in MB."""
    session = Session(tree.folder, Quiet())
    found = session.resolve(tree.revision).tree
    chooser = _Noted(
        select_tree(session, at=tree.revision),
        query.parse(text),
        lambda _: lambda _: True,
        lambda _: None,
    )
    assembler = SegmentAssembler(session.repo, session.store, session.progress, Counters())
    base = first_view.of_tree(assembler, found, chooser, edited={}, waits=False)
    assert base is not None
    ((segment, _),) = base.layers
    live = np.ones(segment.files, bool)
    return View((segment,), (live,), session.store.model, base.rest), chooser.before


class _Noted(FileCandidates):
    """Candidates, of which is noted how many megabytes are read with all before them."""

    before: dict[str, float]

    def choose(self, files: tree_files.TreeFiles) -> tree_files.Choice:
        choice = super().choose(files)
        ends = np.cumsum(files.sizes(choice.order)) / _MB
        names = [os.fsdecode(files.paths[number]) for number in choice.order]
        self.before = dict(zip(names, ends.tolist(), strict=True))
        return choice


def _figures(one: Yardstick, asked: list[Asked]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, kept in (("all", asked), ("large", [own for own in asked if own.text >= _LARGE])):
        keys = {key for own in kept for key in own.first}
        if not keys:
            continue
        wanted = one.wanted()
        shares = {
            str(size): sum(
                _is_read(wanted[key], own.before[key], size) for own in kept for key in own.first
            )
            / len(keys)
            for size in _CURVE
        }
        mean = sum(own.text * len(own.first) for own in kept) / len(keys) / _MB
        print(f"== {one.name}, {name}: {len(keys)} questions, trees of {mean:.1f} MB in the mean")
        print("right file within MB: " + ", ".join(f"{a} {b:.3f}" for a, b in shares.items()))
        out[name] = {"questions": len(keys), "mean_mb": mean, "recall_by_mb": shares}
        for which in ("whole", "first"):
            answers = {key: found for own in kept for key, found in getattr(own, which).items()}
            with tempfile.TemporaryDirectory() as scratch:
                some = replace(one, ids=frozenset(keys)) if isinstance(one, Lines) else one
                out[name][which] = _summary(some, some.score(answers, Path(scratch)), keys)
            print(f"{which}: " + ", ".join(f"{a} {b:.3f}" for a, b in out[name][which].items()))
        seconds = sorted(second for own in kept for second in own.seconds)
        out[name]["median_seconds"] = seconds[len(seconds) // 2]
        print(f"median seconds: {seconds[len(seconds) // 2]:.2f}", flush=True)
    return out


def _summary(one: Yardstick, scored: Scored, keys: set[str]) -> dict[str, float]:
    if isinstance(one, Lines):
        names = ("read50", "read100", "read200", "files_hit3", "files_hit10")
        return {name: scored.figures["all"][name] for name in names}
    return {"ndcg10": sum(scored.each[key] for key in keys) / len(keys)}


def _is_read(wanted: set[str], before: dict[str, float], size: float) -> bool:
    """Return True if a right file is among the first megabytes; paths may begin below a folder."""
    ends = tuple(f"/{path}" for path in wanted)
    return any(mb <= size and f"/{path}".endswith(ends) for path, mb in before.items())


if __name__ == "__main__":
    main()
